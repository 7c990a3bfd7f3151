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
  /// It doesn't happen.
  case questionDropped
  /// What is said about what the person just did. Says nothing anymore if it's empty.
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
    /// Begun anew: nothing is brought over from another device. Nil if the person didn't say so.
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
    /// The answer as it's shown, such as an option's label.
    public var label: String
    /// False for a default that wasn't touched, and for a suggestion that was only picked.
    public var isOwn: Bool
  }

  public struct Care: Hashable, Sendable, Codable {
    public var step: String
    public var kind: String
    public var name: String
    public var text: String
    /// The step can't be left until the answer changes.
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

  /// A question that lies over the step until it's answered.
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
    /// What's wrong with it.
    public var problem: String?
    /// Whether the step's tip is open.
    public var showsInfo: Bool
    /// An address that was refused, to be mended.
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

  /// The person went on elsewhere, and goes on from there.
  public struct BroughtOver: Hashable, Sendable, Codable {
    /// The account's row, which this session keeps from now on.
    public var row: String
    /// Its documents follow as events of their own.
    public var progress: JourneyProgress
  }
}

extension JourneyEvent: SessionEvent {
  public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case started = "journeyStarted"
    case moved = "journeyMoved"
    case answered = "journeyAnswered"
    case unitsChosen = "journeyUnitsChosen"
    case cared = "journeyCared"
    case careSeen = "journeyCareSeen"
    case codeSent = "journeyCodeSent"
    case codeDropped = "journeyCodeDropped"
    case consented = "journeyConsented"
    case signedIn = "journeySignedIn"
    case signedOut = "journeySignedOut"
    case keptLocal = "journeyKeptLocal"
    case permission = "journeyPermission"
    case reminder = "journeyReminder"
    case talked = "journeyTalked"
    case drafted = "journeyDrafted"
    case documentDropped = "journeyDocumentDropped"
    case documentKept = "journeyDocumentKept"
    case editProposed = "journeyEditProposed"
    case editDropped = "journeyEditDropped"
    case edited = "journeyEdited"
    case editUndone = "journeyEditUndone"
    case approved = "journeyApproved"
    case migrated = "journeyMigrated"
    case asked = "journeyAsked"
    case questionDropped = "journeyQuestionDropped"
    case remarked = "journeyRemarked"
    case broughtOver = "journeyBroughtOver"
    case completed = "journeyCompleted"
  }

  public static func version(of kind: Kind) -> Int { 1 }

  public var kind: Kind {
    switch self {
    case .started: .started
    case .moved: .moved
    case .answered: .answered
    case .unitsChosen: .unitsChosen
    case .cared: .cared
    case .careSeen: .careSeen
    case .codeSent: .codeSent
    case .codeDropped: .codeDropped
    case .consented: .consented
    case .signedIn: .signedIn
    case .signedOut: .signedOut
    case .keptLocal: .keptLocal
    case .permission: .permission
    case .reminder: .reminder
    case .talked: .talked
    case .drafted: .drafted
    case .documentDropped: .documentDropped
    case .documentKept: .documentKept
    case .editProposed: .editProposed
    case .editDropped: .editDropped
    case .edited: .edited
    case .editUndone: .editUndone
    case .approved: .approved
    case .migrated: .migrated
    case .asked: .asked
    case .questionDropped: .questionDropped
    case .remarked: .remarked
    case .broughtOver: .broughtOver
    case .completed: .completed
    }
  }

  private enum Key: String, CodingKey {
    case type, email, permission, granted, step, units, document, facts, approvedAt
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func document() throws -> DocumentKind {
      try container.decode(DocumentKind.self, forKey: .document)
    }
    switch try container.decode(Kind.self, forKey: .type) {
    case .started: self = .started(try Start(from: decoder))
    case .moved: self = .moved(try Move(from: decoder))
    case .answered: self = .answered(try Answer(from: decoder))
    case .unitsChosen: self = .unitsChosen(try container.decode(Units.self, forKey: .units))
    case .cared: self = .cared(try Care(from: decoder))
    case .careSeen: self = .careSeen
    case .codeSent: self = .codeSent(email: try container.decode(String.self, forKey: .email))
    case .codeDropped: self = .codeDropped
    case .consented: self = .consented(try Consent(from: decoder))
    case .signedIn: self = .signedIn(email: try container.decode(String.self, forKey: .email))
    case .signedOut: self = .signedOut
    case .keptLocal: self = .keptLocal
    case .permission:
      self = .permission(
        try container.decode(Permission.self, forKey: .permission),
        granted: try container.decode(Bool.self, forKey: .granted))
    case .reminder: self = .reminder(try Reminder(from: decoder))
    case .talked: self = .talked(step: try container.decode(String.self, forKey: .step))
    case .drafted: self = .drafted(try DraftedDocument(from: decoder))
    case .documentDropped: self = .documentDropped(try document())
    case .documentKept:
      self = .documentKept(
        try document(), facts: try container.decode(String.self, forKey: .facts))
    case .editProposed: self = .editProposed(try DocumentEdit(from: decoder))
    case .editDropped: self = .editDropped(try document())
    case .edited: self = .edited(try document())
    case .editUndone: self = .editUndone(try document())
    case .approved:
      self = .approved(
        try document(), at: try container.decodeIfPresent(Date.self, forKey: .approvedAt))
    case .migrated: self = .migrated(try Migrated(from: decoder))
    case .asked: self = .asked(try Question(from: decoder))
    case .questionDropped: self = .questionDropped
    case .remarked: self = .remarked(try Remark(from: decoder))
    case .broughtOver: self = .broughtOver(try BroughtOver(from: decoder))
    case .completed: self = .completed
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(kind, forKey: .type)
    switch self {
    case .started(let payload): try payload.encode(to: encoder)
    case .moved(let payload): try payload.encode(to: encoder)
    case .answered(let payload): try payload.encode(to: encoder)
    case .unitsChosen(let units): try container.encode(units, forKey: .units)
    case .cared(let payload): try payload.encode(to: encoder)
    case .codeSent(let email), .signedIn(let email): try container.encode(email, forKey: .email)
    case .consented(let payload): try payload.encode(to: encoder)
    case .permission(let permission, let granted):
      try container.encode(permission, forKey: .permission)
      try container.encode(granted, forKey: .granted)
    case .reminder(let payload): try payload.encode(to: encoder)
    case .talked(let step): try container.encode(step, forKey: .step)
    case .drafted(let payload): try payload.encode(to: encoder)
    case .editProposed(let payload): try payload.encode(to: encoder)
    case .documentKept(let document, let facts):
      try container.encode(document, forKey: .document)
      try container.encode(facts, forKey: .facts)
    case .documentDropped(let document), .editDropped(let document), .edited(let document),
      .editUndone(let document):
      try container.encode(document, forKey: .document)
    case .approved(let document, let date):
      try container.encode(document, forKey: .document)
      try container.encodeIfPresent(date, forKey: .approvedAt)
    case .migrated(let payload): try payload.encode(to: encoder)
    case .asked(let payload): try payload.encode(to: encoder)
    case .remarked(let payload): try payload.encode(to: encoder)
    case .broughtOver(let payload): try payload.encode(to: encoder)
    case .careSeen, .codeDropped, .signedOut, .keptLocal, .questionDropped, .completed: break
    }
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
