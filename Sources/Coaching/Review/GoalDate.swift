package import HealthRecords

/// Reads the day by which somebody wants something: "by June" is the end of the next June.
package struct GoalDate {
  let pack: CoachingPack
  /// How far before the month the word is, as in "by the end of June".
  private static let wordsBefore = 4

  package init(_ pack: CoachingPack) { self.pack = pack }

  /// Nil if the words name no month with a word such as "by" before it.
  ///
  /// - Parameter today: The day on which it was said.
  package func day(in text: String, today: Day) -> Day? {
    LogTokens.sentences(of: text).lazy.compactMap { day(in: $0.tokens, today) }.first
  }

  private func day(in tokens: [LogTokens.Token], _ today: Day) -> Day? {
    let said = tokens.map(\.text)
    for index in said.indices {
      guard let month = pack.month(said[index]),
        (max(0, index - Self.wordsBefore)..<index).contains(where: { start in
          pack.words.until.begins(Array(said[start..<index]))
        })
      else { continue }
      func number(_ place: Int) -> Int? {
        guard tokens.indices.contains(place) else { return nil }
        // "By June 10 kg lighter" names no tenth of June.
        let next = place + 1 < tokens.count ? tokens[place + 1].text : ""
        return pack.words.measures(next) ? nil : tokens[place].number.flatMap { Int(exactly: $0) }
      }
      let around = [number(index - 1), number(index - 2), number(index + 1), number(index + 2)]
        .compactMap(\.self)
      let year = around.first { (1_000...9_999).contains($0) }
      let date = around.first { (1...31).contains($0) }
      return day(month, date, year, today)
    }
    return nil
  }

  private func day(_ month: Int, _ date: Int?, _ year: Int?, _ today: Day) -> Day? {
    func day(in year: Int) -> Day? {
      if let date { return Day(year: year, month: month, day: date) }
      return (28...31).reversed().lazy.compactMap { Day(year: year, month: month, day: $0) }.first
    }
    if let year { return day(in: year) }
    let thisYear = today.parts.year
    guard let next = day(in: thisYear) else { return nil }
    return next < today ? day(in: thisYear + 1) : next
  }
}
