import ContextQuality
public import FoundationEssentials
import HealthRecords
import IncrementalJSON
public import Intake
public import Plans
import Signals

/// Coaches along with the intake: notes what was done, asks about constraints, and looks back.
///
/// It keeps its own events in the session's log, and decides everything from them and the time.
public struct CoachingModule: CoachingCompanion {
  let pack: CoachingPack
  let prompts: PromptPack
  let secondsFromGMT: @Sendable (Date) -> Int
  public private(set) var state: CoachingState
  /// The person's own choice, which goes before the log's.
  let units: Units?
  /// What happened in journeys.
  var journeys: [RecordedEvent] = []
  /// What the person wrote, by turn.
  var said: [String] = []
  /// The device's language.
  var language: String?
  /// The entries since the last message.
  var fresh: [Int] = []
  /// What the last message does, as the reading says.
  var acts: [Act] = []
  var takenBack: [Retraction] = []
  /// What the last message changed in the profile.
  var amendments: [Amendment] = []
  /// Whether something about a limit was settled since the last message.
  var hasSettled = false
  /// What the coach said before the last message, and since.
  var spoken: (before: String, since: String) = ("", "")
  /// Whether a question of this module came after the last message.
  var hasAsked = false
  /// When the person was last seen before the last message.
  var seenBefore: Date?
  /// The review that was asked for since the last message, and the one before it.
  var shown: (review: Review?, before: Review?)
  /// An event that this build cannot read; nothing is written then.
  var isDamaged = false

  /// - Parameters:
  ///   - pack: The prompts' data for coaching, for a host that opens many conversations.
  ///   - units: What the person chose for everything; nil goes by the conversation.
  ///   - secondsFromGMT: How far the person's clock is ahead of UTC at a time.
  public init(
    _ prompts: PromptPack, _ pack: CoachingPack, units: Units? = nil,
    secondsFromGMT: @escaping @Sendable (Date) -> Int
  ) {
    (self.pack, self.prompts, self.units) = (pack, prompts, units)
    self.secondsFromGMT = secondsFromGMT
    state = CoachingState(careNotes: prompts.careNotes)
  }

  var chosenUnits: Units { units ?? state.units ?? .metric }

  public func member(at now: Date) -> ReadingMember? {
    var member = pack.member
    member.material = EntryCheck(pack, today: today(now))
      .material(state.log, text, state.constraints)
    return member
  }

  public mutating func apply(_ event: RecordedEvent) {
    if event.isOfJourney { journeys.append(event) }
    if case .started(let start) = event.event { language = start.language }
    if case .userSaid(let turn) = event.event {
      seenBefore = state.lastSeenAt
      said.append(PlainText.visible(turn.text))
      (fresh, acts, hasAsked, hasSettled) = ([], [], false, false)
      takenBack = []
      amendments = []
      spoken = (spoken.since, "")
      shown = (nil, shown.review)
    }
    if case .scored(let scoring) = event.event {
      acts = (scoring.acts ?? []).filter { $0.turn == said.count }
      takenBack = scoring.retracted.filter { $0.turn == said.count }
    }
    if case .coached(let reply) = event.event { spoken.since = reply.text }
    if case .amended(let amendment) = event.event { amendments.append(amendment) }
    do {
      try state.apply(event, secondsFromGMT: secondsFromGMT(event.at))
      switch try event.event(as: CoachingEvent.self) {
      case .noted(let entry), .corrected(let entry): fresh.append(entry.number)
      case .reviewed(let review):
        hasAsked = true
        if review.reason == .asked { shown.review = review }
      case .constraintAsked: hasAsked = true
      case .constraintSettled(let answer) where answer.turn != nil: hasSettled = true
      default: break
      }
    } catch {
      isDamaged = true
    }
  }

  func today(_ now: Date) -> Day {
    Day(of: now, secondsFromGMT: secondsFromGMT(now))
  }

  var text: EntryText {
    EntryText(
      pack, language: prompts.languageCode(of: said, otherwise: language), units: chosenUnits)
  }

  func keeper(_ book: ConstraintBook, _ now: Date) -> ConstraintKeeper {
    ConstraintKeeper(pack, text, book, today: today(now))
  }

  func reviewer(_ now: Date) -> Reviewer { Reviewer(state, pack, text, today: today(now)) }
}

// Speaking by itself: at a visit, and after a reply.
extension CoachingModule {
  public func opening(at now: Date) -> CompanionWords? {
    let stale = stale(now)
    var state = state
    for event in stale { state.apply(event, at: now, on: today(now)) }
    guard !isDamaged, state.constraints.open == nil, state.openReview == nil else { return nil }
    let lastSeen = self.state.lastActiveDay ?? state.firstDay
    let reviewer = Reviewer(state, pack, text, today: today(now))
    let due = reviewer.dueAtVisit(lastSeen: lastSeen)
    if due == .absence {
      return words(reviewer.review(.absence, lastSeen: lastSeen), after: stale)
    }
    if let lapsed = keeper(state.constraints, now).lapsed, today(now) != lastSeen {
      return words(lapsed, after: stale)
    }
    return due.map { words(reviewer.review($0), after: stale) }
  }

