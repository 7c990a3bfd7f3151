import ContextQuality
import Signals

// What the user says about their age and body, and what they withhold.
extension EvidenceCheck {
  struct Personal: Hashable, Sendable {
    /// The last one stated.
    var age: AgeNote?
    /// Height and weight as last stated.
    var body: BodyNote?
    var dropped: [String: Int] = [:]
  }

  /// - Parameter turns: The turns that may hold statements. Earlier ones were already read.
  func personal(_ answer: ScorerAnswer, in turns: [Int], _ words: MeasureWords) -> Personal {
    var personal = Personal()
    var fitter = fitter
    let stated = answer.stated.map { snapped($0, &fitter) }
    for turn in Set(turns).sorted() {
      var facts = BodyFacts()
      for (fitted, result) in stated where fitted == turn {
        do throws(Refused) {
          try read(result.get(), words, &personal.age, &facts)
        } catch {
          personal.dropped["stated: \(error.reason)", default: 0] += 1
        }
      }
      if !facts.isEmpty {
        personal.body = BodyNote(turn: turn, stated: facts).completed(by: personal.body)
      }
    }
    let others = stated.count { !turns.contains($0.turn) }
    if others > 0 { personal.dropped["stated: not a new turn"] = others }
    return personal
  }

  /// The statement with the user's words and their turn, or why there are none.
  private func snapped(
    _ statement: ScorerAnswer.Statement, _ fitter: inout QuoteFitter
  ) -> (turn: Int, result: Swift.Result<ScorerAnswer.Statement, Refused>) {
    do throws(QuoteFitter.Rejection) {
      // "5'11" is short but complete.
      let fit = try fitter.fit(statement.quote, turn: statement.turn, isStatement: true)
      var snapped = statement
      (snapped.quote, snapped.turn) = (fit.quote, fit.turn)
      return (fit.turn, .success(snapped))
    } catch {
      return (statement.turn, .failure(Refused(reason: "quote \(error.rawValue)")))
    }
  }

  private func read(
    _ statement: ScorerAnswer.Statement, _ words: MeasureWords, _ age: inout AgeNote?,
    _ facts: inout BodyFacts
  ) throws(Refused) {
    let numbers = statement.numbers
    let isQuoted = numbers.allSatisfy { number in
      words.holds(number, in: statement.quote)
        || number.asSpoken.contains { $0.allSatisfy { words.holds($0, in: statement.quote) } }
    }
    guard let first = numbers.first, isQuoted else {
      throw Refused(reason: "number not in the quote")
    }
    switch statement.subject {
    case .age:
      guard numbers.count == 1, let years = Int(exactly: first), OwnAge.plausible.contains(years)
      else { throw Refused(reason: "not an age") }
      // If a turn has two ages, one is another person's. Taking the lower one is safer.
      if let age, age.turn == statement.turn, age.years <= years { return }
      age = AgeNote(years: years, turn: statement.turn, quote: statement.quote)
    case .body(let unit):
      guard let metric = unit.metric(numbers) else {
        throw Refused(reason: "numbers do not fit the unit")
      }
      facts.take(unit.kind, metric, quote: statement.quote)
    }
  }
}

extension Double {
  /// The two numbers that people say for one: 1 and 72 for 1.72, 6 and a half for 6.5; empty without hundredths.
  fileprivate var asSpoken: [[Double]] {
    let hundredths = (truncatingRemainder(dividingBy: 1) * 100).rounded()
    guard hundredths >= 1, abs(self * 100 - (self * 100).rounded()) < 1e-6 else { return [] }
    let whole = rounded(.down)
    return [[whole, hundredths]] + (hundredths == 50 ? [[whole, 0.5]] : [])
  }
}
