/// One value for each day of a window, and the sums over them.
struct DailyValues {
  let window: HealthWindow
  /// Nil on days without a value; the day of the export may come last.
  let values: [Double?]

  /// The months that are compared.
  static let month = 30
  /// Days that each end needs before it is compared.
  static let leastDays = 7

  var whole: [Double] { (0..<window.wholeDays).compactMap { values[$0] } }

  /// The days of the month at the beginning or the end; of shorter windows, of a third of them.
  private var monthLength: Int { min(Self.month, window.wholeDays / 3) }
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
    guard first.count >= leastDays, last.count >= leastDays,
      let firstMean = Statistics.mean(first), let lastMean = Statistics.mean(last),
      let effect = Statistics.effect(first, last)
    else { return nil }
    return HealthChange(
      first: firstMean.rounded(to: 2), last: lastMean.rounded(to: 2), firstDays: first.count,
      lastDays: last.count, effect: effect.rounded(to: 2))
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

  /// Calls for the days of each week, the oldest first; weeks end with the last whole day.
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
