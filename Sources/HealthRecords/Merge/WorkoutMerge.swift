/// Removes workouts that two devices recorded of the same exercise.
enum WorkoutMerge {
  static func merged(_ workouts: [WorkoutRecord], sources: [RecordSource]) -> [WorkoutRecord] {
    let ranked = workouts.sorted {
      let (left, right) = (sources[Int($0.source)].kind, sources[Int($1.source)].kind)
      if left != right { return left < right }
      return ($1.minutes, $0.start.instant, $0.source) < ($0.minutes, $1.start.instant, $1.source)
    }
    var taken = TakenTimes()
    return ranked.filter { taken.takes(TakenTimes.Span($0)) }.sorted {
      ($0.start.instant, $0.end, $0.type) < ($1.start.instant, $1.end, $1.type)
    }
  }
}

/// Workout times by hour, so that each is compared with only a few others.
private struct TakenTimes {
  /// Two workouts are one if they share more than this much of the shorter one's time.
  static let sharedTime = 0.5

  struct Span: Hashable {
    let start, end: Int
    let source: UInt16

    init(_ workout: WorkoutRecord) {
      (start, end, source) = (workout.start.instant, workout.end, workout.source)
    }

    var middle: Int { (start + end).flooredQuotient(by: 2) }

    func isSame(_ other: Span) -> Bool {
      // Two consecutive workouts on one device are deliberate, so they count as two.
      if source == other.source { return false }
      let shared = min(end, other.end) - max(start, other.start)
      let shorter = min(end - start, other.end - other.start)
      return shared > 0 && Double(shared) > sharedTime * Double(shorter)
    }
  }

  private var exact: Set<Range<Int>> = []
  private var byHour: [Int: [Span]] = [:]
  private var byMiddle: [Int: [Span]] = [:]

  /// False if it is the same as an earlier one.
  mutating func takes(_ span: Span) -> Bool {
    guard exact.insert(span.start..<span.end).inserted else { return false }
    let hours = Self.hour(span.start)...Self.hour(max(span.start, span.end - 1))
    let middle = Self.hour(span.middle)
    // If the longer one is the same, it is active at this one's midpoint; a shorter one has its
    // midpoint within this one.
    if byHour[middle]?.contains(where: span.isSame) == true { return false }
    for hour in hours where byMiddle[hour]?.contains(where: span.isSame) == true { return false }
    byMiddle[middle, default: []].append(span)
    for hour in hours { byHour[hour, default: []].append(span) }
    return true
  }

  private static func hour(_ instant: Int) -> Int { instant.flooredQuotient(by: 3600) }
}
