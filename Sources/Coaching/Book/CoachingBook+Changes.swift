import ContextQuality
import HealthRecords
public import Intake
import Signals

// What is changed.
extension CoachingBook {
  static let longestWords = 2_000
  /// So many bytes are still heard for care, even if nothing so long is noted.
  private static let mostHeard = 4 * longestWords

  /// Adds the entries of a line in the grammar of the log.
  ///
  /// - Parameter date: `yyyy-MM-dd`; nil is today, or the day in front of the line.
  public func adding(
    _ words: String, on date: String? = nil
  ) throws(CoachingRefusal) -> CoachingChange {
    try caring(for: words, at: .log) { () throws(CoachingRefusal) in
      let day = try day(date)
      guard let entries = grammar.entries(in: try checked(words)) else { throw unread(words) }
      var checked: [LogEntry] = []
      for entry in entries { checked.append(try self.checked(entry, on: day)) }
      return CoachingChange(state.log.noting(checked, pack))
    }
  }

  private var grammar: LogGrammar { LogGrammar(text, today: today) }

  private func unread(_ words: String) -> CoachingRefusal {
    guard let day = grammar.lastDay(in: words) else { return .unread(words: text.texts(.unread)) }
    return day > today ? toCome(day) : .unread(words: text.texts(.dayLast))
  }

  private func toCome(_ day: Day) -> CoachingRefusal {
    .notYet(words: text.texts(.toCome, ["day": text.texts.dayWithYear(day)]))
  }

  /// An entry on the day that was given beside its line, if any.
  private func checked(_ entry: LogEntry, on day: Day?) throws(CoachingRefusal) -> LogEntry {
    var entry = entry
    entry.day = day ?? entry.day
    if entry.day > today { throw toCome(entry.day) }
    let first = pack.bounds.firstDay(today)
    if entry.day < first {
      let days = ["day": entry.day, "first": first].mapValues { text.texts.dayWithYear($0) }
      throw .tooLongAgo(words: text.texts(.tooLongAgo, days))
    }
    if let breach = pack.bounds.breach(of: entry) { throw refusal(entry, breach) }
    return entry
  }

  /// What the words do not name stays as it was: the activity, its figures, effort and note.
  ///
  /// - Parameter date: `yyyy-MM-dd`; nil is the day in front of the line, or the one that it had.
  public func correcting(
    _ number: String, _ words: String, on date: String? = nil
  ) throws(CoachingRefusal) -> CoachingChange {
    try caring(for: words, at: .log) { () throws(CoachingRefusal) in
      let before = try entry(number)
      let day = try day(date)
      guard var entry = grammar.entry(in: try checked(words), correcting: before) else {
        throw unread(words)
      }
      (entry.number, entry.quote, entry.corrections) =
        (before.number, before.quote, before.corrections)
      return CoachingChange([.corrected(try checked(entry, on: day))])
    }
  }

  public func removing(_ number: String) throws(CoachingRefusal) -> CoachingChange {
    CoachingChange([.removed(entry: try entry(number).number)])
  }

  /// Changes the goal; the first one stays on record. Words that need care never become a goal.
  public func changing(goal: String) throws(CoachingRefusal) -> CoachingChange {
    var change = try caring(for: goal, at: .goals) { () throws(CoachingRefusal) in
      CoachingChange(amendment: state.amendment(goal: try checked(goal)))
    }
    if change.care != nil { change.amendment = nil }
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
      if let open,
        let settled = state.settling(open, said, doing: acts(of: said), turn: nil, text)
      {
        return CoachingChange(
          settled.events, amendment: settled.amendment, words: settled.words)
      }
      guard let asked = open ?? unanswered else { throw .nothingOpen }
      return CoachingChange(
        [.reviewAnswered(ReviewAnswer(review: asked.number, words: said))],
        words: text.texts(open == nil ? .answerKept : .answerKeptOpen))
    }
    if change.care != nil { (change.events, change.amendment, change.words) = ([], nil, nil) }
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

  /// What a typed answer does: a plain yes or no, the label of one, or sessions a week, such as `2 sessions`.
  private func acts(of words: String) -> [Act] {
    func act(_ name: Act.Name) -> [Act] { [Act(name, turn: 0, quote: words)] }
    let texts = text.texts
    if words == texts(.choiceAccept) { return act(.agrees) }
    if words == texts(.choiceRefuse) { return act(.rejects) }
    if let isYes = prompts.consent.isYes(words) { return act(isYes ? .agrees : .rejects) }
    let count = PlainWords.split(words).first.flatMap { Int($0) } ?? 0
    let field = texts(.sessionOne, .sessionOther, count)
    return count > 0 && [field, "\(count)"].contains(words.lowercased()) ? act(.corrects) : []
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

  /// Care comes before everything: the coach does not say then what else is wrong with the words.
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
    let logged = grammar.entries(in: words)?.last { $0.kind == .weight }?.kilograms
    return logged.flatMap {
      prompts.care(forWeight: $0, body: intake.body, said: intake.turns.map(\.text))
    }
  }

  private func entry(_ number: String) throws(CoachingRefusal) -> LogEntry {
    guard let entry = Int(number).flatMap({ state.log[$0] }) else {
      throw .noEntry(words: text.texts(.noEntry))
    }
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

  private func refusal(_ entry: LogEntry, _ breach: EntryBounds.Breach) -> CoachingRefusal {
    let range = text.range(of: breach, of: entry)
    return .implausible(
      words: text.texts(
        .badFigure,
        ["figure": text.words(for: breach, of: entry), "low": range.low, "high": range.high]))
  }
}
