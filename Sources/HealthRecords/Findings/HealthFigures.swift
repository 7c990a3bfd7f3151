/// A line of figures on one subject, to answer questions from.
public struct HealthFigure: Hashable, Sendable {
  /// The series' name in a snapshot, or `workouts`.
  public var about: String
  public var text: String
  /// Whether it mentions weight or calories.
  public var isSensitive: Bool
}

extension HealthSnapshot {
  /// All available figures, each with its days. For a minor, nothing about weight or sleep.
  ///
  /// - Parameter today: Days in other years are shown with the year.
  public func figures(on today: Day) -> [HealthFigure] {
    let lines =
      FigureLine.all.compactMap { $0.figure(self, today) }
      + [workoutFigure(today)].compactMap { $0 }
    return lines.filter {
      !profile.isMinor || !($0.isSensitive || $0.about == Quantity.sleep.rawValue)
    }
  }

  private func workoutFigure(_ today: Day) -> HealthFigure? {
    guard let workouts, workouts.count > 0 else { return nil }
    let types = workouts.types.prefix(5).map { kind in
      "\(kind.type) \(times(kind.count))"
        + (kind.kilometres.map { " (\(decimal($0)) km in total)" } ?? "")
        + ", the last on \(kind.lastOn.inWords(on: today))"
    }
    let minutes = workouts.minutes > 0 ? ", \(rough(workouts.minutes)) minutes in total" : ""
    let week = workouts.weekly.last.map { "; \(times($0)) in the last week" } ?? ""
    let months =
      days < 2 * DailyValues.month
      ? "" : "; \(workouts.firstMonth) in the first month and \(workouts.lastMonth) in the last"
    return HealthFigure(
      about: "workouts",
      text: "Workouts: \(workouts.count) in the \(days) days up to \(through.inWords(on: today))"
        + minutes + week + months
        + (types.isEmpty ? "" : "; " + types.joined(separator: "; ")),
      isSensitive: false)
  }
}

/// How to turn one series into a line.
private struct FigureLine {
  let quantity: Quantity
  let title: String
  /// Such as `6 h 50 min`.
  let show: (Double) -> String
  let latest: String

  init(
    _ quantity: Quantity, _ title: String, latest: String = "the latest",
    _ show: @escaping (Double) -> String
  ) {
    (self.quantity, self.title, self.latest, self.show) = (quantity, title, latest, show)
  }

  static var all: [FigureLine] {
    [
      FigureLine(.sleep, "Sleep a night", latest: "the last night measured") {
        hours($0)
      },
      FigureLine(.steps, "Steps a day") { rough($0) },
      FigureLine(.walkingDistance, "Walking distance a day") {
        decimal($0) + " km"
      },
      FigureLine(.activeEnergy, "Active energy a day") { rough($0) + " kcal" },
      FigureLine(.exerciseMinutes, "Exercise a day") { rough($0) + " min" },
      FigureLine(.standHours, "Standing a day") { decimal($0) + " hours" },
      FigureLine(.restingHeartRate, "Resting heart rate, beats a minute") {
        rough($0)
      },
      FigureLine(.heartRateVariability, "Heart rate variability") {
        rough($0) + " ms"
      },
      FigureLine(.vo2Max, "VO₂ max") { decimal($0) + " mL/(kg·min)" },
      FigureLine(.bodyMass, "Weight") { decimal($0) + " kg" },
      FigureLine(.height, "Height") { rough($0 * 100) + " cm" },
      FigureLine(.bodyFat, "Body fat") { decimal($0) + "%" },
      FigureLine(.bodyMassIndex, "Body mass index") { decimal($0) },
      FigureLine(.systolic, "Blood pressure, upper") { rough($0) + " mmHg" },
      FigureLine(.diastolic, "Blood pressure, lower") { rough($0) + " mmHg" },
      FigureLine(.glucose, "Blood glucose") { decimal($0) + " mmol/L" },
    ]
  }

  private var isSensitive: Bool {
    [.bodyMass, .bodyFat, .bodyMassIndex, .activeEnergy].contains(quantity)
  }

  func figure(_ snapshot: HealthSnapshot, _ today: Day) -> HealthFigure? {
    guard let series = snapshot.series[quantity] else { return nil }
    let parts =
      overall(series, snapshot, today) + recent(series, today) + ends(series) + nights(snapshot)
    guard !parts.isEmpty else { return nil }
    return HealthFigure(
      about: quantity.rawValue, text: "\(title): " + parts.joined(separator: "; "),
      isSensitive: isSensitive)
  }

  private func overall(
    _ series: HealthSeries, _ snapshot: HealthSnapshot, _ today: Day
  ) -> [String] {
    guard let mean = series.mean ?? series.median, series.days > 0 else { return [] }
    let unit = quantity == .sleep ? "night" : "day"
    let days = "\(series.days) \(unit)\(series.days == 1 ? "" : "s")"
    var parts = [
      "\(show(mean)) on average over \(days) from \(snapshot.from.inWords(on: today)) to "
        + snapshot.through.inWords(on: today)
    ]
    if let lowest = series.lowest, let highest = series.highest, lowest < highest {
      parts.append("between \(show(lowest)) and \(show(highest))")
    }
    return parts
  }

  private func recent(_ series: HealthSeries, _ today: Day) -> [String] {
    var parts: [String] = []
    let weeks = series.weekly.suffix(2)
    if weeks.count == 2, let last = weeks.last ?? nil {
      let before = (weeks.first ?? nil).map { ", \(show($0)) in the week before" } ?? ""
      parts.append("\(show(last)) in the last week" + before)
    }
    if !quantity.isCumulative, let latest = series.latest, let on = series.latestOn {
      parts.append("\(self.latest), \(on.inWords(on: today)): \(show(latest))")
    }
    return parts
  }

  private func ends(_ series: HealthSeries) -> [String] {
    guard let change = series.change else { return [] }
    return ["\(show(change.first)) in the first month, \(show(change.last)) in the last"]
  }

  private func nights(_ snapshot: HealthSnapshot) -> [String] {
    guard quantity == .sleep, let sleep = snapshot.sleep else { return [] }
    var parts: [String] = []
    if let bedtime = sleep.bedtime, let wake = sleep.wakeTime {
      parts.append("usually asleep from \(bedtime) to \(wake)")
    }
    if let minutes = sleep.irregularityMinutes {
      parts.append("the middle of the night varies by \(rough(minutes)) minutes")
    }
    return parts
  }
}
