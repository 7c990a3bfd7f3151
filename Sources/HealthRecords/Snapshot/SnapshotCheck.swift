/// Checks a snapshot from outside for impossible values.
struct SnapshotCheck {
  let snapshot: HealthSnapshot
  let today: Day

  /// The first problem, with its place; nil if the snapshot is valid.
  var problem: String? {
    window ?? profile ?? series ?? sleep ?? workouts ?? wear ?? findings
  }

  private var lastDay: Day { snapshot.through + 2 }

  private var window: String? {
    guard snapshot.version == HealthSnapshot.currentVersion else {
      return "/version is \(snapshot.version), but I read version \(HealthSnapshot.currentVersion)"
    }
    guard snapshot.from <= snapshot.through else { return "/from is after /through" }
    guard snapshot.through <= today + 1 else { return "/through is in the future" }
    guard snapshot.days == snapshot.through - snapshot.from + 1 else {
      return
        "/days should be \(snapshot.through - snapshot.from + 1), the days from /from through /through"
    }
    let allowed = HealthWindow.days
    guard allowed.contains(snapshot.days) else {
      return "/days should be between \(allowed.lowerBound) and \(allowed.upperBound)"
    }
    if let day = snapshot.exportedOn, day > today + 1 { return "/exportedOn is in the future" }
    return nil
  }

  private var profile: String? {
    guard let age = snapshot.profile.age else { return nil }
    return (0...HealthProfile.oldest).contains(age)
      ? nil : "/profile/age is not a possible age"
  }

  private var series: String? {
    for (quantity, series) in snapshot.series.all {
      if let problem = problem(series, quantity) { return "/series/\(quantity.rawValue)\(problem)" }
    }
    return nil
  }

  private func problem(_ series: HealthSeries, _ quantity: Quantity) -> String? {
    if series.unit != quantity.unit { return "/unit should be \(quantity.unit)" }
    if !(0...snapshot.days).contains(series.days) {
      return "/days should be between 0 and \(snapshot.days)"
    }
    if series.readings < 0 { return "/readings is below 0" }
    if let on = series.latestOn, !(snapshot.from...lastDay).contains(on) {
      return "/latestOn is outside the days"
    }
    if series.weekly.count > HealthWindow.days.upperBound / 7 + 1 { return "/weekly is too long" }
    let scale = quantity == .walkingDistance ? 1000.0 : 1
    let range =
      quantity.plausible.lowerBound / scale...quantity.plausible.upperBound / scale
    let values: [(String, Double?)] = [
      ("mean", series.mean), ("median", series.median), ("lowest", series.lowest),
      ("highest", series.highest), ("latest", series.latest), ("weekdayMean", series.weekdayMean),
      ("weekendMean", series.weekendMean), ("change/first", series.change?.first),
      ("change/last", series.change?.last),
    ]
    let weeks = series.weekly.enumerated().map { ("weekly/\($0.offset)", $0.element) }
    for case (let name, let value?) in values + weeks where !range.contains(value) {
      return
        "/\(name) should be between \(decimal(range.lowerBound)) and \(decimal(range.upperBound)) "
        + "\(quantity.unit), but is \(decimal(value))"
    }
    if let deviation = series.deviation, deviation < 0 { return "/deviation is below 0" }
    return nil
  }

  private var sleep: String? {
    guard let sleep = snapshot.sleep else { return nil }
    guard (0...snapshot.days).contains(sleep.nights) else {
      return "/sleep/nights should be between 0 and \(snapshot.days)"
    }
    for case (let name, let time?) in [("bedtime", sleep.bedtime), ("wakeTime", sleep.wakeTime)]
    where !Self.isClock(time) {
      return "/sleep/\(name) should be a time such as 23:10"
    }
    if let minutes = sleep.irregularityMinutes, !(0...720).contains(minutes) {
      return "/sleep/irregularityMinutes should be between 0 and 720"
    }
    return nil
  }

  private static func isClock(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
      let hour = Int(parts[0]), let minute = Int(parts[1])
    else { return false }
    return (0...23).contains(hour) && (0...59).contains(minute)
  }

  private static let mostWorkoutsPerDay = 50

  private var workouts: String? {
    guard let workouts = snapshot.workouts else { return nil }
    let most = snapshot.days * Self.mostWorkoutsPerDay
    guard (0...most).contains(workouts.count) else {
      return "/workouts/count should be between 0 and \(most)"
    }
    let months = [workouts.firstMonth, workouts.lastMonth, workouts.measured]
    guard months.allSatisfy({ (0...workouts.count).contains($0) }),
      workouts.types.allSatisfy({ $0.count >= 0 }), workouts.parts.allSatisfy({ $0.count >= 0 }),
      workouts.types.reduce(0, { $0 &+ $1.count }) <= workouts.count,
      workouts.parts.reduce(0, { $0 &+ $1.count }) <= workouts.count
    else { return "/workouts has parts that exceed its count" }
    let minutes = Double(snapshot.days + 1) * 1440
    for (place, kind) in workouts.types.enumerated() {
      let at = "/workouts/types/\(place)"
      if !(0...minutes).contains(kind.minutes) {
        return "\(at)/minutes exceeds the time in the days"
      }
      if let distance = kind.kilometres, !(0...100_000).contains(distance) {
        return "\(at)/kilometres is not a possible distance"
      }
      if !(0...kind.count).contains(kind.firstMonth) || !(0...kind.count).contains(kind.lastMonth) {
        return "\(at) has months that exceed its count"
      }
    }
    guard (0...minutes).contains(workouts.minutes) else {
      return "/workouts/minutes exceeds the time in the days"
    }
    guard workouts.weekly.allSatisfy({ (0...7 * Self.mostWorkoutsPerDay).contains($0) }) else {
      return "/workouts/weekly has an impossible weekly count"
    }
    guard (snapshot.from...lastDay).contains(workouts.lastOn) else {
      return "/workouts/lastOn is outside the days"
    }
    return nil
  }

  private var wear: String? {
    guard let wear = snapshot.wear else { return nil }
    guard (0...snapshot.days).contains(wear.daysWorn),
      wear.gaps.allSatisfy({ $0.from <= $0.through })
    else { return "/wear counts days outside the window" }
    return nil
  }

  private static let mostFindings = 40
  private static let longestFinding = 400

  private var findings: String? {
    guard snapshot.findings.count <= Self.mostFindings else {
      return "/findings has more than \(Self.mostFindings)"
    }
    for (place, finding) in snapshot.findings.enumerated()
    where !Self.isLine(finding.text, longest: Self.longestFinding) {
      return "/findings/\(place)/text should be one line of 1 to \(Self.longestFinding) characters"
    }
    return nil
  }

  /// Visible characters, on one line.
  private static func isLine(_ text: String, longest: Int) -> Bool {
    (1...longest).contains(text.count)
      && text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
          .unassigned:
          false
        default: true
        }
      }
  }
}
