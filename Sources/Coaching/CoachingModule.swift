public import ContextQuality
public import FoundationEssentials
import HealthRecords
import IncrementalJSON
public import Intake
public import Journeys

/// Coaches along with the intake: notes what was done, asks about constraints, and looks back.
///
/// It keeps its own events in the session's log, and decides everything from them and the time.
public struct CoachingModule: CoachingCompanion {
  private let pack: CoachingPack
  private let prompts: PromptPack
  private let secondsFromGMT: @Sendable (Date) -> Int
  public private(set) var state: CoachingState
  /// The person's own choice, which goes before the log's.
  private let units: Units?
  /// What the person wrote, by turn.
  private var said: [String] = []
  /// The entries since the last message.
  private var fresh: [Int] = []
  /// Whether a question of this module came after the last message.
  private var hasAsked = false
  /// When the person was last seen before the last message.
  private var seenBefore: Date?
  /// The review that was asked for since the last message, and the one before it.
  private var shown: (review: Review?, before: Review?)
  /// An event that this build can't read; nothing is written then.
  private var isDamaged = false

  /// - Parameter secondsFromGMT: How far the person's clock is ahead of UTC at a time.
  /// - Throws: `PackError` if the pack's data for coaching is malformed.
  public init(
    _ prompts: PromptPack, secondsFromGMT: @escaping @Sendable (Date) -> Int = { _ in 0 }
  ) throws(PackError) {
    self.init(prompts, try CoachingPack(prompts), secondsFromGMT: secondsFromGMT)
  }

  /// - Parameters:
  ///   - pack: The prompts' data for coaching, for a host that opens many conversations.
  ///   - units: What the person chose for everything; nil goes by the conversation.
  public init(
    _ prompts: PromptPack, _ pack: CoachingPack, units: Units? = nil,
    secondsFromGMT: @escaping @Sendable (Date) -> Int
  ) {
    (self.pack, self.prompts, self.units) = (pack, prompts, units)
    self.secondsFromGMT = secondsFromGMT
    state = CoachingState(careNotes: prompts.careNotes)
  }

  private var chosenUnits: Units { units ?? state.units ?? .metric }

  public func member(at now: Date) -> ReadingMember? {
    var member = pack.member
    member.material = EntryCheck(pack, today: today(now)).material(state.log, text)
    return member
  }

  public mutating func apply(_ event: RecordedEvent) {
    if case .userSaid(let turn) = event.event {
      seenBefore = state.lastSeenAt
      said.append(PlainText.visible(turn.text))
      (fresh, hasAsked) = ([], false)
      shown = (nil, shown.review)
    }
    do {
      try state.apply(event, secondsFromGMT: secondsFromGMT(event.at))
      switch try event.event(as: CoachingEvent.self) {
      case .noted(let entry), .corrected(let entry): fresh.append(entry.number)
      case .reviewed(let review):
        hasAsked = true
        if review.reason == .asked { shown.review = review }
      case .constraintAsked: hasAsked = true
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
      pack, language: prompts.languageCode(of: said), units: chosenUnits)
  }

  private func keeper(_ book: ConstraintBook, _ now: Date) -> ConstraintKeeper {
    ConstraintKeeper(pack, text, book, today: today(now))
  }

  private func reviewer(_ now: Date) -> Reviewer { Reviewer(state, pack, text, today: today(now)) }
}

// After a reading.
extension CoachingModule {
  public func read(_ answer: ReadingAnswer) -> CompanionReading {
    guard !isDamaged else { return CompanionReading() }
    var reading = Reading(text: text)
    for turn in answer.turns {
      guard let message = answer.transcript.userTurn(turn).map({ PlainText.visible($0) }) else {
        continue
      }
      let acts = (answer.acts ?? []).filter { $0.turn == turn }
      let isSettled = settle(message, turn, acts, answer.at, &reading)
      note(message, turn, answer, isAnswer: isSettled, &reading)
    }
    return CompanionReading(
      events: reading.events.map { EventEnvelope($0) }, notices: reading.notices)
  }

  private struct Reading {
    let text: EntryText
    var events: [CoachingEvent] = []
    var notices: [SessionOutput.Notice] = []

    mutating func say(_ code: String, _ words: String, _ entries: [LogEntry] = []) {
      guard !words.isEmpty else { return }
      let about: JSONValue? = entries.isEmpty ? nil : ["entries": .array(entries.map(\.json))]
      notices.append(.init(code: code, level: .info, text: words, about: about))
    }
  }

