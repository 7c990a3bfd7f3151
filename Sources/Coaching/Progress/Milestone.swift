public import HealthRecords

/// Something reached for the first time.
public struct Milestone: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// A number of days with training.
    case sessions(Int)
    /// A classic distance, in kilometers.
    case distance(Double)
    /// A new best, after several sessions of the activity.
    case best(ActivityProgress.Measure, Double)
    /// What the goal asks for.
    case goal
  }

  public var kind: Kind
  public var day: Day
  public var activity: String
  public var entry: Int

  /// A stable name of what was reached.
  public var topic: String {
    switch kind {
    case .sessions(let count): "sessions \(count)"
    case .distance(let kilometers): "distance \(activity) \(kilometers)"
    case .best: "best \(activity) \(day)"
    case .goal: "goal \(activity)"
    }
  }

  static let sessionCounts: Set<Int> = [1, 10, 25, 50, 100, 200, 300, 500, 1_000]
  /// 5 and 10 km, half and full marathon.
  static let distances = [5.0, 10.0, 21.0975, 42.195]
  /// The first sessions of an activity are no records.
  static let sessionsBeforeABest = 3

  /// - Parameter training: By day.
  ///
  /// - Parameter unraced: The activities whose distances have no such names, such as a ride's.
  static func all(
    in training: [LogEntry], target: LogEntry?, unraced: Set<String> = []
  ) -> [Milestone] {
    var reader = MilestoneReader(target: target, unraced: unraced)
    for entry in training { reader.read(entry) }
    return reader.found
  }
}

private struct MilestoneReader {
  let target: LogEntry?
  let unraced: Set<String>
  var found: [Milestone] = []
  private var days = 0
  private var lastDay: Day?
  private var distances: Set<Double> = []
  private var bests: [String: (value: Double, sessions: Int)] = [:]
  private var hasReachedGoal = false

  init(target: LogEntry?, unraced: Set<String>) {
    (self.target, self.unraced) = (target, unraced)
    // Whoever wants to be faster over a distance has run it.
    if let target, target.seconds != nil, let known = target.kilometers {
      distances = Set(Milestone.distances.filter { $0 <= known * 1.005 })
    }
  }

  mutating func read(_ entry: LogEntry) {
    if entry.day != lastDay {
      (days, lastDay) = (days + 1, entry.day)
      if Milestone.sessionCounts.contains(days) { add(.sessions(days), entry) }
    }
    if let kilometers = entry.kilometers, entry.kind == .distance,
      !unraced.contains(entry.activity)
    {
      // Whoever runs a half marathon first has no first 5K to reach anymore.
      let reached = Milestone.distances.filter {
        kilometers >= $0 * 0.995 && distances.insert($0).inserted
      }
      if let farthest = reached.last { add(.distance(farthest), entry) }
    }
    readBest(entry)
    if let target, !hasReachedGoal, entry.reaches(target) {
      hasReachedGoal = true
      add(.goal, entry)
    }
  }

  private mutating func readBest(_ entry: LogEntry) {
    guard let value = entry.oneRepetitionMaximum else { return }
    guard let known = bests[entry.activity] else {
      bests[entry.activity] = (value, 1)
      return
    }
    let isBest = value > known.value * (1 + ActivityProgress.leastGain)
    if isBest, known.sessions >= Milestone.sessionsBeforeABest {
      add(.best(.oneRepetitionMaximum, value), entry)
    }
    bests[entry.activity] = (max(value, known.value), known.sessions + 1)
  }

  private mutating func add(_ kind: Milestone.Kind, _ entry: LogEntry) {
    found.append(
      Milestone(kind: kind, day: entry.day, activity: entry.activity, entry: entry.number))
  }
}

extension LogEntry {
  /// Whether it has everything that the target has: at least its load or distance, and at most its time.
  func reaches(_ target: LogEntry) -> Bool {
    guard activity == target.activity, target.hasAmount else { return false }
    if let wanted = target.kilograms, (kilograms ?? 0) < wanted { return false }
    if let wanted = target.repetitions, (repetitions ?? 0) < wanted { return false }
    if let wanted = target.kilometers, (kilometers ?? 0) < wanted * 0.995 { return false }
    if let wanted = target.seconds {
      guard let seconds else { return false }
      // With a distance, it's a time to beat; without one, a time to last.
      return target.kilometers == nil ? seconds >= wanted : seconds <= wanted
    }
    return true
  }
}
