import ContextQuality
import Signals

// What the user says about their age and body, and what they withhold.
extension EvidenceCheck {
  struct Personal: Hashable, Sendable {
    var withheld: [Withheld] = []
    /// The last one stated.
    var age: AgeNote?
    /// Height and weight as last stated.
    var body: BodyNote?
    var dropped: [String: Int] = [:]
  }

  /// - Parameter turns: The turns that may hold statements. Earlier ones were already read.
  func personal(_ answer: ScorerAnswer, in turns: [Int], _ words: MeasureWords) -> Personal {
    var personal = Personal()
    var read: [Int: FoldedText] = [:]
    for claim in answer.withheld {
      if let reason = refusal(of: claim, in: &read) {
        personal.dropped["withheld: \(reason)", default: 0] += 1
      } else {
        personal.withheld.append(
          Withheld(facet: claim.facet, turn: claim.turn, quote: claim.quote.trimmed))
      }
    }
    for turn in Set(turns).sorted() {
      var facts = BodyFacts()
      for statement in answer.stated where statement.turn == turn {
        do throws(Refused) {
          try take(statement, words, &read, &personal.age, &facts)
        } catch {
          personal.dropped["stated: \(error.reason)", default: 0] += 1
        }
      }
      if !facts.isEmpty {
        personal.body = BodyNote(turn: turn, stated: facts).completed(by: personal.body)
      }
    }
    let others = answer.stated.count { !turns.contains($0.turn) }
    if others > 0 { personal.dropped["stated: not a new turn"] = others }
    return personal
  }

  private struct Refused: Error {
    var reason: String
  }

  /// Folds each turn once, no matter how many quotes cite it.
  private func folded(_ turn: Int, _ read: inout [Int: FoldedText]) -> FoldedText? {
    if let text = read[turn] { return text }
    read[turn] = transcript.userTurn(turn).map { FoldedText(PlainText.visible($0)) }
    return read[turn]
  }

  private func refusal(
    of claim: ScorerAnswer.Claim, in read: inout [Int: FoldedText]
  ) -> String? {
    guard rubric[claim.facet] != nil else { return "unknown facet" }
    guard let turn = folded(claim.turn, &read) else { return "no such turn" }
    return QuoteVerifier.refusal(of: claim.quote, in: turn).map { "quote \($0.rawValue)" }
  }

  private func take(
    _ statement: ScorerAnswer.Statement, _ words: MeasureWords, _ read: inout [Int: FoldedText],
    _ age: inout AgeNote?, _ facts: inout BodyFacts
  ) throws(Refused) {
    let turn = folded(statement.turn, &read) ?? FoldedText("")
    let refusal = QuoteVerifier.refusal(of: statement.quote, in: turn)
    // "5'11" is short but complete.
    if let refusal, refusal != .tooShort { throw Refused(reason: "quote \(refusal.rawValue)") }
    let numbers = statement.numbers
    guard let first = numbers.first, numbers.allSatisfy({ words.holds($0, in: statement.quote) })
    else { throw Refused(reason: "number not in the quote") }
    switch statement.subject {
    case .age:
      guard numbers.count == 1, let years = Int(exactly: first), OwnAge.plausible.contains(years)
      else { throw Refused(reason: "not an age") }
      // If a turn has two ages, one is another person's. Taking the lower one is safer.
      if let age, age.turn == statement.turn, age.years <= years { return }
      age = AgeNote(years: years, turn: statement.turn, quote: statement.quote.trimmed)
    case .body(let unit):
      guard let metric = unit.metric(numbers) else {
        throw Refused(reason: "numbers do not fit the unit")
      }
      facts.take(unit.kind, metric, quote: statement.quote.trimmed)
    }
  }
}
