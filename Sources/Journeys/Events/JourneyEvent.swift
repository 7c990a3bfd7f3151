public import FoundationEssentials
public import Intake

/// Something that happened in a journey, in the session's log beside the intake's own events.
public enum JourneyEvent: Hashable, Sendable {
  case started(Start)
  case moved(Move)
  case answered(Answer)
  case unitsChosen(Units)
  /// A fixed care text is due before anything else.
  case cared(Care)
  case careSeen
  case codeSent(email: String)
  /// Nobody waits for the code anymore.
  case codeDropped
  case consented(Consent)
  case signedIn(email: String)
  /// The sign-in ended outside the journey.
  case signedOut
  /// Everything stays on this machine.
  case keptLocal
  case permission(Permission, granted: Bool)
  case reminder(Reminder)
  /// The conversation of a step is over.
  case talked(step: String)
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
  case migrated(Migrated)
  /// Something is asked before it happens.
  case asked(Question)
  /// It does not happen.
  case questionDropped
  /// What is said about what the person just did. Says nothing anymore if it is empty.
  case remarked(Remark)
  case broughtOver(BroughtOver)
  case completed

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

  public struct Move: Hashable, Sendable, Codable {
    public enum Way: String, Hashable, Sendable, Codable {
      case forward, back
      /// From the target on, everything is asked again.
      case restart
      /// Into the steps of a reminder.
      case detour
      /// Back from them, to where the person was.
      case rejoin
    }
    /// Nil: the end.
    public var to: String?
    public var way: Way
    /// The steps whose answers are dropped.
    public var drops: [String]?
    /// In a detour, its last step.
    public var last: String?
  }

  public struct Answer: Hashable, Sendable, Codable {
    public var step: String
    public var field: String?
    public var value: AnswerValue
    /// The question as the person saw it.
    public var wording: String
    /// The answer as it is shown, such as an option's label.
    public var label: String
    /// False for a default that was not touched, and for a suggestion that was only picked.
    public var isOwn: Bool
  }

  public struct Care: Hashable, Sendable, Codable {
    public var step: String
    public var kind: String
    public var name: String
    public var text: String
    /// The step cannot be left until the answer changes.
    public var holds: Bool
  }

  public struct Consent: Hashable, Sendable, Codable {
    public var step: String
    /// What was agreed to, as it was worded. The time is the event's.
    public var items: [String: String]
    /// What was taken back.
    public var withdrawn: [String]?
  }

  public struct Reminder: Hashable, Sendable, Codable {
    public enum Change: String, Hashable, Sendable, Codable { case set, postponed, done, never }
    public var step: String
    public var change: Change
    public var due: Date?
  }

  /// A question that lies over the step until it is answered.
  public enum Question: Hashable, Sendable {
    /// What was skipped is due again.
    case reminder(step: String)
    /// Going back from the step that is shown.
    case back
    /// Everything from a step on.
    case startOver(from: String)
    /// A document that the person changed or approved, since what it rests on has changed.
    case renewal(DocumentKind)
  }

  public struct Remark: Hashable, Sendable, Codable {
    /// What is wrong with it.
    public var problem: String?
    /// Whether the step's tip is open.
    public var showsInfo: Bool
    /// A refused address, for the person to fix.
    public var email: String?

    var isEmpty: Bool { problem == nil && !showsInfo && email == nil }
  }

  public struct Migrated: Hashable, Sendable, Codable {
    public var from: Int
    public var to: Int
    /// The step the person is on now; nil for the first one.
    public var step: String?
    /// All answers in the new version's fields and units.
    public var answers: [String: Answer]
    /// The shown steps before it.
    public var trail: [String]
    /// The conversations that are over; nil in logs of before, which kept the old names.
    public var talked: Set<String>?
    /// When to ask again, by step; nil as above.
    public var reminders: [String: Date]?
    /// The reminder's steps that the person is walking through.
    public var detour: JourneyState.Detour?
  }

  /// The person continued elsewhere, and resumes from there.
  public struct BroughtOver: Hashable, Sendable, Codable {
    /// The account's row, which this session keeps from now on.
    public var row: String
    /// Its documents follow as events of their own.
    public var progress: JourneyProgress
  }
}

