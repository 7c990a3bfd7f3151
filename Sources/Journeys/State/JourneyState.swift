public import FoundationEssentials
public import Intake
public import Plans

/// Where somebody is in a journey and what they answered: the fold over its events.
public struct JourneyState: Hashable, Sendable {
  public private(set) var start: PlanEvent.Start?
  /// The version whose steps and fields the state is in.
  public private(set) var version = 1
  /// The step on screen; nil before the first and after the last.
  public private(set) var step: String?
  /// The shown steps before it that back leads to.
  public private(set) var trail: [String] = []
  /// By field; a step without one has its id.
  public private(set) var answers: [String: JourneyEvent.Answer] = [:]
  public private(set) var units = Units.metric
  public private(set) var account = AccountState()
  public private(set) var permissions: [Permission: Bool] = [:]
  /// The care text that comes before anything else.
  public private(set) var care: JourneyEvent.Care?
  /// What is asked before the step continues; care comes first.
  public private(set) var question: JourneyEvent.Question?
  /// What was said about what the person did last, and when.
  public private(set) var remark: Remark?
  /// Conversations that are over.
  public private(set) var talked: Set<String> = []
  public private(set) var documents: [DocumentKind: DocumentState] = [:]
  /// When to ask again, by step.
  public private(set) var reminders: [String: Date] = [:]
  public private(set) var detour: Detour?
  /// When the last step was first left; nil before that.
  public private(set) var completedAt: Date?
  public var isCompleted: Bool { completedAt != nil }
  /// The account's row that the journey was brought over from; nil if it began in this session.
  public private(set) var row: String?

  public struct AccountState: Hashable, Sendable {
    /// Who is signed in.
    public internal(set) var email: String?
    /// Who was sent a code.
    public internal(set) var pending: String?
    public internal(set) var codeSentAt: Date?
    /// Who has a code that may still work, and since when, also after another address was asked for.
    public internal(set) var lastCode: Code?
    public internal(set) var isLocal = false
    /// What was agreed to, and when.
    public internal(set) var consents: [String: Date] = [:]

    public struct Code: Hashable, Sendable {
      public var email: String
      public var sentAt: Date
    }
  }

  public struct Remark: Hashable, Sendable {
    public var said: JourneyEvent.Remark
    public var at: Date
  }

  /// The steps of a reminder, walked through apart from the rest.
  public struct Detour: Hashable, Sendable, Codable {
    public var last: String
    /// Where the person was; nil if the journey was complete.
    public var origin: String?
    public var trail: [String]
  }

  public init() {}

  public init(events: [RecordedEvent]) throws(UnreadableEvent) {
    for recorded in events { try apply(recorded) }
  }

  /// Folds one event. Those of other modules change nothing.
  public mutating func apply(_ recorded: RecordedEvent) throws(UnreadableEvent) {
    if let event = try recorded.event(as: JourneyEvent.self) { apply(event, at: recorded.at) }
    if let event = try recorded.event(as: PlanEvent.self) { apply(event, at: recorded.at) }
  }

  mutating func apply(_ event: PlanEvent, at date: Date) {
    switch event {
    case .started(let start):
      self.start = start
      (version, units) = (start.version, start.units)
      account.isLocal = start.isLocal ?? false
    case .unitsChosen(let units): self.units = units
    case .documentDropped(let kind), .documentKept(let kind, _):
      if question == .renewal(kind) { question = nil }
    default: break
    }
    documents.apply(event, at: date)
  }

  mutating func apply(_ event: JourneyEvent, at date: Date) {
    switch event {
    case .moved(let move): apply(move)
    case .answered(let answer):
      answers[answer.field ?? answer.step] = answer
      reminders[answer.step] = nil
    case .cared(let care): self.care = care
    case .careSeen: care = nil
    case .codeSent(let email):
      (account.pending, account.codeSentAt) = (email, date)
      account.lastCode = .init(email: email, sentAt: date)
    case .codeDropped: (account.pending, account.codeSentAt) = (nil, nil)
    case .consented(let consent):
      for id in consent.items.keys { account.consents[id] = date }
      for id in consent.withdrawn ?? [] { account.consents[id] = nil }
    case .signedIn(let email):
      let consents = account.consents
      account = AccountState(email: email, consents: consents)
    case .signedOut: account.email = nil
    case .keptLocal:
      account = AccountState(isLocal: true, consents: account.consents)
    case .permission(let permission, let granted): permissions[permission] = granted
    case .reminder(let reminder):
      reminders[reminder.step] = reminder.due
      if question == .reminder(step: reminder.step) { question = nil }
    case .talked(let step): talked.insert(step)
    case .migrated(let migrated):
      version = migrated.to
      (step, trail, detour) = (migrated.step, migrated.trail, migrated.detour)
      (question, remark) = (nil, nil)
      (answers, talked) = (migrated.answers, migrated.talked ?? talked)
      reminders = migrated.reminders ?? reminders
      // Other names and units are no other facts.
      for kind in documents.keys { documents[kind]?.facts = nil }
    case .broughtOver(let brought): apply(brought, at: date)
    case .asked(let question): self.question = question
    case .questionDropped: question = nil
    case .remarked(let said): remark = said.isEmpty ? nil : Remark(said: said, at: date)
    case .completed: completedAt = completedAt ?? date
    }
  }

  /// What was answered only here is kept.
  private mutating func apply(_ brought: JourneyEvent.BroughtOver, at date: Date) {
    let progress = brought.progress
    (row, version, units) = (brought.row, progress.version, progress.units)
    (step, trail, detour) = (progress.step, progress.trail, progress.detour)
    (question, remark) = (nil, nil)
    answers.merge(progress.answers) { _, theirs in theirs }
    (talked, reminders) = (Set(progress.talked), progress.reminders)
    // What was taken back here stays taken back.
    if account.consents.isEmpty { account.consents = progress.consents }
    completedAt = progress.isCompleted ? progress.completedAt ?? date : nil
  }

  private mutating func apply(_ move: JourneyEvent.Move) {
    (question, remark) = (nil, nil)
    for dropped in move.drops ?? [] {
      answers = answers.filter { $0.value.step != dropped }
      talked.remove(dropped)
      reminders[dropped] = nil
    }
    switch move.way {
    case .forward:
      if let step { trail.append(step) }
    case .back:
      if let to = move.to, let place = trail.lastIndex(of: to) {
        trail.removeSubrange(place...)
      }
    case .restart:
      let place = move.to.flatMap { trail.firstIndex(of: $0) } ?? 0
      trail.removeSubrange(place...)
      documents = [:]
    case .detour:
      detour = Detour(last: move.last ?? "", origin: step, trail: trail)
      trail = []
    case .rejoin:
      trail = detour?.trail ?? []
      detour = nil
    }
    step = move.to
  }
}
