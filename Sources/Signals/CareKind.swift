package import ContextQuality
import IncrementalJSON

/// Something that needs a care response first. The raw value is its pack name, such as `crisis`.
///
/// A pack lists its kinds in `care/notes.json`. The ones below are built in because they apply to
/// every domain.
public struct CareKind: RawRepresentable, Hashable, Sendable, Codable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// Signs of an emergency: help comes first.
  public static let emergency = CareKind(rawValue: "emergency")
  /// Suicide, self-harm, abuse.
  public static let crisis = CareKind(rawValue: "crisis")
  /// The user is, or seems to be, under age.
  public static let minor = CareKind(rawValue: "minor")
  /// Something that belongs to a doctor.
  public static let medical = CareKind(rawValue: "medical")

  static let inEveryPack: [CareKind] = [.emergency, .crisis, .minor, .medical]
}

/// A pack's kinds of care, most urgent first, and the notes to keep in mind afterward.
public struct CareNotes: Hashable, Sendable {
  private struct Definition: Hashable, Sendable {
    var kind: CareKind
    var note = ""
    var sendsForHelp = false
    var hidesSensitive = false
    /// A target weight below it needs this care.
    var leastBodyMassIndex: Double?
    /// What is taken for a height that nobody told: that of a short adult.
    var heightIfUnknown: Double?
  }

  private let definitions: [Definition]
  /// For models, after health data turned out to be another person's.
  public let healthOfSomebodyElse: String
  /// For models, when health data holds a reading that a doctor should see.
  public let readingForDoctor: String
  /// For models, before the title of what the user keeps private.
  public let withheld: String

  public var kinds: [CareKind] { definitions.map(\.kind) }

  /// Whether the answer tells the user to get help at once.
  public func sendsForHelp(_ kind: CareKind) -> Bool { self[kind]?.sendsForHelp ?? false }

  /// Whether to stop asking for measurements and mentioning anything sensitive.
  public func hidesSensitive(_ kind: CareKind) -> Bool { self[kind]?.hidesSensitive ?? false }

  /// What models and profiles keep in mind after such care; nil for a kind the pack does not know.
  public func note(on kind: CareKind) -> String? { self[kind]?.note }

  /// Care about a weight that somebody aims for; nil if it is not too low for their height.
  ///
  /// - Parameter heightCentimetres: Nil if it is not known: then only a weight that is too low for a short
  ///   adult needs care.
  package func care(forTarget kilograms: Double, heightCentimetres: Double?) -> CareFinding? {
    let found = definitions.first { definition in
      guard let least = definition.leastBodyMassIndex,
        let height = heightCentimetres ?? definition.heightIfUnknown
      else { return false }
      return kilograms < least * (height / 100) * (height / 100)
    }
    return found.map { CareFinding(kind: $0.kind, name: $0.kind.rawValue, concernsUser: true) }
  }

  private subscript(_ kind: CareKind) -> Definition? { definitions.first { $0.kind == kind } }
}

extension CareNotes {
  /// The default without a pack: emergency and crisis send for help.
  public static let minimum = CareNotes()

  private init() {
    definitions = CareKind.inEveryPack.map { kind in
      Definition(kind: kind, sendsForHelp: kind == .emergency || kind == .crisis)
    }
    (healthOfSomebodyElse, readingForDoctor, withheld) = ("", "", "")
  }

  /// Reads a pack's `care/notes.json`.
  ///
  /// - Throws: `PackError` if a member is missing or is invalid, or if a required kind is
  ///   missing.
  package init(json text: String, file: String) throws(PackError) {
    let document = try PackDocument(text, file: file)
    guard let items = document.root["kinds"]?.arrayValue, !items.isEmpty else {
      let found = document.root["kinds"]?.serialized() ?? "nothing"
      throw document.wrong("kinds: expected a list, found \(found)", at: "kinds")
    }
    let root = document.root
    var faults = PackFaults()
    faults.gather(
      try document.checkKeys(
        of: root, ["kinds", "healthOfSomebodyElse", "readingForDoctor", "withheld"]))
    definitions = faults.gather(each: items) { item throws(PackError) in
      try Self.definition(item, document)
    }
    healthOfSomebodyElse = faults.gather(try document.text(root, "healthOfSomebodyElse")) ?? ""
    readingForDoctor = faults.gather(try document.text(root, "readingForDoctor")) ?? ""
    withheld = faults.gather(try document.text(root, "withheld")) ?? ""
    let kinds = Set(kinds)
    if kinds.count < definitions.count {
      faults.add(document.wrong("kinds: expected each kind once", at: "kinds"))
    }
    for missing in CareKind.inEveryPack where !kinds.contains(missing) {
      faults.add(document.wrong("kinds: expected also \"\(missing.rawValue)\"", at: "kinds"))
    }
    try faults.raise()
  }

  private static func definition(
    _ item: JSONValue, _ document: PackDocument
  ) throws(PackError) -> Definition {
    try document.checkKeys(
      of: item,
      [
        "kind", "note", "sendsForHelp", "hidesSensitive", "leastBodyMassIndex", "heightIfUnknown",
        "source",
      ])
    return Definition(
      kind: CareKind(rawValue: try document.text(item, "kind")),
      note: try document.text(item, "note"),
      sendsForHelp: item["sendsForHelp"]?.boolValue ?? false,
      hidesSensitive: item["hidesSensitive"]?.boolValue ?? false,
      leastBodyMassIndex: item["leastBodyMassIndex"]?.doubleValue,
      heightIfUnknown: item["heightIfUnknown"]?.doubleValue)
  }
}

/// A care net match.
public struct CareFinding: Hashable, Sendable, Codable {
  public var kind: CareKind
  /// The response text's name, such as `crisis-abuse`.
  public var name: String
  /// False if it is about another person, such as a child's diet.
  public var concernsUser: Bool
}
