import ContextQuality
public import FoundationEssentials
package import HealthRecords
public import Intake
public import Plans
public import Signals

/// What coaching knows: the fold over its events, beside the intake's own.
public struct CoachingState: Hashable, Sendable {
  public private(set) var log = TrainingLog()
  /// As the person chose or named in a journey or by a command; else those that most of their entries named,
  /// else those that their journey began with.
  public var units: Units? {
    let named = log.entries.compactMap(\.units)
    let imperial = named.count { $0 == .imperial }
    return chosenUnits
      ?? (named.isEmpty ? firstUnits : imperial * 2 > named.count ? .imperial : .metric)
  }
  private var chosenUnits: Units?
  private var firstUnits: Units?
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
  /// The person's day on which they last said, answered or typed something.
  package private(set) var lastActiveDay: Day?
  /// The person's day on which coaching began.
  private(set) var firstDay: Day?
  /// The day of the review in which the sessions a week were last agreed on.
  private(set) var agreedOn: Day?
  /// The person's messages, by turn, and the days on which they came.
  private var said: [Int: ConstraintBook.Said] = [:]
  /// Care that was given, and when.
  private var care: [CareKind: Day] = [:]
  private let careNotes: CareNotes

  public struct PastReview: Hashable, Sendable {
    public var review: Review
    public var at: Date
    public var answer: ProposalAnswer?
    /// What the person said to its question.
    public var words: String?
    /// Whether training of its last day was noted by then. If not, it belongs to the next review.
    package var countsItsDay: Bool

    /// Whether its proposal still waits for an answer.
    public var isOpen: Bool { review.proposal != nil && answer == nil }
  }

  /// - Parameter careNotes: What each kind of care calls for.
  public init(careNotes: CareNotes = .minimum) { self.careNotes = careNotes }

  /// - Parameter secondsFromGMT: How far the person's clock is ahead of UTC at a time.
  public init(
    events: [RecordedEvent], careNotes: CareNotes = .minimum,
    secondsFromGMT: (Date) -> Int = { _ in 0 }
  ) throws(UnreadableEvent) {
    self.init(careNotes: careNotes)
    for event in events { try apply(event, secondsFromGMT: secondsFromGMT(event.at)) }
  }

  /// Folds one event. Kinds of other modules change nothing, except those that coaching rests on.
  ///
  /// - Parameter secondsFromGMT: How far the person's clock was ahead of UTC then.
  public mutating func apply(
    _ recorded: RecordedEvent, secondsFromGMT: Int = 0
  ) throws(UnreadableEvent) {
    let day = Day(of: recorded.at, secondsFromGMT: secondsFromGMT)
    if let event = recorded.event {
      apply(event, at: recorded.at, on: day)
    } else if let event = try recorded.event(as: CoachingEvent.self) {
      apply(event, at: recorded.at, on: day)
    } else if recorded.isOfJourney {
      lastActiveDay = day
      try plan.apply(recorded)
      if let event = try recorded.event(as: PlanEvent.self) {
        apply(event, at: recorded.at, on: day)
      }
    }
  }

  private mutating func apply(_ event: PlanEvent, at date: Date, on day: Day) {
    switch event {
    case .started(let start): firstUnits = start.units
    case .unitsChosen(let units): chosenUnits = units
    case .approved(.goal, _):
      if let goal = plan.goal { goals.adopt(goal, at: date, on: day) }
    case .approved(.program, _):
      begin(at: date, on: day)
      // What was agreed on was for the program before.
      (agreedSessions, agreedOn) = (nil, nil)
    default: break
    }
  }

  private mutating func begin(at date: Date, on day: Day) {
    guard beganAt == nil else { return }
    (beganAt, firstDay) = (date, day)
  }

