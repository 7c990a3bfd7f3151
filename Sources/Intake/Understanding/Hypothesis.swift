public import ContextQuality
import IncrementalJSON

/// Something the coach supposes and has asked about. It counts as known only after a yes.
public struct Hypothesis: Hashable, Sendable, Codable {
  /// As the pack calls it, such as `mornings`.
  public var name: String
  /// What a yes makes known.
  public var facet: Facet
  /// The question, in the coach's words.
  public var text: String
  /// What it rests on, such as "wrote between 5 and 6 on 3 days".
  public var evidence: String
  /// The last user turn before it was asked.
  public var turn: Int
}

/// What became of a hypothesis after it was asked about. It is never asked about again.
public struct HypothesisAnswer: Hashable, Sendable, Codable {
  public enum Verdict: String, Hashable, Sendable, Codable {
    case yes, no
    /// The user talked about something else.
    case lapsed
  }

  /// What the user said to it.
  public struct Claim: Hashable, Sendable, Codable {
    public var says: Verdict
    /// The user turn, counted from 1.
    public var turn: Int
    public var quote: String
  }

  public var name: String
  public var verdict: Verdict
  /// The user turn that settled it.
  public var turn: Int
  /// The user's words; nil if it lapsed.
  public var quote: String?
}

extension HypothesisAnswer.Claim {
  /// What acts say to a hypothesis; nil if nothing.
  init?(_ acts: [Act], after turn: Int) {
    let answers: [Act.Name: HypothesisAnswer.Verdict] = [
      .agrees: .yes, .rejects: .no, .corrects: .no,
    ]
    let said = acts.filter { $0.turn > turn }.compactMap { act in
      answers[act.name].map { (says: $0, act: act) }
    }
    // A yes and a no in one message is neither.
    guard let last = said.last, said.allSatisfy({ $0.says == last.says }) else { return nil }
    self.init(says: last.says, turn: last.act.turn, quote: last.act.quote)
  }
}

/// The hypotheses of a session: the open one, and what became of the others.
package struct Hypotheses: Hashable, Sendable {
  /// Asked about, and not answered yet.
  package private(set) var open: Hypothesis?
  /// By name.
  package private(set) var settled: [String: HypothesisAnswer] = [:]
  /// The user turn before the last one was asked about.
  private(set) var lastTurn: Int?

  /// - Returns: false if it was asked about before, or if another one is open.
  mutating func ask(_ hypothesis: Hypothesis) -> Bool {
    guard open == nil, settled[hypothesis.name] == nil else { return false }
    open = hypothesis
    lastTurn = hypothesis.turn
    return true
  }

  /// - Returns: The hypothesis, which is settled now; nil if it is not the open one.
  mutating func settle(_ answer: HypothesisAnswer) -> Hypothesis? {
    guard let open, open.name == answer.name else { return nil }
    settled[open.name] = answer
    self.open = nil
    return open
  }

  /// What follows from a reading of turns after the question.
  ///
  /// - Parameter claim: What the user said to it; nil if nothing. Silence lets it lapse.
  func answer(_ claim: HypothesisAnswer.Claim?, reading turns: [Int]) -> HypothesisAnswer? {
    guard let open, let turn = turns.filter({ $0 > open.turn }).min() else { return nil }
    guard let claim, claim.turn > open.turn else {
      return HypothesisAnswer(name: open.name, verdict: .lapsed, turn: turn)
    }
    return HypothesisAnswer(
      name: open.name, verdict: claim.says, turn: claim.turn, quote: claim.quote)
  }
}
