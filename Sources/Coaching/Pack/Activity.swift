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
  /// The load in kilograms, and the distance in kilometers, from which it's hard on them.
  package let heavy: Double?
  package let far: Double?
  /// Whether it says no more than that somebody trained.
  let isGeneral: Bool
  /// What health data calls it.
  let healthNames: Set<String>

  init(_ id: String, _ value: JSONValue, _ document: PackDocument) throws(PackError) {
    try document.checkKeys(
      of: value, ["kind", "titles", "words", "loads", "heavy", "far", "health", "general"])
    guard let kind = LogEntry.Kind(rawValue: try document.text(value, "kind")),
      kind != .skipped, kind != .weight
    else { throw document.wrong("\(id): kind: expected strength, distance or timed") }
    self.id = id
    self.kind = kind
    var titles: [String: String] = [:]
    for (code, title) in try document.object(value, "titles") { titles[code] = title.stringValue }
    guard titles["en"] != nil else {
      throw document.wrong("\(id): titles: expected one in English")
    }
    self.titles = titles
    names = try document.texts(value, "words").map { LogTokens.words(of: $0) }
      .sorted { $0.count > $1.count }
    loads = Set(try document.texts(value, "loads"))
    heavy = value["heavy"]?.doubleValue
    far = value["far"]?.doubleValue
    isGeneral = value["general"]?.boolValue ?? false
    healthNames = Set(try document.texts(value, "health"))
  }

  package func title(in code: String) -> String { titles[code] ?? titles["en"] ?? id }
}
