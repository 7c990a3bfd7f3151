import ContextQuality
import HealthRecords
public import Intake
import Signals

// What is changed.
extension CoachingBook {
  static let longestWords = 2_000
  /// So many bytes are still heard for care, even if nothing so long is noted.
  private static let mostHeard = 4 * longestWords

  /// Words that correct an entry, such as "the bench was 45 kg, not 40", change that entry.
  ///
  /// - Parameter date: `yyyy-MM-dd`; nil is today, or the day that the words name.
  public func adding(
    _ words: String, on date: String? = nil
  ) throws(CoachingRefusal) -> CoachingChange {
    try caring(for: words, at: .log) { () throws(CoachingRefusal) in
      try refuseToCome(words, date)
      let events = try self.events(
        of: notes(in: words, on: try day(date), log: date == nil ? state.log : nil))
      guard !events.isEmpty else { throw namesNoActivity(words) ? .noActivity : .noAmount }
      return CoachingChange(events)
    }
  }

  private func events(of notes: [LogNote]) throws(CoachingRefusal) -> [CoachingEvent] {
    var number = state.log.lastNumber
    var events: [CoachingEvent] = []
    var told: Set<Int> { Set(events.compactMap(\.corrected)) }
    for note in notes {
      switch note {
      case .new(var entry):
        if let told = state.log.workout(toldBy: entry, pack, besides: told) {
          events.append(.corrected(told))
          continue
        }
        number += 1
        entry.number = number
        events.append(.noted(entry))
      case .corrected(let entry): events.append(.corrected(entry))
      case .unmatched(let words): throw .nothingToCorrect(words)
      case .implausible(let entry, let breach): throw refusal(entry, breach)
      case .unclear(_, let part): throw .unclear(part)
      }
    }
    return events
  }

  /// What the words don't name stays as it was: figures of the same activity, effort and note.
  ///
  /// - Parameter date: `yyyy-MM-dd`; nil is the day that it had, or the one that the words name.
  public func correcting(
    _ number: String, _ words: String, on date: String? = nil
  ) throws(CoachingRefusal) -> CoachingChange {
    try caring(for: words, at: .log) { () throws(CoachingRefusal) in
      try refuseToCome(words, date)
      let before = try entry(number)
      let day = try day(date)
      // A note with a figure in it isn't read again.
      let note = before.note.map { " (\($0))" } ?? ""
      let said = note.isEmpty || !words.hasSuffix(note) ? words : String(words.dropLast(note.count))
      var read: [LogEntry] = []
      for found in try notes(in: said, on: day) {
        switch found {
        case .new(let entry): read.append(entry)
        case .implausible(let entry, let breach): throw refusal(entry, breach)
        case .unclear(_, let part): throw .unclear(part)
        case .corrected, .unmatched: break
        }
      }
      guard read.count <= 1 else { throw .severalEntries(read.count) }
      guard var entry = read.first?.completed(from: before) ?? reader.retyped(before, as: said)
      else { throw .noAmount }
      entry.number = before.number
      if date == nil, entry.day == today { entry.day = before.day }
      if let day { entry.day = day }
      if let breach = pack.bounds.breach(of: entry) { throw refusal(entry, breach) }
      return CoachingChange([.corrected(entry)])
    }
  }

  public func removing(_ number: String) throws(CoachingRefusal) -> CoachingChange {
    CoachingChange([.removed(entry: try entry(number).number)])
  }

  /// Changes the goal; the first one stays on record. Words that need care never become a goal.
  public func changing(goal: String) throws(CoachingRefusal) -> CoachingChange {
    var change = try caring(for: goal, at: .goals) { () throws(CoachingRefusal) in
      let wording = ProposalReader(pack).wording(in: try checked(goal))
      return CoachingChange([.goalChanged(GoalChange(goal: wording))])
    }
    if change.care != nil { change.events = [] }
    return change
  }

  /// Archives a limit, or keeps planning around it.
  ///
  /// - Parameters:
  ///   - limit: Its id, its number in the list, counted from 1, or words of it.
  ///   - until: The last day, `yyyy-MM-dd`; nil leaves it as it was.
  public func settling(
    limit: String, holds: Bool, until: String? = nil
  ) throws(CoachingRefusal) -> CoachingChange {
    let found = state.constraints.items(named: limit)
    guard let item = found.first else { throw .noLimit(limit) }
    guard found.count == 1 else { throw .severalLimits(found.count, limit) }
    let end = try day(until)
    if let end, end < today { throw .over(end) }
    return CoachingChange([
      .constraintSettled(
        ConstraintAnswer(
          constraint: item.constraint.id, outcome: holds ? .holds : .archived, expiresAt: end))
    ])
  }

