/// Workouts without those that two devices recorded of the same exercise.
enum WorkoutMerge {
  /// Two are one where they share more than this much of the shorter one's time.
  static let sharedTime = 0.5

  static func merged(_ workouts: [WorkoutRecord], sources: [RecordSource]) -> [WorkoutRecord] {
    let ranked = workouts.sorted {
      let (left, right) = (sources[Int($0.source)].kind, sources[Int($1.source)].kind)
      if left != right { return left < right }
      return ($1.minutes, $0.start.instant, $0.source) < ($0.minutes, $1.start.instant, $1.source)
    }
    // By the day they begin on, so that each is compared with few others.
    var byDay: [Int: [WorkoutRecord]] = [:]
    for workout in ranked {
      let day = workout.start.instant.flooredQuotient(by: 86_400)
      let near = (day - 1...day + 1).flatMap { byDay[$0] ?? [] }
      if !near.contains(where: { isSame($0, workout) }) { byDay[day, default: []].append(workout) }
    }
    return byDay.values.flatMap { $0 }.sorted {
      ($0.start.instant, $0.end, $0.type) < ($1.start.instant, $1.end, $1.type)
    }
  }

  private static func isSame(_ left: WorkoutRecord, _ right: WorkoutRecord) -> Bool {
    if left.start.instant == right.start.instant, left.end == right.end { return true }
    // What one device recorded after the other on purpose are two.
    if left.source == right.source { return false }
    let shared = min(left.end, right.end) - max(left.start.instant, right.start.instant)
    let shorter = min(left.end - left.start.instant, right.end - right.start.instant)
    return shared > 0 && Double(shared) > sharedTime * Double(shorter)
  }
}
