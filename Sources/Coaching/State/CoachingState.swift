public import FoundationEssentials
package import HealthRecords
public import Intake
public import Journeys
public import Signals

/// What coaching knows: the fold over its events, beside the intake's own.
public struct CoachingState: Hashable, Sendable {
  public private(set) var log = TrainingLog()
  /// Nil if the person hasn't chosen; a journey's choice counts.
  public private(set) var units: Units?
  public private(set) var constraints = ConstraintBook()
  public private(set) var goals = Goals()
  public private(set) var reviews: [PastReview] = []
  /// Sessions a week as last agreed in a review; nil if none was.
  public private(set) var agreedSessions: Int?
  /// The goal and program that were approved in a journey.
  public private(set) var plan = ActivePlan()
  /// When coaching began.
  public private(set) var beganAt: Date?
  /// When the person last said something.
  public private(set) var lastSeenAt: Date?
  /// Care that was given, and when.
  private var care: [CareKind: Date] = [:]
  private let careNotes: CareNotes

  public struct PastReview: Hashable, Sendable {
    public var review: Review
    public var at: Date
    public var answer: ProposalAnswer?

    /// Whether its proposal still waits for an answer.
    public var isOpen: Bool { review.proposal != nil && answer == nil }
  }

  /// - Parameter careNotes: What each kind of care calls for.
  public init(careNotes: CareNotes = .minimum) { self.careNotes = careNotes }

  public init(
    events: [RecordedEvent], careNotes: CareNotes = .minimum
  ) throws(UnreadableEvent) {
    self.init(careNotes: careNotes)
    for event in events { try apply(event) }
  }

  /// Folds one event. Kinds of other modules change nothing, except those that coaching rests on.
  public mutating func apply(_ recorded: RecordedEvent) throws(UnreadableEvent) {
    if let event = recorded.event {
      apply(event, at: recorded.at)
    } else if let event = try recorded.event(as: CoachingEvent.self) {
      apply(event, at: recorded.at)
    } else if let event = try recorded.event(as: JourneyEvent.self) {
      try apply(event, recorded)
    }
  }

  private mutating func apply(
    _ event: JourneyEvent, _ recorded: RecordedEvent
  ) throws(UnreadableEvent) {
    try plan.apply(recorded)
    switch event {
    case .started(let start): units = start.units
    case .unitsChosen(let units): self.units = units
    case .approved(.goal):
      if let goal = plan.goal { goals.adopt(goal, at: recorded.at) }
    case .approved(.program): beganAt = beganAt ?? recorded.at
    default: break
    }
  }

  private mutating func apply(_ event: IntakeEvent, at date: Date) {
    switch event {
    case .userSaid: lastSeenAt = date
    case .entitled where beganAt == nil: beganAt = date
    case .cared(let answer): care[answer.kind] = date
    case .answered(let answer):
      if let kind = answer.care { care[kind] = date }
    case .synthesised(let synthesis):
      constraints.adopt(synthesis.system, on: Day(of: date))
      goals.adopt(synthesis.system.userGoals, at: date)
    default: break
    }
  }

  mutating func apply(_ event: CoachingEvent, at date: Date) {
    switch event {
    case .noted(let entry): log.note(entry)
    case .corrected(let entry): log.correct(entry)
    case .removed(let number): log.remove(number)
    case .unitsChosen(let units): self.units = units
    case .constraintProposed(let constraint): constraints.propose(constraint)
    case .constraintAsked(let question): constraints.ask(question)
    case .constraintSettled(let answer): constraints.settle(answer, on: Day(of: date))
    case .reviewed(let review): reviews.append(PastReview(review: review, at: date))
    case .proposalAnswered(let answer): settle(answer)
    case .goalChanged(let change): goals.change(change, at: date)
    }
  }

  private mutating func settle(_ answer: ProposalAnswer) {
    guard let place = reviews.lastIndex(where: { $0.review.number == answer.review }),
      reviews[place].answer == nil
    else { return }
    reviews[place].answer = answer
    if let sessions = answer.sessions { agreedSessions = sessions }
  }
}

// What care rules out.
extension CoachingState {
  /// After care about eating, a weight isn't spoken of.
  package var hidesWeight: Bool { care.keys.contains(where: careNotes.hidesSensitive) }

  /// Days without reviews after somebody was told to get help.
  private static let daysAfterHelp = 7

  package func allowsReviews(on today: Day) -> Bool {
    guard let latest = care.filter({ careNotes.sendsForHelp($0.key) }).values.max() else {
      return true
    }
    return today - Day(of: latest) >= Self.daysAfterHelp
  }

  /// The day on which coaching began.
  var firstDay: Day? { beganAt.map { Day(of: $0) } }
}

/// What the person wants: first, and now.
public struct Goals: Hashable, Sendable {
  public struct Step: Hashable, Sendable {
    public var goal: String
    public var since: Date
    public var change: GoalChange?
  }

  /// From the profile; nil before there is one.
  public private(set) var original: Step?
  public private(set) var changes: [Step] = []
  public private(set) var milestones: [String] = []

  public var present: Step? { changes.last ?? original }

  mutating func adopt(_ goals: UserGoals, at date: Date) {
    guard let primary = goals.primary, changes.isEmpty else { return }
    original = Step(goal: primary, since: date)
    milestones = goals.milestones ?? []
  }

  mutating func adopt(_ goal: GoalContract, at date: Date) {
    let step = Step(goal: goal.primary, since: date)
    if original == nil { original = step } else { changes.append(step) }
    milestones = goal.milestones.map(\.what)
  }

  mutating func change(_ change: GoalChange, at date: Date) {
    changes.append(Step(goal: change.goal, since: date, change: change))
  }
}

extension Day {
  /// The date at a place.
  package init(of date: Date, in zone: TimeZone = .gmt) {
    let seconds = date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))
    self.init(number: Int((seconds / 86_400).rounded(.down)))
  }
}
