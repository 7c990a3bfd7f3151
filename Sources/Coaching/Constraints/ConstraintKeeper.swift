package import HealthRecords
package import Intake

/// Decides what is asked about constraints: those that lapsed, those that the log contradicts, and new ones
/// that were said in passing.
package struct ConstraintKeeper {
  let pack: CoachingPack
  let text: EntryText
  let book: ConstraintBook
  let today: Day

  package init(_ pack: CoachingPack, _ text: EntryText, _ book: ConstraintBook, today: Day) {
    (self.pack, self.text, self.book, self.today) = (pack, text, book, today)
  }

  private var words: LogWords { pack.words }
  private var texts: CoachingTexts { text.texts }

  /// The same contradiction isn't asked about again for this many days.
  static let daysBetweenQuestions = 28
  /// What still holds after it should have been over is asked about again after this many days.
  static let daysLonger = 7

  /// The question about a temporary constraint whose time is over.
  package var lapsed: ConstraintQuestion? {
    let item = book.items.first { item in
      guard item.status == .active, let end = item.constraint.expiresAt, end < today else {
        return false
      }
      return !wasAsked(item, .lapsed, since: end)
    }
    return item.map { item in
      ConstraintQuestion(
        constraint: item.constraint.id, reason: .lapsed, on: today,
        text: texts(
          .constraintLapsed,
          [
            "day": texts.day(item.constraint.notedAt, seenFrom: today),
            "detail": words(for: item.constraint),
          ]))
    }
  }

  private func wasAsked(
    _ item: ConstraintBook.Item, _ reason: ConstraintQuestion.Reason, since day: Day
  ) -> Bool {
    item.asked.contains { $0.reason == reason && $0.on > day }
  }

  /// The question about an injury that an entry doesn't go with.
  package func contradicted(by entries: [LogEntry]) -> ConstraintQuestion? {
    for entry in entries where entry.isTraining {
      guard let activity = pack[activity: entry.activity], isHardOnTheBody(entry, activity) else {
        continue
      }
      let item = book.items.first { item in
        item.status == .active && [.physical, .temporary].contains(item.constraint.list)
          && !parts(of: item.constraint).isDisjoint(with: activity.loads)
          && !wasAsked(item, .contradicted, since: today + -Self.daysBetweenQuestions)
      }
      guard let item else { continue }
      return ConstraintQuestion(
        constraint: item.constraint.id, reason: .contradicted, entry: entry.number, on: today,
        text: texts(
          .constraintContradicted,
          ["entry": text(entry), "detail": words(for: item.constraint)]))
    }
    return nil
  }

  private func isHardOnTheBody(_ entry: LogEntry, _ activity: Activity) -> Bool {
    if entry.effort == .hard { return true }
    if let heavy = activity.heavy, entry.kilograms ?? 0 >= heavy { return true }
    if let far = activity.far, entry.kilometers ?? 0 >= far { return true }
    return false
  }

  private func parts(of constraint: KeptConstraint) -> Set<String> {
    parts(in: LogTokens.words(of: constraint.about + " " + constraint.detail))
  }

  private func parts(in words: [String]) -> Set<String> {
    Set(self.words.body.filter { $0.phrases.isIn(words) }.map(\.part))
  }

  /// A constraint that a message mentions and that isn't known yet; it holds only once it's confirmed.
  package func mentioned(in message: String, turn: Int) -> KeptConstraint? {
    for sentence in LogTokens.sentences(of: message) {
      let words = sentence.words
      // "Doesn't hurt anymore" is no news of an injury.
      let reply = ConstraintReply(String(sentence.text), self.words)
      guard !sentence.isQuestion, !reply.isGone, !reply.isEasing,
        !self.words.isAboutOthers(words)
      else { continue }
      if let part = hurtingPart(in: sentence), !isKnown(part, words) {
        let quote = clause(of: sentence) { hurtingPart(in: $0) == part }
        return constraint(.physical, part, quote, turn, days: self.words.painDays)
      }
      if let ill = illness(in: sentence), !isKnown(ill.what, words) {
        let quote = clause(of: sentence) { illness(in: $0)?.what == ill.what }
        return constraint(.temporary, ill.what, quote, turn, days: ill.days)
      }
    }
    return nil
  }

  private func constraint(
    _ list: KeptConstraint.List, _ about: String, _ quote: String, _ turn: Int, days: Int
  ) -> KeptConstraint {
    KeptConstraint(
      id: "said-\(turn)-\(about)", list: list, about: about, detail: quote, notedAt: today,
      expiresAt: today + days, origin: .init(turn: turn, quote: quote))
  }

  /// Whether something about it holds or was asked about lately.
  private func isKnown(_ about: String, _ words: [String]) -> Bool {
    book.items.contains { item in
      let isSame =
        item.constraint.about == about || parts(of: item.constraint).contains(about)
      switch item.status {
      case .active: return isSame
      case .proposed, .refused, .archived:
        return isSame && item.asked.contains { today - $0.on < Self.daysLonger }
      }
    }
  }

  package func question(about proposed: KeptConstraint) -> ConstraintQuestion {
    ConstraintQuestion(
      constraint: proposed.id, reason: .proposed, on: today,
      text: texts(.constraintProposed, ["quote": proposed.origin.quote ?? proposed.detail]))
  }

  /// What a message answers to the open question, and what the coach says to it.
  package func answer(
    to question: ConstraintQuestion, _ message: String, doing acts: [Act] = [], turn: Int
  ) -> (answer: ConstraintAnswer, words: String) {
    let said = ConstraintReply(message, words)
    let outcome =
      outcome(of: question, acts)
      ?? outcome(of: question, question.reason == .lapsed ? said.withoutNews : said)
    var answer = ConstraintAnswer(constraint: question.constraint, outcome: outcome, turn: turn)
    if outcome != .unanswered { answer.words = message }
    switch outcome {
    case .holds:
      let end = book[question.constraint]?.constraint.expiresAt
      if question.reason != .proposed, let end {
        answer.expiresAt = max(end, today + Self.daysLonger)
      }
      return (answer, texts(.constraintHolds))
    case .archived: return (answer, texts(.constraintArchived))
    case .refused: return (answer, texts(.constraintRefused))
    case .unanswered: return (answer, "")
    }
  }

  /// What the acts of a message answer; nil if they don't tell.
  private func outcome(
    of question: ConstraintQuestion, _ acts: [Act]
  ) -> ConstraintAnswer.Outcome? {
    let names = Set(acts.map(\.name))
    let dropped: ConstraintAnswer.Outcome = question.reason == .proposed ? .refused : .archived
    if names.contains(.endsLimit) { return dropped }
    if names.contains(.changesLimit) { return .holds }
    switch (names.contains(.agrees), names.contains(.rejects)) {
    // A limit that has lapsed was asked about as over; the others as there.
    case (true, false): return question.reason == .lapsed ? dropped : .holds
    case (false, true): return question.reason == .lapsed ? .holds : dropped
    default: return nil
    }
  }

  private func outcome(
    of question: ConstraintQuestion, _ reply: ConstraintReply
  ) -> ConstraintAnswer.Outcome {
    let isProposal = question.reason == .proposed
    let dropped: ConstraintAnswer.Outcome = isProposal ? .refused : .archived
    let isLapsed = question.reason == .lapsed
    if reply.isAboutTheLog {
      let confirms = reply.saysYes && !isLapsed || reply.saysStill && reply.hurts
      return confirms ? .holds : .unanswered
    }
    // If in doubt, it holds.
    if reply.saysStill { return .holds }
    if reply.saysNo {
      if isLapsed { return .holds }
      if reply.isBareNo { return dropped }
      return (reply.isFine || isProposal && !reply.hurts) && !reply.hedges ? dropped : .holds
    }
    if reply.saysYes { return isLapsed && !reply.hedges && !reply.hurts ? dropped : .holds }
    if reply.isGone { return reply.hedges ? .holds : dropped }
    return reply.isEasing ? .holds : .unanswered
  }

  /// Whether a message is about the log, such as "no, it was 65 kg", so that a question stays open.
  package func isAboutTheLog(_ message: String) -> Bool {
    ConstraintReply(message, words).isAboutTheLog
  }
}