  private mutating func apply(_ event: IntakeEvent, at date: Date, on day: Day) {
    switch event {
    case .userSaid(let turn):
      (lastSeenAt, lastActiveDay) = (date, day)
      said[turn.turn] = ConstraintBook.Said(text: turn.text, day: day)
    case .scored(let scoring):
      for case .quote(let quote, let turn) in scoring.evidence.map(\.basis) {
        said[turn]?.quotes.insert(quote)
      }
    case .entitled: begin(at: date, on: day)
    case .cared(let answer): care[answer.kind] = day
    case .answered(let answer):
      lastActiveDay = day
      if let kind = answer.care { care[kind] = day }
    case .amended(let amendment):
      if amendment.turn == nil { lastActiveDay = day }
      constraints.apply(amendment, on: day)
      goals.take(amendment, at: date, on: day)
    case .synthesised(let synthesis):
      constraints.adopt(synthesis.system, on: day, said: said)
      let supported = synthesis.system.withoutUnsupported
      goals.adopt(supported.userGoals, at: date, on: day, isCoaching: beganAt != nil)
    default: break
    }
  }

  mutating func apply(_ event: CoachingEvent, at date: Date, on day: Day) {
    if event.isOfThePerson { lastActiveDay = day }
    switch event {
    case .noted(let entry): log.note(entry)
    case .corrected(let entry): log.correct(entry)
    case .removed(let number): log.remove(number)
    case .unitsChosen(let units): chosenUnits = units
    case .constraintProposed, .constraintAsked, .constraintSettled:
      constraints.apply(event, on: day)
    case .reviewed(let review):
      // Only the last review's proposal waits for an answer.
      for place in reviews.indices where reviews[place].isOpen {
        reviews[place].answer = ProposalAnswer(
          review: reviews[place].review.number, outcome: .unanswered)
      }
      let countsItsDay = log.entries.contains { $0.isTraining && $0.day == review.through }
      reviews.append(PastReview(review: review, at: date, countsItsDay: countsItsDay))
    case .proposalAnswered(let answer): settle(answer)
    case .reviewAnswered(let answer):
      guard let place = reviews.lastIndex(where: { $0.review.number == answer.review }) else {
        return
      }
      reviews[place].words = answer.words
    case .goalChanged(let change): goals.change(change, at: date, on: day)
    }
  }

  private mutating func settle(_ answer: ProposalAnswer) {
    guard let place = reviews.lastIndex(where: { $0.review.number == answer.review }),
      reviews[place].answer == nil
    else { return }
    reviews[place].answer = answer
    if let sessions = answer.sessions {
      (agreedSessions, agreedOn) = (sessions, reviews[place].review.through)
    }
  }
}

// What care rules out.
extension CoachingState {
  /// After care about eating, a weight is not spoken of.
  package var hidesWeight: Bool { care.keys.contains(where: careNotes.hidesSensitive) }

  /// Days without reviews after somebody was told to get help.
  private static let daysAfterHelp = 7

  package func allowsReviews(on today: Day) -> Bool {
    guard let latest = care.filter({ careNotes.sendsForHelp($0.key) }).values.max() else {
      return true
    }
    return today - latest >= Self.daysAfterHelp
  }
}

extension CoachingEvent {
  /// Whether it shows that the person was there.
  fileprivate var isOfThePerson: Bool {
    switch self {
    case .noted(let entry), .corrected(let entry): entry.source != .health
    case .removed, .unitsChosen, .goalChanged, .reviewAnswered: true
    case .constraintSettled(let answer): answer.outcome != .unanswered
    case .proposalAnswered(let answer): answer.outcome != .unanswered
    case .constraintProposed, .constraintAsked, .reviewed: false
    }
  }
}

/// What the person wants: first, and now.
public struct Goals: Hashable, Sendable {
  public struct Step: Hashable, Sendable {
    public var goal: String
    public var since: Date
    public var change: GoalChange?
    /// What was said about when, beside the goal.
    public var timeline: String?
    /// The person's day on which it was said.
    var day: Day
  }

  /// From the profile; nil before there is one.
  public private(set) var original: Step?
  public private(set) var changes: [Step] = []
  public private(set) var milestones: [String] = []
  /// Whether a contract was approved, which a profile does not replace.
  private var isApproved = false
  /// Why it matters, in the person's words.
  public private(set) var why: String?

  public var present: Step? { changes.last ?? original }

