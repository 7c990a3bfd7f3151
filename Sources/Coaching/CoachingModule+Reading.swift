import ContextQuality
import FoundationEssentials
import HealthRecords
import IncrementalJSON
public import Intake
import Plans
import Signals

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

  func book(after events: [CoachingEvent], _ now: Date) -> ConstraintBook {
    var book = state.constraints
    for event in events { book.apply(event, on: today(now)) }
    return book
  }

  /// Whether two messages went by without an answer.
  func isOverlooked(_ review: Review) -> Bool {
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
