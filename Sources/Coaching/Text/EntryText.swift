package import HealthRecords
public import Plans

/// Says entries and figures in a language and in the person's units.
public struct EntryText: Sendable {
  let pack: CoachingPack
  package let texts: CoachingTexts
  package let units: Units

  /// - Parameter language: Such as `de`; English if nil, or if the pack has no texts in it.
  public init(_ pack: CoachingPack, language: String? = nil, units: Units = .metric) {
    (self.pack, self.units) = (pack, units)
    texts = pack.texts(in: language)
  }

  private init(_ pack: CoachingPack, _ texts: CoachingTexts, _ units: Units) {
    (self.pack, self.texts, self.units) = (pack, texts, units)
  }

  package func title(of activity: String) -> String {
    activity == LogEntry.anything
      ? texts(.training) : pack.title(of: activity, in: texts.code)
  }

  /// `squats 3×5 at 60 kg, felt easy`, without the day.
  public func callAsFunction(_ entry: LogEntry) -> String {
    let note = entry.kind == .skipped ? entry.note.map { " (\($0))" } : nil
    return words(for: entry, pace: true) + (note ?? "")
  }

  /// In the units that the person's words named, if they did: what they just told is not converted.
  public func asTold(_ entry: LogEntry) -> String {
    EntryText(pack, texts, entry.units ?? units)(entry)
  }

  /// Words that are read as this entry again, without the pace.
  package func words(for entry: LogEntry) -> String {
    words(for: entry, pace: false) + (entry.note.map { " (\($0))" } ?? "")
  }

  private func words(for entry: LogEntry, pace showsPace: Bool) -> String {
    switch entry.kind {
    case .skipped: return texts(.skipped, ["activity": title(of: entry.activity)])
    case .weight: return texts(.weight, ["load": load(entry.kilograms ?? 0)])
    case .strength, .distance, .timed: break
    }
    var parts = [title(of: entry.activity)]
    if let count = entry.repetitions, let kilometers = entry.kilometers, entry.sets == nil {
      parts.append("\(count)×\(distance(kilometers))")
    } else {
      parts += [sets(entry), entry.kilometers.map { distance($0) }].compactMap(\.self)
    }
    parts += [
      entry.laps.map { texts(.lapOne, .lapOther, $0) },
      entry.steps.map { texts(.stepOne, .stepOther, $0) },
    ].compactMap(\.self)
    if let kilograms = entry.kilograms, kilograms > 0, !entry.hasSeveralLoads {
      parts.append(at(kilograms))
    }
    if let seconds = entry.seconds {
      let time = duration(seconds)
      parts.append(entry.kilometers == nil ? time : texts(.in, ["time": time]))
    }
    var text = parts.joined(separator: " ")
    if showsPace, let pace = entry.pace { text += " (\(self.pace(pace, of: entry.activity)))" }
    if let effort = entry.effort { text += ", " + self.effort(effort) }
    return text
  }

  /// As the person told it, with the day if it is not today.
  package func withDay(_ entry: LogEntry, today: Day) -> String {
    let day: String
    switch today - entry.day {
    case 0: return asTold(entry)
    case 1: day = texts(.yesterday)
    default: day = texts(.dayOther, ["day": texts.day(entry.day)])
    }
    return asTold(entry) + (entry.effort == nil ? " " : ", ") + day
  }

  private func at(_ kilograms: Double) -> String { texts(.at, ["load": load(kilograms)]) }

  /// `8, 7, 6`, `5 at 60 kg, 3 at 65 kg`, `5 sets: 8, 7, 6`.
  private func each(_ series: [LogEntry.Series], of entry: LogEntry) -> String {
    let list = series.map { one in
      let load = entry.hasSeveralLoads ? one.kilograms.map { " " + at($0) } : nil
      return "\(one.repetitions)" + (load ?? "")
    }.joined(separator: ", ")
    guard let sets = entry.sets, sets != series.count else { return list }
    return texts(.setOne, .setOther, sets) + ": " + list
  }

  private func sets(_ entry: LogEntry) -> String? {
    if let series = entry.eachSet { return each(series, of: entry) }
    switch (entry.sets, entry.repetitions) {
    case (let sets?, let repetitions?): return "\(sets)×\(repetitions)"
    case (let sets?, nil): return texts(.setOne, .setOther, sets)
    case (nil, let count?): return texts(.repetitionOne, .repetitionOther, count)
    case (nil, nil): return nil
    }
  }

  private func effort(_ effort: LogEntry.Effort) -> String {
    switch effort {
    case .easy: texts(.effortEasy)
    case .moderate: texts(.effortModerate)
    case .hard: texts(.effortHard)
    }
  }

  /// `60 kg`, `132.5 lb`.
  package func load(_ kilograms: Double) -> String {
    switch units {
    case .metric: texts.number(kilograms) + " kg"
    case .imperial: texts.number(kilograms / Units.kilogramsPerPound) + " lb"
    }
  }

  /// `5 km`, `800 m`, `3.1 mi`, `100 yd`.
  package func distance(_ kilometers: Double) -> String {
    switch units {
    case .metric:
      kilometers < 1
        ? texts.number(kilometers * 1_000, decimals: 0) + " m"
        : texts.number(kilometers, decimals: 2) + " km"
    case .imperial:
      kilometers < Self.leastMiles
        ? texts.number(kilometers / EntryFigures.kilometersPerYard, decimals: 0) + " yd"
        : texts.number(kilometers / EntryFigures.kilometersPerMile, decimals: 2) + " mi"
    }
  }

