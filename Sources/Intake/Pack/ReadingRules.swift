package import ContextQuality
import IncrementalJSON

/// What health data readings can show, from `readings` in a pack's `pack.json`.
package struct ReadingRules: Hashable, Sendable {
  /// Components about the past, for which old data still counts.
  package var ofThePast: Set<String> = []
  /// For each list of constraints, the facets whose readings can support it. Goals, and lists that
  /// aren't here, need the user's words.
  package var support: [String: Set<Facet>] = [:]
}

extension ReadingRules {
  init(_ manifest: PackDocument, _ rubric: Rubric) throws(PackError) {
    let readings = manifest.root["readings"]
    for value in readings?["ofThePast"]?.arrayValue ?? [] {
      guard let name = value.stringValue, rubric[component: name] != nil else {
        let found = value.serialized()
        throw manifest.wrong(
          "readings: ofThePast: expected a component of the rubric, found \(found)")
      }
      ofThePast.insert(name)
    }
    for (list, values) in readings?["support"]?.objectValue ?? [:] {
      guard Constraints.lists.contains(where: { $0.name == list }) else {
        throw manifest.wrong("readings: support: \"\(list)\" is no list of constraints")
      }
      for value in values.arrayValue ?? [] {
        support[list, default: []].insert(
          try manifest.facet(value, of: "readings: support", rubric))
      }
    }
  }
}

extension PackDocument {
  /// - Parameter defaults: The words that there can be, as they are if the pack has none.
  func words(_ defaults: [String: String]) throws(PackError) -> [String: String] {
    guard let object = root["words"] else { return defaults }
    try checkKeys(of: object, defaults.keys.sorted())
    var words = defaults
    for name in defaults.keys where object[name] != nil { words[name] = try text(object, name) }
    return words
  }

  func optionalFacet(_ name: String, _ rubric: Rubric) throws(PackError) -> Facet? {
    guard let value = root[name], value != .null else { return nil }
    return try facet(value, of: name, rubric)
  }
}
