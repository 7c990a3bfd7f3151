public import ContextQuality
public import LanguageModels

/// One conversation on two sides.
public struct RunComparison: Sendable {
  public var name: String
  public var title: String
  public var left: RunSummary
  public var right: RunSummary

  /// Known only on the right, with the supporting words.
  public var gained: [Evidence] { Self.known(right, without: left) }

  /// Known only on the left, with the supporting words.
  public var lost: [Evidence] { Self.known(left, without: right) }

  /// The questions side by side, with their topics; no rows if they are equal.
  public var questions: SideBySide {
    SideBySide(
      left.asks.map(\.line).joined(separator: "\n"),
      right.asks.map(\.line).joined(separator: "\n"), context: left.asks.count)
  }

  /// The syntheses side by side, part by part; no rows if they are equal.
  public var syntheses: SideBySide {
    SideBySide(Self.text(left.profile), Self.text(right.profile), context: 8)
  }

  /// A turn on both sides. Nil if a side has no counterpart.
  public struct TurnPair: Sendable {
    public var left: ConversationRun.Turn?
    public var right: ConversationRun.Turn?
  }

  /// The turns side by side, matched by what the user said.
  public var turns: [TurnPair] {
    Alignment.rows(left.turns, right.turns) { $0.text }
      .map { TurnPair(left: $0.left, right: $0.right) }
  }

  private static func known(_ one: RunSummary, without other: RunSummary) -> [Evidence] {
    let others = Set(other.evidence.map(\.facet))
    return one.evidence.filter { !others.contains($0.facet) }
  }

  private static func text(_ profile: RunSummary.Profile?) -> String {
    guard let profile else { return "(none was made)" }
    return profile.parts.map { name, text in
      "\(name): \(text.split(separator: "\n").joined(separator: " "))"
    }.joined(separator: "\n")
  }
}

/// One side's totals over all conversations that both sides completed.
public struct SideTotals: Hashable, Sendable {
  public var conversations: Int
  /// Conversations that became ready.
  public var ready: Int
  /// Over those that became ready.
  public var medianTurnsToReady: Double?
  /// The mean of the overall scores, in ten-thousandths.
  public var meanPoints: Int
  public var questions: Int
  /// Questions about something already known.
  public var needlessQuestions: Int
  public var usage: TokenUsage

  public init(_ sides: [RunSummary]) {
    conversations = sides.count
    let turns = sides.compactMap(\.turnsToReady).sorted()
    ready = turns.count
    medianTurnsToReady =
      turns.isEmpty
      ? nil : Double(turns[(turns.count - 1) / 2] + turns[turns.count / 2]) / 2
    meanPoints = sides.isEmpty ? 0 : sides.reduce(0) { $0 + $1.points } / sides.count
    let asks = sides.flatMap(\.asks)
    questions = asks.count
    needlessQuestions = asks.count { !$0.known.isEmpty }
    usage = sides.reduce(TokenUsage(input: 0, output: 0)) {
      TokenUsage(input: $0.input + $1.usage.input, output: $0.output + $1.usage.output)
    }
  }

  public var questionsPerConversation: Double {
    conversations == 0 ? 0 : Double(questions) / Double(conversations)
  }
}
