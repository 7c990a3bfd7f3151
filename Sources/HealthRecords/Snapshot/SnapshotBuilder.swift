internal import CHealthScan

/// Builds a snapshot from what was read.
struct SnapshotBuilder {
  private let profile: HealthProfile
  private let counts: hs_counts
  private let exportedOn: Day?
  private var records: CollectedRecords
  private var merged: [WorkoutRecord] = []
  private var window: HealthWindow { records.window }
  /// Throws if the reading was canceled; called between steps.
  private let checkpoint: () throws(HealthReadError) -> Void

  init(
    _ records: consuming CollectedRecords, profile: HealthProfile, counts: hs_counts,
    exportedOn: Day?, checkpoint: @escaping () throws(HealthReadError) -> Void
  ) {
    (self.profile, self.counts, self.exportedOn) = (profile, counts, exportedOn)
    self.checkpoint = checkpoint
    self.records = records
  }

  /// Those of the window, once the snapshot is made.
  var workouts: [WorkoutRecord] { merged }

  /// Call it once: it consumes the collected records.
  mutating func snapshot() throws(HealthReadError) -> HealthSnapshot {
    var daily: [Quantity: DailyValues] = [:]
    var series: [Quantity: HealthSeries] = [:]
    for quantity in Quantity.allCases where quantity != .sleep {
      try checkpoint()
      guard let (values, base) = values(of: quantity) else { continue }
      daily[quantity] = values
      series[quantity] = finished(
        base, values, leastDays: quantity == .bodyMass ? FindingThresholds.leastWeighings : nil)
    }
    try checkpoint()
    let nights = SleepMerge.nights(
      records.sleep, sources: records.sources.sources, window: window)
    try checkpoint()
    let sleep = SleepBuilder(window: window, nights: nights, intervals: records.sleep)
    if let (values, base) = sleep.series() {
      daily[.sleep] = values
      series[.sleep] = finished(base, values)
    }
    merged = WorkoutMerge.merged(records.workouts, sources: records.sources.sources)
    let workouts = WorkoutBuilder(window: window, workouts: merged)
    var snapshot = HealthSnapshot(
      from: window.first, through: window.lastWhole, days: window.wholeDays,
      exportedOn: exportedOn, profile: profile, series: HealthSeriesList(series),
      sleep: sleep.summary(), workouts: workouts.summary(), wear: wear(daily),
      readings: ReadingCounts(
        records: counts.records, notUsed: counts.ignored, beforeTheWindow: counts.before_window,
        workouts: counts.workouts),
      leftOut: records.leftOut.items)
    try checkpoint()
    snapshot.findings = FindingsWriter(snapshot: snapshot, daily: daily).findings()
    return snapshot
  }

  /// - Parameter leastDays: Days that each end needs, if fewer than usual.
  private func finished(
    _ base: HealthSeries, _ values: DailyValues, leastDays: Int? = nil
  ) -> HealthSeries {
    var series = base
    let whole = values.whole
    series.days = whole.count
    series.mean = Statistics.mean(whole)?.rounded(to: 2)
    series.median = Statistics.median(whole)?.rounded(to: 2)
    series.deviation = Statistics.deviation(whole)?.rounded(to: 2)
    series.change = values.change(leastDays: leastDays ?? DailyValues.leastDays)
    series.slopePerWeek = values.slopePerWeek?.rounded(to: 3)
    let (weekdays, weekends) = (values.ofDays(weekend: false), values.ofDays(weekend: true))
    series.weekdayMean = Statistics.mean(weekdays)?.rounded(to: 2)
    series.weekendMean = Statistics.mean(weekends)?.rounded(to: 2)
    series.weekendEffect = Statistics.effect(weekdays, weekends)?.rounded(to: 2)
    series.weekly = values.weekly.map { $0?.rounded(to: 2) }
    return series
  }
}

// One value per day for each quantity.

extension SnapshotBuilder {
  private mutating func values(of quantity: Quantity) -> (DailyValues, HealthSeries)? {
    switch quantity {
    case _ where quantity.isCumulative: summed(quantity)
    case .standHours: stood()
    case .heartRate, .restingHeartRate, .heartRateVariability: averaged(quantity)
    default: read(quantity)
    }
  }