  /// The answer to what was asked last.
  ///
  /// - Returns: Whether the message settled a proposal.
  private func settle(
    _ message: String, _ turn: Int, _ acts: [Act], _ now: Date, _ reading: inout Reading
  ) -> Bool {
    if let open = state.constraints.open {
      let keeper = keeper(state.constraints, now)
      let settled = keeper.answer(to: open, message, doing: acts, turn: turn)
      if settled.answer.outcome == .unanswered, keeper.isAboutTheLog(message) { return false }
      reading.events.append(.constraintSettled(settled.answer))
      reading.say("constraint", settled.words)
    } else if let review = state.openReview {
      if let settled = state.settling(review, by: message, turn: turn, text, pack) {
        reading.events += settled.events
        reading.say("review", settled.words)
        return true
      } else if isOverlooked(review) {
        reading.events.append(
          .proposalAnswered(ProposalAnswer(review: review.number, outcome: .unanswered)))
      }
    }
    return false
  }

  /// Whether two messages went by without an answer.
  private func isOverlooked(_ review: Review) -> Bool {
    guard let past = state.reviews.last(where: { $0.review.number == review.number }) else {
      return false
    }
    return seenBefore.map { $0 > past.at } ?? false
  }

  private func note(
    _ message: String, _ turn: Int, _ answer: ReadingAnswer, isAnswer: Bool,
    _ reading: inout Reading
  ) {
    let today = today(answer.at)
    var notes = notes(in: message, turn, answer, today)
    if isAnswer {
      // "Rather swimming 1 km" is the goal in other words, and nothing that was done.
      let reader = EntryReader(pack, units: chosenUnits)
      notes = notes.filter { reader.isTold($0, in: message, today) }
    }
    var found: [LogEntry] = []
    for note in notes {
      switch note {
      case .new(let entry): found.append(entry)
      case .corrected(let entry):
        reading.events.append(.corrected(entry))
        reading.say(
          "noted", text.texts(.corrected, ["entries": text.withDay(entry, today: today)]), [entry])
      case .unmatched(let words):
        reading.say("noted", text.texts(.correctedNone, ["words": words]))
      case .unclear(let words, let part):
        reading.say("noted", text.texts(.unclear, ["words": words, "part": part]))
      case .implausible(let entry, let breach):
        let figure = text.words(for: breach, of: entry)
        let words = entry.quote?.text ?? text(entry)
        reading.say("noted", text.texts(.implausible, ["words": words, "figure": figure]))
      }
    }
    let before = reading.events.count { if case .noted = $0 { true } else { false } }
    var number = state.log.lastNumber + before
    var noted: [LogEntry] = []
    for var entry in found {
      let told = Set(reading.events.compactMap(\.corrected))
      if let workout = state.log.workout(toldBy: entry, pack, besides: told) {
        reading.events.append(.corrected(workout))
        noted.append(workout)
        continue
      }
      number += 1
      entry.number = number
      reading.events.append(.noted(entry))
      noted.append(entry)
    }
    let isReport = answer.acts?.contains { $0.name == .reports && $0.turn == turn } == true
    if notes.isEmpty, isReport, !answer.isRehearsal {
      reading.say("noted", text.texts(.notNoted))
    }
    if !noted.isEmpty {
      let list = text.texts.list(noted.map { text.withDay($0, today: today) })
      reading.say("noted", text.texts(.noted, ["entries": list]), noted)
    }
    if state.constraints.open == nil,
      let new = keeper(state.constraints, answer.at).mentioned(in: message, turn: turn)
    {
      reading.events.append(.constraintProposed(new))
    }
  }

  /// What a message does to the log: by what the model read, or else by the rules.
  private func notes(
    in message: String, _ turn: Int, _ answer: ReadingAnswer, _ today: Day
  ) -> [LogNote] {
    guard !answer.isRehearsal, answer.value != nil || answer.acts != nil else {
      return EntryReader(pack, units: chosenUnits).notes(
        in: message, turn: turn, today: today, log: state.log,
        allowsBare: state.openReview == nil
          && (state.constraints.open == nil
            || keeper(state.constraints, answer.at).isAboutTheLog(message))
      )
    }
    let value = answer.value ?? []
    return EntryCheck(pack, today: today).notes(value, in: message, log: state.log) {
      quote, claimed in
      guard let fit = answer.fit(quote, turn: claimed), fit.turn == turn else { return nil }
      return LogEntry.Quote(turn: fit.turn, text: fit.quote)
    }
  }
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

