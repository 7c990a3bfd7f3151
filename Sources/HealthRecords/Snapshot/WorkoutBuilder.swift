/// Computes figures about workouts.
struct WorkoutBuilder {
  let window: HealthWindow
  let workouts: [WorkoutRecord]

  func summary() -> WorkoutSummary? {
    guard let last = workouts.last else { return nil }
    return WorkoutSummary(
      count: workouts.count, minutes: workouts.reduce(0) { $0 + $1.minutes }.rounded(to: 1),
      measured: workouts.count { ($0.kilometres ?? 0) > 0 }, types: types(), parts: parts(),
      firstMonth: count(workouts, in: days.isInFirstMonth),
      lastMonth: count(workouts, in: days.isInLastMonth), lastOn: last.start.day,
      weekly: days.weeks { week in
        workouts.count { index($0).map(week.contains) == true }
      })
  }

  /// Called only if there are months and weeks.
  private var days: DailyValues { DailyValues(window: window, values: []) }

  private func index(_ workout: WorkoutRecord) -> Int? { window.index(of: workout.start.day) }

  private func count(_ workouts: [WorkoutRecord], in month: (Int) -> Bool) -> Int {
    workouts.count { index($0).map(month) == true }
  }

  private func types() -> [WorkoutSummary.Kind] {
    Dictionary(grouping: workouts, by: \.type).compactMap { type, all in
      guard let last = all.last else { return nil }
      let kilometres = all.compactMap(\.kilometres)
      return WorkoutSummary.Kind(
        type: type, count: all.count, minutes: all.reduce(0) { $0 + $1.minutes }.rounded(to: 1),
        kilometres: kilometres.isEmpty ? nil : kilometres.reduce(0, +).rounded(to: 2),
        firstMonth: count(all, in: days.isInFirstMonth),
        lastMonth: count(all, in: days.isInLastMonth), lastOn: last.start.day)
    }
    .sorted { ($1.count, $0.type) < ($0.count, $1.type) }
  }

  private func parts() -> [WorkoutSummary.Part] {
    let byPart = Dictionary(grouping: workouts) {
      WorkoutSummary.PartOfDay(hour: $0.start.secondOfDay / 3600)
    }
    return WorkoutSummary.PartOfDay.allCases.compactMap { part in
      byPart[part].map { WorkoutSummary.Part(part: part, count: $0.count) }
    }
  }
}