extension JourneyEvent: SessionEvent {
  public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case journeyStarted, journeyMoved, journeyAnswered, journeyUnitsChosen, journeyCared
    case journeyCareSeen, journeyCodeSent, journeyCodeDropped, journeyConsented, journeySignedIn
    case journeySignedOut, journeyKeptLocal, journeyPermission, journeyReminder, journeyTalked
    case journeyDrafted, journeyDocumentDropped, journeyDocumentKept, journeyEditProposed
    case journeyEditDropped, journeyEdited, journeyEditUndone, journeyApproved, journeyMigrated
    case journeyAsked, journeyQuestionDropped, journeyRemarked, journeyBroughtOver
    case journeyCompleted
  }

  public static func version(of kind: Kind) -> Int { 1 }

  public var kind: Kind { content.kind }

  private var content: (kind: Kind, payload: (any Encodable)?) {
    switch self {
    case .started(let start): (.journeyStarted, start)
    case .moved(let move): (.journeyMoved, move)
    case .answered(let answer): (.journeyAnswered, answer)
    case .unitsChosen(let units): (.journeyUnitsChosen, ["units": units])
    case .cared(let care): (.journeyCared, care)
    case .careSeen: (.journeyCareSeen, nil)
    case .codeSent(let email): (.journeyCodeSent, ["email": email])
    case .codeDropped: (.journeyCodeDropped, nil)
    case .consented(let consent): (.journeyConsented, consent)
    case .signedIn(let email): (.journeySignedIn, ["email": email])
    case .signedOut: (.journeySignedOut, nil)
    case .keptLocal: (.journeyKeptLocal, nil)
    case .permission(let permission, let granted):
      (.journeyPermission, PermissionAnswer(permission: permission, granted: granted))
    case .reminder(let reminder): (.journeyReminder, reminder)
    case .talked(let step): (.journeyTalked, ["step": step])
    case .drafted(let document): (.journeyDrafted, document)
    case .documentDropped(let document): (.journeyDocumentDropped, ["document": document])
    case .documentKept(let document, let facts):
      (.journeyDocumentKept, ["document": document.rawValue, "facts": facts])
    case .editProposed(let edit): (.journeyEditProposed, edit)
    case .editDropped(let document): (.journeyEditDropped, ["document": document])
    case .edited(let document): (.journeyEdited, ["document": document])
    case .editUndone(let document): (.journeyEditUndone, ["document": document])
    case .approved(let document, let date):
      (.journeyApproved, Approval(document: document, approvedAt: date))
    case .migrated(let migrated): (.journeyMigrated, migrated)
    case .asked(let question): (.journeyAsked, question)
    case .questionDropped: (.journeyQuestionDropped, nil)
    case .remarked(let remark): (.journeyRemarked, remark)
    case .broughtOver(let broughtOver): (.journeyBroughtOver, broughtOver)
    case .completed: (.journeyCompleted, nil)
    }
  }

  private struct PermissionAnswer: Codable {
    var permission: Permission
    var granted: Bool
  }

  private struct Approval: Codable {
    var document: DocumentKind
    var approvedAt: Date?
  }

  private enum Key: String, CodingKey {
    case type, email, step, units, document, facts
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func document() throws -> DocumentKind {
      try container.decode(DocumentKind.self, forKey: .document)
    }
    switch try container.decode(Kind.self, forKey: .type) {
    case .journeyStarted: self = .started(try Start(from: decoder))
    case .journeyMoved: self = .moved(try Move(from: decoder))
    case .journeyAnswered: self = .answered(try Answer(from: decoder))
    case .journeyUnitsChosen: self = .unitsChosen(try container.decode(Units.self, forKey: .units))
    case .journeyCared: self = .cared(try Care(from: decoder))
    case .journeyCareSeen: self = .careSeen
    case .journeyCodeSent:
      self = .codeSent(email: try container.decode(String.self, forKey: .email))
    case .journeyCodeDropped: self = .codeDropped
    case .journeyConsented: self = .consented(try Consent(from: decoder))
    case .journeySignedIn:
      self = .signedIn(email: try container.decode(String.self, forKey: .email))
    case .journeySignedOut: self = .signedOut
    case .journeyKeptLocal: self = .keptLocal
    case .journeyPermission:
      let answer = try PermissionAnswer(from: decoder)
      self = .permission(answer.permission, granted: answer.granted)
    case .journeyReminder: self = .reminder(try Reminder(from: decoder))
    case .journeyTalked: self = .talked(step: try container.decode(String.self, forKey: .step))
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
      let approval = try Approval(from: decoder)
      self = .approved(approval.document, at: approval.approvedAt)
    case .journeyMigrated: self = .migrated(try Migrated(from: decoder))
    case .journeyAsked: self = .asked(try Question(from: decoder))
    case .journeyQuestionDropped: self = .questionDropped
    case .journeyRemarked: self = .remarked(try Remark(from: decoder))
    case .journeyBroughtOver: self = .broughtOver(try BroughtOver(from: decoder))
    case .journeyCompleted: self = .completed
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    let content = content
    try container.encode(content.kind, forKey: .type)
    try content.payload?.encode(to: encoder)
  }
}

extension JourneyEvent.Question: Codable {
  private enum About: String, Codable { case reminder, back, startOver, renewal }
  private enum Key: String, CodingKey { case about, step, document }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self =
      switch try container.decode(About.self, forKey: .about) {
      case .reminder: .reminder(step: try container.decode(String.self, forKey: .step))
      case .back: .back
      case .startOver: .startOver(from: try container.decode(String.self, forKey: .step))
      case .renewal: .renewal(try container.decode(DocumentKind.self, forKey: .document))
      }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .reminder(let step):
      try container.encode(About.reminder, forKey: .about)
      try container.encode(step, forKey: .step)
    case .back: try container.encode(About.back, forKey: .about)
    case .startOver(let step):
      try container.encode(About.startOver, forKey: .about)
      try container.encode(step, forKey: .step)
    case .renewal(let kind):
      try container.encode(About.renewal, forKey: .about)
      try container.encode(kind, forKey: .document)
    }
  }
}
