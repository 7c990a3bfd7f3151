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
  private let pack: CoachingPack
  private let prompts: PromptPack
  private let secondsFromGMT: @Sendable (Date) -> Int
  public private(set) var state: CoachingState
  /// The person's own choice, which goes before the log's.
  private let units: Units?
  /// What happened in journeys.
  private var journeys: [RecordedEvent] = []
  /// What the person wrote, by turn.
  private var said: [String] = []
  /// The device's language.
  private var language: String?
  /// The entries since the last message.
  private var fresh: [Int] = []
  /// What the last message does, as the reading says.
  private var acts: [Act] = []
  private var takenBack: [Retraction] = []
  /// What the last message changed in the profile.
  private var amendments: [Amendment] = []
  /// Whether something about a limit was settled since the last message.
  private var hasSettled = false
  /// What the coach said before the last message, and since.
  private var spoken: (before: String, since: String) = ("", "")
  /// Whether a question of this module came after the last message.
  private var hasAsked = false
  /// When the person was last seen before the last message.
  private var seenBefore: Date?
  /// The review that was asked for since the last message, and the one before it.
  private var shown: (review: Review?, before: Review?)
  /// An event that this build cannot read; nothing is written then.
  private var isDamaged = false

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

  private var chosenUnits: Units { units ?? state.units ?? .metric }

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
      settle(message, turn, acts(of: message, turn, answer.acts), answer, &reading)
      let value = answer.value ?? []
      let fit = { (quote: String, claimed: Int) -> LogEntry.Quote? in
        guard let fit = answer.fit(quote, turn: claimed), fit.turn == turn else { return nil }
        return LogEntry.Quote(turn: fit.turn, text: fit.quote)
      }
      note(message, turn, answer, fit, &reading)
      let check = EntryCheck(pack, today: today(answer.at))
      keep(check.limits(value, fit: fit), turn, answer, &reading)
    }
    reading.events += keeper(book(after: reading.events, answer.at), answer.at).passed
    return CompanionReading(
      events: reading.events.map { EventEnvelope($0) }
        + (reading.amendment.map { [EventEnvelope(IntakeEvent.amended($0))] } ?? []),
      notices: reading.notices)
  }

  private struct Reading {
    let text: EntryText
    var events: [CoachingEvent] = []
    var amendment: Amendment?
    var notices: [SessionOutput.Notice] = []

    mutating func say(_ code: String, _ words: String, _ entries: [LogEntry] = []) {
      guard !words.isEmpty else { return }
      let about: JSONValue? = entries.isEmpty ? nil : ["entries": .array(entries.map(\.json))]
      notices.append(.init(code: code, level: .info, text: words, about: about))
    }
  }

  /// What a message does: labels, and a plain yes or no, say it without a reading.
  ///
  /// - Returns: Nil if nobody can tell.
  private func acts(of message: String, _ turn: Int, _ read: [Act]?) -> [Act]? {
    let texts = text.texts
    let yes = [.choiceAccept, .choiceOver, .choiceKeep].map { texts($0) }
    let no = [.choiceRefuse, .choiceNotOver, .choiceDrop].map { texts($0) }
    let isYes = yes.contains(message) ? true : no.contains(message) ? false : nil
    if let isYes = isYes ?? prompts.consent.isYes(message) {
      return [Act(isYes ? .agrees : .rejects, turn: turn, quote: message)]
    }
    return read?.filter { $0.turn == turn }
  }

  /// The answer to what was asked last.
  private func settle(
    _ message: String, _ turn: Int, _ acts: [Act]?, _ read: ReadingAnswer,
    _ reading: inout Reading
  ) {
    if let open = state.constraints.open {
      let keeper = keeper(state.constraints, read.at)
      if let settled = keeper.answer(to: open, message, doing: acts ?? [], turn: turn) {
        reading.events.append(.constraintSettled(settled.answer))
        reading.say("constraint", settled.words)
      } else if let acts, !acts.contains(where: { $0.name == .reports }) {
        reading.events.append(
          .constraintSettled(
            ConstraintAnswer(constraint: open.constraint, outcome: .unanswered, turn: turn)))
      }
    } else if let review = state.openReview {
      if let settled = state.settling(review, message, doing: acts ?? [], turn: turn, text) {
        reading.events += settled.events
        // The reading words a new goal itself. The raw reply may only refuse one.
        let isReworded = acts?.contains { $0.name == .corrects } == true
        if !read.isRehearsal, isReworded, settled.amendment != nil { return }
        reading.amendment = settled.amendment
        reading.say("review", settled.words)
      } else if isOverlooked(review) {
        reading.events.append(
          .proposalAnswered(ProposalAnswer(review: review.number, outcome: .unanswered)))
      }
    }
  }

  /// What a message tells of limits: as the model read it, or else in the words that tell it.
  private func keep(
    _ read: [LimitNews], _ turn: Int, _ answer: ReadingAnswer, _ reading: inout Reading
  ) {
    let acts = (answer.acts ?? []).filter { $0.turn == turn }
    let told = acts.filter { $0.name == .changesLimit || $0.name == .endsLimit }.map {
      LimitNews(quote: .init(turn: turn, text: $0.quote), isOver: $0.name == .endsLimit)
    }
    for news in read.isEmpty ? told : read {
      let keeper = keeper(book(after: reading.events, answer.at), answer.at)
      // What was asked about is settled.
      if let open = state.constraints.open {
        if read.isEmpty { continue }
        let meant = self.keeper(state.constraints, answer.at).limit(meantBy: news)
        if news.isOver || news.number != nil, meant == nil || meant?.id == open.constraint {
          continue
        }
      }
      // Ask before setting aside a limit that a doctor set.
      if news.isOver, keeper.book.open == nil, let limit = keeper.limit(endedBy: news),
        answer.inDoubt.contains(where: { $0.turn == limit.origin.turn })
      {
        let question = keeper.isOver(limit)
        reading.events.append(.constraintAsked(question))
        reading.say("constraint", question.text)
        continue
      }
      guard let kept = keeper.kept(news) else { continue }
      reading.events += kept.events
      reading.say("constraint", kept.words)
    }
  }

  private func book(after events: [CoachingEvent], _ now: Date) -> ConstraintBook {
    var book = state.constraints
    for event in events { book.apply(event, on: today(now)) }
    return book
  }

  /// Whether two messages went by without an answer.
  private func isOverlooked(_ review: Review) -> Bool {
    guard let past = state.reviews.last(where: { $0.review.number == review.number }) else {
      return false
    }
    return seenBefore.map { $0 > past.at } ?? false
  }

  private func note(
    _ message: String, _ turn: Int, _ answer: ReadingAnswer,
    _ fit: (String, Int) -> LogEntry.Quote?, _ reading: inout Reading
  ) {
    let today = today(answer.at)
    let notes = notes(in: message, turn, answer, today, fit)
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
      case .unclear(let words):
        reading.say("noted", text.texts(.unclear, ["words": words]))
      case .removed(let entry):
        reading.events.append(.removed(entry: entry.number))
        reading.say(
          "noted", text.texts(.removed, ["entries": text.withDay(entry, today: today)]), [entry])
      case .implausible(let entry, let breach):
        let figure = text.words(for: breach, of: entry)
        let words = entry.quote?.text ?? text(entry)
        reading.say("noted", text.texts(.implausible, ["words": words, "figure": figure]))
      }
    }
    let events = state.log.noting(found, pack, after: reading.events)
    reading.events += events
    let noted = events.compactMap(\.entry)
    let isReport = answer.acts?.contains { $0.name == .reports && $0.turn == turn } == true
    if notes.isEmpty, isReport {
      // A rehearsal takes many a message for a report.
      if !answer.isRehearsal {
        reading.say("noted", text.texts(.notNoted))
      } else if message.contains(where: \.isNumber) {
        reading.say("noted", text.texts(.unread))
      }
    }
    if !noted.isEmpty {
      let list = text.texts.list(noted.map { text.withDay($0, today: today) })
      reading.say("noted", text.texts(.noted, ["entries": list]), noted)
    }
  }

  /// What a message does to the log: by what the model read, or in a rehearsal by the grammar of the typed log.
  private func notes(
    in message: String, _ turn: Int, _ answer: ReadingAnswer, _ today: Day,
    _ fit: (String, Int) -> LogEntry.Quote?
  ) -> [LogNote] {
    guard answer.isRehearsal else {
      return EntryCheck(pack, today: today).notes(
        answer.value ?? [], in: message, log: state.log, fit: fit)
    }
    let entries = LogGrammar(text, today: today, isTyped: false).entries(in: message) ?? []
    return entries.filter { $0.day <= today }.map { entry in
      var entry = entry
      (entry.source, entry.quote) = (.said, LogEntry.Quote(turn: turn, text: message))
      return pack.bounds.breach(of: entry).map { .implausible(entry, $0) } ?? .new(entry)
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
  private func limit(endedBy words: String, _ keeper: ConstraintKeeper) -> KeptConstraint? {
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
    for amendment in amendments where amendment.turn != nil {
      facts.changes.append(
        words(
          .amended,
          [
            "old": PlainText.quoted(amendment.old ?? ""),
            "new": PlainText.quoted(amendment.new ?? ""),
          ]))
    }
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
      case .archived:
        facts.changes.append(words(.archived, ["detail": detail]))
        facts.over.insert(item.constraint.detail)
      case .active where item.constraint.expiresAt.map { $0 < today } == true:
        facts.changes.append(words(.lapsed, ["detail": detail]))
      case .active where !item.constraint.id.contains("/"):
        facts.changes.append(
          words(.holds, ["detail": detail, "when": Self.span(of: item.constraint)]))
      case .active, .proposed, .refused: break
      }
    }
    if let review = shown.before {
      facts.changes.append(words(.asked, ["question": review.question]))
    }
    if let next = following(at: now) {
      facts.changes.append(words(.follows, ["question": PlainText.line(next.text)]))
    }
    if !state.hidesWeight, let cycle = pack.cycle(journeys) {
      facts.programme = Self.days(of: cycle, now)
    }
    let latest = state.log.byDay.suffix(Self.mostEntries).reversed()
    facts.entries = latest.filter { !($0.kind == .weight && state.hidesWeight) }
      .map { entry in
        // A note may hold a weight.
        let note = state.hidesWeight ? nil : entry.note.map { " " + PlainText.quoted($0) }
        return "\(entry.day): \(english(entry))\(note ?? "")"
      }
    facts.currentState = currentState(today, english)
    facts.wasNoted = !fresh.isEmpty
    facts.hasBegun = state.log.entries.contains {
      $0.isTraining && $0.source != .health && $0.day >= state.firstDay ?? today
    }
    return facts
  }

  /// What holds today, and from when what comes next.
  private static func days(of cycle: DayCycle, _ now: Date) -> [String] {
    let (today, next) = (cycle.day(at: now), cycle.next(after: now))
    return [
      "\(today.date), today: \(today.kind), day \(today.number) of \(today.count). \(today.summary)",
      "\(next.date): \(next.kind), day 1 of \(next.count). \(next.summary)",
    ]
  }

  /// `from 2026-12-18 until 2027-01-03`.
  private static func span(of constraint: KeptConstraint) -> String {
    "from \(constraint.beginsAt ?? constraint.notedAt)"
      + (constraint.expiresAt.map { " until \($0)" } ?? "")
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
