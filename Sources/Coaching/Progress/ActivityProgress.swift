public import HealthRecords

/// How one activity develops.
public struct ActivityProgress: Hashable, Sendable {
  /// What sessions are compared by.
  public enum Measure: String, Hashable, Sendable, Codable {
    /// The estimated one-repetition maximum in kilograms: more is better.
    case oneRepetitionMaximum
    /// The repetitions of a set without a load: more is better.
    case repetitions
    /// Seconds per kilometer: less is better.
    case pace
    /// Seconds: more is better.
    case duration

    var isBetterLower: Bool { self == .pace }
  }

  /// A day's best value.
  public struct Session: Hashable, Sendable {
    public var day: Day
    public var value: Double
    public var entry: Int
    /// The distance of a pace.
    public var kilometers: Double?
  }

  public enum Direction: String, Hashable, Sendable, Codable {
    case better, same, worse
  }

  public struct Trend: Hashable, Sendable {
    public var direction: Direction
    /// In the measure's unit, positive for a rise of the figure.
    public var perWeek: Double
    public var noise: Double
    public var sessions: Int
  }

  public let activity: String
  public let measure: Measure
  /// By day.
  public let sessions: [Session]
  public let best: Session
  /// The heaviest load; nil without one.
  public let heaviest: LogEntry?
  /// The longest distance; nil without one.
  public let farthest: LogEntry?
  /// Over the comparable sessions; nil if there are fewer than three.
  public let trend: Trend?
  /// No gain over the last three comparable sessions.
  public let plateau: Plateau?

  public struct Plateau: Hashable, Sendable {
    public var from: Day
    public var through: Day
    /// The entries of the last three comparable sessions.
    public var entries: [Int]
  }
}

extension ActivityProgress {
  /// Sessions that are needed to tell a plateau.
  static let plateauSessions = 3
  /// A shorter stretch says nothing yet.
  static let plateauDays = 7
  /// Older sessions are not compared.
  static let recentDays = 84
  /// Trends look at this many of the latest sessions.
  static let trendSessions = 12
  /// A gain of less than this share of the value is none.
  static let leastGain = 0.005
  /// Distances that differ by more than this share are not comparable.
  static let distanceShare = 0.15

  /// - Parameter entries: The activity's training, by day.
  init?(_ activity: String, _ entries: [LogEntry], hasMaximum: Bool = true) {
    guard let measure = Self.measure(entries, hasMaximum) else { return nil }
    let sessions = Self.sessions(entries, measure)
    guard var best = sessions.first else { return nil }
    for session in sessions where measure.isBetter(session.value, than: best.value) {
      best = session
    }
    let comparable = Self.comparable(sessions)
    self.activity = activity
    self.measure = measure
    self.sessions = sessions
    self.best = best
    heaviest = Self.most(entries, \.kilograms)
    farthest = Self.most(entries, \.kilometers)
    trend = Self.trend(comparable, measure)
    plateau = Self.plateau(comparable, measure)
  }

  /// What most of the latest sessions can be compared by.
  private static func measure(_ entries: [LogEntry], _ hasMaximum: Bool) -> Measure? {
    func count(_ has: (LogEntry) -> Bool) -> Int { entries.count(where: has) }
    let counts: [(Measure, Int)] = [
      (.oneRepetitionMaximum, count { hasMaximum && $0.oneRepetitionMaximum != nil }),
      (.pace, count { $0.pace != nil }),
      (
        .repetitions,
        count { $0.kind == .strength && ($0.kilograms ?? 0) == 0 && $0.repetitions != nil }
      ),
      (.duration, count { $0.kind == .timed && $0.seconds != nil }),
    ]
    var most: (Measure, Int)?
    for (measure, count) in counts where count > most?.1 ?? 0 { most = (measure, count) }
    return most?.0
  }

  private static func sessions(_ entries: [LogEntry], _ measure: Measure) -> [Session] {
    var sessions: [Session] = []
    for entry in entries {
      guard let value = measure.value(of: entry) else { continue }
      let session = Session(
        day: entry.day, value: value, entry: entry.number,
        kilometers: measure == .pace ? entry.kilometers : nil)
      if let last = sessions.last, last.day == entry.day, measure != .pace {
        if measure.isBetter(value, than: last.value) { sessions[sessions.count - 1] = session }
      } else {
        sessions.append(session)
      }
    }
    return sessions
  }

  /// The recent sessions that can be compared with the latest.
  private static func comparable(_ sessions: [Session]) -> [Session] {
    guard let last = sessions.last else { return [] }
    return sessions.filter { session in
      guard last.day - session.day <= recentDays else { return false }
      guard let mine = session.kilometers, let latest = last.kilometers else { return true }
      return abs(mine - latest) <= distanceShare * latest
    }.suffix(trendSessions)
  }

  private static func line(_ sessions: some Collection<Session>) -> RobustTrend? {
    guard let first = sessions.first?.day else { return nil }
    return RobustTrend(sessions.map { (Double($0.day - first), $0.value) })
  }

  private static func trend(_ sessions: [Session], _ measure: Measure) -> Trend? {
    guard sessions.count >= plateauSessions, let line = line(sessions),
      let last = sessions.last
    else { return nil }
    let enough = max(line.noise, leastGain * last.value)
    let gain = measure.isBetterLower ? -line.gain : line.gain
    let direction: Direction = gain > enough ? .better : gain < -enough ? .worse : .same
    return Trend(
      direction: direction, perWeek: line.slope * 7, noise: line.noise, sessions: sessions.count)
  }

  /// The last three sessions span a week or more, their robust slope gains no more than the noise of all
  /// comparable sessions, and none of the last two is a new best.
  private static func plateau(_ sessions: [Session], _ measure: Measure) -> Plateau? {
    let latest = sessions.suffix(plateauSessions)
    guard latest.count == plateauSessions, let first = latest.first, let last = latest.last,
      last.day - first.day >= plateauDays, let line = line(latest)
    else { return nil }
    let earlier = sessions.dropLast(plateauSessions - 1).map(\.value)
    guard let before = measure.isBetterLower ? earlier.min() : earlier.max() else { return nil }
    let noise = sessions.count > plateauSessions ? Self.line(sessions)?.noise ?? 0 : 0
    let enough = max(noise, leastGain * before)
    let gain = measure.isBetterLower ? -line.gain : line.gain
    let isBest = latest.dropFirst().contains { session in
      measure.isBetter(session.value, than: before, by: leastGain * before)
    }
    guard gain <= enough, !isBest else { return nil }
    return Plateau(from: first.day, through: last.day, entries: latest.map(\.entry))
  }

  private static func most(
    _ entries: [LogEntry], _ member: KeyPath<LogEntry, Double?>
  ) -> LogEntry? {
    var most: LogEntry?
    for entry in entries {
      guard let value = entry[keyPath: member], value > 0 else { continue }
      if value > most?[keyPath: member] ?? 0 { most = entry }
    }
    return most
  }
}

extension ActivityProgress.Measure {
  func value(of entry: LogEntry) -> Double? {
    switch self {
    case .oneRepetitionMaximum: entry.oneRepetitionMaximum
    case .repetitions:
      entry.kind == .strength && (entry.kilograms ?? 0) == 0
        ? entry.repetitions.map(Double.init) : nil
    case .pace: entry.pace
    case .duration: entry.seconds
    }
  }

  func isBetter(_ value: Double, than other: Double, by least: Double = 0) -> Bool {
    isBetterLower ? value < other - least : value > other + least
  }
}
