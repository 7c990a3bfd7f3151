// For a doctor to see: made of whatever figures there are, as nothing else says it.

extension FindingsWriter {
  private static let forDoctor =
    "That is worth showing a doctor, soon; I can't tell from here what it is."

  func pressure() -> [HealthFinding] {
    let (systolic, diastolic) = (snapshot.series.systolic, snapshot.series.diastolic)
    let (upper, lower) = (systolic?.usual, diastolic?.usual)
    let (highestUpper, highestLower) = (systolic?.peak, diastolic?.peak)
    let days = max(systolic?.days ?? 0, diastolic?.days ?? 0)
    let isOften =
      days >= Limits.leastPressureDays
      && (isReached(upper, Limits.highSystolic) || isReached(lower, Limits.highDiastolic))
    let isOnce =
      isReached(highestUpper, Limits.crisisSystolic)
      || isReached(highestLower, Limits.crisisDiastolic)
    guard isOften || isOnce else { return [] }
    let reading =
      isOften
      ? "was \(pressure(upper, lower)) on average, on \(days) days"
      : "went up to \(pressure(highestUpper, highestLower))"
    var numbers = ["days": Double(days)]
    numbers["systolic"] = upper
    numbers["diastolic"] = lower
    numbers["highestSystolic"] = highestUpper
    numbers["highestDiastolic"] = highestLower
    return [
      HealthFinding(
        .bloodPressureHigh, "Your blood pressure \(reading). \(Self.forDoctor)", numbers,
        isForDoctor: true)
    ]
  }

  private func isReached(_ value: Double?, _ limit: Double) -> Bool {
    value.map { $0 >= limit } ?? false
  }

  private func pressure(_ upper: Double?, _ lower: Double?) -> String {
    switch (upper, lower) {
    case (let upper?, let lower?): "\(rough(upper)) over \(rough(lower)) mmHg"
    case (let upper?, nil): "\(rough(upper)) mmHg (the upper value)"
    case (nil, let lower?): "\(rough(lower)) mmHg (the lower value)"
    case (nil, nil): ""
    }
  }

  func restingRate() -> [HealthFinding] {
    guard let series = snapshot.series.restingHeartRate, series.days >= Limits.leastRestingDays,
      let usual = series.usual, usual > Limits.highRestingRate
    else { return [] }
    return [
      HealthFinding(
        .restingHeartRateHigh,
        "Your resting heart rate was \(rough(usual)) beats a minute on average, on "
          + "\(series.days) days. \(Self.forDoctor)",
        ["mean": usual, "days": Double(series.days)], isForDoctor: true)
    ]
  }
}

extension HealthSeries {
  /// What it is on most days, by whatever says so.
  fileprivate var usual: Double? { mean ?? median ?? change?.last ?? latest }

  /// The highest that is known of.
  fileprivate var peak: Double? {
    let known = [highest, latest, mean, median, change?.first, change?.last] + weekly
    return known.compactMap { $0 }.max()
  }
}

extension HealthFinding {
  /// Blood pressure as high as in a crisis: said even where a lower one was said before.
  public var isUrgent: Bool {
    kind == .bloodPressureHigh
      && (numbers["highestSystolic"] ?? 0 >= FindingThresholds.crisisSystolic
        || numbers["highestDiastolic"] ?? 0 >= FindingThresholds.crisisDiastolic)
  }
}
