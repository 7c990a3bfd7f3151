import IncrementalJSON

// The rubric's JSON. What can be read is read, so that other files can be checked against it.
extension PackDocument {
  /// A fraction from 0 to 1 that is a whole number of `parts`.
  func share(_ object: JSONValue, _ key: String, of parts: Int) throws(PackError) -> Int {
    try wholeParts(value(object, key, "a number", \.doubleValue), key, object, of: parts)
  }

  func components(_ faults: inout PackFaults) -> [Rubric.Component] {
    let items = faults.gather(try value(root, "components", "an array", \.arrayValue))
    var components: [Rubric.Component] = []
    for item in items ?? [] {
      guard
        let name = faults.gather(try value(item, "name", "a component's name", \.stringValue))
      else { continue }
      let known = "name title label weight facets keepsAnswer".split(separator: " ")
        .map(String.init)
      faults.gather(try checkKeys(of: item, known))
      let title = item["title"]?.stringValue ?? name
      components.append(
        Rubric.Component(
          name: name, title: title, label: item["label"]?.stringValue ?? title,
          weight: faults.gather(try share(item, "weight", of: 100)) ?? 0,
          facets: facets(item, component: name, &faults),
          keepsAnswer: item["keepsAnswer"] != nil
            && faults.gather(try value(item, "keepsAnswer", "true or false", \.boolValue)) == true))
    }
    return components
  }

  private func facets(
    _ item: JSONValue, component: String, _ faults: inout PackFaults
  ) -> [Rubric.FacetDefinition] {
    let object = faults.gather(try value(item, "facets", "an object of facets", \.objectValue))
    guard let members = object else { return [] }
    let facets = JSONValue.object(members)
    var definitions: [Rubric.FacetDefinition] = []
    for (name, value) in members {
      let place = "\(component).\(name)"
      let known = "weight title label knownWhen notEnough needs alsoAsk".split(separator: " ")
        .map(String.init)
      faults.gather(try checkKeys(of: value, known))
      let weight = faults.gather { () throws(PackError) in
        guard let fraction = value.doubleValue ?? value["weight"]?.doubleValue else {
          throw wrong(
            "\(place): expected a weight, found \(value.serialized())", at: name, in: facets)
        }
        return try wholeParts(fraction, name, facets, of: 100)
      }
      let title = value["title"]?.stringValue ?? name
      definitions.append(
        Rubric.FacetDefinition(
          facet: Facet(component: component, name: name), weight: weight ?? 0,
          title: title, label: value["label"]?.stringValue ?? title,
          needs: faults.gather(try needs(of: name, value, members, component)) ?? nil,
          knownWhen: value["knownWhen"]?.stringValue ?? "",
          notEnough: value["notEnough"]?.stringValue ?? "",
          alsoAsk: value["alsoAsk"]?.stringValue))
    }
    return definitions
  }

  private func needs(
    of name: String, _ value: JSONValue, _ facets: JSONObject, _ component: String
  ) throws(PackError) -> Facet? {
    guard let needed = value["needs"] else { return nil }
    guard let other = needed.stringValue, other != name, facets[other] != nil else {
      throw wrong(
        "\(component).\(name): needs: expected another facet of \(component), found "
          + needed.serialized(), at: "needs", in: value)
    }
    return Facet(component: component, name: other)
  }

  private func wholeParts(
    _ fraction: Double, _ key: String, _ object: JSONValue, of parts: Int
  ) throws(PackError) -> Int {
    let scaled = fraction * Double(parts)
    guard scaled.isFinite, (0...Double(parts)).contains(scaled),
      abs(scaled - scaled.rounded()) < 1e-6
    else {
      throw wrong(
        "\(key): expected a fraction in steps of 1/\(parts), found \(fraction)", at: key, in: object
      )
    }
    return Int(scaled.rounded())
  }
}

// A rubric with a meaningless gate is refused.
extension PackDocument {
  func lintNames(_ rubric: Rubric, _ faults: inout PackFaults) {
    var seen: Set<String> = []
    for (component, item) in zip(rubric.components, items) {
      if !seen.insert(component.name).inserted {
        faults.add(wrong("component \(component.name) is defined twice", at: "name", in: item))
      }
      if component.name.isEmpty || component.name.contains(".") {
        faults.add(
          wrong("a component's name must not be empty or hold a dot", at: "name", in: item))
      }
      if component.facets.isEmpty, item["facets"]?.objectValue != nil {
        faults.add(wrong("component \(component.name) has no facets", at: "facets", in: item))
      }
    }
  }

  func lintWeights(_ rubric: Rubric, _ faults: inout PackFaults) {
    // A weight that can't be read would be missing in the sum.
    let total = rubric.components.reduce(0) { $0 + $1.weight }
    if total != 100, !rubric.components.contains(where: { $0.weight == 0 }) {
      faults.add(
        wrong("the components' weights sum to \(total)%, expected 100%", at: "components"))
    }
    for (component, item) in zip(rubric.components, items)
    where !component.facets.contains(where: { $0.weight == 0 }) && !component.facets.isEmpty {
      let sum = component.facets.reduce(0) { $0 + $1.weight }
      guard sum != 100 else { continue }
      faults.add(
        wrong(
          "the facets of \(component.name) sum to \(sum)%, expected 100%", at: "facets", in: item))
    }
  }

  func lintCritical(_ rubric: Rubric, _ faults: inout PackFaults) {
    for name in rubric.critical where rubric[component: name] == nil {
      faults.add(
        wrong(
          "critical names \(name), which is no component\(rubric.hint(forComponent: name))",
          at: "critical"))
    }
    let points = rubric.components.filter { rubric.critical.contains($0.name) }
      .reduce(0) { $0 + $1.weight * 100 }
    guard points > rubric.readyAbove else { return }
    faults.add(
      wrong(
        "the critical components alone are worth \(Double(points) / 10_000), which passes the bar "
          + "of \(Double(rubric.readyAbove) / 10_000): the other components would decide nothing",
        at: "critical"))
  }

  /// The components that have a name.
  private var items: [JSONValue] {
    (root["components"]?.arrayValue ?? []).filter { $0["name"]?.stringValue != nil }
  }
}
