internal import CHealthScan

/// Puts together what was read.
struct SnapshotBuilder {
  private let profile: HealthProfile
  private let counts: hs_counts
  private let exportedAt: ZonedTime?
  private var records: CollectedRecords
  private var window: HealthWindow { records.window }

  init(
    _ records: CollectedRecords, profile: HealthProfile, counts: hs_counts, exportedAt: ZonedTime?
  ) {
    (self.records, self.profile, self.counts) = (records, profile, counts)
    self.exportedAt = exportedAt
  }

  func snapshot() -> HealthSnapshot {
    var builder = self
    return builder.built()
  }

  private mutating func built() -> HealthSnapshot {
    var daily: [Quantity: DailyValues] = [:]
    var series: [Quantity: HealthSeries] = [:]
    for quantity in Quantity.allCases where quantity != .sleep {
      guard let (values, base) = values(of: quantity) else { continue }
      daily[quantity] = values
      series[quantity] = finished(
        base, values, leastDays: quantity == .bodyMass ? FindingThresholds.leastWeighings : nil)
    }
    let nights = SleepMerge(records).nights()
    let sleep = SleepBuilder(window: window, nights: nights, intervals: records.sleep)
    if let (values, base) = sleep.series() {
      daily[.sleep] = values
      series[.sleep] = finished(base, values)
    }
    let workouts = WorkoutBuilder(
      window: window,
      workouts: WorkoutMerge.merged(records.workouts, sources: records.sources.sources))
    var snapshot = HealthSnapshot(
      from: window.first, through: window.lastWhole, days: window.wholeDays,
      exportedOn: exportedAt?.day, profile: profile, series: HealthSeriesList(series),
      sleep: sleep.summary(), workouts: workouts.summary(), wear: wear(daily),
      readings: ReadingCounts(
        records: counts.records, notUsed: counts.ignored, beforeTheWindow: counts.before_window,
        workouts: counts.workouts),
      leftOut: leftOut())
    snapshot.findings = FindingsWriter(snapshot: snapshot, daily: daily).findings()
    return snapshot
  }

  private mutating func leftOut() -> [LeftOut] {
    records.leftOut.add("record", .malformed, count: counts.malformed)
    return records.leftOut.items
  }

  /// - Parameter leastDays: Days that each end needs, where it is not as many as usual.
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

// One value a day, for each kind of quantity.

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
    var samples = records.intervals.removeValue(forKey: quantity) ?? []
    let merge = IntervalMerge(window: window, sources: records.sources.sources)
    let scale = quantity == .walkingDistance ? 0.001 : 1
    let asWritten = samples.reduce(0) { $0 + $1.value }.asDouble * scale
    var days = merge.days(&samples).map { $0.map { $0 * scale } }
    for (index, summary) in records.summaries where days[index] == nil {
      switch quantity {
      case .activeEnergy: days[index] = summary.kilocalories.flatMap { $0 > 0 ? $0 : nil }
      // No minute of exercise says something only where something was measured.
      case .exerciseMinutes:
        days[index] = (summary.kilocalories ?? 0) > 0 ? summary.exerciseMinutes : nil
      default: break
      }
    }
    return series(quantity, days, readings: samples.count).map { values, base in
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

  /// The last reading of a day is the day's.
  private func read(_ quantity: Quantity) -> (DailyValues, HealthSeries)? {
    var seen: Set<Reading> = []
    let readings = (records.readings[quantity] ?? []).filter { seen.insert($0).inserted }
    var days = [Double?](repeating: nil, count: window.count)
    let sorted = readings.enumerated().sorted {
      ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset)
    }.map(\.element)
    for reading in sorted {
      if let index = window.index(of: reading.day) { days[index] = reading.value.asDouble }
    }
    return series(quantity, days, readings: readings.count).map { values, base in
      var base = base
      base.lowest = sorted.map(\.value).min()?.asDouble
      base.highest = sorted.map(\.value).max()?.asDouble
      base.latest = sorted.last?.value.asDouble.rounded(to: 4)
      base.latestOn = sorted.last?.day
      return (values, base)
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

  /// By heart rate, where it is measured day after day and not now and then; else by steps.
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
    // Before the first day there may have been no watch at all.
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

extension HealthSeriesList {
  init(_ series: [Quantity: HealthSeries]) {
    self.init(
      steps: series[.steps], walkingDistance: series[.walkingDistance],
      activeEnergy: series[.activeEnergy], exerciseMinutes: series[.exerciseMinutes],
      standHours: series[.standHours], heartRate: series[.heartRate],
      restingHeartRate: series[.restingHeartRate],
      heartRateVariability: series[.heartRateVariability], vo2Max: series[.vo2Max],
      bodyMass: series[.bodyMass], height: series[.height], bodyFat: series[.bodyFat],
      bodyMassIndex: series[.bodyMassIndex], systolic: series[.systolic],
      diastolic: series[.diastolic], glucose: series[.glucose], sleep: series[.sleep])
  }
}