  /// A quarter of a mile, in kilometers; shorter distances are in yards.
  private static let leastMiles = EntryFigures.kilometersPerMile / 4

  /// A milestone's distance as people name it: `5K`, `half marathon`.
  package func milestoneDistance(_ kilometers: Double) -> String {
    switch kilometers {
    case 5: texts(.distanceFive)
    case 10: texts(.distanceTen)
    case 21.0975: texts(.distanceHalfMarathon)
    case 42.195: texts(.distanceMarathon)
    default: distance(kilometers)
    }
  }

  /// `31:00`, `1:05:30`, `45 s`.
  package func duration(_ seconds: Double) -> String {
    let all = Int(rounding: seconds)
    if all < 60 { return "\(all) s" }
    let (hours, minutes, rest) = (all / 3_600, all / 60 % 60, all % 60)
    if hours == 0 { return rest == 0 ? "\(minutes) min" : "\(minutes):\(Self.two(rest)) min" }
    return "\(hours):\(Self.two(minutes))" + (rest == 0 ? " h" : ":\(Self.two(rest)) h")
  }

  /// `6:12 min/km`, `2:05 min/100 m`, `24.5 km/h`.
  package func pace(_ secondsPerKilometer: Double, of activity: String) -> String {
    let isMetric = units == .metric
    func clock(_ kilometers: Double, _ unit: String) -> String {
      let all = Int(rounding: secondsPerKilometer * kilometers)
      return "\(all / 60):\(Self.two(all % 60)) min/\(unit)"
    }
    guard pack[activity: activity]?.pace == .speed else {
      let over = paceLength(of: activity)
      return clock(over.kilometers, over.unit)
    }
    let speed = 3_600 / secondsPerKilometer / (isMetric ? 1 : EntryFigures.kilometersPerMile)
    return texts.number(speed, decimals: 1) + (isMetric ? " km/h" : " mph")
  }

  /// What a pace is the time for, in kilometers and by its name.
  func paceLength(of activity: String) -> (kilometers: Double, unit: String) {
    let isMetric = units == .metric
    switch pack[activity: activity]?.pace ?? .kilometers {
    case .kilometers, .speed:
      return isMetric ? (1, "km") : (EntryFigures.kilometersPerMile, "mi")
    case .hundreds:
      return isMetric ? (0.1, "100 m") : (100 * EntryFigures.kilometersPerYard, "100 yd")
    case .fiveHundreds: return (0.5, "500 m")
    }
  }

  private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }

  /// A figure that sessions are compared by.
  package func figure(
    _ value: Double, _ measure: ActivityProgress.Measure, of activity: String
  ) -> String {
    switch measure {
    case .oneRepetitionMaximum: load((value * 2).rounded() / 2)
    case .repetitions: texts.number(value, decimals: 0)
    case .pace: pace(value, of: activity)
    case .duration: duration(value)
    }
  }
}

extension LogEntry {
  fileprivate var hasSeveralLoads: Bool { Set((eachSet ?? []).map(\.kilograms)).count > 1 }
}

extension EntryText {
  /// A figure that cannot be right, such as `400 km`.
  package func words(for breach: EntryBounds.Breach, of entry: LogEntry) -> String {
    words(for: breach.value, breach.figure, of: entry)
  }

  /// The lowest and the highest figure that is taken.
  package func range(of breach: EntryBounds.Breach, of entry: LogEntry) -> (
    low: String, high: String
  ) {
    (
      words(for: breach.range.lowerBound, breach.figure, of: entry),
      words(for: breach.range.upperBound, breach.figure, of: entry)
    )
  }

  private func words(
    for value: Double, _ figure: EntryBounds.Figure, of entry: LogEntry
  ) -> String {
    if let own = entry.units, own != units {
      return EntryText(pack, texts, own).words(for: value, figure, of: entry)
    }
    let count = Int(rounding: value)
    switch figure {
    case .sets: return texts(.setOne, .setOther, count)
    case .repetitions: return texts(.repetitionOne, .repetitionOther, count)
    case .kilograms, .bodyKilograms: return load(value)
    case .kilometers: return distance(value)
    case .seconds: return duration(value)
    case .laps: return texts(.lapOne, .lapOther, count)
    case .steps: return texts(.stepOne, .stepOther, count)
    case .kilometersPerHour: return distance(value) + "/h"
    }
  }
}

extension EntryText {
  /// What was reached.
  ///
  /// - Parameter entry: What it was reached with; nil names the activity.
  package func words(for milestone: Milestone, of entry: String? = nil) -> String {
    let title = title(of: milestone.activity)
    let entry = entry ?? title
    switch milestone.kind {
    case .sessions(1): return texts(.milestoneFirst)
    case .sessions(let count): return texts(.milestoneSessions, ["count": "\(count)"])
    case .distance(let kilometers):
      return texts(.milestoneDistance, ["distance": milestoneDistance(kilometers), "entry": entry])
    case .best(let measure, let value):
      return texts(
        .milestoneBest,
        ["activity": title, "value": figure(value, measure, of: milestone.activity)])
    case .goal: return texts(.milestoneGoal, ["entry": entry])
    }
  }
}

extension Int {
  /// The nearest whole number. What is beyond any figure that people tell, or no number at all, cannot trap.
  package init(rounding value: Double) {
    self = value.isNaN ? 0 : Int(Swift.max(-1e15, Swift.min(value, 1e15)).rounded())
  }
}
