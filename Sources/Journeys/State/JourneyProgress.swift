public import ContextQuality
public import FoundationEssentials
public import IncrementalJSON
public import Intake
public import Plans
public import Signals

/// Where somebody is in a journey and what they answered, as their account keeps it for their other devices.
/// What belongs to one device is not in it, such as permissions, nor are documents that were not approved.
public struct JourneyProgress: Hashable, Sendable, Codable {
  public var version: Int
  /// Nil after the last step.
  public var step: String?
  public var trail: [String]
  public var detour: JourneyState.Detour?
  public var units: Units
  /// By field; a step without one has its id.
  public var answers: [String: JourneyEvent.Answer]
  /// Conversations that are over.
  public var talked: [String]
  /// When to ask again, by step.
  public var reminders: [String: Date]
  /// What was agreed to, and when.
  public var consents: [String: Date]
  /// The goal and the program that were approved. A template is not anybody's.
  public var documents: [DraftedDocument]
  /// When they were approved, by kind; nil in rows of older versions.
  public var approvedAt: [String: Date]?
  public var isCompleted: Bool
  /// Nil in rows of older versions.
  public var completedAt: Date?
  /// What the person was answered with care for; nil in rows of older versions.
  public var care: [CareKind]?
  /// What they keep to themselves; nil in rows of older versions.
  public var withheld: [Facet]?

  public init(_ state: JourneyState, _ intake: IntakeState) {
    (version, step, trail, detour) = (state.version, state.step, state.trail, state.detour)
    (units, answers, talked) = (state.units, state.answers, state.talked.sorted())
    (reminders, consents) = (state.reminders, state.account.consents)
    documents = DocumentKind.allCases.compactMap { kind in
      guard let known = state.documents[kind], known.isApproved,
        known.document.source != DraftedDocument.template
      else { return nil }
      var document = known.document
      document.facts = nil
      return document
    }
    let approved = documents.compactMap { document in
      state.documents[document.kind]?.approvedAt.map { (document.kind.rawValue, $0) }
    }
    approvedAt = approved.isEmpty ? nil : Dictionary(approved) { _, last in last }
    (isCompleted, completedAt) = (state.isCompleted, state.completedAt)
    care = Set(intake.careGiven).sorted { $0.rawValue < $1.rawValue }
    withheld = intake.withheld.sorted { $0.description < $1.description }
  }

  /// Reads what comes over a network: texts without control characters, and no figure that no answer can be.
  ///
  /// - Returns: Nil if it is not a progress that this build can read.
  public init?(json: JSONValue) {
    let bytes = Data(json.visible.serializedBytes())
    guard let progress = try? JSONDecoder.events.decode(Self.self, from: bytes) else { return nil }
    self = progress
    answers = answers.filter { abs($0.value.value.number ?? 0) <= Self.largestNumber }
    for index in documents.indices {
      let body = try? JSONValue(parsing: documents[index].json)
      documents[index].json = body.map { $0.visible.serialized() } ?? "{}"
    }
  }

  private static let largestNumber = 1_000_000.0

  /// Keys in order and times in whole seconds, so that the same progress gives the same text.
  public var json: JSONValue {
    (try? JSONEncoder.events.encode(self)).flatMap { try? JSONValue(parsing: [UInt8]($0)) } ?? .null
  }
}

/// A journey as the person's account holds it.
public struct SyncedJourney: Hashable, Sendable {
  /// Something that is known, with the words that show it.
  public struct Known: Hashable, Sendable {
    public var facet: String
    public var text: String
    /// The question that it answers, as it was worded; nil for words of a conversation.
    public var step: String?
    public var wording: String?

    public init(facet: String, text: String, step: String? = nil, wording: String? = nil) {
      (self.facet, self.text, self.step, self.wording) = (facet, text, step, wording)
    }
  }

  /// The row that it is kept in.
  public var row: String
  /// Whether this session keeps its own progress in that row.
  public var isOwn: Bool
  public var updatedAt: Date
  public var progress: JourneyProgress
  public var known: [Known]
  public var profile: CoachingSystem?

  public init(
    row: String, isOwn: Bool, updatedAt: Date, progress: JourneyProgress, known: [Known] = [],
    profile: CoachingSystem? = nil
  ) {
    (self.row, self.isOwn, self.updatedAt) = (row, isOwn, updatedAt)
    (self.progress, self.known, self.profile) = (progress, known, profile)
  }
}
