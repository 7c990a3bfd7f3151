import ContextQuality
import IncrementalJSON
import Intake

/// Maps facets to fields of a rehearsal's profile: a pack's `rehearsal/profile.json`.
struct ProfileMap: Sendable {
  /// A constraint made from a facet's words.
  struct ConstraintRule: Sendable {
    var facet: Facet
    /// Such as `injury or condition`.
    var type: String
    /// A name of `Constraints.lists`; nil if the words decide, by the bank's `[limit]` entries.
    var list: String?
    /// The facet whose words say when there is time.
    var availability: Facet?
  }

  /// Words after which somebody says why.
  struct ReasonRule: Sendable {
    /// What the reason is for.
    var of: Facet
    /// What the reason makes known.
    var facet: Facet
    var words: [String]

    private static let fewestWords = 3

    /// The clause from one of the words on; nil if there is none, or nothing before it.
    func clause(in sentence: String) -> String? {
      let parts = sentence.split(separator: " ")
      let said = parts.map { $0.lowercased() }
      let place = said.indices.dropFirst().first { index in
        words.contains { said[index...].starts(with: $0.split(separator: " ").map(String.init)) }
      }
      guard let place, parts.count - place >= Self.fewestWords else { return nil }
      return String(sentence[parts[place].startIndex...])
    }
  }

  let reason: ReasonRule?
  /// The parts of the goal.
  let goal: [Facet]
  let timeline: Facet?
  let deeper: Facet?
  let communicationStyle: Facet?
  let checkInFrequency: Facet?
  let constraints: [ConstraintRule]
  /// Facets that are also known if the user says there is none.
  let canBeNone: Set<Facet>

  static let path = "rehearsal/profile.json"

  /// - Throws: `PackError` if a member is invalid, or names a facet or list that does not
  ///   exist.
  init(json text: String, rubric: Rubric, folder: String) throws(PackError) {
    let document = try PackDocument(text, file: "\(folder)/\(Self.path)")
    let root = document.root
    var faults = PackFaults()
    faults.gather(
      try document.checkKeys(
        of: root,
        [
          "goal", "reason", "constraints", "canBeNone", "timeline", "deeper", "communicationStyle",
          "checkInFrequency",
        ]))
    goal = document.facets("goal", rubric, &faults)
    reason = faults.gather(try document.reason(rubric)) ?? nil
    timeline = faults.gather(try document.facet(root, "timeline", rubric)) ?? nil
    deeper = faults.gather(try document.facet(root, "deeper", rubric)) ?? nil
    communicationStyle =
      faults.gather(try document.facet(root, "communicationStyle", rubric)) ?? nil
    checkInFrequency = faults.gather(try document.facet(root, "checkInFrequency", rubric)) ?? nil
    constraints = faults.gather(each: document.root["constraints"]?.arrayValue ?? []) {
      item throws(PackError) in try document.constraint(item, rubric)
    }
    canBeNone = Set(document.facets("canBeNone", rubric, &faults))
    try faults.raise()
  }
}

extension PackDocument {
  fileprivate func facets(
    _ key: String, _ rubric: Rubric, _ faults: inout PackFaults
  ) -> [Facet] {
    if let value = root[key], value.arrayValue == nil {
      faults.add(
        wrong("\(key): expected a list of facets, found \(value.serialized())", at: key))
    }
    return faults.gather(each: root[key]?.arrayValue ?? []) { value throws(PackError) in
      try facet(value, of: key, rubric)
    }
  }

  fileprivate func facet(
    _ object: JSONValue, _ key: String, _ rubric: Rubric
  ) throws(PackError) -> Facet? {
    guard let value = object[key] else { return nil }
    return try facet(value, of: key, rubric)
  }

  fileprivate func reason(_ rubric: Rubric) throws(PackError) -> ProfileMap.ReasonRule? {
    guard let rule = root["reason"] else { return nil }
    try checkKeys(of: rule, ["of", "facet", "words"])
    guard let of = try facet(rule, "of", rubric), let facet = try facet(rule, "facet", rubric)
    else {
      throw wrong(
        "reason: expected {\"of\", \"facet\", \"words\"}, found \(rule.serialized())", in: rule)
    }
    return ProfileMap.ReasonRule(of: of, facet: facet, words: try texts(rule, "words"))
  }

  fileprivate func constraint(
    _ item: JSONValue, _ rubric: Rubric
  ) throws(PackError) -> ProfileMap.ConstraintRule {
    try checkKeys(of: item, ["list", "facet", "type", "availability"])
    let list = item["list"]?.stringValue
    let names = Constraints.lists.map(\.name)
    if let list, !names.contains(list) {
      throw wrong(
        "list: expected one of \(names.joined(separator: ", ")), found \"\(list)\""
          + list.hint(among: names), at: "list", in: item)
    }
    guard let facet = try facet(item, "facet", rubric), let type = item["type"]?.stringValue
    else {
      throw wrong(
        "constraints: expected {\"facet\", \"type\"}, found \(item.serialized())", in: item)
    }
    return ProfileMap.ConstraintRule(
      facet: facet, type: type, list: list,
      availability: try self.facet(item, "availability", rubric))
  }
}