  /// Once a day, that it's time for a review.
  public func due(at now: Date) -> SessionOutput.Notice? {
    let lastSeen = state.lastActiveDay ?? state.firstDay
    guard !isDamaged, today(now) != lastSeen,
      reviewer(now).dueAtVisit(lastSeen: lastSeen) != nil
    else { return nil }
    return SessionOutput.Notice(code: "review-due", level: .info, text: text.texts(.reviewDue))
  }

  private static let daysForAnAnswer = 7

  /// What nobody answered for a week is closed.
  private func stale(_ now: Date) -> [CoachingEvent] {
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
    return events
  }

  /// At most one question: about a new constraint, one that the log contradicts or one that lapsed, or a
  /// review that something new calls for.
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
    guard !isDamaged, !hasAsked, state.constraints.open == nil, let message = said.last else {
      return nil
    }
    let keeper = keeper(state.constraints, now)
    if let proposed = state.constraints.unasked { return words(keeper.question(about: proposed)) }
    let entries = fresh.compactMap { state.log[$0] }
    if let contradicted = keeper.contradicted(by: entries) { return words(contradicted) }
    guard state.openReview == nil else { return nil }
    let reviewer = reviewer(now)
    if let priority = ProposalReader(pack).priority(in: message) {
      return words(reviewer.review(.priority, words: priority))
    }
    if !entries.isEmpty, let reason = reviewer.dueAfterNoting {
      return words(reviewer.review(reason))
    }
    return nil
  }

  private func words(
    _ question: ConstraintQuestion, after events: [CoachingEvent] = []
  ) -> CompanionWords {
    CompanionWords(
      text: question.text,
      events: (events + [.constraintAsked(question)]).map { EventEnvelope($0) })
  }

  private func words(_ review: Review, after events: [CoachingEvent] = []) -> CompanionWords {
    CompanionWords(
      text: review.text, events: (events + [.reviewed(review)]).map { EventEnvelope($0) })
  }
}

// For the coaching prompt.
extension CoachingModule {
  private static let mostEntries = 12

  public func facts(on now: Date) -> CoachingFacts {
    let today = today(now)
    let english = EntryText(pack, units: chosenUnits)
    let words = pack.factWords
    var facts = CoachingFacts()
    if let goal = state.goals.present, goal.change != nil {
      facts.changes.append(
        words(.goal, ["goal": goal.goal, "original": state.goals.original?.goal ?? ""]))
    }
    if let sessions = state.agreedSessions {
      facts.changes.append(words(.sessions, ["sessions": "\(sessions)"]))
    }
    for item in state.constraints.items {
      let detail = PlainText.quoted(item.constraint.detail)
      switch item.status {
      case .archived: facts.changes.append(words(.archived, ["detail": detail]))
      case .active where !item.constraint.id.contains("/"):
        facts.changes.append(words(.holds, ["detail": detail]))
      case .active, .proposed, .refused: break
      }
    }
    if let review = shown.before {
      facts.changes.append(words(.asked, ["question": review.question]))
    }
    if let next = following(at: now) {
      facts.changes.append(words(.follows, ["question": PlainText.line(next.text)]))
    }
    let latest = state.log.byDay.suffix(Self.mostEntries).reversed()
    facts.entries = latest.filter { !($0.kind == .weight && state.hidesWeight) }
      .map { "\($0.day): \(english($0))" }
    facts.currentState = currentState(today, english)
    facts.wasNoted = !fresh.isEmpty
    return facts
  }

  private func currentState(_ today: Day, _ english: EntryText) -> [String] {
    guard !state.log.entries.isEmpty else { return [] }
    let progress = state.progress(pack, today: today)
    var lines = [
      pack.factWords(
        .week,
        [
          "sessions": "\(progress.thisWeek.sessions)", "streak": "\(progress.streak.weeks)",
        ])
    ]
    for activity in progress.activities.prefix(3) where activity.plateau != nil {
      lines.append(
        pack.factWords(.plateau, ["activity": english.title(of: activity.activity)]))
    }
    return lines
  }
}
