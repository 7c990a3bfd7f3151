import ContextQuality
import IncrementalJSON
import Intake

/// Which facets fill which field of a rehearsal's profile: a pack's `rehearsal/profile.json`.
struct ProfileMap: Sendable {
  /// A constraint that a facet's words become.
  struct ConstraintRule: Sendable {
    var facet: Facet
    /// Such as `injury or condition`.
    var type: String
    /// A name of `Constraints.lists`; nil if the words decide, by the bank's `[limit]` entries.
    var list: String?
    /// The facet whose words say when there is time.
    var availability: Facet?
  }

  /// What the goal is put together from.
  let goal: [Facet]
  let timeline: Facet?
  let deeper: Facet?
  let communicationStyle: Facet?
  let checkInFrequency: Facet?
  let constraints: [ConstraintRule]
  /// Facets that are also known when somebody says there's nothing of the kind.
  let canBeNone: Set<Facet>

  static let path = "rehearsal/profile.json"

  /// - Throws: `PackError` if a member isn't what it must be, or names a facet or list that
  ///   doesn't exist.
  init(json text: String, rubric: Rubric, folder: String) throws(PackError) {
    let reader = try ProfileMapReader(text: text, rubric: rubric, file: "\(folder)/\(Self.path)")
    goal = try reader.facets("goal")
    timeline = try reader.facet(reader.root, "timeline")
    deeper = try reader.facet(reader.root, "deeper")
    communicationStyle = try reader.facet(reader.root, "communicationStyle")
    checkInFrequency = try reader.facet(reader.root, "checkInFrequency")
    constraints = try reader.constraints()
    canBeNone = Set(try reader.facets("canBeNone"))
  }
}

private struct ProfileMapReader {
  let root: JSONValue
  let rubric: Rubric
  let file: String

  init(text: String, rubric: Rubric, file: String) throws(PackError) {
    (self.rubric, self.file) = (rubric, file)
    do {
      root = try JSONValue(parsing: text)
    } catch {
      throw PackError(file: file, line: error.line, reason: error.reason)
    }
  }

  func facets(_ key: String) throws(PackError) -> [Facet] {
    try (root[key]?.arrayValue ?? []).map { value throws(PackError) in
      try facet(value, of: key)
    }
  }

  func facet(_ object: JSONValue, _ key: String) throws(PackError) -> Facet? {
    guard let value = object[key] else { return nil }
    return try facet(value, of: key)
  }

  private func facet(_ value: JSONValue, of key: String) throws(PackError) -> Facet {
    guard let facet = Facet(value.stringValue ?? ""), rubric[facet] != nil else {
      throw wrong("\(key): expected a facet of the rubric, found \(value.serialized())")
    }
    return facet
  }

  func constraints() throws(PackError) -> [ProfileMap.ConstraintRule] {
    try (root["constraints"]?.arrayValue ?? []).map { item throws(PackError) in
      let list = item["list"]?.stringValue
      let names = Constraints.lists.map(\.name)
      if let list, !names.contains(list) {
        throw wrong("list: expected one of \(names.joined(separator: ", ")), found \"\(list)\"")
      }
      guard let facet = try facet(item, "facet"), let type = item["type"]?.stringValue else {
        throw wrong("constraints: expected {\"facet\", \"type\"}, found \(item.serialized())")
      }
      return ProfileMap.ConstraintRule(
        facet: facet, type: type, list: list, availability: try self.facet(item, "availability"))
    }
  }

  private func wrong(_ reason: String) -> PackError { PackError(file: file, reason: reason) }
}
