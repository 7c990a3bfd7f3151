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
      + strangers(root, schema, at: "")
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

  /// What a model writes, and what code adds to it.
  private static var schema: JSONValue {
    func members(_ names: String) -> [(String, JSONValue)] {
      names.split(separator: " ").map { (String($0), [:]) }
    }
    return .schema(
      CoachingSystemSchema.members(addedToPersona: members("medicalDisclaimer"))
        + [("about", .schema(members("age heightCentimetres weightKilograms medical said notes")))]
        + members("source restsOn restsOnReadings restsOnAnswers unsupported missing"))
  }

  /// The members that a schema does not have.
  private static func strangers(
    _ value: JSONValue, _ schema: JSONValue, at pointer: String
  ) -> [String] {
    if let item = schema["items"] {
      return (value.arrayValue ?? []).enumerated()
        .flatMap { strangers($0.element, item, at: "\(pointer)/\($0.offset)") }
    }
    guard let known = schema["properties"]?.objectValue else { return [] }
    return (value.objectValue ?? [:]).flatMap { name, member in
      guard let inner = known[name] else {
        let names = known.names.sorted().joined(separator: ", ")
        return ["\(pointer)/\(name): expected one of \(names)"]
      }
      return strangers(member, inner, at: "\(pointer)/\(name)")
    }
  }
}
