public import Cassettes
import Intake
public import Signals

/// What the user of a recorded conversation said, without answers to menus: those depend on the
/// state of the conversation, and another model leads it elsewhere.
public struct LiveScript: Hashable, Sendable {
  public struct Line: Hashable, Sendable {
    /// What the line answered when it was recorded.
    public enum Occasion: Hashable, Sendable {
      case talk
      /// The question about height and weight.
      case body
      /// The summary, which was not right yet.
      case summary
    }

    public var text: String
    /// Seconds to wait before it.
    public var wait: Double
    public var occasion: Occasion

    public init(_ text: String, wait: Double = 0, occasion: Occasion = .talk) {
      self.text = text
      self.wait = wait
      self.occasion = occasion
    }
  }

  public var lines: [Line]
  /// The user's health data. Its steps are lines: 0 is before the greeting, 1 before the first
  /// line.
  public var health: Cassette.Health?

  public init(lines: [Line]) { self.lines = lines }

  /// - Parameters:
  ///   - run: The cassette, played as recorded.
  ///   - consent: Tells answers to menus among lines that the run did not reach.
  public init(_ cassette: Cassette, recorded run: ConversationRun, consent: Consent) {
    lines = []
    let said = run.linesSaid
    let isWhole = run.events.contains { $0.event?.kind == .discoveryCompleted }
    var place = 0
    health = cassette.health
    for (index, step) in cassette.steps.enumerated() {
      if index > 0, index == cassette.health?.beforeStep { health?.beforeStep = lines.count + 1 }
      guard case .say(let text) = step.act else { continue }
      let found = said[place...].firstIndex { $0.text == text }
      let occasion: Line.Occasion?
      if let found {
        place = found + 1
        occasion = said[found].occasion
      } else {
        let isChoice = consent.isYes(text) != nil
        occasion = isWhole || isChoice ? nil : .talk
      }
      if let occasion { lines.append(Line(text, wait: step.wait, occasion: occasion)) }
    }
  }
}

extension ConversationRun {
  fileprivate struct LineSaid {
    var text: String
    /// Nil for a choice, and for anything after the discovery.
    var occasion: LiveScript.Line.Occasion?
  }

  fileprivate var linesSaid: [LineSaid] {
    guard let state else { return [] }
    var replay = state.atStart
    return events.compactMap { recorded in
      defer { replay.apply(recorded) }
      guard case .userSaid(let turn) = recorded.event else { return nil }
      let isChoice = state.isChoice(turn) && turn.care == nil
      return LineSaid(
        text: turn.text, occasion: isChoice || replay.isCompleted ? nil : replay.pending.occasion)
    }
  }
}

extension IntakeState.Pending {
  fileprivate var occasion: LiveScript.Line.Occasion {
    switch self {
    case .nothing, .question, .offer: .talk
    case .body: .body
    case .confirmation: .summary
    }
  }
}

extension IntakeState {
  /// Whether a turn did no more than choose from a menu.
  fileprivate func isChoice(_ turn: UserTurn) -> Bool {
    if let intent = turn.intent { return intent == .goAhead || intent == .keepTalking }
    let acts = acts(of: turn.turn).map(\.name)
    return !acts.isEmpty
      && acts.allSatisfy { [.agrees, .goesOn, .talksOn, .continues, .notNow].contains($0) }
  }
}
