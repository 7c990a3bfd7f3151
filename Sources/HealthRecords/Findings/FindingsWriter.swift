/// Reports what stands out, in plain sentences. It concludes nothing about anyone's health: an
/// unusual reading is for a doctor to see.
struct FindingsWriter {
  let snapshot: HealthSnapshot
  /// Empty if there is only a snapshot; its figures are used then.
  let daily: [Quantity: DailyValues]

  typealias Limits = FindingThresholds

  func findings() -> [HealthFinding] {
    // Tables made for adults don't apply to someone who is growing.
    let forAdults =
      snapshot.profile.isMinor ? [] : weight() + sleepLength() + strain() + regularity()
    let found =
      pressure() + restingRate() + activity() + pattern() + workouts() + forAdults + fitness()
      + gaps()
    return found.filter(\.isForDoctor) + found.filter { !$0.isForDoctor }
  }

  private func isClear(_ change: HealthChange, _ share: Double) -> Bool {
    min(change.firstDays, change.lastDays) >= Limits.leastDaysOfMonth
      && abs(change.effect) >= Limits.clearEffect
      && abs(change.last - change.first) >= share * abs(change.first)
  }
}

// Movement.

extension FindingsWriter {
  private func activity() -> [HealthFinding] {
    let isSteps = snapshot.series[.steps].map { $0.days >= Limits.leastDays } ?? false
    guard let series = isSteps ? snapshot.series[.steps] : snapshot.series[.activeEnergy],
      series.days >= Limits.leastDays, let mean = series.mean ?? series.median
    else { return [] }
    func amount(_ value: Double) -> String { "\(rough(value)) \(isSteps ? "steps" : "kcal")" }
    var found = [
      HealthFinding(
        .activityLevel,
        "\(isSteps ? "You walk" : "By moving, you burn") about \(amount(mean)) a day, measured on "
          + "\(series.days) of \(snapshot.days) days.",
        ["mean": mean, "days": Double(series.days)])
    ]
    guard let change = series.change, isClear(change, Limits.activityChange) else { return found }
    let isRise = change.last > change.first
    found.append(
      HealthFinding(
        isRise ? .activityRose : .activityFell,
        "You have been moving \(isRise ? "more" : "less") lately: about \(amount(change.last)) a "
          + "day in the last month, against \(rough(change.first)) in the first.",
        changeNumbers(change, series.slopePerWeek)))
    return found
  }

  func changeNumbers(_ change: HealthChange, _ slope: Double?) -> [String: Double] {
    var numbers = [
      "first": change.first, "last": change.last, "firstDays": Double(change.firstDays),
      "lastDays": Double(change.lastDays), "effect": change.effect,
    ]
    numbers["slopePerWeek"] = slope
    return numbers
  }

  private func pattern() -> [HealthFinding] {
    guard let series = snapshot.series[.steps], let mean = series.mean, mean > 0 else { return [] }
    return weekends(series) + steadiness(series, mean)
  }

  private func weekends(_ series: HealthSeries) -> [HealthFinding] {
    guard let weekday = series.weekdayMean, let weekend = series.weekendMean,
      let effect = series.weekendEffect, abs(effect) >= Limits.clearEffect,
      abs(weekend - weekday) >= Limits.weekendChange * weekday
    else { return [] }
    // If the days are not listed one by one, two in seven count as weekend days.
    let days = daily[.steps]?.ofDays(weekend: true).count ?? series.days * 2 / 7
    guard days >= Limits.leastWeekendDays else { return [] }
    let isMore = weekend > weekday
    return [
      HealthFinding(
        isMore ? .weekendsMoveMore : .weekendsMoveLess,
        "Weekends are your \(isMore ? "active" : "quieter") days: about \(rough(weekend)) steps, "
          + "against \(rough(weekday)) on weekdays.",
        ["weekday": weekday, "weekend": weekend, "effect": effect, "weekendDays": Double(days)])
    ]
  }

  private func steadiness(_ series: HealthSeries, _ mean: Double) -> [HealthFinding] {
    guard series.days >= Limits.leastDaysOfVariation, let deviation = series.deviation else {
      return []
    }
    let variation = (deviation / mean).rounded(to: 2)
    let numbers = ["mean": mean, "deviation": deviation, "variation": variation]
    if variation <= Limits.steadyVariation {
      return [
        HealthFinding(
          .steadyDays,
          "Your days are quite similar: most are within \(rough(deviation)) steps of your average.",
          numbers)
      ]
    }
    guard variation >= Limits.unsteadyVariation else { return [] }
    return [
      HealthFinding(
        .unsteadyDays,
        "Your days vary a lot: around an average of \(rough(mean)) steps, they differ by "
          + "\(rough(deviation)).", numbers)
    ]
  }
}
