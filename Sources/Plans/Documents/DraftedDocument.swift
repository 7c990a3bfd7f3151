import IncrementalJSON

/// What a model drafts.
public enum DocumentKind: String, Hashable, Sendable, CaseIterable, Codable {
  case goal, program
}

/// A label and its text, such as `Daily target` and `1800 kcal`.
public struct DocumentRow: Hashable, Sendable, Codable {
  public var label: String
  public var value: String
  /// Whether the rows up to the next heading belong to it; nil for no.
  public var isHeading: Bool?

  public init(label: String, value: String, isHeading: Bool = false) {
    (self.label, self.value, self.isHeading) = (label, value, isHeading ? true : nil)
  }
}

/// A goal contract or a program.
public struct DraftedDocument: Hashable, Sendable, Codable {
  public var kind: DocumentKind
  /// The document as a JSON object.
  public var json: String
  /// How it is shown: every field with its text.
  public var rows: [DocumentRow]
  /// What texts can name as `{{program.first}}`.
  public var values: [String: String]
  /// `template`, or the model.
  public var source: String
  /// Something to know about it, such as that it is a template.
  public var note: String?
  /// A fingerprint of what it was drafted from; nil if that is not known, such as in logs of before.
  public var facts: String?

  public init(
    kind: DocumentKind, json: String, rows: [DocumentRow], values: [String: String] = [:],
    source: String, note: String? = nil
  ) {
    (self.kind, self.json, self.rows) = (kind, json, rows)
    (self.values, self.source, self.note) = (values, source, note)
  }

  public static let template = "template"

  /// Nil if it is a program, or holds no goal.
  public var goal: GoalContract? {
    guard kind == .goal else { return nil }
    return (try? JSONValue(parsing: json)).flatMap(GoalContract.init(json:))
  }

  /// Nil if it is a goal, or holds no session.
  public var program: TrainingProgram? {
    guard kind == .program else { return nil }
    return (try? JSONValue(parsing: json)).flatMap(TrainingProgram.init(json:))
  }
}

/// A change that somebody asked for, before it is applied.
public struct DocumentEdit: Hashable, Sendable, Codable {
  public struct Line: Hashable, Sendable, Codable {
    public enum Change: String, Hashable, Sendable, Codable { case same, removed, added }
    public var change: Change
    public var text: String

    public init(_ change: Change, _ text: String) { (self.change, self.text) = (change, text) }
  }
  /// What the person asked for.
  public var words: String
  public var document: DraftedDocument
  public var diff: [Line]
  /// What it contradicts, for the person; nil if nothing.
  public var contradiction: String?
  /// Whether it takes back the last change. Nil in logs of before.
  public package(set) var isUndo: Bool?

  public init(
    words: String, document: DraftedDocument, diff: [Line], contradiction: String? = nil
  ) {
    (self.words, self.document, self.diff) = (words, document, diff)
    self.contradiction = contradiction
  }
}
