import ContextQuality
import HealthRecords
import IncrementalJSON

/// What is plausible in an entry, from a pack's `coaching/bounds.json` and the `bounds` of its activities.
package struct EntryBounds: Sendable {
  /// Figures that have bounds.
  package enum Figure: String, Hashable, Sendable, CaseIterable {
    case sets, repetitions, kilograms, bodyKilograms, kilometers, seconds, laps, steps
    case kilometersPerHour
  }

  /// A figure that cannot be right.
  package struct Breach: Hashable, Sendable {
    package let figure: Figure
    package let value: Double
    package let range: ClosedRange<Double>
  }

  private let common: [Figure: ClosedRange<Double>]
  private let byActivity: [String: [Figure: ClosedRange<Double>]]
  /// How far back an entry may lie.
  package let yearsBack: Int

  init(
    _ document: PackDocument, _ activities: [Activity], _ activityDocument: PackDocument
  ) throws(PackError) {
    let root = document.root
    try document.checkKeys(of: root, ["yearsBack", "figures"])
    guard let years = root["yearsBack"]?.intValue, (1...200).contains(years) else {
      throw document.wrong("yearsBack: expected a whole number from 1 to 200")
    }
    yearsBack = years
    common = try Self.ranges(root["figures"] ?? .null, document, "figures")
    var byActivity: [String: [Figure: ClosedRange<Double>]] = [:]
    for activity in activities {
      byActivity[activity.id] = try Self.ranges(
        activity.bounds, activityDocument, "\(activity.id): bounds")
    }
    self.byActivity = byActivity
  }

  private static func ranges(
    _ value: JSONValue, _ document: PackDocument, _ place: String
  ) throws(PackError) -> [Figure: ClosedRange<Double>] {
    var ranges: [Figure: ClosedRange<Double>] = [:]
    for (name, value) in value.objectValue ?? [:] {
      guard let figure = Figure(rawValue: name) else {
        let names = Figure.allCases.map(\.rawValue).joined(separator: ", ")
        throw document.wrong("\(place): \(name): expected one of \(names)")
      }
      guard let low = value[0]?.doubleValue, let high = value[1]?.doubleValue, low <= high else {
        throw document.wrong("\(place): \(name): expected two numbers, the lower one first")
      }
      ranges[figure] = low...high
    }
    return ranges
  }

  private func range(_ figure: Figure, of activity: String) -> ClosedRange<Double>? {
    byActivity[activity]?[figure] ?? common[figure]
  }

  /// The first figure that cannot be right; nil if all can.
  func breach(of entry: LogEntry) -> Breach? {
    let loads: Figure = entry.kind == .weight ? .bodyKilograms : .kilograms
    let speed = entry.pace.map { $0 > 0 ? 3_600 / $0 : .infinity }
    var figures: [(Figure, Double?)] = [
      (.sets, entry.sets.map(Double.init)), (.repetitions, entry.repetitions.map(Double.init)),
      (loads, entry.kilograms), (.kilometers, entry.kilometers), (.seconds, entry.seconds),
      (.laps, entry.laps.map(Double.init)), (.steps, entry.steps.map(Double.init)),
      (.kilometersPerHour, speed),
    ]
    for one in entry.eachSet ?? [] {
      figures += [(.repetitions, Double(one.repetitions)), (loads, one.kilograms)]
    }
    for case (let figure, let value?) in figures {
      guard let range = range(figure, of: entry.activity), !range.contains(value) else { continue }
      return Breach(figure: figure, value: value, range: range)
    }
    return nil
  }

  /// The first day that an entry may have.
  func firstDay(_ today: Day) -> Day { today + -(yearsBack * 1_461 / 4) }
}
