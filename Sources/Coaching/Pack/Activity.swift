import ContextQuality
import IncrementalJSON

/// Something people train, from a pack's `coaching/activities.json`.
package struct Activity: Hashable, Sendable {
  package let id: String
  package let kind: LogEntry.Kind
  /// By language code.
  let titles: [String: String]
  /// What people call it, each as its words.
  let names: [[String]]
  /// The parts of the body it loads.
  package let loads: Set<String>
  /// The load in kilograms, and the distance in kilometers, from which it is hard on them.
  package let heavy: Double?
  package let far: Double?
  /// Whether its loads say something of the load that could be lifted once; not so for carries and swings.
  let hasMaximum: Bool
  /// Whether it says no more than that somebody trained.
  let isGeneral: Bool
  /// What health data calls it.
  let healthNames: Set<String>
  /// What it is if a distance or only a time is given: "rows" are rowing then.
  let distanceIs: String?
  /// The unit of its pace.
  let pace: Pace
  /// What is plausible of it, beyond what is plausible of all.
  let bounds: JSONValue

  enum Pace: String, CaseIterable {
    case kilometers = "km"
    case hundreds = "100 m"
    case fiveHundreds = "500 m"
    /// Kilometers or miles an hour.
    case speed
  }

  init(_ id: String, _ value: JSONValue, _ document: PackDocument) throws(PackError) {
    try document.checkKeys(
      of: value,
      [
        "kind", "titles", "words", "loads", "heavy", "far", "health", "general", "distanceIs",
        "bounds", "pace", "maximum",
      ])
    guard let kind = LogEntry.Kind(rawValue: try document.text(value, "kind")),
      kind != .skipped, kind != .weight
    else {
      throw document.wrong(
        "\(id): kind: expected strength, distance or timed", at: "kind", in: value)
    }
    self.id = id
    self.kind = kind
    var titles: [String: String] = [:]
    for (code, title) in try document.object(value, "titles") { titles[code] = title.stringValue }
    guard titles["en"] != nil else {
      throw document.wrong("\(id): titles: expected one in English", at: "titles", in: value)
    }
    self.titles = titles
    names = (titles.values.sorted() + (try document.texts(value, "words"))).map {
      PlainWords.split($0)
    }
    loads = Set(try document.texts(value, "loads"))
    heavy = value["heavy"]?.doubleValue
    far = value["far"]?.doubleValue
    hasMaximum = value["maximum"]?.boolValue ?? true
    isGeneral = value["general"]?.boolValue ?? false
    healthNames = Set(try document.texts(value, "health"))
    distanceIs = value["distanceIs"]?.stringValue
    bounds = value["bounds"] ?? .object([:])
    let pace = value["pace"]?.stringValue ?? Pace.kilometers.rawValue
    guard let pace = Pace(rawValue: pace) else {
      let names = Pace.allCases.map(\.rawValue).joined(separator: ", ")
      throw document.wrong(
        "\(id): pace: expected one of \(names), found \(pace)", at: "pace", in: value)
    }
    self.pace = pace
  }

  package func title(in code: String) -> String { titles[code] ?? titles["en"] ?? id }
}
