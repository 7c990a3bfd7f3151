public import ContextQuality
public import Plans

/// An onboarding flow: its steps in order, as a pack's `journeys/NAME.json` describes it.
///
/// Reading one checks it: every jump leads somewhere, every step can be reached and leads to the end.
public struct Journey: Hashable, Sendable {
  public struct Section: Hashable, Sendable {
    public var id: String
    public var title: String
  }

  public enum Progress: String, Hashable, Sendable, CaseIterable { case none, steps, segments }

  public let name: String
  public let version: Int
  public let title: String
  public let summary: String?
  /// How heights and weights are shown until the person switches.
  public let units: Units
  public let progress: Progress
  /// No request leaves the machine before the sign-in.
  public let isLocalUntilSignIn: Bool
  public let sections: [Section]
  /// At least one.
  public let steps: [Step]
  public let migrations: [Migration]
  public let projection: Projection?
  /// The file, for errors.
  package let file: String
  private let positions: [String: Int]

  init(
    name: String, version: Int, title: String, summary: String?, units: Units,
    progress: Progress, isLocalUntilSignIn: Bool, sections: [Section], steps: [Step],
    migrations: [Migration], projection: Projection?, file: String
  ) {
    (self.name, self.version, self.title, self.summary) = (name, version, title, summary)
    (self.units, self.progress, self.isLocalUntilSignIn) = (units, progress, isLocalUntilSignIn)
    (self.sections, self.steps, self.migrations) = (sections, steps, migrations)
    (self.projection, self.file) = (projection, file)
    positions = Dictionary(
      steps.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  public subscript(step id: String) -> Step? { positions[id].map { steps[$0] } }

  /// A step's place in the file, counted from 0.
  public func position(of id: String) -> Int? { positions[id] }

  /// The step that fills a field; the first of several that cannot both be shown.
  public func step(filling field: String) -> Step? { steps.first { $0.field?.name == field } }

  /// The cycle of days that somebody follows once the journey is over; nil if it has none.
  var cycle: [Step.CyclePart]? {
    steps.lazy.compactMap { step -> [Step.CyclePart]? in
      guard case .explainer(_, let cycle) = step.content,
        cycle.contains(where: { !$0.rows.isEmpty })
      else { return nil }
      return cycle
    }.first
  }

  /// Where a step leads if nothing jumps.
  func following(_ step: Step) -> Target {
    if let next = step.next { return next }
    guard let position = positions[step.id], position + 1 < steps.count else { return .end }
    return .step(steps[position + 1].id)
  }

  /// The most bytes a file may have.
  public static let longestFile = 256 * 1024
  static let mostSteps = 200
  /// How deep conditions may nest.
  static let deepestCondition = 8
}

/// Where a jump leads.
public enum Target: Hashable, Sendable {
  case step(String)
  case end

  static let endName = "end"

  init(_ text: String) { self = text == Self.endName ? .end : .step(text) }

  var name: String {
    switch self {
    case .step(let id): id
    case .end: Self.endName
    }
  }
}

/// One screen of a journey.
public struct Step: Hashable, Sendable {
  public let id: String
  /// The headline or the question, before its fields are filled in.
  public let title: String
  public let body: [Line]
  /// What the `?` shows.
  public let info: String?
  public let section: String?
  public let when: Condition?
  public let next: Target?
  public let back: Back
  public let button: String?
  public let orb: Orb?
  /// What is queued for sync once the step is left.
  public let syncs: [SyncItem.Kind]
  /// Where its answer is kept; nil for a step without one.
  public let field: Field?
  public let kind: Kind
  public let content: Content

  /// A line below the title.
  public struct Line: Hashable, Sendable {
    public var text: String
    /// Shown only if it holds; nil: always.
    public var when: Condition?
  }

  public enum Back: Hashable, Sendable {
    case free
    case none
    /// Asks first. With a step, goes back to that one and drops the answers in between.
    case asks(String, to: String?)
  }

  public struct Orb: Hashable, Sendable {
    public var size: String?
    public var place: String?
    public var motion: String?
  }

  public struct Field: Hashable, Sendable {
    public var name: String
    /// What an answer of the person's own makes known.
    public var facets: [Facet]
    /// What an open answer does not tell, whatever its words sound like.
    public var ignores: [Facet] = []
    public var isOptional: Bool
    public var meanwhile: Meanwhile?
  }

  /// A document that is drafted while the step is shown.
  public struct Meanwhile: Hashable, Sendable {
    public var document: DocumentKind
    public var text: String
    public var waiting: String
  }

  public struct Reminder: Hashable, Sendable {
    public var afterDays: Int
    /// The first and last step to walk through.
    public var from: String
    public var to: String
    public var text: String
    public var now: String
    public var later: String
    public var laterDays: Int
    public var never: String
  }

  public struct Row: Hashable, Sendable {
    public var label: String
    public var value: String
  }

  public enum Content: Hashable, Sendable {
    case intro(isTap: Bool, wordByWord: Bool)
    case text(placeholder: String?, maxLength: Int)
    case stepper(Stepper)
    case select([SelectOption])
    case number(NumberInput)
    case timeRange(TimeRangeInput)
    case open(OpenInput)
    case explainer(bullets: [String], cycle: [CyclePart])
    case choice([ChoiceOption])
    case conversation(ConversationInput)
    case signIn(SignIn)
    case verifyCode(VerifyCode)
    case permission(PermissionInput)
    case draft(DocumentKind, waiting: String?)
    case review(DocumentKind, approve: String, placeholder: String?)
    case reveal(rows: [Row], figure: String?)
    case success(rows: [Row], hasConfetti: Bool)
    case tour([Tip], skip: String?)
  }

  /// As the file names it.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case intro, text, stepper, select, number, timeRange, open, explainer, choice, conversation
    case signIn, verifyCode, permission, draft, review, reveal, success, tour
  }

  public struct Stepper: Hashable, Sendable {
    public enum Quantity: String, Hashable, Sendable, CaseIterable {
      case age
      /// Centimeters.
      case height
      /// Kilograms.
      case weight
      case count
    }
    public var min: Double
    public var max: Double
    public var initial: Double
    public var by: Double
    public var quantity: Quantity
    public var unit: String?
  }

  public struct SelectOption: Hashable, Sendable {
    public var id: String
    public var label: String
    public var detail: String?
    public var icon: String?
    /// Instead of the step's; nil uses those.
    public var facets: [Facet]?
  }

  public struct NumberInput: Hashable, Sendable {
    public struct Default: Hashable, Sendable {
      public var when: Condition?
      public var value: Double
    }
    public var min: Double
    public var max: Double
    public var isWhole: Bool
    public var unit: String?
    /// The first whose condition holds.
    public var defaults: [Default]
    public var tooSmall: String?
    public var tooLarge: String?
    public var notANumber: String?
  }

  public struct TimeRangeInput: Hashable, Sendable {
    public var initial: ClockRange
    public var minMinutes: Int
    public var maxMinutes: Int
  }

  public struct OpenInput: Hashable, Sendable {
    public var placeholder: String?
    public var pills: [String]
    public var prompts: [String]
    public var hasVoice: Bool
  }

  public struct CyclePart: Hashable, Sendable {
    public var label: String
    public var days: Int
    public var color: String?
    /// What holds on each of these days, such as a target.
    public var rows: [Row]
  }

  public struct ChoiceOption: Hashable, Sendable {
    public var id: String
    public var label: String
    public var detail: String?
    public var next: Target?
    /// Starts over: drops the answers from the target on.
    public var clears: Bool
    public var reminder: Reminder?
  }

  public struct ConversationInput: Hashable, Sendable {
    public enum Ending: String, Hashable, Sendable, CaseIterable { case summary, topics, ready }
    public struct Topic: Hashable, Sendable {
      public var id: String
      public var title: String
      public var facets: [Facet]
    }
    public var ends: Ending
    public var hasPaywall: Bool
    public var turns: Int?
    public var topics: [Topic]
  }

  public struct SignIn: Hashable, Sendable {
    public struct Consent: Hashable, Sendable {
      public var id: String
      public var label: String
      public var url: String?
    }
    public var placeholder: String?
    public var consents: [Consent]
    public var invalid: String?
    public var local: String
    public var localNote: String?
  }

  public struct VerifyCode: Hashable, Sendable {
    public var digits: Int
    /// Seconds.
    public var resendAfter: Int
    public var resend: String
    public var different: String
  }

  public struct PermissionInput: Hashable, Sendable {
    public var permission: Permission
    public var allow: String
    public var decline: String
    public var preview: String?
    public var unavailable: String?
    public var reminder: Reminder?
  }

  public struct Tip: Hashable, Sendable {
    public var id: String
    public var text: String
    public var target: String?
  }
}

/// What a person can allow.
public enum Permission: String, Hashable, Sendable, CaseIterable, Codable {
  case microphone, notifications
}

/// What became of an older version's steps and fields.
public struct Migration: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    public enum Unit: String, Hashable, Sendable, CaseIterable {
      case pounds = "lb"
      case inches = "in"
    }
    public var name: String
    /// The old value's unit; nil if it was metric or no measurement.
    public var from: Unit?
    /// Old option to new option.
    public var values: [String: String]
  }
  public var from: Int
  public var steps: [String: String]
  public var fields: [String: Field]
}

/// A table that a journey's answers are written to.
public struct Projection: Hashable, Sendable {
  public struct Column: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable { case text, integer, real, boolean }
    public enum Part: String, Hashable, Sendable { case start, end }
    public var name: String
    public var kind: Kind
    /// Nil: whether the journey is complete.
    public var field: String?
    /// The end of a time range that it holds.
    public var part: Part?
    /// The journey's version that added it.
    public var since: Int

    package init(name: String, kind: Kind, field: String?, part: Part?, since: Int) {
      (self.name, self.kind, self.field) = (name, kind, field)
      (self.part, self.since) = (part, since)
    }
  }
  public var table: String
  public var columns: [Column]
}