  private mutating func summed(_ quantity: Quantity) -> (DailyValues, HealthSeries)? {
    let samples = records.intervals.removeValue(forKey: quantity) ?? []
    let readings = samples.count
    let scale = quantity == .walkingDistance ? 0.001 : 1
    let asWritten = samples.reduce(0) { $0 + $1.value }.asDouble * scale
    var days = IntervalMerge.days(samples, sources: records.sources.sources, window: window)
      .map { $0.map { $0 * scale } }
    for (index, summary) in records.summaries where days[index] == nil {
      switch quantity {
      case .activeEnergy: days[index] = summary.kilocalories.flatMap { $0 > 0 ? $0 : nil }
      // Zero minutes of exercise mean something only if anything was measured.
      case .exerciseMinutes:
        days[index] = (summary.kilocalories ?? 0) > 0 ? summary.exerciseMinutes : nil
      default: break
      }
    }
    return series(quantity, days, readings: readings).map { values, base in
      var base = base
      base.asWritten = asWritten.rounded(to: 3)
      return (values, base)
    }
  }

  private func stood() -> (DailyValues, HealthSeries)? {
    let days = (0..<window.count).map { index in
      records.standHours[index].map { Double($0.count) } ?? records.summaries[index]?.standHours
    }
    return series(
      .standHours, days, readings: records.standHours.values.reduce(0) { $0 + $1.count })
  }

  private func averaged(_ quantity: Quantity) -> (DailyValues, HealthSeries)? {
    guard let days = records.days[quantity] else { return nil }
    let means = days.map { $0.count > 0 ? $0.sum.asDouble / Double($0.count) : nil }
    let readings = days.reduce(0) { $0 + $1.count }
    return series(quantity, means, readings: readings).map { values, base in
      var base = base
      base.lowest = days.lazy.filter { $0.count > 0 }.map(\.lowest).min()?.asDouble
      base.highest = days.lazy.filter { $0.count > 0 }.map(\.highest).max()?.asDouble
      return (values, base)
    }
  }

  /// The last reading of a day is the day's value; a duplicate counts once.
  private mutating func read(_ quantity: Quantity) -> (DailyValues, HealthSeries)? {
    var readings = records.readings.removeValue(forKey: quantity) ?? []
    readings.sortInPlace { ($0.second, $0.rest, $0.time) < ($1.second, $1.rest, $1.time) }
    readings.removeRepeats { $0.second == $1.second && $0.rest == $1.rest }
    readings.sortInPlace { $0.time < $1.time }
    var days = [Double?](repeating: nil, count: window.count)
    for reading in readings { days[reading.dayIndex] = reading.value.asDouble }
    let values = readings.lazy.map { $0.value }
    return series(quantity, days, readings: readings.count).map { daily, base in
      var base = base
      base.lowest = values.min()?.asDouble
      base.highest = values.max()?.asDouble
      base.latest = readings.last?.value.asDouble.rounded(to: 4)
      base.latestOn = readings.last.map { window.first + $0.dayIndex }
      return (daily, base)
    }
  }

  private func series(
    _ quantity: Quantity, _ days: [Double?], readings: Int
  ) -> (DailyValues, HealthSeries)? {
    guard let last = days.lastIndex(where: { $0 != nil }) else { return nil }
    let values = DailyValues(window: window, values: days)
    let base = HealthSeries(
      unit: quantity.unit, days: 0, readings: readings,
      lowest: values.whole.min()?.rounded(to: 2), highest: values.whole.max()?.rounded(to: 2),
      latest: days[last]?.rounded(to: 4), latestOn: window.first + last, weekly: [])
    return (values, base)
  }

  /// By heart rate if it is measured daily, else by steps.
  private func wear(_ daily: [Quantity: DailyValues]) -> WearSummary? {
    let signs: [(WearSummary.Sign, Quantity)] = [(.heartRate, .heartRate), (.steps, .steps)]
    for (sign, quantity) in signs {
      if let values = daily[quantity], values.steadiness >= FindingThresholds.wornSteadily {
        return wear(values, by: sign)
      }
    }
    return nil
  }

  private func wear(_ values: DailyValues, by sign: WearSummary.Sign) -> WearSummary {
    var gaps: [WearSummary.Gap] = []
    var start: Int?
    // Before the first day there may have been no watch.
    let first = values.values.firstIndex { $0 != nil } ?? 0
    for index in min(first, window.wholeDays)...window.wholeDays {
      let isMissing = index < window.wholeDays && values.values[index] == nil
      if isMissing {
        start = start ?? index
      } else if let from = start {
        if index - from >= FindingThresholds.leastGap {
          gaps.append(.init(from: window.first + from, through: window.first + (index - 1)))
        }
        start = nil
      }
    }
    return WearSummary(
      daysWorn: values.whole.count, days: window.wholeDays, gaps: gaps, sign: sign,
      from: window.first + first)
  }
}

extension Array {
  /// Keeps the first of consecutive equal elements.
  fileprivate mutating func removeRepeats(_ isSame: (Element, Element) -> Bool) {
    var kept = 0
    for index in indices where kept == 0 || !isSame(self[kept - 1], self[index]) {
      self[kept] = self[index]
      kept += 1
    }
    removeLast(count - kept)
  }
}
