package import HealthRecords
package import Intake

/// Decides what is kept of the limits that the person tells of, and what is asked about them.
package struct ConstraintKeeper {
  let pack: CoachingPack
  let text: EntryText
  let book: ConstraintBook
  let today: Day

  package init(_ pack: CoachingPack, _ text: EntryText, _ book: ConstraintBook, today: Day) {
    (self.pack, self.text, self.book, self.today) = (pack, text, book, today)
  }

  private var texts: CoachingTexts { text.texts }

  /// The same contradiction is not asked about again for this many days.
  static let daysBetweenQuestions = 28
  /// What still holds after it should have been over is asked about again after this many days.
  static let daysLonger = 7
  /// A limit without a last day is asked about after this many days.
  static let daysUntilAsked = 14

  /// What ends the limits that pass by themselves: trips, and days without time, by the last day that the person
  /// told. When they are well again, only they know.
  package var passed: [CoachingEvent] {
    book.items.compactMap { item in
      let limit = item.constraint
      guard item.status == .active, limit.isOfCoaching, limit.list == .time,
        let end = limit.expiresAt, end < today
      else { return nil }
      return .constraintSettled(ConstraintAnswer(constraint: limit.id, outcome: .archived))
    }
  }

  /// The question about a temporary constraint whose time is over.
  package var lapsed: ConstraintQuestion? {
    let item = book.items.first { item in
      let constraint = item.constraint
      guard item.status == .active, let end = constraint.expiresAt ?? constraint.asksAt,
        end < today
      else { return false }
      return !wasAsked(item, .lapsed, since: end)
    }
    return item.map { isOver($0.constraint) }
  }

  /// The question whether a limit is over.
  func isOver(_ constraint: KeptConstraint) -> ConstraintQuestion {
    ConstraintQuestion(
      constraint: constraint.id, reason: .lapsed, on: today,
      text: texts(
        .constraintLapsed,
        [
          "day": texts.day(constraint.notedAt, seenFrom: today), "detail": constraint.detail,
        ]))
  }

  private func wasAsked(
    _ item: ConstraintBook.Item, _ reason: ConstraintQuestion.Reason, since day: Day
  ) -> Bool {
    item.asked.contains { $0.reason == reason && $0.on > day }
  }

  /// The question about an injury that an entry does not go with.
  ///
  /// - Parameter said: What the coach said last. What it spoke of is not asked about.
  package func contradicted(
    by entries: [LogEntry], after said: String = ""
  ) -> ConstraintQuestion? {
    let spokenOf = pack.parts(in: said)
    for entry in entries where entry.isTraining {
      guard let activity = pack[activity: entry.activity], isHardOnTheBody(entry, activity) else {
        continue
      }
      let item = book.items.first { item in
        let parts = parts(of: item.constraint)
        return item.status == .active && [.physical, .temporary].contains(item.constraint.list)
          && (item.constraint.beginsAt ?? item.constraint.notedAt) <= entry.day
          && !parts.isDisjoint(with: activity.loads) && parts.isDisjoint(with: spokenOf)
          && !wasAsked(item, .contradicted, since: today + -Self.daysBetweenQuestions)
      }
      guard let item else { continue }
      return ConstraintQuestion(
        constraint: item.constraint.id, reason: .contradicted, entry: entry.number, on: today,
        text: texts(
          .constraintContradicted,
          ["entry": text(entry), "detail": item.constraint.detail]))
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
    pack.parts(in: constraint.about + " " + constraint.detail)
  }

  // What the person tells.

  /// What follows from news of a limit, and the line that says so; nil if nothing does.
  func kept(_ news: LimitNews) -> (events: [CoachingEvent], words: String)? {
    news.isOver ? ended(news) : begun(news)
  }

  private func begun(_ news: LimitNews) -> (events: [CoachingEvent], words: String)? {
    var answer: ConstraintAnswer
    if let known = known(news) {
      let ends = news.until != nil && news.until != known.expiresAt
      let begins = news.from != nil && news.from != known.beginsAt && news.from != known.notedAt
      // Another last day alone leaves the words as they are.
      let isSame = news.about.isEmpty || news.about.lowercased() == known.about.lowercased()
      let isReworded =
        news.number != nil && !known.detail.hasSuffix(news.quote.text)
        && !((ends || begins) && isSame)
      // What holds in other words after its last day has another end, which nobody has told.
      let isPast = isReworded && news.until == nil && known.expiresAt.map { $0 <= today } ?? false
      let lasts = known.expiresAt != nil && (news.lasts || isPast)
      guard ends || begins || isReworded || lasts else { return nil }
      answer = ConstraintAnswer(constraint: known.id, outcome: .holds, turn: news.quote.turn)
      (answer.words, answer.expiresAt) = (news.quote.text, ends ? news.until : nil)
      if begins { answer.beginsAt = news.from }
      if isReworded {
        // A limit that should be over by now keeps none of its old words.
        answer.detail =
          isPast ? news.quote.text : putRight(known, by: news.quote.text)
        answer.about = news.about.isEmpty ? nil : news.about
      }
      if lasts { answer.lasts = true }
      return (
        [.constraintSettled(answer)],
        line(
          answer.detail ?? known.detail,
          from: (answer.beginsAt ?? known.beginsAt).flatMap { $0 > today ? $0 : nil },
          lasts ? nil : news.until ?? known.expiresAt)
      )
    }
    let parts = pack.parts(in: news.about + " " + news.quote.text)
    let about = news.about.isEmpty ? parts.sorted().first ?? "limit" : news.about
    var limit = KeptConstraint(
      id: book.freeID("said-\(news.quote.turn)-\(about)"),
      list: news.isAway ? .time : parts.isEmpty && !news.lasts ? .temporary : .physical,
      about: about,
      detail: news.quote.text,
      notedAt: today, expiresAt: news.until,
      origin: .init(turn: news.quote.turn, quote: news.quote.text))
    if let from = news.from, from > today { limit.beginsAt = from }
    if news.until == nil, !news.lasts {
      limit.asksAt = (limit.beginsAt ?? today) + Self.daysUntilAsked
    }
    answer = ConstraintAnswer(constraint: limit.id, outcome: .holds, turn: news.quote.turn)
    answer.words = news.quote.text
    return (
      [.constraintProposed(limit), .constraintSettled(answer)],
      line(news.quote.text, from: limit.beginsAt, news.until)
    )
  }

  /// A limit in other words. "It's the right arm" alone says nothing of a burn, so the first words stand before the
  /// newest, unless those say most of it.
  private func putRight(_ limit: KeptConstraint, by words: String) -> String {
    var first = limit.detail
    if let earlier = book[limit.id]?.words, first.hasSuffix(Self.between + earlier) {
      first.removeLast(Self.between.count + earlier.count)
    }
    let (before, now) = (Self.words(in: first), Self.words(in: words))
    return 2 * before.intersection(now).count > before.count ? words : first + Self.between + words
  }

  private static let between = "; "

  /// The line that says what is kept, with the days that it holds for.
  private func line(_ detail: String, from: Day? = nil, _ until: Day?) -> String {
    func day(_ day: Day) -> String { texts.dayAndWeekday(day, seenFrom: today) }
    var values = ["detail": detail]
    values["from"] = from.map(day)
    values["day"] = until.map(day)
    switch (from, until) {
    case (nil, nil): return texts(.constraintNoted, values)
    case (nil, _?): return texts(.constraintNotedUntil, values)
    case (_?, nil): return texts(.constraintNotedFrom, values)
    case (_?, _?): return texts(.constraintNotedBetween, values)
    }
  }

  /// The limit that news are of: the one that is named by its number, or the same words.
  private func known(_ news: LimitNews) -> KeptConstraint? {
    if let number = news.number {
      let item = book.numbered.first { $0.number == number }?.item
      return item.flatMap { $0.status == .active ? $0.constraint : nil }
    }
    return book.active.first { $0.detail == news.quote.text }
  }

  /// The limit that is over: the one that is named, the only one of that part of the body, the one that was just
  /// noted, or the only one of something that passes.
  func limit(meantBy news: LimitNews) -> KeptConstraint? {
    news.isOver ? limit(endedBy: news) : known(news)
  }

  func limit(endedBy news: LimitNews) -> KeptConstraint? {
    let parts = pack.parts(in: news.about + " " + news.quote.text)
    func only(_ isMeant: (KeptConstraint) -> Bool) -> KeptConstraint? {
      let limits = book.active.filter(isMeant)
      return limits.count == 1 ? limits[0] : nil
    }
    let words = Self.words(in: news.about + " " + news.quote.text)
    return known(news) ?? only { !self.parts(of: $0).isDisjoint(with: parts) }
      ?? only { !Self.words(in: $0.detail + " " + ($0.origin.quote ?? "")).isDisjoint(with: words) }
      ?? book.active.last { news.about.isEmpty && $0.isNoted(justBefore: news) }
      ?? (book.active.count == 1 && parts.isEmpty ? only { $0.list == .temporary } : nil)
  }

  /// The words that say what it is about, in any language: those of more than four letters.
  private static func words(in text: String) -> Set<String> {
    Set(text.lowercased().split { !$0.isLetter }.filter { $0.count > 4 }.map(String.init))
  }

  private func ended(_ news: LimitNews) -> (events: [CoachingEvent], words: String)? {
    guard let limit = limit(endedBy: news) else { return nil }
    let outcome: ConstraintAnswer.Outcome = limit.isNoted(justBefore: news) ? .refused : .archived
    var answer = ConstraintAnswer(
      constraint: limit.id, outcome: outcome, turn: news.quote.turn)
    answer.words = news.quote.text
    return (
      [.constraintSettled(answer)],
      texts(
        outcome == .refused ? .constraintRefused : .constraintArchived, ["detail": limit.detail])
    )
  }

  /// What a message answers to the open question, and what the coach says to it; nil if nothing.
  package func answer(
    to question: ConstraintQuestion, _ message: String, doing acts: [Act], turn: Int
  ) -> (answer: ConstraintAnswer, words: String)? {
    guard let outcome = outcome(of: question, acts) else { return nil }
    var answer = ConstraintAnswer(constraint: question.constraint, outcome: outcome, turn: turn)
    answer.words = message
    let known = book[question.constraint]?.constraint
    let detail = ["detail": known?.detail ?? ""]
    switch outcome {
    case .holds:
      if question.reason == .lapsed {
        answer.expiresAt = max(known?.expiresAt ?? today, today + Self.daysLonger)
      }
      return (answer, texts(.constraintHolds))
    case .archived: return (answer, texts(.constraintArchived, detail))
    case .refused, .unanswered: return (answer, texts(.constraintRefused, detail))
    }
  }

  private func outcome(
    of question: ConstraintQuestion, _ acts: [Act]
  ) -> ConstraintAnswer.Outcome? {
    let names = Set(acts.map(\.name))
    let dropped: ConstraintAnswer.Outcome = question.reason == .proposed ? .refused : .archived
    // A limit that has lapsed was asked about as over; the others as there.
    switch (names.contains(.agrees), names.contains(.rejects)) {
    case (true, false): return question.reason == .lapsed ? dropped : .holds
    case (false, true): return question.reason == .lapsed ? .holds : dropped
    default: break
    }
    if names.contains(.endsLimit) { return dropped }
    return names.contains(.changesLimit) || names.contains(.corrects) ? .holds : nil
  }
}

extension KeptConstraint {
  /// Whether the person told it after the summary.
  var isOfCoaching: Bool { id.hasPrefix("said-") }

  fileprivate func isNoted(justBefore news: LimitNews) -> Bool {
    origin.turn == news.quote.turn - 1
  }
}
