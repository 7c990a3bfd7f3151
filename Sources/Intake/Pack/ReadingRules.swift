package import ContextQuality
import IncrementalJSON

/// What readings of health data can show, by a pack's `pack.json` under `readings`.
package struct ReadingRules: Hashable, Sendable {
  /// Components about the past: old data still speaks of them.
  package var ofThePast: Set<String> = []
  /// For each list of constraints, the facets whose readings can show what stands there. A reading
  /// shows no goal, no reason and no injury: those rest on words alone.
  package var support: [String: Set<Facet>] = [:]

  package init() {}
}

extension PackReader {
  func readingRules(_ manifest: JSONValue, _ rubric: Rubric) throws(PackError) -> ReadingRules {
    var rules = ReadingRules()
    for value in manifest["readings"]?["ofThePast"]?.arrayValue ?? [] {
      guard let name = value.stringValue, rubric[component: name] != nil else {
        throw wrong("ofThePast: expected a component of the rubric, found \(value.serialized())")
      }
      rules.ofThePast.insert(name)
    }
    for (list, values) in manifest["readings"]?["support"]?.objectValue ?? [:] {
      guard Constraints.lists.contains(where: { $0.name == list }) else {
        throw wrong("support: \"\(list)\" is no list of constraints")
      }
      for value in values.arrayValue ?? [] {
        guard let facet = Facet(value.stringValue ?? ""), rubric[facet] != nil else {
          throw wrong("support: expected a facet of the rubric, found \(value.serialized())")
        }
        rules.support[list, default: []].insert(facet)
      }
    }
    return rules
  }

  private func wrong(_ reason: String) -> PackError {
    PackError(file: "\(folder)/pack.json", reason: "readings: \(reason)")
  }
}
