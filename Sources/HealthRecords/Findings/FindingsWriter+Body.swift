// Sleep, weight, wear.

extension FindingsWriter {
  func sleepLength() -> [HealthFinding] {
    guard let series = snapshot.series[.sleep], series.days >= Limits.leastDays,
      let mean = series.mean ?? series.median
    else { return timeInBed() }
    let short = daily[.sleep]?.whole.count { $0 < Limits.advisedSleep }
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

  private func timeInBed() -> [HealthFinding] {
    guard let sleep = snapshot.sleep, sleep.nightsInBed >= Limits.leastDays,
      let inBed = sleep.hoursInBed
    else { return [] }
    let (nights, asleep) = (sleep.nightsInBed, sleep.nights)
    let unknown =
      asleep == 0
      ? "no device records how much of it you sleep"
      : "only \(asleep == 1 ? "one of them shows" : "\(asleep) of them show") how much of it you sleep"
    return [
      HealthFinding(
        .timeInBed,
        "You are in bed about \(hours(inBed)) a night, over \(nights) nights; \(unknown).",
        ["hoursInBed": inBed, "nightsInBed": Double(nights), "nights": Double(asleep)])
    ]
  }

  func regularity() -> [HealthFinding] {
    guard let sleep = snapshot.sleep, sleep.nights >= Limits.leastDays,
      let minutes = sleep.irregularityMinutes, minutes >= Limits.irregularSleep
    else { return [] }
    let usual = sleep.bedtime.map { "you usually fall asleep about \($0), but " } ?? ""
    return [
      HealthFinding(
        .sleepIrregular,
        "Your sleep times vary: \(usual)the middle of the night shifts by about \(Int(minutes)) minutes.",
        ["irregularityMinutes": minutes, "nights": Double(sleep.nights)])
    ]
  }

  func weight() -> [HealthFinding] {
    guard let series = snapshot.series[.bodyMass] else { return [] }
    if let fast = fastLoss(series) { return [fast] }
    guard let change = series.change, isClearWeight(change) else { return weightLevel(series) }
    return [
      HealthFinding(
        change.last > change.first ? .weightRose : .weightFell,
        changed(change, between: Self.ends), weightNumbers(change, series))
    ]
  }

  private static let ends = "the first and the last month"

  private func isClearWeight(_ change: HealthChange) -> Bool {
    min(change.firstDays, change.lastDays) >= Limits.leastWeighings
      && abs(change.effect) >= Limits.clearEffect
      && abs(change.last - change.first) >= Limits.weightChange * change.first
  }

  private func fastLoss(_ series: HealthSeries) -> HealthFinding? {
    let isLong = snapshot.days > Limits.fastLossDays
    let year = isLong ? daily[.bodyMass]?.last(Limits.fastLossDays) : nil
    let loss = year.map { $0.change(leastDays: Limits.leastWeighings) } ?? series.change
    // A long window has no daily values, so the loss is assumed to be even.
    let span = Double(max(snapshot.days - DailyValues.month, 1))
    let share = isLong && year == nil ? min(1, Double(Limits.fastLossDays) / span) : 1
    guard let loss, isClearWeight(loss),
      (loss.first - loss.last) * share >= Limits.fastLoss * loss.first
    else { return nil }
    return HealthFinding(
      .weightFellFast,
      changed(loss, between: year == nil ? Self.ends : "a year ago and now")
        + " If you didn't intend this, it's worth showing a doctor.",
      weightNumbers(loss, series), isForDoctor: true)
  }

  private func weightLevel(_ series: HealthSeries) -> [HealthFinding] {
    if let latest = series.latest {
      let on = series.latestOn.map { "on " + snapshot.named($0) } ?? "at your latest weigh-in"
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

  private func changed(_ change: HealthChange, between ends: String) -> String {
    "Your weight has \(change.last > change.first ? "gone up" : "come down") by "
      + "\(decimal(abs(change.last - change.first))) kg: from \(decimal(change.first)) to "
      + "\(decimal(change.last)) kg between \(ends)."
  }

  private func weightNumbers(
    _ change: HealthChange, _ series: HealthSeries
  ) -> [String: Double] {
    var numbers = changeNumbers(change, series.slopePerWeek)
    numbers["latest"] = series.latest
    return numbers
  }

  /// A higher resting heart rate and lower variability over the same weeks.
  func strain() -> [HealthFinding] {
    guard let rate = compared(.restingHeartRate, snapshot.series[.restingHeartRate]),
      let hrv = compared(.heartRateVariability, snapshot.series[.heartRateVariability]),
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
          + "together often come with strain: hard training, stress, short nights or a cold.",
        [
          "restingBefore": rate.first, "restingLast": rate.last, "hrvBefore": hrv.first,
          "hrvLast": hrv.last, "restingEffect": rate.effect, "hrvEffect": hrv.effect,
        ])
    ]
  }

  /// Day by day if daily values exist, else by the months that a snapshot compares.
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

  func fitness() -> [HealthFinding] {
    guard let series = snapshot.series[.vo2Max],
      let value = series.latest ?? series.mean ?? series.median
    else { return [] }
    let on = series.latest == nil ? nil : series.latestOn
    let when = on.map { ", on " + snapshot.named($0) } ?? ""
    return [
      HealthFinding(
        .fitness, "Your watch estimates a VO₂ max of \(decimal(value)) mL/(kg·min)\(when).",
        [series.latest == nil ? "mean" : "latest": value])
    ]
  }

  func gaps() -> [HealthFinding] {
    guard let wear = snapshot.wear, wear.daysWorn >= Limits.leastDays,
      let longest = wear.gaps.max(by: { $0.days < $1.days })
    else { return [] }
    let sign = wear.sign ?? (snapshot.series[.heartRate] == nil ? .steps : .heartRate)
    let what = sign == .steps ? "are no steps" : "is no heart rate"
    let when =
      "from \(snapshot.named(longest.from)) to \(snapshot.named(longest.through)) "
      + "(\(longest.days) days)"
    let others = wear.gaps.count - 1
    let count = others == 1 ? "one more gap" : "\(others) more gaps"
    let more = others == 0 ? "" : ", nor in \(count) of three days or more"
    return [
      HealthFinding(
        .gapsInWearing,
        "There \(what) \(when)\(more); averages are over the days with data.",
        [
          "longest": Double(longest.days), "gaps": Double(wear.gaps.count),
          "daysWorn": Double(wear.daysWorn),
        ])
    ]
  }
}
