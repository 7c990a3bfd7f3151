public import FoundationEssentials
public import Intake

/// The goal and the program that somebody approved: a fold over a session's events.
///
/// Events of other modules change nothing, so all of a session's events can be folded.
public struct ActivePlan: Hashable, Sendable {
  /// The goal as it was first approved.
  public private(set) var originalGoal: GoalContract?
  /// The goal as it was last approved.
  public private(set) var goal: GoalContract?
  public private(set) var goalApprovedAt: Date?
  /// The program that was last activated.
  public private(set) var program: TrainingProgram?
  public private(set) var activatedAt: Date?
  /// `template`, or the model that wrote the program.
  public private(set) var programSource: String?
  /// Something to know about the program, such as that it is a template.
  public private(set) var programNote: String?
  /// The journey that leads to it.
  public private(set) var start: PlanEvent.Start?
  private var documents: [DocumentKind: DocumentState] = [:]

  public init() {}

  public init(events: [RecordedEvent]) throws(UnreadableEvent) {
    for event in events { try apply(event) }
  }

  public mutating func apply(_ recorded: RecordedEvent) throws(UnreadableEvent) {
    guard let event = try recorded.event(as: PlanEvent.self) else { return }
    if case .started(let start) = event { self.start = start }
    documents.apply(event, at: recorded.at)
    guard case .approved(let kind, _) = event, let known = documents[kind] else { return }
    let (document, date) = (known.document, known.approvedAt ?? recorded.at)
    switch kind {
    case .goal:
      guard let approved = document.goal else { return }
      (goal, goalApprovedAt) = (approved, date)
      originalGoal = originalGoal ?? approved
    case .program:
      guard let activated = document.program else { return }
      (program, activatedAt) = (activated, date)
      (programSource, programNote) = (document.source, document.note)
    }
  }

  /// Where the person was when they began.
  public var timeZone: TimeZone {
    start.flatMap { TimeZone(identifier: $0.timeZone) } ?? .gmt
  }

  /// The program's sessions on their days; nil without an active program.
  public var schedule: ProgramSchedule? {
    guard let program, let activatedAt else { return nil }
    return ProgramSchedule(program, activatedAt: activatedAt, timeZone: timeZone)
  }
}
