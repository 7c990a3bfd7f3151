package import HealthRecords

/// Reads the day by which somebody wants something: "by June" is the end of the next June, "by Easter" the next
/// one, and "in 8 weeks" counts from the day on which it was said.
package struct GoalDate {
  let pack: CoachingPack
  /// How far before the month the word is, as in "by the end of June".
  private static let wordsBefore = 4

  package init(_ pack: CoachingPack) { self.pack = pack }

  /// Nil if the words name no day, month or feast with a word such as "by" before it.
  ///
  /// - Parameter today: The day on which it was said.
  package func day(in text: String, today: Day) -> Day? {
    if let day = figures(in: text, today) { return day }
    return LogTokens.sentences(of: text).lazy.compactMap { sentence in
      let tokens = sentence.tokens
      return day(in: tokens.filter { !pack.goalWords.fillers.contains($0.text) }, today)
        ?? feast(in: tokens.map(\.text), today) ?? span(in: tokens, today)
    }.first
  }

  /// `2027-03-15`, `15.3.2027`, `15.3.` or `15/3/2027`; `3/4/2027` may be either of two days.
  private func figures(in text: String, _ today: Day) -> Day? {
    func isMeant(_ place: Range<Substring.Index>) -> Bool {
      isUntil(LogTokens.words(of: String(text[..<place.lowerBound].suffix(60))))
    }
    for match in text[...].matches(of: /\b(\d{4})-(\d{1,2})-(\d{1,2})\b/) where isMeant(match.range)
    {
      return Int(match.1).flatMap { year in date(Int(match.2), Int(match.3), year, today) }
    }
    for match in text[...].matches(of: /\b(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}))?/)
    where isMeant(match.range) {
      return date(Int(match.2), Int(match.1), match.3.flatMap { Int($0) }, today)
    }
    for match in text[...].matches(of: /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/)
    where isMeant(match.range) {
      guard let one = Int(match.1), let two = Int(match.2), one > 12 || two > 12 || one == two
      else { return nil }
      return date(min(one, two), max(one, two), Int(match.3), today)
    }
    return nil
  }

  private func date(_ month: Int?, _ date: Int?, _ year: Int?, _ today: Day) -> Day? {
    guard let month, let date else { return nil }
    return day(month, date, year, today)
  }

  /// Whether a word such as "by" is among the last of these.
  private func isUntil(_ before: [String]) -> Bool {
    (max(0, before.count - Self.wordsBefore)..<before.count).contains { start in
      pack.words.until.begins(Array(before[start...]))
    }
  }

  private func feast(in said: [String], _ today: Day) -> Day? {
    for index in said.indices where isUntil(Array(said[..<index])) {
      guard
        let (_, feast) = pack.goalWords.feasts.first(where: { said[index...].starts(with: $0.name) }
        )
      else { continue }
      let year = today.parts.year
      guard let next = feast.day(in: year) else { continue }
      return next < today ? feast.day(in: year + 1) : next
    }
    return nil
  }

  /// "In 8 weeks".
  private func span(in tokens: [LogTokens.Token], _ today: Day) -> Day? {
    let said = tokens.map(\.text)
    for index in said.indices {
      guard let length = pack.goalWords.within.length(at: index, of: said),
        index + length + 1 < said.count, let span = pack.goalWords.spans[said[index + length + 1]]
      else { continue }
      let word = tokens[index + length]
      let isOne = pack.words.article.contains(word.text)
      guard
        let count = (word.number ?? (isOne ? 1 : pack.words.numbers[word.text]))
          .flatMap({ Int(exactly: $0) }), (1...1_000).contains(count)
      else { continue }
      return day(after: count, span, today)
    }
    return nil
  }

  private func day(after count: Int, _ span: GoalWords.Span, _ today: Day) -> Day? {
    switch span {
    case .day: return today + count
    case .week: return today + 7 * count
    case .month, .year:
      let parts = today.parts
      let months = parts.month - 1 + (span == .year ? 12 * count : count)
      let (year, month) = (parts.year + months / 12, months % 12 + 1)
      return (1...parts.day).reversed().lazy
        .compactMap { Day(year: year, month: month, day: $0) }.first
    }
  }

  private func day(in tokens: [LogTokens.Token], _ today: Day) -> Day? {
    let said = tokens.map(\.text)
    for index in said.indices {
      guard let month = pack.month(said[index]), !isVerb(at: index, said),
        isUntil(Array(said[..<index])) || monthPart(before: index, said) != nil
      else { continue }
      func number(_ place: Int) -> Int? {
        guard tokens.indices.contains(place) else { return nil }
        // "By June 10 kg lighter" names no tenth of June.
        let next = place + 1 < tokens.count ? tokens[place + 1].text : ""
        if let ordinal = tokens[place].ordinal { return ordinal }
        return pack.words.measures(next) ? nil : tokens[place].number.flatMap { Int(exactly: $0) }
      }
      let around = [number(index - 1), number(index - 2), number(index + 1), number(index + 2)]
        .compactMap(\.self)
      let year = around.first { (1_000...9_999).contains($0) }
      let date = around.first { (1...31).contains($0) }
      return day(month, date, year, today, part: monthPart(before: index, said))
    }
    return nil
  }

  /// "Mid March", "the end of June".
  private func monthPart(before index: Int, _ said: [String]) -> Int? {
    index > 0 ? pack.goalWords.monthParts[said[index - 1]] : nil
  }

  /// "By then I may" names no month.
  private func isVerb(at index: Int, _ said: [String]) -> Bool {
    index > 0 && pack.words.pronouns.contains(said[index - 1])
  }

  private func day(
    _ month: Int, _ date: Int?, _ year: Int?, _ today: Day, part: Int? = nil
  ) -> Day? {
    func day(in year: Int) -> Day? {
      if let date { return Day(year: year, month: month, day: date) }
      return (1...(part ?? 31)).reversed().lazy.compactMap {
        Day(year: year, month: month, day: $0)
      }.first
    }
    if let year { return day(in: year) }
    let thisYear = today.parts.year
    guard let next = day(in: thisYear) else { return nil }
    return next < today ? day(in: thisYear + 1) : next
  }
}
