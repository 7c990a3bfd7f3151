public import FoundationEssentials
public import Intake
public import Plans

/// Something that happened in a journey, in the session's log beside the intake's own events. What becomes
/// of the documents is a `PlanEvent`.
public enum JourneyEvent: Hashable, Sendable {
  case moved(Move)
  case answered(Answer)
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
  case migrated(Migrated)
  /// Something is asked before it happens.
  case asked(Question)
  /// It does not happen.
  case questionDropped
  /// What is said about what the person just did. Says nothing anymore if it is empty.
  case remarked(Remark)
  case broughtOver(BroughtOver)
  case completed

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
    case journeyMoved, journeyAnswered, journeyCared, journeyCareSeen, journeyCodeSent
    case journeyCodeDropped, journeyConsented, journeySignedIn, journeySignedOut, journeyKeptLocal
    case journeyPermission, journeyReminder, journeyTalked, journeyMigrated, journeyAsked
    case journeyQuestionDropped, journeyRemarked, journeyBroughtOver, journeyCompleted
  }

  public static func version(of kind: Kind) -> Int { 1 }

  public var kind: Kind { content.kind }

  private var content: (kind: Kind, payload: (any Encodable)?) {
    switch self {
    case .moved(let move): (.journeyMoved, move)
    case .answered(let answer): (.journeyAnswered, answer)
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

  private enum Key: String, CodingKey {
    case type, email, step
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch try container.decode(Kind.self, forKey: .type) {
    case .journeyMoved: self = .moved(try Move(from: decoder))
    case .journeyAnswered: self = .answered(try Answer(from: decoder))
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
