// Training.

extension FindingsWriter {
  func workouts() -> [HealthFinding] {
    guard let workouts = snapshot.workouts else { return [] }
    return habit(workouts) + stopped(workouts) + monthly(workouts) + time(workouts)
  }

  private func habit(_ workouts: WorkoutSummary) -> [HealthFinding] {
    guard workouts.count >= Limits.leastWorkouts else { return [] }
    let days = trainingDays(workouts)
    let perWeek = (Double(workouts.count) * 7 / Double(days)).rounded(to: 1)
    let subject =
      endOfData(workouts).map { "Until \(snapshot.named($0)), when your data ends, you trained" }
      ?? "You train"
    return [
      HealthFinding(
        .workoutHabit,
        "\(subject) \(timesAWeek(perWeek))\(kinds(workouts)).",
        [
          "count": Double(workouts.count), "perWeek": perWeek, "minutes": workouts.minutes,
          "days": Double(days),
        ])
    ]
  }

  private func kinds(_ workouts: WorkoutSummary) -> String {
    let types = workouts.types.filter { $0.count > 0 }.prefix(3)
    if let only = types.first, types.count == 1, only.count == workouts.count {
      return ", always " + only.type
    }
    return types.isEmpty ? "" : ": " + listed(types.map { "\($0.type) (\($0.count))" })
  }

  /// The days on which training would have shown: all except those before the device and in its
  /// long gaps, unless there was training in such a week.
  private func trainingDays(_ workouts: WorkoutSummary) -> Int {
    guard let wear = snapshot.wear else {
      // Only the first workout shows when the device started.
      let weeks = workouts.weekly.drop { $0 == 0 }.count
      return weeks > 0 ? min(weeks * 7, snapshot.days) : snapshot.days
    }
    var (end, days) = (snapshot.through, 0)
    for count in workouts.weekly.reversed() where end >= snapshot.from {
      let start = max(snapshot.from, end + -6)
      let worn = wear.worn(from: start, through: end, leastGap: Limits.leastDays)
      days += worn == 0 && count > 0 ? end - start + 1 : worn
      end = start + -1
    }
    return days > 0 ? days : snapshot.days
  }

  /// The last day with data, if it is well before the window's end, and training up to then.
  private func endOfData(_ workouts: WorkoutSummary) -> Day? {
    guard let gap = snapshot.wear?.gaps.last, gap.through >= snapshot.through,
      gap.days >= Limits.leastDays, workouts.lastOn < gap.from
    else { return nil }
    return gap.from + -1
  }

  private func stopped(_ workouts: WorkoutSummary) -> [HealthFinding] {
    guard let days = snapshot.comparableTrainingDays else { return [] }
    return workouts.types.filter { kind in
      kind.firstMonth >= Limits.leastWorkouts && kind.lastMonth == 0
        && Statistics.chance(of: kind.firstMonth, 0, days: days) < Limits.clearCounts
    }
    .map { kind in
      HealthFinding(
        .workoutStopped,
        "\(capitalised(kind.type)) used to be part of your weeks: \(kind.firstMonth) times in the "
          + "first month I see, and not once in the last; the last time was on "
          + "\(snapshot.named(kind.lastOn)).",
        ["firstMonth": Double(kind.firstMonth), "lastMonth": 0, "count": Double(kind.count)])
    }
  }

  private func monthly(_ workouts: WorkoutSummary) -> [HealthFinding] {
    guard let days = snapshot.comparableTrainingDays else { return [] }
    let (first, last) = (workouts.firstMonth, workouts.lastMonth)
    let rates = (Double(first) / Double(days.first), Double(last) / Double(days.last))
    let chance = Statistics.chance(of: first, last, days: days)
    guard max(first, last) >= Limits.leastWorkouts, chance < Limits.clearCounts,
      min(rates.0, rates.1) <= Limits.workoutChange * max(rates.0, rates.1)
    else { return [] }
    let isRise = rates.1 > rates.0
    return [
      HealthFinding(
        isRise ? .workoutsRose : .workoutsFell,
        "You train \(isRise ? "more" : "less") than you did: \(times(last)) in the last "
          + "month, against \(times(first)) in the first.",
        [
          "firstMonth": Double(first), "lastMonth": Double(last), "firstDays": Double(days.first),
          "lastDays": Double(days.last), "chance": chance.rounded(to: 5),
        ])
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
        "You mostly train \(part.part.inWords): \(part.count) of \(workouts.count) workouts start then.",
        ["count": Double(part.count), "all": Double(workouts.count)])
    ]
  }
}

extension HealthSnapshot {
  /// Days at both ends on which training would have shown; nil if they are too few to conclude that
  /// unrecorded training did not happen.
  var comparableTrainingDays: (first: Int, last: Int)? {
    let month = DailyValues.month
    guard days >= 2 * month else { return nil }
    guard let wear else { return (workouts?.firstMonth ?? 0) > 0 ? (month, month) : nil }
    let first = wear.worn(from: from, through: from + (month - 1))
    let last = wear.worn(from: through + (1 - month), through: through)
    return min(first, last) >= FindingThresholds.leastDaysWorn ? (first, last) : nil
  }
}
