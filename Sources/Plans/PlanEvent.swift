public import FoundationEssentials
public import Intake

/// Something that happened to somebody's goal or program, in the session's log. The journeys that lead to
/// them write it beside their own events.
public enum PlanEvent: Hashable, Sendable {
  case started(Start)
  case unitsChosen(Units)
  case drafted(DraftedDocument)
  /// It goes, to be drafted again from what has changed.
  case documentDropped(DocumentKind)
  /// It stays, and counts as drafted from what is known now.
  case documentKept(DocumentKind, facts: String)
  case editProposed(DocumentEdit)
  case editDropped(DocumentKind)
  /// The proposed edit holds.
  case edited(DocumentKind)
  case editUndone(DocumentKind)
  /// - Parameter at: When that was, if it was on another device; nil for now.
  case approved(DocumentKind, at: Date? = nil)

  /// The journey that leads to a plan.
  public struct Start: Hashable, Sendable, Codable {
    public var journey: String
    public var version: Int
    public var pack: String
    public var units: Units
    /// Such as `Europe/Berlin`.
    public var timeZone: String
    /// Begun offline: it stays on this machine. Nil in logs of before.
    public var isLocal: Bool?
    /// Started over: nothing is brought over from another device. Nil if the person did not say so.
    public var startsOver: Bool?

    public init(
      journey: String, version: Int, pack: String, units: Units, timeZone: String,
      isLocal: Bool? = nil, startsOver: Bool? = nil
    ) {
      (self.journey, self.version, self.pack) = (journey, version, pack)
      (self.units, self.timeZone) = (units, timeZone)
      (self.isLocal, self.startsOver) = (isLocal, startsOver)
    }
  }
}

extension RecordedEvent {
  /// Whether a person was in a journey.
  package var isOfJourney: Bool { envelope.kind.hasPrefix("journey") }
}

extension PlanEvent: SessionEvent {
  public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case journeyStarted, journeyUnitsChosen, journeyDrafted, journeyDocumentDropped
    case journeyDocumentKept, journeyEditProposed, journeyEditDropped, journeyEdited
    case journeyEditUndone, journeyApproved
  }

  public static func version(of kind: Kind) -> Int { 1 }

  public var kind: Kind { content.kind }

  private var content: (kind: Kind, payload: any Encodable) {
    switch self {
    case .started(let start): (.journeyStarted, start)
    case .unitsChosen(let units): (.journeyUnitsChosen, ["units": units])
    case .drafted(let document): (.journeyDrafted, document)
    case .documentDropped(let document): (.journeyDocumentDropped, About(document: document))
    case .documentKept(let document, let facts):
      (.journeyDocumentKept, About(document: document, facts: facts))
    case .editProposed(let edit): (.journeyEditProposed, edit)
    case .editDropped(let document): (.journeyEditDropped, About(document: document))
    case .edited(let document): (.journeyEdited, About(document: document))
    case .editUndone(let document): (.journeyEditUndone, About(document: document))
    case .approved(let document, let date):
      (.journeyApproved, About(document: document, approvedAt: date))
    }
  }

  private struct About: Codable {
    var document: DocumentKind
    var facts: String?
    var approvedAt: Date?
  }

  private enum Key: String, CodingKey { case type, units, facts }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func document() throws -> DocumentKind { try About(from: decoder).document }
    switch try container.decode(Kind.self, forKey: .type) {
    case .journeyStarted: self = .started(try Start(from: decoder))
    case .journeyUnitsChosen: self = .unitsChosen(try container.decode(Units.self, forKey: .units))
    case .journeyDrafted: self = .drafted(try DraftedDocument(from: decoder))
    case .journeyDocumentDropped: self = .documentDropped(try document())
    case .journeyDocumentKept:
      self = .documentKept(
        try document(), facts: try container.decode(String.self, forKey: .facts))
    case .journeyEditProposed: self = .editProposed(try DocumentEdit(from: decoder))
    case .journeyEditDropped: self = .editDropped(try document())
    case .journeyEdited: self = .edited(try document())
    case .journeyEditUndone: self = .editUndone(try document())
    case .journeyApproved:
      let about = try About(from: decoder)
      self = .approved(about.document, at: about.approvedAt)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    let content = content
    try container.encode(content.kind, forKey: .type)
    try content.payload.encode(to: encoder)
  }
}
