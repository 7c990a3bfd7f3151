public import ContextQuality

/// What a snapshot reveals, following the rubric's table of readings.
public enum HealthEvidence {
  /// The source of the readings.
  public static let source = "Apple Health"
  /// Days with steps or energy, and nights with sleep, needed before they count.
  public static let leastDays = 14
  /// Workouts of one type, or in one part of the day.
  public static let leastWorkouts = 3

  /// Evidence for a rubric's facets, each with the reading that supports it.
  public static func evidence(in snapshot: HealthSnapshot, for rubric: Rubric) -> [Evidence] {
    let known = Set(rubric.components.flatMap { $0.facets.map(\.facet) })
    return readings(snapshot).compactMap { name, reading in
      guard let reading, let facet = Facet(name), known.contains(facet) else { return nil }
      return Evidence(
        facet: facet, basis: .reading(reading.text, source: source), topics: reading.topics)
    }
  }

  private struct Reading {
    var text: String
    var topics: Set<Evidence.Topic> = []
  }

  private static func readings(_ snapshot: HealthSnapshot) -> [(String, Reading?)] {
    [
      ("currentState.activity", activity(snapshot)),
      ("currentState.body", body(snapshot)),
      ("currentState.capacity", capacity(snapshot)),
      ("exercisePreferences.activities", activities(snapshot)),
      ("lifestyle.recovery", recovery(snapshot)),
      ("energyPatterns.bestTime", bestTime(snapshot)),
      ("pastPatterns.tried", tried(snapshot)),
    ]
  }

  private static func activity(_ snapshot: HealthSnapshot) -> Reading? {
    var parts: [String] = []
    var topics: Set<Evidence.Topic> = []
    if let steps = snapshot.series[.steps], steps.days >= leastDays,
      let mean = steps.mean ?? steps.median
    {
      parts.append("\(rough(mean)) steps a day over \(steps.days) days")
    } else if let energy = snapshot.series[.activeEnergy], energy.days >= leastDays,
      let mean = energy.mean ?? energy.median
    {
      parts.append("\(rough(mean)) kcal a day by moving over \(energy.days) days")
      topics = [.calories]
    }
    if let workouts = snapshot.workouts, workouts.count > 0 {
      parts.append(
        "\(workouts.count) \(workouts.count == 1 ? "workout" : "workouts") in \(snapshot.days) days"
      )
    }
    return joined(parts, topics)
  }

  private static func body(_ snapshot: HealthSnapshot) -> Reading? {
    let series = snapshot.series
    // Weight and sleep are not mentioned to someone who is growing.
    let weight = snapshot.profile.isMinor ? nil : series[.bodyMass]?.level
    let parts = [
      weight.map { "\(decimal($0)) kg" },
      series[.height]?.level.map { "\(rough($0 * 100)) cm" },
      snapshot.profile.age.map { "\($0) years old" },
      (series[.restingHeartRate]?.mean ?? series[.restingHeartRate]?.level).map {
        "resting heart rate \(rough($0))"
      },
    ]
    return joined(parts, weight == nil ? [] : [.weight])
  }

  private static func capacity(_ snapshot: HealthSnapshot) -> Reading? {
    joined([
      snapshot.series[.vo2Max]?.level.map { "VO₂ max \(decimal($0))" },
      snapshot.workouts.flatMap { workouts in
        workouts.types.first { ($0.kilometres ?? 0) > 0 && $0.minutes > 0 }.map {
          "\($0.count) × \($0.type), \(decimal($0.kilometres ?? 0)) km in \(rough($0.minutes)) min"
        }
      },
    ])
  }

  private static func activities(_ snapshot: HealthSnapshot) -> Reading? {
    joined(
      (snapshot.workouts?.types ?? []).filter { $0.count >= leastWorkouts && $0.type != "other" }
        .map { "\($0.type) \($0.count) times" })
  }

  private static func recovery(_ snapshot: HealthSnapshot) -> Reading? {
    guard !snapshot.profile.isMinor, let sleep = snapshot.series[.sleep], sleep.days >= leastDays,
      let mean = sleep.mean ?? sleep.median
    else { return nil }
    return Reading(text: "\(hours(mean)) of sleep a night over \(sleep.days) nights")
  }

  private static func bestTime(_ snapshot: HealthSnapshot) -> Reading? {
    guard let workouts = snapshot.workouts,
      let part = workouts.parts.max(by: { $0.count < $1.count }), part.count >= leastWorkouts
    else { return nil }
    return Reading(
      text: "\(part.count) of \(workouts.count) workouts start \(part.part.inWords)")
  }

  private static func tried(_ snapshot: HealthSnapshot) -> Reading? {
    guard let workouts = snapshot.workouts, workouts.firstMonth > 0,
      snapshot.comparableTrainingDays != nil, workouts.lastMonth * 2 <= workouts.firstMonth
    else { return nil }
    let type = workouts.types.filter { $0.firstMonth > 0 }.max { $0.firstMonth < $1.firstMonth }
    let what = type.map { ", mostly \($0.type)" } ?? ""
    return Reading(
      text: "workouts fell from \(workouts.firstMonth) to \(workouts.lastMonth) a month\(what)")
  }

  private static func joined(
    _ parts: [String?], _ topics: Set<Evidence.Topic> = []
  ) -> Reading? {
    let present = parts.compactMap { $0 }
    return present.isEmpty ? nil : Reading(text: present.joined(separator: ", "), topics: topics)
  }
}

extension HealthSeries {
  /// The facet's place in the rubric.
  fileprivate var level: Double? { latest ?? mean ?? median }
}

extension WorkoutSummary.PartOfDay {
  /// `in the morning`.
  public var inWords: String { self == .night ? "at night" : "in the \(rawValue)" }
}

extension Evidence.Topic {
  public static let weight = Evidence.Topic(rawValue: "weight")
  public static let calories = Evidence.Topic(rawValue: "calories")
}
