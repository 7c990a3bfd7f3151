import ContextQuality
import IncrementalJSON

/// Checks any JSON against the rules for a coaching system.
public enum ProfileValidation {
  /// The problems; empty if there are none. Unknown fields come last.
  ///
  /// A problem names its place with a JSON Pointer, or a line and column if the text is not JSON.
  /// Every field is checked. Optional fields may be absent, and those that the profile lists under
  /// `missing`.
  public static func problems(in text: String) -> [String] {
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONValue(parsing: text)
    } catch {
      return [error.description]
    }
    var reader = SynthesisReader(today: nil)
    _ = reader.read(root)
    let declared = Set((root["missing"]?.arrayValue ?? []).compactMap(\.stringValue))
    let problems = reader.problems.filter { !($0.isAbsence && declared.contains($0.pointer)) }
    return problems.map(\.description) + source(root) + disclaimer(root)
      + strangers(root, shape, at: "")
  }

  private static func source(_ root: JSONValue) -> [String] {
    guard let value = root["source"] else { return [] }
    if value.stringValue.flatMap(ProfileSource.init(rawValue:)) != nil { return [] }
    return ["/source: expected \(ProfileSource.rehearsal.rawValue), found \(value.serialized())"]
  }

  private static func disclaimer(_ root: JSONValue) -> [String] {
    let value = root["personaProfile"]?["medicalDisclaimer"]
    guard value?.stringValue?.trimmed.isEmpty ?? true else { return [] }
    let found = value?.serialized() ?? "nothing"
    return ["/personaProfile/medicalDisclaimer: expected a text, found \(found)"]
  }

  /// The allowed keys at each place; an array's items are under `[]`.
  private indirect enum Shape: Sendable {
    case leaf
    case object([String: Shape])
    case list(Shape)
  }

  private static let shape = Shape.object([
    "personaProfile": keys(
      "role personality philosophy communicationStyle medicalDisclaimer",
      ["toneModulation": .list(keys("when tone"))]),
    "userGoals": keys("primary timeline deeper milestones"),
    "constraints": .object(
      Dictionary(
        uniqueKeysWithValues: Constraints.lists.map { ($0.name, Shape.list(constraint)) })),
    "coachingPlan": keys(
      "approach checkInFrequency initialFocus styleNotes redFlags firstAction"),
    "about": keys("age heightCentimetres weightKilograms medical said notes"),
    "source": .leaf, "restsOn": .leaf, "restsOnReadings": .leaf,
    "restsOnAnswers": .leaf, "unsupported": .leaf,
    "missing": .leaf,
  ])

  private static let constraint = keys(
    "type detail severity limitations impact availability notedAt startsAt expiresAt")

  private static func keys(_ names: String, _ more: [String: Shape] = [:]) -> Shape {
    let plain = names.split(separator: " ").map { (String($0), Shape.leaf) }
    return .object(more.merging(plain) { first, _ in first })
  }

  private static func strangers(_ value: JSONValue, _ shape: Shape, at pointer: String) -> [String]
  {
    switch shape {
    case .leaf: return []
    case .list(let item):
      return (value.arrayValue ?? []).enumerated()
        .flatMap { strangers($0.element, item, at: "\(pointer)/\($0.offset)") }
    case .object(let known):
      return (value.objectValue ?? [:]).flatMap { name, member in
        guard let inner = known[name] else {
          return [
            "\(pointer)/\(name): expected one of \(known.keys.sorted().joined(separator: ", "))"
          ]
        }
        return strangers(member, inner, at: "\(pointer)/\(name)")
      }
    }
  }
}
