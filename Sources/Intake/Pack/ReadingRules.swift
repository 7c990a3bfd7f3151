package import ContextQuality
import IncrementalJSON

/// What health data readings can show, from `readings` in a pack's `pack.json`.
package struct ReadingRules: Hashable, Sendable {
  /// Components about the past, for which old data still counts.
  package var ofThePast: Set<String> = []
  /// For each list of constraints, the facets whose readings can support it. Goals, and lists that
  /// are not here, need the user's words.
  package var support: [String: Set<Facet>] = [:]
}

extension ReadingRules {
  init(_ manifest: PackDocument, _ rubric: Rubric) throws(PackError) {
    guard let readings = manifest.root["readings"] else { return }
    var faults = PackFaults()
    faults.gather(try manifest.checkKeys(of: readings, ["ofThePast", "support"]))
    faults.gather(
      try manifest.checkKeys(of: readings["support"] ?? .null, Constraints.lists.map(\.name)))
    for value in readings["ofThePast"]?.arrayValue ?? [] {
      guard let name = value.stringValue, rubric[component: name] != nil else {
        let found = value.serialized()
        faults.add(
          manifest.wrong(
            "readings: ofThePast: expected a component of the rubric, found \(found)"
              + rubric.hint(forComponent: value.stringValue ?? ""), in: value))
        continue
      }
      ofThePast.insert(name)
    }
    for (list, values) in readings["support"]?.objectValue ?? [:] {
      for value in values.arrayValue ?? [] {
        let facet = faults.gather(try manifest.facet(value, of: "readings: support", rubric))
        if let facet { support[list, default: []].insert(facet) }
      }
    }
    try faults.raise()
  }
}