  /// A profile's goal. What was approved, or was said before coaching began, stays the original.
  mutating func adopt(_ goals: UserGoals, at date: Date, on day: Day, isCoaching: Bool) {
    // What was amended before coaching began is in the profile that was written anew.
    if !isCoaching { changes.removeAll { $0.change?.turn != nil } }
    guard let primary = goals.primary, changes.isEmpty else { return }
    why = goals.deeper ?? why
    if isApproved {
      let timeline = original?.timeline ?? goals.timeline
      original?.timeline = timeline
      return
    }
    let step = Step(goal: primary, since: date, timeline: goals.timeline, day: day)
    if !isCoaching || original == nil || original?.goal == primary {
      original = step
    } else {
      changes.append(step)
    }
    milestones = goals.milestones ?? []
  }

  mutating func adopt(_ goal: GoalContract, at date: Date, on day: Day) {
    isApproved = true
    let step = Step(goal: goal.primary, since: date, day: day)
    if original == nil { original = step } else { changes.append(step) }
    milestones = goal.milestones.map(\.what)
  }

  mutating func change(_ change: GoalChange, at date: Date, on day: Day) {
    changes.append(Step(goal: change.goal, since: date, change: change, day: day))
  }

  mutating func take(_ amendment: Amendment, at date: Date, on day: Day) {
    switch amendment.pointer {
    case Amendment.goal:
      guard let goal = amendment.new else { return }
      let timeline = amendment.turn == nil ? nil : present?.timeline
      change(
        GoalChange(
          goal: goal, turn: amendment.turn, words: amendment.quote, review: amendment.review),
        at: date, on: day)
      // Putting the goal right says nothing about when.
      changes[changes.count - 1].timeline = timeline
    case "/userGoals/deeper": why = amendment.new
    case "/userGoals/timeline":
      if changes.isEmpty {
        original?.timeline = amendment.new
      } else {
        changes[changes.count - 1].timeline = amendment.new
      }
    case let pointer where pointer.hasPrefix("/userGoals/milestones/"):
      let new = amendment.new.map { [$0] } ?? []
      // A contract's milestones can stand elsewhere than the profile's.
      guard let old = amendment.old else {
        milestones += new
        return
      }
      guard let place = milestones.firstIndex(of: old) else { return }
      milestones.replaceSubrange(place...place, with: new)
    default: break
    }
  }
}

extension Day {
  /// The date at a place.
  package init(of date: Date, in zone: TimeZone = .gmt) {
    self.init(of: date, secondsFromGMT: zone.secondsFromGMT(for: date))
  }

  init(of date: Date, secondsFromGMT: Int) {
    let seconds = date.timeIntervalSince1970 + Double(secondsFromGMT)
    self.init(number: Int(rounding: (seconds / 86_400).rounded(.down)))
  }
}

extension CoachingState {
  /// A profile with the limits as they stand now: those that the person told since, and the last day of those that
  /// are over.
  public func updating(_ profile: CoachingSystem) -> CoachingSystem {
    var profile = profile
    for item in constraints.items {
      let kept = item.constraint
      guard let (name, path) = Constraints.lists.first(where: { $0.name == kept.list.rawValue })
      else { continue }
      let details = profile.constraints[keyPath: path].map(\.detail)
      // One that was put right has other words, and its place in its id.
      let reworded = details.indices.first { index in
        kept.id == "\(name)/\(index)"
          && !constraints.items.contains { $0.constraint.detail == details[index] }
      }
      if let place = details.firstIndex(of: kept.detail) ?? reworded {
        profile.constraints[keyPath: path][place].detail = kept.detail
        let end = item.archivedAt ?? kept.expiresAt
        if let end { profile.constraints[keyPath: path][place].expiresAt = end.description }
      } else if item.status == .active {
        let pointer = "/constraints/\(name)/\(profile.constraints[keyPath: path].count)"
        // A claim of the model's that was left out may have had this place.
        profile.unsupported.removeAll { $0 == pointer }
        profile.missing.removeAll { pointer.hasPrefix($0) }
        if let turn = kept.origin.turn { profile.restsOn[pointer] = [turn] }
        profile.constraints[keyPath: path].append(
          Constraint(
            type: kept.about, detail: kept.detail, notedAt: kept.notedAt.description,
            startsAt: kept.beginsAt?.description, expiresAt: kept.expiresAt?.description))
      }
    }
    return profile
  }
}
