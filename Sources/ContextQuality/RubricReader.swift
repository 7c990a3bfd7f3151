import IncrementalJSON

/// Turns the rubric's JSON into checked values. Errors include the line.
struct RubricReader {
  let text: String
  let file: String

  func integer(_ object: JSONValue, _ key: String) throws(PackError) -> Int {
    guard let value = object[key]?.intValue else { throw wrong(key, "a whole number", object) }
    return value
  }

  /// A fraction from 0 to 1 that is a whole number of `parts`.
  func share(_ object: JSONValue, _ key: String, of parts: Int) throws(PackError) -> Int {
    guard let fraction = object[key]?.doubleValue else { throw wrong(key, "a number", object) }
    return try wholeParts(fraction, key, of: parts)
  }

  func strings(_ object: JSONValue, _ key: String) throws(PackError) -> [String] {
    guard let values = object[key]?.arrayValue else {
      throw wrong(key, "an array of names", object)
    }
    let names = values.compactMap(\.stringValue)
    guard names.count == values.count else { throw wrong(key, "an array of names", object) }
    return names
  }

  func components(_ root: JSONValue) throws(PackError) -> [Rubric.Component] {
    guard let items = root["components"]?.arrayValue else {
      throw wrong("components", "an array", root)
    }
    var components: [Rubric.Component] = []
    for item in items {
      guard let name = item["name"]?.stringValue else {
        throw wrong("name", "a component's name", item)
      }
      let title = item["title"]?.stringValue ?? name
      components.append(
        Rubric.Component(
          name: name, title: title, label: item["label"]?.stringValue ?? title,
          weight: try share(item, "weight", of: 100),
          facets: try facets(item, component: name),
          keepsAnswer: try flag(item, "keepsAnswer")))
    }
    return components
  }

  private func flag(_ object: JSONValue, _ key: String) throws(PackError) -> Bool {
    guard let value = object[key] else { return false }
    guard let flag = value.boolValue else { throw wrong(key, "true or false", object) }
    return flag
  }

  private func facets(
    _ item: JSONValue, component: String
  ) throws(PackError) -> [Rubric.FacetDefinition] {
    guard let members = item["facets"]?.objectValue else {
      throw wrong("facets", "an object of facets", item)
    }
    var facets: [Rubric.FacetDefinition] = []
    for (name, value) in members {
      guard let fraction = value.doubleValue ?? value["weight"]?.doubleValue else {
        throw error(
          near: name, "\(component).\(name): expected a weight, found \(value.serialized())")
      }
      let title = value["title"]?.stringValue ?? name
      facets.append(
        Rubric.FacetDefinition(
          facet: Facet(component: component, name: name),
          weight: try wholeParts(fraction, name, of: 100),
          title: title, label: value["label"]?.stringValue ?? title,
          needs: try needs(of: name, value, members, component),
          knownWhen: value["knownWhen"]?.stringValue ?? "",
          notEnough: value["notEnough"]?.stringValue ?? "",
          alsoAsk: value["alsoAsk"]?.stringValue))
    }
    return facets
  }

  private func needs(
    of name: String, _ value: JSONValue, _ facets: JSONObject, _ component: String
  ) throws(PackError) -> Facet? {
    guard let needed = value["needs"] else { return nil }
    guard let other = needed.stringValue, other != name, facets[other] != nil else {
      throw error(
        near: name,
        "\(component).\(name): needs: expected another facet of \(component), found "
          + needed.serialized())
    }
    return Facet(component: component, name: other)
  }

  private func wholeParts(
    _ fraction: Double, _ key: String, of parts: Int
  ) throws(PackError) -> Int {
    let scaled = fraction * Double(parts)
    guard scaled.isFinite, (0...Double(parts)).contains(scaled),
      abs(scaled - scaled.rounded()) < 1e-6
    else {
      throw error(
        near: key, "\(key): expected a fraction in steps of 1/\(parts), found \(fraction)")
    }
    return Int(scaled.rounded())
  }

  private func wrong(_ key: String, _ expected: String, _ object: JSONValue) -> PackError {
    let found = object[key].map { $0.serialized() } ?? "nothing"
    return error(near: key, "\(key): expected \(expected), found \(found.prefix(60))")
  }

  func error(near key: String, _ reason: String) -> PackError {
    PackError(file: file, line: line(of: key), reason: reason)
  }

  /// The line where a key first appears, as a component's name if it is one; 1 if missing.
  private func line(of key: String) -> Int {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let found = lines.indices.filter { lines[$0].contains("\"\(key)\"") }
    return (found.first { lines[$0].contains("\"name\"") } ?? found.first ?? 0) + 1
  }
}

extension RubricReader {
  /// Refuses a rubric with a meaningless gate.
  func lint(_ rubric: Rubric) throws(PackError) {
    try lintNames(rubric)
    try lintWeights(rubric)
    try lintCritical(rubric)
  }

  private func lintNames(_ rubric: Rubric) throws(PackError) {
    var seen: Set<String> = []
    for component in rubric.components {
      guard seen.insert(component.name).inserted else {
        throw error(near: component.name, "component \(component.name) is defined twice")
      }
      guard !component.name.isEmpty, !component.name.contains(".") else {
        throw error(near: component.name, "a component's name must not be empty or hold a dot")
      }
      guard !component.facets.isEmpty else {
        throw error(near: component.name, "component \(component.name) has no facets")
      }
    }
  }

  private func lintWeights(_ rubric: Rubric) throws(PackError) {
    let total = rubric.components.reduce(0) { $0 + $1.weight }
    guard total == 100 else {
      throw error(near: "components", "the components' weights sum to \(total)%, expected 100%")
    }
    for component in rubric.components {
      let sum = component.facets.reduce(0) { $0 + $1.weight }
      guard sum == 100 else {
        throw error(
          near: component.name,
          "the facets of \(component.name) sum to \(sum)%, expected 100%")
      }
    }
  }

  private func lintCritical(_ rubric: Rubric) throws(PackError) {
    let names = Set(rubric.components.map(\.name))
    for name in rubric.critical where !names.contains(name) {
      throw error(near: "critical", "critical names \(name), which is no component")
    }
    let points = rubric.components.filter { rubric.critical.contains($0.name) }
      .reduce(0) { $0 + $1.weight * 100 }
    guard points <= rubric.readyAbove else {
      throw error(
        near: "critical",
        "the critical components alone are worth \(Double(points) / 10_000), which passes the bar "
          + "of \(Double(rubric.readyAbove) / 10_000): the other components would decide nothing")
    }
  }
}
