public import HealthRecords

/// What the log adds up to on a day.
public struct Progress: Hashable, Sendable {
  /// A week, from Monday to Sunday.
  public struct Week: Hashable, Sendable {
    public var monday: Day
    /// Days with training.
    public var sessions = 0
    public var skipped = 0
    /// Sets × repetitions × load.
    public var kilograms = 0.0
    public var kilometers = 0.0
    public var minutes = 0.0
  }

  /// Weeks in a row with training.
  public struct Streak: Hashable, Sendable {
    /// Up to this week, or to the last one if this week has no training yet.
    public var weeks = 0
    public var longest = 0
  }

  /// What was done of what was planned, over whole weeks.
  public struct Adherence: Hashable, Sendable {
    public var planned: Int
    /// Of them; more than planned in one week does not make up for another.
    public var done: Int

    /// 0…1.
    public var share: Double { planned == 0 ? 1 : Double(done) / Double(planned) }
  }

  public let today: Day
  /// Days with training.
  public let sessions: Int
  /// By activity, the one with most sessions first.
  public let activities: [ActivityProgress]
  /// Without gaps, from the first to this one; at most a year.
  public let weeks: [Week]
  public let streak: Streak
  /// Nil without a plan.
  public let adherence: Adherence?
  /// In order.
  public let milestones: [Milestone]
  public internal(set) var weight: WeightTrend?

  public subscript(activity: String) -> ActivityProgress? {
    activities.first { $0.activity == activity }
  }

  public var thisWeek: Week { weeks.last ?? Week(monday: today.monday) }
}

/// The body's weight with its trend.
public struct WeightTrend: Hashable, Sendable {
  public struct Weighing: Hashable, Sendable {
    public var day: Day
    public var kilograms: Double
  }

  /// By day.
  public var days: [Weighing]
  /// Kilograms a week; nil if there are fewer than three days, or if it is within the noise.
  public var perWeek: Double?
  /// The robust line through the recent days; nil whenever `perWeek` is.
  public var line: Line?

  public struct Line: Hashable, Sendable {
    public var from: Day
    public var through: Day
    /// Kilograms on the first day.
    public var begins: Double
    /// Kilograms on the last day.
    public var ends: Double
  }
}

extension Progress {
  /// Weeks that adherence looks back over, this one not included.
  static let adherenceWeeks = 4
  private static let mostWeeks = 53

  /// - Parameters:
  ///   - sessionsPerWeek: The plan; nil if there is none.
  ///   - target: What the goal asks for in figures.
  ///   - withoutMaximum: The activities of which no one-repetition maximum is estimated.
  ///   - unraced: The activities whose distances are no 5K or marathon.
  ///   - planBegan: The first day of the plan.
  public init(
    _ log: TrainingLog, today: Day, sessionsPerWeek: Int? = nil, planBegan: Day? = nil,
    target: LogEntry? = nil, withoutMaximum: Set<String> = [], unraced: Set<String> = []
  ) {
    // Copying thousands of entries costs more than summing them up.
    let sorted = log.byDay
    let isPast = sorted.last.map { $0.day <= today } ?? true
    let entries = isPast ? sorted : sorted.filter { $0.day <= today }
    let training = entries.allSatisfy(\.isTraining) ? entries : entries.filter(\.isTraining)
    let byActivity = Dictionary(grouping: training, by: \.activity)
    activities = byActivity.compactMap { activity, entries in
      ActivityProgress(activity, entries, hasMaximum: !withoutMaximum.contains(activity))
    }.sorted {
      ($1.sessions.count, $0.activity) < ($0.sessions.count, $1.activity)
    }
    let tally = WeekTally(entries, today)
    weeks = Array(tally.weeks.suffix(Self.mostWeeks))
    sessions = tally.days
    streak = tally.streak
    adherence = sessionsPerWeek.flatMap {
      Self.adherence(tally.weeks, $0, since: planBegan)
    }
    milestones = Milestone.all(in: training, target: target, unraced: unraced).filter { milestone in
      if case .best = milestone.kind { !withoutMaximum.contains(milestone.activity) } else { true }
    }
    weight = WeightTrend(entries)
    self.today = today
  }

  /// A week in which the plan began is not whole. One before the first entry is, and has no sessions.
  private static func adherence(_ weeks: [Week], _ planned: Int, since: Day?) -> Adherence? {
    guard let first = weeks.first?.monday, let last = weeks.last?.monday, planned > 0 else {
      return nil
    }
    let whole = (1...adherenceWeeks).map { last + -7 * $0 }.filter { $0 >= since ?? first }
    guard !whole.isEmpty else { return nil }
    let done = weeks.filter { whole.contains($0.monday) }.map { min($0.sessions, planned) }
    return Adherence(planned: planned * whole.count, done: done.reduce(0, +))
  }
}

extension WeightTrend {
  init?(_ entries: [LogEntry]) {
    var days: [Weighing] = []
    for entry in entries where entry.kind == .weight {
      guard let kilograms = entry.kilograms else { continue }
      if days.last?.day == entry.day { days.removeLast() }
      days.append(Weighing(day: entry.day, kilograms: kilograms))
    }
    guard let first = days.first?.day, let last = days.last?.day else { return nil }
    self.days = days
    let recent = days.filter { last - $0.day <= ActivityProgress.recentDays }
    guard recent.count >= ActivityProgress.plateauSessions,
      let line = RobustTrend(recent.map { (Double($0.day - first), $0.kilograms) }),
      abs(line.gain) > line.noise
    else { return }
    perWeek = line.slope * 7
    guard let begin = recent.first?.day else { return }
    func kilograms(on day: Day) -> Double { line.intercept + line.slope * Double(day - first) }
    self.line = Line(
      from: begin, through: last, begins: kilograms(on: begin), ends: kilograms(on: last))
  }
}

/// Adds up weeks.
private struct WeekTally {
  var weeks: [Progress.Week] = []
  var days = 0
  var streak = Progress.Streak()

  init(_ entries: [LogEntry], _ today: Day) {
    guard let first = entries.first?.day.monday else { return }
    var lastTraining: Day?
    var lastSkip: Day?
    for monday in stride(from: first.number, through: today.monday.number, by: 7) {
      weeks.append(Progress.Week(monday: Day(number: monday)))
    }
    for entry in entries {
      let index = (entry.day.monday.number - first.number) / 7
      guard weeks.indices.contains(index) else { continue }
      if entry.kind == .skipped, lastSkip != entry.day {
        weeks[index].skipped += 1
        lastSkip = entry.day
      }
      guard entry.isTraining else { continue }
      if lastTraining != entry.day {
        weeks[index].sessions += 1
        days += 1
        lastTraining = entry.day
      }
      weeks[index].kilograms += entry.volume ?? 0
      weeks[index].kilometers += entry.totalKilometers ?? 0
      weeks[index].minutes += (entry.seconds ?? 0) / 60
    }
    countStreak()
  }

  private mutating func countStreak() {
    var run = 0
    for (index, week) in weeks.enumerated() {
      if week.sessions > 0 {
        run += 1
      } else if index < weeks.count - 1 {
        // This week isn't over.
        run = 0
      }
      streak.longest = max(streak.longest, run)
    }
    streak.weeks = run
  }
}

extension Day {
  /// From Monday, 0.
  var weekday: Int { (((number + 3) % 7) + 7) % 7 }

  /// The Monday of its week.
  var monday: Day { Day(number: number - weekday) }
}
