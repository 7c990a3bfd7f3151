public import Cassettes
public import ContextQuality
import Intake
public import LanguageModels

/// What can be compared about a conversation.
public struct RunSummary: Sendable {
  public struct Ask: Hashable, Sendable {
    /// The user turn before it.
    public var turn: Int
    /// What it is about.
    public var components: [String]
    public var text: String
    /// Asks how the user is, after they were told to get help.
    public var isCheckIn = false
    /// What it asked for although it was known.
    public var known: [Facet]

    /// As one line.
    public var line: String {
      let other = isCheckIn ? "how they are" : "the summary"
      let subject = components.isEmpty ? other : components.joined(separator: " + ")
      return "\(subject): \(text.split(separator: "\n").joined(separator: " "))"
    }
  }

  /// The parts of the synthesis that are compared.
  public struct Profile: Hashable, Sendable {
    public var goal: String?
    public var deeper: String?
    public var timeline: String?
    public var firstAction: String?
    public var constraints: Int
    /// Pointers to parts that nothing the user said supports.
    public var unsupported: [String]
    public var isMinimal: Bool

    /// Its parts, by name.
    public var parts: [(name: String, text: String)] {
      [
        ("goal", goal ?? "–"), ("deeper", deeper ?? "–"), ("timeline", timeline ?? "–"),
        ("first action", firstAction ?? "–"), ("constraints", "\(constraints)"),
        ("unsupported", unsupported.isEmpty ? "none" : unsupported.joined(separator: ", ")),
      ] + (isMinimal ? [("kind", "a careful start")] : [])
    }
  }

  /// Nil if the discovery was not completed.
  public var outcome: Expectations.Outcome?
  public var greeting: String?
  public var turns: [ConversationRun.Turn]
  /// The first turn after which the coach was ready.
  public var turnsToReady: Int?
  /// The overall score at the end, in ten-thousandths.
  public var points: Int
  /// What is known at the end, in the rubric's order.
  public var evidence: [Evidence]
  /// All evidence ever found, including what was later withdrawn or repeated.
  public var heard: [Evidence]
  public var asks: [Ask]
  public var profile: Profile?
  public var usage: TokenUsage

  /// - Parameter readyAbove: In ten-thousandths; nil uses the rubric's bar.
  public init(_ run: ConversationRun, readyAbove: Int? = nil) {
    let isComplete = run.events.contains { $0.event?.kind == .discoveryCompleted }
    outcome = isComplete ? run.outcome : nil
    greeting =
      run.events.lazy.compactMap { recorded in
        if case .greeted(let reply) = recorded.event, reply.cut == nil { reply.text } else { nil }
      }.first
    turns = run.turns
    let bar = readyAbove ?? run.state?.rubric.readyAbove ?? 10_000
    turnsToReady = turns.first { $0.components.points > bar }?.turn
    points = turns.last?.components.points ?? 0
    evidence = run.known
    heard = run.state?.ledger.entries.map(\.evidence) ?? []
    asks = run.asks
    profile = run.synthesis.map { Profile($0) }
    usage = run.usage
  }
}

extension ConversationRun {
  /// Every question, with the part of it that was already known.
  public var asks: [RunSummary.Ask] {
    guard let state else { return [] }
    var replay = state.atStart
    return events.compactMap { recorded in
      defer { replay.apply(recorded) }
      guard case .asked(let question) = recorded.event, question.reply.cut == nil else {
        return nil
      }
      return RunSummary.Ask(
        turn: replay.turns.count, components: question.components, text: question.reply.text,
        isCheckIn: question.isCheckIn,
        known: question.facets.filter { replay.ledger.known.contains($0) })
    }
  }
}

extension RunSummary.Profile {
  init(_ synthesis: Synthesis) {
    let system = synthesis.system
    goal = system.userGoals.primary
    deeper = system.userGoals.deeper
    timeline = system.userGoals.timeline
    firstAction = system.coachingPlan.firstAction
    let constraints = system.constraints
    self.constraints =
      constraints.physical.count + constraints.time.count + constraints.resources.count
      + constraints.temporary.count
    unsupported = system.unsupported
    isMinimal = synthesis.isMinimal
  }
}
