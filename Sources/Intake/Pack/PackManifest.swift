import ContextQuality
import IncrementalJSON

/// A pack's `pack.json`.
struct PackManifest {
  private(set) var name = ""
  private(set) var version = ""
  private(set) var bodyFacet: Facet?
  private(set) var limitsFacet: Facet?
  private(set) var words = Self.words
  private(set) var readings = ReadingRules()

  /// The words that prompts can use, as they are without a pack's own: `coach` (what the coach is), `likeness`
  /// (whom it is like), `subject` (what matters less than the person), `items` (what short lists are of) and
  /// `done` (what somebody reports).
  static let words = [
    "coach": "coach", "likeness": "good coach", "subject": "any plan", "items": "steps",
    "done": "something they did",
  ]

  private static let members = [
    "format", "name", "version", "bodyFacet", "limitsFacet", "carePhrases", "readings", "words",
  ]

  init() {}

  /// Reads what can be read.
  init(
    _ document: PackDocument, _ reader: PackReader, _ rubric: Rubric, _ faults: inout PackFaults
  ) {
    let root = document.root
    func facet(_ name: String) throws(PackError) -> Facet? {
      guard let value = root[name], value != .null else { return nil }
      return try document.facet(value, of: name, rubric)
    }
    name = faults.gather(try document.text(root, "name")) ?? ""
    version = faults.gather(try document.text(root, "version")) ?? ""
    bodyFacet = faults.gather(try facet("bodyFacet")) ?? nil
    limitsFacet = faults.gather(try facet("limitsFacet")) ?? nil
    words = faults.gather(try Self.words(document)) ?? words
    faults.gather(try document.checkKeys(of: root, Self.members))
    faults.gather(try reader.checkFormat(document))
    readings = faults.gather(try ReadingRules(document, rubric)) ?? readings
  }

  private static func words(_ document: PackDocument) throws(PackError) -> [String: String] {
    guard let object = document.root["words"] else { return words }
    try document.checkKeys(of: object, words.keys.sorted())
    var own = words
    for name in words.keys where object[name] != nil {
      own[name] = try document.text(object, name)
    }
    return own
  }
}
