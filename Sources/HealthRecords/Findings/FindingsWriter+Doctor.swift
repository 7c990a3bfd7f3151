// Findings for a doctor. They use whatever figures exist, because nothing else reports them.

extension FindingsWriter {
  private static let forDoctor =
    "It's worth showing a doctor soon; I can't tell from here what it is."

  func pressure() -> [HealthFinding] {
    let (systolic, diastolic) = (snapshot.series[.systolic], snapshot.series[.diastolic])
    let upper = Pressure(
      "upper", systolic, daily[.systolic], Limits.highSystolic, Limits.crisisSystolic)
    let lower = Pressure(
      "lower", diastolic, daily[.diastolic], Limits.highDiastolic, Limits.crisisDiastolic)
    let said = [often(upper, lower), once(upper, lower)].compactMap { $0 }
    guard !said.isEmpty else { return [] }
    var numbers = ["days": Double(max(upper?.days ?? 0, lower?.days ?? 0))]
    numbers["systolic"] = upper?.usual
    numbers["diastolic"] = lower?.usual
    numbers["highestSystolic"] = upper?.highest
    numbers["highestDiastolic"] = lower?.highest
    return [
      HealthFinding(
        .bloodPressureHigh,
        "Your blood pressure \(said.joined(separator: ", and ")). \(Self.forDoctor)", numbers,
        isForDoctor: true)
    ]
  }

  private func often(_ upper: Pressure?, _ lower: Pressure?) -> String? {
    let both = [upper, lower].compactMap { $0 }.filter { $0.usual != nil }
    guard both.contains(where: \.isOftenHigh) else { return nil }
    let words = both.compactMap(\.usual).map(Self.pressure).joined(separator: " over ")
    let which = both.count == 1 ? " (the \(both[0].name) value)" : ""
    let days = both.map(\.days).max() ?? 0
    return "was \(words) mmHg\(which) on average, on \(days) days"
  }

  /// Upper and lower are reported separately: their highest values may come from different
  /// readings.
  private func once(_ upper: Pressure?, _ lower: Pressure?) -> String? {
    let both = [upper, lower].compactMap { $0 }
    guard both.contains(where: \.isOnceVeryHigh) else { return nil }
    let peaks = both.filter(\.isOnceHigh).enumerated().map { place, value in
      let on = value.highestOn.map { " on \(snapshot.named($0))" } ?? ""
      return place == 0
        ? "reached \(Self.pressure(value.highest)) mmHg (the \(value.name) value)\(on)"
        : "the \(value.name) value reached \(Self.pressure(value.highest))\(on)"
    }
    return peaks.joined(separator: ", ")
  }

  /// With the device's precision.
  private static func pressure(_ value: Double) -> String { decimal(value.rounded()) }

  func restingRate() -> [HealthFinding] {
    guard let series = snapshot.series[.restingHeartRate], series.days >= Limits.leastRestingDays,
      let mean = series.usual, mean > Limits.highRestingRate
    else { return [] }
    return [
      HealthFinding(
        .restingHeartRateHigh,
        "Your resting heart rate was \(rough(mean)) beats a minute on average, on \(series.days) "
          + "days. \(Self.forDoctor)",
        ["mean": mean, "days": Double(series.days)], isForDoctor: true)
    ]
  }
}

/// One of the two values of blood pressure.
private struct Pressure {
  let name: String
  let days: Int
  let usual: Double?
  let highest: Double
  /// Used if the last reading of a day is the highest of all.
  let highestOn: Day?
  private let high: Double
  private let veryHigh: Double

  init?(
    _ name: String, _ series: HealthSeries?, _ daily: DailyValues?, _ high: Double,
    _ veryHigh: Double
  ) {
    guard let series, let highest = series.peak else { return nil }
    (self.name, days, usual, self.highest) = (name, series.days, series.usual, highest)
    highestOn = daily.flatMap { daily in
      daily.values.firstIndex { $0 == highest }.map { daily.window.first + $0 }
    }
    (self.high, self.veryHigh) = (high, veryHigh)
  }

  var isOftenHigh: Bool { days >= FindingThresholds.leastPressureDays && (usual ?? 0) >= high }
  var isOnceHigh: Bool { highest >= high }
  var isOnceVeryHigh: Bool { highest >= veryHigh }
}

extension HealthSeries {
  /// The usual value, from whatever figure gives it.
  fileprivate var usual: Double? { mean ?? median ?? change?.last ?? latest }

  /// The highest known value.
  fileprivate var peak: Double? {
    let known = [highest, latest, mean, median, change?.first, change?.last] + weekly
    return known.compactMap { $0 }.max()
  }
}

extension HealthFinding {
  /// Blood pressure at crisis level: reported even if a lower finding was.
  public var isUrgent: Bool {
    kind == .bloodPressureHigh
      && (numbers["highestSystolic"] ?? 0 >= FindingThresholds.crisisSystolic
        || numbers["highestDiastolic"] ?? 0 >= FindingThresholds.crisisDiastolic)
  }
}
