/// Says what is worth saying, in plain sentences. It concludes nothing about anybody's health: a
/// reading beyond the ordinary is for a doctor to see.
struct FindingsWriter {
  let snapshot: HealthSnapshot
  /// Empty where there is no more than the snapshot, which then says what it can.
  let daily: [Quantity: DailyValues]

  typealias Limits = FindingThresholds

  func findings() -> [HealthFinding] {
    // What somebody growing should weigh, sleep or move is not for a table made for adults.
    let forAdults = snapshot.profile.isMinor ? [] : weight() + sleepLength() + strain()
    let found =
      pressure() + restingRate() + activity() + pattern() + workouts() + forAdults + regularity()
      + fitness() + gaps()
    return found.filter(\.isForDoctor) + found.filter { !$0.isForDoctor }
  }

  private func isClear(_ change: HealthChange, _ share: Double) -> Bool {
    min(change.firstDays, change.lastDays) >= Limits.leastDaysOfMonth
      && abs(change.effect) >= Limits.clearEffect
      && abs(change.last - change.first) >= share * abs(change.first)
  }
}

// Moving.

extension FindingsWriter {
  private func activity() -> [HealthFinding] {
    let isSteps = snapshot.series.steps.map { $0.days >= Limits.leastDays } ?? false
    guard let series = isSteps ? snapshot.series.steps : snapshot.series.activeEnergy,
      series.days >= Limits.leastDays, let mean = series.mean ?? series.median
    else { return [] }
    let (verb, unit) = isSteps ? ("walk", "steps") : ("burn", "kcal by moving")
    func amount(_ value: Double) -> String { "\(rough(value)) \(unit)" }
    var found = [
      HealthFinding(
        .activityLevel,
        "You \(verb) about \(amount(mean)) a day, measured on \(series.days) of "
          + "\(snapshot.days) days.",
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

  private func changeNumbers(_ change: HealthChange, _ slope: Double?) -> [String: Double] {
    var numbers = [
      "first": change.first, "last": change.last, "firstDays": Double(change.firstDays),
      "lastDays": Double(change.lastDays), "effect": change.effect,
    ]
    numbers["slopePerWeek"] = slope
    return numbers
  }

  private func pattern() -> [HealthFinding] {
    guard let series = snapshot.series.steps, let mean = series.mean, mean > 0 else { return [] }
    return weekends(series) + steadiness(series, mean)
  }

  private func weekends(_ series: HealthSeries) -> [HealthFinding] {
    guard let weekday = series.weekdayMean, let weekend = series.weekendMean,
      let effect = series.weekendEffect, abs(effect) >= Limits.clearEffect,
      abs(weekend - weekday) >= Limits.weekendChange * weekday
    else { return [] }
    // Of days that are not there one by one, two in seven are taken to be of weekends.
    let days = daily[.steps]?.ofDays(weekend: true).count ?? series.days * 2 / 7
    guard days >= Limits.leastWeekendDays else { return [] }
    let isMore = weekend > weekday
    return [
      HealthFinding(
        isMore ? .weekendsMoveMore : .weekendsMoveLess,
        "Weekends are your \(isMore ? "moving" : "quieter") days: about \(rough(weekend)) steps, "
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
          "Your days are much alike: most are within \(rough(deviation)) steps of your average.",
          numbers)
      ]
    }
    guard variation >= Limits.unsteadyVariation else { return [] }
    return [
      HealthFinding(
        .unsteadyDays,
        "Your days differ a lot: around an average of \(rough(mean)) steps they vary by "
          + "\(rough(deviation)).", numbers)
    ]
  }
}

// Training.

extension FindingsWriter {
  private func workouts() -> [HealthFinding] {
    guard let workouts = snapshot.workouts else { return [] }
    return habit(workouts) + stopped(workouts) + monthly(workouts) + time(workouts)
  }

  private func habit(_ workouts: WorkoutSummary) -> [HealthFinding] {
    guard workouts.count >= Limits.leastWorkouts else { return [] }
    let perWeek = (Double(workouts.count) * 7 / Double(snapshot.days)).rounded(to: 1)
    return [
      HealthFinding(
        .workoutHabit,
        "You train \(timesAWeek(perWeek))\(kinds(workouts)).",
        ["count": Double(workouts.count), "perWeek": perWeek, "minutes": workouts.minutes])
    ]
  }

  private func kinds(_ workouts: WorkoutSummary) -> String {
    let types = workouts.types.filter { $0.count > 0 }.prefix(3)
    if let only = types.first, types.count == 1, only.count == workouts.count {
      return ", always " + only.type
    }
    return types.isEmpty
      ? "" : ": " + listed(types.map { "\($0.type) (\($0.count))" })
  }

  private func stopped(_ workouts: WorkoutSummary) -> [HealthFinding] {
    workouts.types.filter { $0.firstMonth >= Limits.leastWorkouts && $0.lastMonth == 0 }
      .map { kind in
        HealthFinding(
          .workoutStopped,
          "\(capitalised(kind.type)) used to be part of your weeks: \(kind.firstMonth) times in the "
            + "first month I see, and not once in the last; the last time was on "
            + "\(kind.lastOn.inWords).",
          ["firstMonth": Double(kind.firstMonth), "lastMonth": 0, "count": Double(kind.count)])
      }
  }

  private func monthly(_ workouts: WorkoutSummary) -> [HealthFinding] {
    let (first, last) = (Double(workouts.firstMonth), Double(workouts.lastMonth))
    let isClear = abs(first - last) >= Limits.clearCount * (first + last).squareRoot()
    guard max(first, last) >= Double(Limits.leastWorkouts), isClear,
      min(first, last) <= Limits.workoutChange * max(first, last)
    else { return [] }
    let isRise = last > first
    return [
      HealthFinding(
        isRise ? .workoutsRose : .workoutsFell,
        "You train \(isRise ? "more" : "less") than you did: \(times(workouts.lastMonth)) in the last "
          + "month, against \(times(workouts.firstMonth)) in the first.",
        ["firstMonth": first, "lastMonth": last])
    ]
  }

  private func time(_ workouts: WorkoutSummary) -> [HealthFinding] {
    guard let part = workouts.parts.max(by: { $0.count < $1.count }),
      part.count >= Limits.leastWorkouts,
      Double(part.count) >= Limits.usualPart * Double(workouts.count)
    else { return [] }
    return [
      HealthFinding(
        .workoutTime,
        "You mostly train \(part.part.inWords): \(part.count) of \(workouts.count) workouts begin then.",
        ["count": Double(part.count), "all": Double(workouts.count)])
    ]
  }
}

// Resting, weighing, wearing.

extension FindingsWriter {
  private func sleepLength() -> [HealthFinding] {
    guard let series = snapshot.series.sleep, series.days >= Limits.leastDays,
      let mean = series.mean ?? series.median
    else { return [] }
    let nights = daily[.sleep]?.whole
    let short = nights.map { $0.count { $0 < Limits.advisedSleep } }
    let error =
      (series.deviation ?? Limits.unknownSleepDeviation) / Double(series.days).squareRoot()
    var numbers = ["mean": mean, "nights": Double(series.days)]
    numbers["nightsUnderSeven"] = short.map(Double.init)
    let length = "You sleep about \(hours(mean)) a night, over \(series.days) nights"
    guard Limits.advisedSleep - mean >= Limits.clearEffect * error else {
      return [HealthFinding(.sleepLength, length + ".", numbers)]
    }
    let advice = "the seven hours that adults are advised to get."
    let than = short.map { "\($0) of them were shorter than " } ?? "that is less than "
    return [HealthFinding(.sleepShort, "\(length); \(than)\(advice)", numbers)]
  }

  private func regularity() -> [HealthFinding] {
    guard let sleep = snapshot.sleep, sleep.nights >= Limits.leastDays,
      let minutes = sleep.irregularityMinutes, minutes >= Limits.irregularSleep
    else { return [] }
    let usual = sleep.bedtime.map { "usually you fall asleep about \($0), but " } ?? ""
    return [
      HealthFinding(
        .sleepIrregular,
        "Your nights move: \(usual)the middle of the night shifts by some \(Int(minutes)) minutes.",
        ["irregularityMinutes": minutes, "nights": Double(sleep.nights)])
    ]
  }

  private func weight() -> [HealthFinding] {
    guard let series = snapshot.series.bodyMass else { return [] }
    guard let change = series.change,
      min(change.firstDays, change.lastDays) >= Limits.leastWeighings,
      abs(change.effect) >= Limits.clearEffect,
      abs(change.last - change.first) >= Limits.weightChange * change.first
    else { return weightLevel(series) }
    let isRise = change.last > change.first
    let difference = abs(change.last - change.first)
    let text =
      "Your weight has \(isRise ? "gone up" : "come down") by \(decimal(difference)) kg: from "
      + "\(decimal(change.first)) to \(decimal(change.last)) kg between the first and the last month."
    var numbers = changeNumbers(change, series.slopePerWeek)
    numbers["latest"] = series.latest
    guard !isRise, difference >= Limits.fastLoss * change.first else {
      return [HealthFinding(isRise ? .weightRose : .weightFell, text, numbers)]
    }
    return [
      HealthFinding(
        .weightFellFast, text + " If you did not mean to, it is worth showing a doctor.", numbers,
        isForDoctor: true)
    ]
  }

  private func weightLevel(_ series: HealthSeries) -> [HealthFinding] {
    if let latest = series.latest {
      let on = series.latestOn.map { "on " + $0.inWords } ?? "at the latest weighing"
      return [
        HealthFinding(.weightLevel, "You weighed \(decimal(latest)) kg \(on).", ["latest": latest])
      ]
    }
    guard let mean = series.mean ?? series.median else { return [] }
    return [
      HealthFinding(
        .weightLevel, "You weighed about \(decimal(mean)) kg on average.", ["mean": mean])
    ]
  }

  /// Resting heart rate up and variability down over the same weeks.
  private func strain() -> [HealthFinding] {
    guard let rate = compared(.restingHeartRate, snapshot.series.restingHeartRate),
      let hrv = compared(.heartRateVariability, snapshot.series.heartRateVariability),
      rate.effect >= Limits.clearEffect, hrv.effect <= -Limits.clearEffect,
      rate.last - rate.first >= Limits.strainRise,
      hrv.first - hrv.last >= Limits.strainFall * hrv.first
    else { return [] }
    let when = daily.isEmpty ? "month" : "four weeks"
    return [
      HealthFinding(
        .strain,
        "Over the last \(when) your resting heart rate was higher than before "
          + "(\(decimal(rate.last)) beats a minute, against \(decimal(rate.first))) while its "
          + "variability was lower (\(rough(hrv.last)) ms, against \(rough(hrv.first))). The two "
          + "together often go with a lot to carry: hard training, stress, short nights, a cold.",
        [
          "restingBefore": rate.first, "restingLast": rate.last, "hrvBefore": hrv.first,
          "hrvLast": hrv.last, "restingEffect": rate.effect, "hrvEffect": hrv.effect,
        ])
    ]
  }

  /// Day by day where there are days, else by the months that a snapshot compares.
  private func compared(_ quantity: Quantity, _ series: HealthSeries?) -> HealthChange? {
    if !daily.isEmpty { return daily[quantity].flatMap(recent) }
    guard let change = series?.change,
      min(change.firstDays, change.lastDays) >= Limits.leastDays
    else { return nil }
    return change
  }

  private func recent(_ values: DailyValues) -> HealthChange? {
    let split = values.window.wholeDays - Limits.strainDays
    guard split >= Limits.strainDays else { return nil }
    let before = values.values[..<split].compactMap { $0 }
    let last = values.values[split..<values.window.wholeDays].compactMap { $0 }
    guard min(before.count, last.count) >= Limits.leastDays,
      let first = Statistics.mean(before), let second = Statistics.mean(last),
      let effect = Statistics.effect(before, last)
    else { return nil }
    return HealthChange(
      first: first.rounded(to: 2), last: second.rounded(to: 2), firstDays: before.count,
      lastDays: last.count, effect: effect.rounded(to: 2))
  }

  private func fitness() -> [HealthFinding] {
    guard let series = snapshot.series.vo2Max,
      let value = series.latest ?? series.mean ?? series.median
    else { return [] }
    let on = series.latest == nil ? nil : series.latestOn
    let when = on.map { ", on " + $0.inWords } ?? ""
    return [
      HealthFinding(
        .fitness, "Your watch estimates a VO₂ max of \(decimal(value)) mL/(kg·min)\(when).",
        [series.latest == nil ? "mean" : "latest": value])
    ]
  }

  private func gaps() -> [HealthFinding] {
    guard let wear = snapshot.wear, wear.daysWorn >= Limits.leastDays,
      let longest = wear.gaps.max(by: { $0.days < $1.days })
    else {
      return []
    }
    let what = snapshot.series.heartRate == nil ? "steps" : "heart rate"
    let others = wear.gaps.count - 1
    let more = others == 0 ? "" : ", and \(others == 1 ? "one more gap" : "\(others) more gaps")"
    return [
      HealthFinding(
        .gapsInWearing,
        "There is no \(what) from \(longest.from.inWords) to \(longest.through.inWords) "
          + "(\(longest.days) days)\(more); I leave those days out.",
        [
          "longest": Double(longest.days), "gaps": Double(wear.gaps.count),
          "daysWorn": Double(wear.daysWorn),
        ])
    ]
  }
}
