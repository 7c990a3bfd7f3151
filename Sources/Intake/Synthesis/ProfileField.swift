import IncrementalJSON

/// What a model writes into a profile besides the constraints.
struct ProfileField {
  enum Section: String { case personaProfile, userGoals, coachingPlan }

  enum Content {
    case text(WritableKeyPath<CoachingSystem, String?>)
    case list(WritableKeyPath<CoachingSystem, [String]?>)
    case tones(WritableKeyPath<CoachingSystem, [PersonaProfile.ToneShift]?>)
  }

  let section: Section
  let name: String
  let content: Content
  /// Whether a profile can do without it.
  var isOptional = false

  /// In the order in which they are asked for, read and shown.
  static var all: [ProfileField] {
    func text(
      _ section: Section, _ name: String, _ path: WritableKeyPath<CoachingSystem, String?>,
      isOptional: Bool = false
    ) -> ProfileField {
      .init(section: section, name: name, content: .text(path), isOptional: isOptional)
    }
    func list(
      _ section: Section, _ name: String, _ path: WritableKeyPath<CoachingSystem, [String]?>
    ) -> ProfileField {
      .init(section: section, name: name, content: .list(path))
    }
    return [
      text(.personaProfile, "role", \.personaProfile.role),
      list(.personaProfile, "personality", \.personaProfile.personality),
      text(.personaProfile, "philosophy", \.personaProfile.philosophy),
      text(.personaProfile, "communicationStyle", \.personaProfile.communicationStyle),
      .init(
        section: .personaProfile, name: "toneModulation",
        content: .tones(\.personaProfile.toneModulation)),
      text(.userGoals, "primary", \.userGoals.primary, isOptional: true),
      text(.userGoals, "timeline", \.userGoals.timeline, isOptional: true),
      text(.userGoals, "deeper", \.userGoals.deeper, isOptional: true),
      list(.userGoals, "milestones", \.userGoals.milestones),
      text(.coachingPlan, "approach", \.coachingPlan.approach),
      text(
        .coachingPlan, "checkInFrequency", \.coachingPlan.checkInFrequency, isOptional: true),
      list(.coachingPlan, "initialFocus", \.coachingPlan.initialFocus),
      list(.coachingPlan, "styleNotes", \.coachingPlan.styleNotes),
      list(.coachingPlan, "redFlags", \.coachingPlan.redFlags),
      text(.coachingPlan, "firstAction", \.coachingPlan.firstAction),
    ]
  }

  static func all(in section: Section) -> [ProfileField] { all.filter { $0.section == section } }

  /// The goal, its date and its reason, which have to rest on something.
  static var grounded: [ProfileField] { all(in: .userGoals).filter(\.isOptional) }

  /// Whether the user can have it changed. Who the coach is stays.
  var isAmendable: Bool { section != .personaProfile || name == "communicationStyle" }

  /// The most items of a list; nil for any number.
  var most: Int? { name == "initialFocus" ? SynthesisReader.mostInitialFocus : nil }

  /// The JSON Pointer to it.
  var pointer: String { "/\(section.rawValue)/\(name)" }

  var schema: JSONValue {
    switch content {
    case .text where isOptional: ["type": ["string", "null"]]
    case .text: ["type": "string"]
    case .list: ["type": "array", "items": ["type": "string"]]
    case .tones: .schema(list: [("when", ["type": "string"]), ("tone", ["type": "string"])])
    }
  }
}

extension CoachingSystem {
  /// The text or texts of a field; empty if it is open.
  func texts(of field: ProfileField) -> [String] {
    switch field.content {
    case .text(let path): self[keyPath: path].map { [$0] } ?? []
    case .list(let path): self[keyPath: path] ?? []
    case .tones: []
    }
  }

  /// A field as JSON; nil if it is open.
  func json(of field: ProfileField) -> JSONValue? {
    switch field.content {
    case .text(let path): self[keyPath: path].map { .string($0) }
    case .list(let path): self[keyPath: path].map { .strings($0) }
    case .tones(let path):
      self[keyPath: path].map { shifts in
        .array(shifts.map { ["when": .string($0.when), "tone": .string($0.tone)] })
      }
    }
  }

  /// Keeps only texts that a field may have. A list that loses all of them is open.
  mutating func filter(_ field: ProfileField, _ isKept: (String) -> Bool) {
    switch field.content {
    case .text(let path):
      self[keyPath: path] = self[keyPath: path].flatMap { isKept($0) ? $0 : nil }
    case .list(let path):
      guard let list = self[keyPath: path], !list.isEmpty else { return }
      let kept = list.filter(isKept)
      self[keyPath: path] = kept.isEmpty ? nil : kept
    case .tones: break
    }
  }
}
