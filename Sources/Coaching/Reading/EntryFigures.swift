import Plans

/// The figures of one entry while they are read, in metric units.
struct EntryFigures {
  static let kilometersPerMile = 1.609_344
  static let kilometersPerYard = 0.000_914_4

  enum Unit: String, CaseIterable {
    case sets, repetitions, laps, steps
    case kilogram = "kg"
    case pound = "lb"
    case stone = "st"
    case kilometer = "km"
    case mile = "mi"
    case meter = "m"
    case yard = "yd"
    case hour = "h"
    case minute = "min"
    case second = "s"

    /// What one of it is.
    enum Size {
      /// One of several whole things.
      case one
      case kilograms(Double)
      case kilometers(Double)
      case seconds(Double)
    }

    var size: Size {
      switch self {
      case .sets, .repetitions, .laps, .steps: .one
      case .kilogram: .kilograms(1)
      case .pound: .kilograms(Units.kilogramsPerPound)
      case .stone: .kilograms(14 * Units.kilogramsPerPound)
      case .kilometer: .kilometers(1)
      case .mile: .kilometers(kilometersPerMile)
      case .meter: .kilometers(0.001)
      case .yard: .kilometers(kilometersPerYard)
      case .hour: .seconds(3_600)
      case .minute: .seconds(60)
      case .second: .seconds(1)
      }
    }

    var isCount: Bool { if case .one = size { true } else { false } }
    /// How long one is; nil for what is no time.
    var seconds: Double? { if case .seconds(let length) = size { length } else { nil } }
  }

  var sets: Int?
  /// Of each set, if several are given.
  var repetitions: [Int] = []
  /// One for all sets, or one for each.
  var kilograms: [Double] = []
  var kilometers: Double?
  var seconds: Double?
  var laps: Int?
  var steps: Int?
  private var named: Set<Units> = []
  /// Whether pounds belong to the stones that were named last.
  private var hasStones = false

  var isEmpty: Bool {
    sets == nil && repetitions.isEmpty && kilograms.isEmpty && !isDistance && seconds == nil
  }

  private var isDistance: Bool { kilometers != nil || laps != nil || steps != nil }

  var kind: LogEntry.Kind {
    if isDistance { return .distance }
    return sets != nil || !repetitions.isEmpty || !kilograms.isEmpty ? .strength : .timed
  }

  /// - Returns: Whether the value is one that the unit can have, and that was not given yet.
  mutating func take(_ value: Double, _ unit: Unit) -> Bool {
    func set<Value>(_ place: WritableKeyPath<Self, Value?>, _ value: Value) -> Bool {
      guard self[keyPath: place] == nil else { return false }
      self[keyPath: place] = value
      return true
    }
    switch unit {
    case .kilogram, .kilometer, .meter: named.insert(.metric)
    case .pound, .stone, .mile, .yard: named.insert(.imperial)
    default: break
    }
    switch unit.size {
    case .one:
      guard let count = Int(exactly: value) else { return false }
      switch unit {
      case .sets: return set(\.sets, count)
      case .laps: return set(\.laps, count)
      case .steps: return set(\.steps, count)
      default: repetitions.append(count)
      }
    case .kilograms(let size):
      let stones = unit == .pound && hasStones ? kilograms.popLast() : nil
      kilograms.append((stones ?? 0) + value * size)
      hasStones = unit == .stone
    case .kilometers(let size): return set(\.kilometers, value * size)
    case .seconds(let size): seconds = (seconds ?? 0) + value * size
    }
    return true
  }

  /// Puts them into an entry, rounded to ten grams, to meters and to tenths of a second.
  func fill(_ entry: inout LogEntry) {
    func rounded(_ kilograms: Double) -> Double { (kilograms * 100).rounded() / 100 }
    entry.sets = sets
    entry.repetitions = repetitions.first
    entry.kilograms = kilograms.first.map(rounded)
    entry.kilometers = kilometers.map { ($0 * 1_000).rounded() / 1_000 }
    entry.seconds = seconds.map { ($0 * 10).rounded() / 10 }
    (entry.laps, entry.steps) = (laps, steps)
    entry.units = named.count == 1 ? named.first : nil
    guard repetitions.count > 1, entry.kind == .strength else { return }
    let hasEach = kilograms.count == repetitions.count
    let series = repetitions.indices.map { index in
      LogEntry.Series(
        repetitions: repetitions[index],
        kilograms: (hasEach ? kilograms[index] : kilograms.first).map(rounded))
    }
    let best = LogEntry.Series.best(of: series)
    entry.sets = max(sets ?? 0, series.count)
    (entry.repetitions, entry.kilograms) = (best?.repetitions, best?.kilograms)
    entry.eachSet = Set(series).count > 1 || entry.sets != series.count ? series : nil
  }
}