  /// Once a day, that it is time for a review.
  public func due(at now: Date) -> SessionOutput.Notice? {
    let lastSeen = state.lastActiveDay ?? state.firstDay
    guard !isDamaged, today(now) != lastSeen,
      reviewer(now).dueAtVisit(lastSeen: lastSeen) != nil
    else { return nil }
    return SessionOutput.Notice(code: "review-due", level: .info, text: text.texts(.reviewDue))
  }

  private static let daysForAnAnswer = 7

  /// What nobody answered for a week is closed, and so are trips that are over.
  func stale(_ now: Date) -> [CoachingEvent] {
    var events: [CoachingEvent] = []
    let last = today(now) + -Self.daysForAnAnswer
    if let open = state.constraints.open, open.on <= last {
      events.append(
        .constraintSettled(ConstraintAnswer(constraint: open.constraint, outcome: .unanswered)))
    }
    if let review = state.openReview, review.through <= last {
      events.append(
        .proposalAnswered(ProposalAnswer(review: review.number, outcome: .unanswered)))
    }
    return events + keeper(state.constraints, now).passed
  }

  /// At most one question: about a limit that the log contradicts, or one that may be over, or a review that
  /// something new calls for.
  public var awaitsAnswer: Bool { state.constraints.open != nil || state.openReview != nil }

  /// Yes, no, and for a proposal how one would rather have it.
  public var choices: [SessionOutput.Choice] {
    guard hasAsked else { return [] }
    let texts = text.texts
    func choice(_ id: String, _ label: CoachingText) -> SessionOutput.Choice {
      SessionOutput.Choice(id: id, label: texts(label))
    }
    switch state.constraints.open?.reason {
    case .lapsed: return [choice("yes", .choiceOver), choice("no", .choiceNotOver)]
    case .contradicted, .proposed: return [choice("yes", .choiceKeep), choice("no", .choiceDrop)]
    case nil: break
    }
    guard state.openReview != nil else { return [] }
    return [
      choice("accept", .choiceAccept),
      choice(SessionOutput.Choice.inOwnWords, .choiceChange), choice("refuse", .choiceRefuse),
    ]
  }

  public func following(at now: Date) -> CompanionWords? {
    guard !isDamaged, !hasAsked, state.constraints.open == nil, !said.isEmpty else {
      return nil
    }
    let keeper = keeper(state.constraints, now)
    if !hasSettled, let words = acts.first(where: { $0.name == .endsLimit })?.quote,
      let limit = limit(endedBy: words, keeper)
    {
      return self.words(keeper.isOver(limit))
    }
    let entries = fresh.compactMap { state.log[$0] }
    if !hasSettled, let contradicted = keeper.contradicted(by: entries, after: spoken.before) {
      return words(contradicted)
    }
    guard state.openReview == nil else { return nil }
    let reviewer = reviewer(now)
    // An answer to a review's question doesn't call for another review.
    if shown.before == nil, !amendments.contains(where: { $0.pointer == Amendment.goal }),
      let goal = acts.first(where: { $0.name == .changesGoal })?.quote
    {
      return words(reviewer.review(.priority, words: goal))
    }
    if !entries.isEmpty, !hasSettled, let reason = reviewer.dueAfterNoting {
      return words(reviewer.review(reason))
    }
    // A program that stays open sees no visit: the week is looked back on after a report.
    let lastSeen = seenBefore.map(today)
    guard !entries.isEmpty, !hasSettled, shown.before == nil, lastSeen != today(now),
      reviewer.dueAtVisit(lastSeen: lastSeen) == .week
    else { return nil }
    return words(reviewer.review(.week))
  }

  /// The only limit that a message can mean: the same message told what it takes back, or its words name it.
  func limit(endedBy words: String, _ keeper: ConstraintKeeper) -> KeptConstraint? {
    let turns = takenBack.compactMap(\.of).flatMap { words in
      said.indices.filter { said[$0].contains(words) }.map { $0 + 1 }
    }
    let told = state.constraints.active.filter { $0.origin.turn.map(turns.contains) == true }
    if told.count == 1 { return told[0] }
    let quote = LogEntry.Quote(turn: said.count, text: words)
    let active = state.constraints.active
    // What was told of last is what people mean, and a profile's limits are in no order.
    return keeper.limit(endedBy: LimitNews(quote: quote, isOver: true))
      ?? active.last { $0.isOfCoaching && $0.beginsAt == nil }
      ?? (active.count == 1 ? active[0] : nil)
  }

  func words(
    _ question: ConstraintQuestion, after events: [CoachingEvent] = []
  ) -> CompanionWords {
    CompanionWords(
      text: question.text,
      events: (events + [.constraintAsked(question)]).map { EventEnvelope($0) })
  }

  func words(_ review: Review, after events: [CoachingEvent] = []) -> CompanionWords {
    CompanionWords(
      text: review.text, events: (events + [.reviewed(review)]).map { EventEnvelope($0) })
  }
}
