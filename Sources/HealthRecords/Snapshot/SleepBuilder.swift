/// Computes figures about nights.
struct SleepBuilder {
  let window: HealthWindow
  let nights: [Night]
  let intervals: [IntervalSample]

  func series() -> (DailyValues, HealthSeries)? {
    let hours = nights.map { $0.asleep > 0 ? Double($0.asleep) / 3600 : nil }
    guard let last = hours.lastIndex(where: { $0 != nil }) else { return nil }
    let values = DailyValues(window: window, values: hours)
    let base = HealthSeries(
      unit: Quantity.sleep.unit, days: 0,
      readings: readings, lowest: values.whole.min()?.rounded(to: 2),
      highest: values.whole.max()?.rounded(to: 2), latest: hours[last]?.rounded(to: 2),
      latestOn: window.first + last, weekly: [])
    return (values, base)
  }

  /// Those that start in the nights of these days.
  private var readings: Int {
    intervals.count { sample in
      let local = window.epoch + sample.start + sample.startOffset
      return sample.value == SleepState.asleep.rawValue
        && window.index(of: Night.day(ofLocal: local)) != nil
    }
  }

  func summary() -> SleepSummary? {
    let whole = nights.prefix(window.wholeDays)
    let asleep = whole.filter { $0.asleep > 0 }
    let inBed = whole.filter { $0.inBed > 0 }
    let total = nights.reduce(0) { $0 + $1.asleep }
    if asleep.isEmpty, inBed.isEmpty, total == 0 { return nil }
    let mains = asleep.compactMap(\.main)
    let middles = mains.map { Double($0.bedtime + $0.wakeTime) / 120 }
    return SleepSummary(
      nights: asleep.count, nightsInBed: inBed.count,
      hoursInBed: Statistics.mean(inBed.map { Double($0.inBed) / 3600 })?.rounded(to: 2),
      bedtime: Statistics.median(mains.map { Double($0.bedtime) }).map(Self.clock),
      wakeTime: Statistics.median(mains.map { Double($0.wakeTime) }).map(Self.clock),
      irregularityMinutes: Statistics.deviation(middles)?.rounded(to: 0),
      totalHours: (Double(total) / 3600).rounded(to: 2))
  }

  /// Seconds since 18:00, as a clock time.
  private static func clock(_ seconds: Double) -> String {
    let sinceMidnight = Int(seconds).flooredQuotient(by: 60) + 18 * 60
    let minutes = sinceMidnight - sinceMidnight.flooredQuotient(by: 24 * 60) * 24 * 60
    let (hour, minute) = (minutes / 60, minutes % 60)
    return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
  }
}