  /// Answers the last review: its proposal, or else its question. What the words tell was done is noted.
  /// Words that need care are no answer.
  public func answering(_ words: String) throws(CoachingRefusal) -> CoachingChange {
    var change = try caring(for: words, at: .review) { () throws(CoachingRefusal) in
      let said = try checked(words)
      let open = state.openReview
      if let open, let settled = state.settling(open, by: said, turn: nil, text, pack) {
        return CoachingChange(settled.events, words: settled.words)
      }
      guard let asked = open ?? unanswered else { throw .nothingOpen }
      let noted = try self.events(of: notes(in: said, on: nil))
      return CoachingChange(
        [.reviewAnswered(ReviewAnswer(review: asked.number, words: said))] + noted,
        words: text.texts(open == nil ? .answerKept : .answerKeptOpen))
    }
    if change.care != nil { (change.events, change.words) = ([], nil) }
    return change
  }

  /// Days in which a review's question can be answered.
  private static let daysForAnAnswer = 7

  /// The last review, as long as its question can still be answered.
  private var unanswered: Review? {
    guard let last = state.reviews.last, last.words == nil,
      (0..<Self.daysForAnAnswer).contains(today - last.review.through)
    else { return nil }
    return last.review
  }

  /// A look back now, and the message in which the coach says it. Nothing if today's still waits for an
  /// answer, or would say the same again.
  public func reviewing() throws(CoachingRefusal) -> [EventEnvelope] {
    guard intake.isCoaching else { throw .notCoaching }
    switch Reviewer(state, pack, spoken, today: today).asked(lastSeen: state.lastActiveDay) {
    case .new(let review):
      return [
        EventEnvelope(CoachingEvent.reviewed(review)),
        EventEnvelope(IntakeEvent.coached(CoachReply(text: review.text))),
      ]
    case .known: return []
    case .resting(let words): throw .resting(words)
    }
  }

  /// Care comes before everything: what else is wrong with the words isn't said then.
  private func caring(
    for words: String, at place: CoachingChange.Place,
    _ make: () throws(CoachingRefusal) -> CoachingChange
  ) throws(CoachingRefusal) -> CoachingChange {
    // Words that are far too long could take minutes to read.
    let visible = String(
      decoding: PlainText.visible(words).utf8.prefix(Self.mostHeard), as: UTF8.self)
    let said = intake.turns.map(\.text)
    // A weight that was lifted is no goal; one beside a height is the body's.
    let isLifted = place == .log && prompts.measureWords.height(in: visible) == nil
    let found =
      isLifted
      ? prompts.careNet.classify(visible) ?? care(forWeightIn: visible)
      : prompts.care(in: visible, body: intake.body, said: said)
    guard let care = found else { return try make() }
    // In an emergency or a crisis, nothing else counts.
    let isUrgent = prompts.careNotes.sendsForHelp(care.kind)
    var change = isUrgent ? CoachingChange() : (try? make()) ?? CoachingChange()
    let text = prompts.careText(
      care.name, kind: care.kind, answering: said + [visible])
    change.need(care, text, at: place)
    return change
  }

  /// Care about the body's weight that words log, beside the height that is known.
  private func care(forWeightIn words: String) -> CareFinding? {
    guard words.utf8.count <= Self.longestWords else { return nil }
    let logged = reader.entries(in: words, turn: nil, today: today)
      .last { $0.kind == .weight }?.kilograms
    return logged.flatMap {
      prompts.care(forWeight: $0, body: intake.body, said: intake.turns.map(\.text))
    }
  }

  private func entry(_ number: String) throws(CoachingRefusal) -> LogEntry {
    guard let entry = Int(number).flatMap({ state.log[$0] }) else { throw .noEntry(number) }
    return entry
  }

  private func day(_ text: String?) throws(CoachingRefusal) -> Day? {
    guard let text else { return nil }
    guard let day = Day(text) else { throw .badDate(text) }
    return day
  }

  private func checked(_ words: String) throws(CoachingRefusal) -> String {
    let visible = PlainText.visible(words)
    if PlainText.isBlank(visible) { throw .blank }
    guard visible.utf8.count <= Self.longestWords else { throw .tooLong(limit: Self.longestWords) }
    return visible
  }

  /// - Throws: If the words name a day that hasn't come.
  private func refuseToCome(_ words: String, _ date: String?) throws(CoachingRefusal) {
    if date == nil, let day = reader.dayToCome(in: try checked(words), today) { throw .notYet(day) }
  }

  /// What typed words tell, on the day that was given with them, if any.
  private func notes(
    in words: String, on day: Day?, log: TrainingLog? = nil
  ) throws(CoachingRefusal) -> [LogNote] {
    let notes = reader.notes(
      in: try checked(words), turn: nil, today: today, log: log, hasDay: day != nil)
    guard let day else { return notes }
    if day > today { throw .notYet(day) }
    let first = pack.bounds.firstDay(today)
    if day < first { throw .tooLongAgo(day, first: first) }
    return notes.map { note in
      guard case .new(var entry) = note else { return note }
      entry.day = day
      return .new(entry)
    }
  }

  private func refusal(_ entry: LogEntry, _ breach: EntryBounds.Breach) -> CoachingRefusal {
    let range = text.range(of: breach, of: entry)
    return .implausible(
      activity: entry.kind == .weight ? entry.activity : text.title(of: entry.activity),
      figure: text.words(for: breach, of: entry), low: range.low, high: range.high)
  }

  private func namesNoActivity(_ words: String) -> Bool { reader.hasOnlyFigures(words) }
}
