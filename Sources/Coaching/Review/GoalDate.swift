package import HealthRecords

/// Reads the day by which somebody wants something: "by June" is the end of the next June, "by Easter" the next
/// one, and "in 8 weeks" counts from the day on which it was said.
package struct GoalDate {
  let pack: CoachingPack
  /// How far before the month the word is, as in "by the end of June".
  private static let wordsBefore = 4

  package init(_ pack: CoachingPack) { self.pack = pack }

  /// Nil if the words name no day, month or feast with a word such as "by" before it. A whole date, or a month
  /// with its year, needs none.
  ///
  /// - Parameter today: The day on which it was said.
  package func day(in text: String, today: Day) -> Day? {
    if let day = figures(in: text, today) { return day }
    let said = PlainWords.split(text)
    let plain = said.filter { !words.fillers.contains($0) }
    return month(in: plain, today, withYear: true) ?? month(in: plain, today)
      ?? feast(in: said, today) ?? span(in: said, today)
  }

  private var words: DateWords { pack.dateWords }

  /// `2027-03-15`, `2027-03`, `15.3.2027`, `15.3.` or `15/3/2027`; `3/4/2027` may be either of two days.
  private func figures(in text: String, _ today: Day) -> Day? {
    func isMeant(_ place: Range<Substring.Index>) -> Bool {
      isUntil(PlainWords.split(String(text[..<place.lowerBound].suffix(60)))[...])
    }
    if let match = text[...].firstMatch(of: /\b(\d{4})-(\d{1,2})-(\d{1,2})\b/) {
      return Int(match.1).flatMap { year in date(Int(match.2), Int(match.3), year, today) }
    }
    if let match = text[...].firstMatch(of: /\b(\d{4})-(\d{2})\b/), let month = Int(match.2) {
      return day(month, nil, Int(match.1), today)
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
  private func isUntil(_ before: ArraySlice<String>) -> Bool {
    words.until.isIn(Array(before.suffix(Self.wordsBefore)))
  }

  private func feast(in said: [String], _ today: Day) -> Day? {
    for index in said.indices where isUntil(said[..<index]) {
      guard let feast = words.feasts.first(where: { said[index...].starts(with: $0.name) })?.feast
      else { continue }
      let year = today.parts.year
      guard let next = feast.day(in: year) else { continue }
      return next < today ? feast.day(in: year + 1) : next
    }
    return nil
  }

  /// "In 8 weeks".
  private func span(in said: [String], _ today: Day) -> Day? {
    for index in said.indices {
      guard let length = words.within.length(at: index, of: said),
        index + length + 1 < said.count, let span = words.spans[said[index + length + 1]],
        let count = (Double(said[index + length]) ?? pack.numbers.value(said[index + length]))
          .flatMap({ Int(exactly: $0) }), (1...1_000).contains(count)
      else { continue }
      // "200 km in one day" is how fast, not by when.
      if span == .day, count < Self.leastDays { continue }
      return day(after: count, span, today)
    }
    return nil
  }

  private static let leastDays = 7

  private func day(after count: Int, _ span: DateWords.Span, _ today: Day) -> Day? {
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

  private func month(in said: [String], _ today: Day, withYear: Bool = false) -> Day? {
    for index in said.indices {
      let part = index > 0 ? words.monthParts[said[index - 1]] : nil
      guard let month = pack.month(said[index]),
        words.notMonths.length(at: index - 1, of: said) == nil,
        withYear || isUntil(said[..<index]) || part != nil || hasDate(at: index, said)
      else { continue }
      func number(_ place: Int) -> Int? {
        guard said.indices.contains(place) else { return nil }
        // "By June 10 kg lighter" names no tenth of June.
        return pack.isUnit(at: place + 1, of: said) ? nil : Int(said[place])
      }
      let around = [number(index - 1), number(index - 2), number(index + 1), number(index + 2)]
        .compactMap(\.self)
      let year = around.first { (1_000...9_999).contains($0) }
      if withYear, year == nil { continue }
      let date = around.first { (1...31).contains($0) }
      return day(month, date, year, today, part: part)
    }
    return nil
  }

  /// Whether a month has its date before it, as in "14. Juni", or at the end, as in "on June 14".
  private func hasDate(at month: Int, _ said: [String]) -> Bool {
    func isDate(_ place: Int) -> Bool {
      guard said.indices.contains(place), let number = Int(said[place]) else { return false }
      return (1...31).contains(number)
    }
    return isDate(month - 1) || month + 1 == said.count - 1 && isDate(month + 1)
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
