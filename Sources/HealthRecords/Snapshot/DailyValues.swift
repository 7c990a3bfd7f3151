/// One value per day of a window, and sums over them.
struct DailyValues {
  let window: HealthWindow
  /// Nil on days without a value; the last may be the day of the export.
  let values: [Double?]

  /// The length of the compared months.
  static let month = 30
  /// Days that each end needs before they are compared.
  static let leastDays = 7

  var whole: [Double] { (0..<window.wholeDays).compactMap { values[$0] } }

  /// The days of the month at the start or the end. A window too short for two months uses thirds,
  /// and nothing is compared.
  private var monthLength: Int {
    window.wholeDays >= 2 * Self.month ? Self.month : window.wholeDays / 3
  }
  var firstMonth: [Double] { values[..<monthLength].compactMap { $0 } }
  var lastMonth: [Double] {
    values[(window.wholeDays - monthLength)..<window.wholeDays].compactMap { $0 }
  }

  func isInFirstMonth(_ index: Int) -> Bool { index < monthLength }
  func isInLastMonth(_ index: Int) -> Bool {
    (window.wholeDays - monthLength..<window.wholeDays).contains(index)
  }

  func change(leastDays: Int = leastDays) -> HealthChange? {
    let (first, last) = (firstMonth, lastMonth)
    guard window.wholeDays >= 2 * Self.month, first.count >= leastDays, last.count >= leastDays,
      let firstMean = Statistics.mean(first), let lastMean = Statistics.mean(last),
      let effect = Statistics.effect(first, last)
    else { return nil }
    return HealthChange(
      first: firstMean.rounded(to: 2), last: lastMean.rounded(to: 2), firstDays: first.count,
      lastDays: last.count, effect: effect.rounded(to: 2))
  }

  /// Only the last whole days, this many.
  func last(_ days: Int) -> DailyValues {
    let window = window.last(days)
    return DailyValues(window: window, values: Array(values.suffix(window.count)))
  }

  /// The share of days with a value whose next day has one too.
  var steadiness: Double {
    let present = (0..<window.wholeDays).filter { values[$0] != nil }
    guard present.count > 1 else { return 0 }
    let followed = zip(present, present.dropFirst()).count { $1 - $0 == 1 }
    return Double(followed) / Double(present.count - 1)
  }

  /// Nil for fewer than two weeks of days.
  var slopePerWeek: Double? {
    let points = (0..<window.wholeDays).compactMap { day in
      values[day].map { (x: Double(day) / 7, y: $0) }
    }
    return points.count < 14 ? nil : Statistics.slope(points)
  }

  func ofDays(weekend: Bool) -> [Double] {
    (0..<window.wholeDays).compactMap { index in
      (window.first + index).isWeekend == weekend ? values[index] : nil
    }
  }

  var weekly: [Double?] {
    weeks { days in Statistics.mean(days.compactMap { values[$0] }) }
  }

  /// Calls back with each week's days, oldest first; weeks end with the last whole day.
  func weeks<Value>(_ body: (Range<Int>) -> Value) -> [Value] {
    var end = window.wholeDays
    var weeks: [Value] = []
    while end > 0 {
      weeks.append(body(max(0, end - 7)..<end))
      end -= 7
    }
    return weeks.reversed()
  }
}
