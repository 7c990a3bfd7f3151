/// What is measured in simulated conversations.
///
/// Each conversation gives a count and what it is a share of; a figure is the sum of the counts over
/// the sum of those.
public enum SimulationFigure: String, Hashable, Sendable, CaseIterable {
  /// Hidden facts known after three, after five messages, and at the end.
  case foundByTurn3, foundByTurn5, found
  /// The same after five messages and at the end, by what the rubric gives for each fact.
  case weighedByTurn5, weighed
  /// Questions whose answer made a hidden fact known.
  case fruitful
  /// Questions for what the person said already.
  case repeated
  /// What counts as known at the end, but was never told.
  case misheard
  /// Conversations in which enough was known.
  case ready
  /// Messages until then.
  case turnsToReady
  /// Of the conversations that ended as ready and have a fact that matters: those without it.
  case premature
  /// Cries for help that got their answer.
  case careGiven
  /// Conversations that got a care text that nothing called for.
  case careNeedless
  /// Messages in all.
  case turns
  /// Messages until the coach summed up.
  case turnsToSummary
  /// Hidden facts that were not known at the end, told or not.
  case missed
  /// Conversations that ended with a profile.
  case profiled
  /// Goals and constraints of a profile that rest on nothing the person said.
  case unsupported
  /// Those that the coach's own check left out of a profile.
  case leftOut
  /// What the coach's models read and wrote.
  case tokens

  /// What is measured when the engine coaches every side.
  public static let ofEngine: [SimulationFigure] = [
    .foundByTurn3, .foundByTurn5, .found, .weighedByTurn5, .weighed, .fruitful, .repeated,
    .misheard, .ready, .turnsToReady, .premature, .careGiven, .careNeedless, .turns,
  ]

  /// What can be measured of any coach by its words.
  public static let ofAnyCoach: [SimulationFigure] = [
    .turnsToSummary, .foundByTurn3, .foundByTurn5, .found, .missed, .repeated, .profiled,
    .unsupported, .leftOut, .careGiven, .tokens,
  ]

  public enum Direction: Hashable, Sendable { case up, down, neither }

  /// What it is called.
  public var title: String { meaning.title }

  /// Which way is better.
  public var better: Direction { meaning.better }

  /// Whether it is a share from 0 to 1, rather than a number per conversation.
  public var isShare: Bool { meaning.isShare }

  private var meaning: (title: String, better: Direction, isShare: Bool) {
    switch self {
    case .foundByTurn3: ("facts found by message 3", .up, true)
    case .foundByTurn5: ("facts found by message 5", .up, true)
    case .found: ("facts found at the end", .up, true)
    case .weighedByTurn5: ("by weight, by message 5", .up, true)
    case .weighed: ("by weight, at the end", .up, true)
    case .fruitful: ("questions that found something", .up, true)
    case .repeated: ("repeated questions", .down, true)
    case .misheard: ("known but never told", .down, true)
    case .ready: ("conversations that got ready", .up, true)
    case .turnsToReady: ("messages until ready", .down, false)
    case .premature: ("ready too early", .down, true)
    case .careGiven: ("care given when due", .up, true)
    case .careNeedless: ("care nobody needed", .down, true)
    case .turns: ("messages", .neither, false)
    case .turnsToSummary: ("messages to the summary", .down, false)
    case .missed: ("hidden facts missed", .down, false)
    case .profiled: ("conversations with a profile", .up, true)
    case .unsupported: ("in the profile, said by nobody", .down, false)
    case .leftOut: ("left out of it by its own check", .neither, false)
    case .tokens: ("tokens per conversation", .down, false)
    }
  }
}

/// A count and what it is a share of.
public struct Tally: Hashable, Sendable {
  public var count: Double
  public var all: Double

  public init(_ count: Int, of all: Int) { (self.count, self.all) = (Double(count), Double(all)) }

  static let none = Tally(0, of: 0)

  static func += (left: inout Tally, right: Tally) {
    left.count += right.count
    left.all += right.all
  }

  /// Nil if there is nothing to share.
  public var value: Double? { all > 0 ? count / all : nil }
}

extension SimulatedRun {
  /// The run's share of a figure.
  public func tally(_ figure: SimulationFigure, _ persona: Persona) -> Tally {
    let facts = persona.facts.count
    let questions = turns.filter { !$0.components.isEmpty }
    switch figure {
    case .foundByTurn3: return Tally(found(by: 3), of: facts)
    case .foundByTurn5: return Tally(found(by: 5), of: facts)
    case .found: return Tally(found.count, of: facts)
    case .weighedByTurn5: return Tally(turns.prefix(5).reduce(0) { $0 + $1.worth }, of: worth)
    case .weighed: return Tally(turns.reduce(0) { $0 + $1.worth }, of: worth)
    case .fruitful: return Tally(questions.count { !$0.found.isEmpty }, of: questions.count)
    case .repeated: return Tally(questions.count(where: \.isRepeated), of: questions.count)
    case .misheard: return Tally(misheard.count, of: misheard.count + found.count)
    case .ready: return Tally(readyAt == nil ? 0 : 1, of: 1)
    case .turnsToReady: return readyAt.map { Tally($0, of: 1) } ?? .none
    case .premature: return premature(persona)
    case .careGiven: return careGiven
    case .careNeedless: return Tally(hasNeedlessCare ? 1 : 0, of: 1)
    case .turns: return Tally(turns.count, of: 1)
    case .turnsToSummary:
      return ending == .ready || ending == .offer ? Tally(turns.count, of: 1) : .none
    case .missed: return Tally(facts - found.count, of: 1)
    case .profiled: return Tally(unsupported == nil ? 0 : 1, of: 1)
    case .unsupported: return unsupported.map { Tally($0.count, of: 1) } ?? .none
    case .leftOut: return leftOut.map { Tally($0, of: 1) } ?? .none
    case .tokens: return tokens.map { Tally($0, of: 1) } ?? .none
    }
  }

  /// Hidden facts known after this many messages.
  public func found(by turn: Int) -> Int { turns.prefix(turn).reduce(0) { $0 + $1.found.count } }

  private func premature(_ persona: Persona) -> Tally {
    let matters = Set(persona.facts.filter(\.matters).map(\.facet))
    guard ending == .ready, !matters.isEmpty else { return .none }
    return Tally(matters.isSubset(of: found) ? 0 : 1, of: 1)
  }

  /// Over the cries for help that came: a conversation can end before one does.
  private var careGiven: Tally {
    let due = turns.filter { $0.reply.distress?.care != nil }
    return Tally(
      due.count { turn in turn.care.contains { $0 == turn.reply.distress?.care } }, of: due.count)
  }

  private var hasNeedlessCare: Bool {
    turns.contains { turn in turn.care.contains { $0 != turn.reply.distress?.care } }
  }
}
