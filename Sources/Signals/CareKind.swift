package import ContextQuality
import IncrementalJSON

/// What must be answered with care before anything else, by its name in the pack, such as `crisis`.
///
/// A pack names the kinds it knows in `care/notes.json`. Code knows the few below by name, because
/// they hold in every domain.
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

/// The kinds of care a pack knows, the most urgent first, and what is kept in mind afterwards.
public struct CareNotes: Hashable, Sendable {
  private struct Definition: Hashable, Sendable {
    var kind: CareKind
    var note = ""
    var sendsForHelp = false
    var hidesWeight = false
  }

  private let definitions: [Definition]
  /// For models, after health data turned out to be another person's.
  public let healthOfSomebodyElse: String
  /// For models, when health data holds a reading that a doctor should see.
  public let readingForDoctor: String
  /// For models, in front of the title of what the user keeps private.
  public let withheld: String

  public var kinds: [CareKind] { definitions.map(\.kind) }

  /// Whether the answer tells the user to get help at once.
  public func sendsForHelp(_ kind: CareKind) -> Bool { self[kind]?.sendsForHelp ?? false }

  /// Whether nobody asks for weight or speaks of weight and calories afterwards.
  public func hidesWeight(_ kind: CareKind) -> Bool { self[kind]?.hidesWeight ?? false }

  /// What models and profiles keep in mind after such care; nil for a kind the pack doesn't know.
  public func note(on kind: CareKind) -> String? { self[kind]?.note }

  private subscript(_ kind: CareKind) -> Definition? { definitions.first { $0.kind == kind } }
}

extension CareNotes {
  /// What holds without a pack: an emergency and a crisis send for help.
  public static let minimum = CareNotes()

  private init() {
    definitions = CareKind.inEveryPack.map { kind in
      Definition(kind: kind, sendsForHelp: kind == .emergency || kind == .crisis)
    }
    (healthOfSomebodyElse, readingForDoctor, withheld) = ("", "", "")
  }

  /// Reads a pack's `care/notes.json`.
  ///
  /// - Throws: `PackError` if a member is missing or isn't what it must be, or if a kind that every
  ///   pack needs is missing.
  package init(json text: String, file: String) throws(PackError) {
    let document = try PackDocument(text, file: file)
    guard let items = document.root["kinds"]?.arrayValue, !items.isEmpty else {
      let found = document.root["kinds"]?.serialized() ?? "nothing"
      throw document.wrong("kinds: expected a list, found \(found)")
    }
    definitions = try items.map { item throws(PackError) in
      Definition(
        kind: CareKind(rawValue: try document.text(item, "kind")),
        note: try document.text(item, "note"),
        sendsForHelp: item["sendsForHelp"]?.boolValue ?? false,
        hidesWeight: item["hidesWeight"]?.boolValue ?? false)
    }
    healthOfSomebodyElse = try document.text(document.root, "healthOfSomebodyElse")
    readingForDoctor = try document.text(document.root, "readingForDoctor")
    withheld = try document.text(document.root, "withheld")
    let kinds = Set(kinds)
    if kinds.count < definitions.count { throw document.wrong("kinds: expected each kind once") }
    if let missing = CareKind.inEveryPack.first(where: { !kinds.contains($0) }) {
      throw document.wrong("kinds: expected also \"\(missing.rawValue)\"")
    }
  }
}

/// What the net caught.
public struct CareFinding: Hashable, Sendable, Codable {
  public var kind: CareKind
  /// The text that answers it, such as `crisis-abuse`.
  public var name: String
  /// False if it is about somebody else, as a diet for a child is.
  public var concernsUser: Bool

  public init(kind: CareKind, name: String, concernsUser: Bool) {
    self.kind = kind
    self.name = name
    self.concernsUser = concernsUser
  }
}
