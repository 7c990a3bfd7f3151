import ContextQuality
import EncoderScorer
import Foundation
import TestSupport
import Testing

@testable import OfflineScorer

/// What it costs to let the encoder read only the turns of which the fast scorer is unsure.
@Suite(.slow)
struct CascadeTests {
  private struct Reading {
    var agreement: Agreement
    var turns = 0
    var read = 0
    var f1: Double { agreement.figures.f1 }
  }

  private func read(budget: Double?) throws -> Reading {
    let model = try #require(EncoderModel.builtIn)
    var reading = try Reading(agreement: Agreement([]))
    for row in try Fixtures.rows("Fixtures/unseen/conversations.jsonl") {
      let conversation = EncoderConversation(model: model, budget: budget)
      var known: [UInt32] = []
      for message in Fixtures.transcript(row).messages {
        var text = message.text
        text.withUTF8 {
          if message.speaker == .coach { return conversation.coachSaid($0) }
          conversation.userSaid($0)
          known.append(conversation.known)
        }
      }
      reading.agreement.add(truth: try ScoredConversation(row).truth, guess: known)
      reading.turns += known.count
      reading.read += conversation.turnsRead
    }
    return reading
  }

  /// The curve: `make quality` prints it.
  @Test func aLargerBudgetReadsBetter() throws {
    let budgets = [0, 0.5, 0.7, 1]
    let readings = try budgets.map { try read(budget: $0) }
    let all = try #require(readings.last)
    for (budget, reading) in zip(budgets, readings) {
      let share = Double(reading.read) / Double(reading.turns)
      #expect(abs(share - budget) < 0.1)
      if ProcessInfo.processInfo.environment["RAPPORT_PRINT_QUALITY"] != nil {
        print(
          String(
            format: "cascade, %3.0f%% of turns read: F1 %.3f, ready wrong in %.1f%%", 100 * share,
            reading.f1, 100 * (1 - reading.agreement.readyAgreement)))
      }
    }
    #expect(readings[2].f1 > all.f1 - 0.015)
    #expect(readings[0].f1 < readings[1].f1 && readings[1].f1 < readings[2].f1)
  }

  @Test func withoutABudgetTheEncoderReadsEveryTurn() throws {
    let reading = try read(budget: nil)
    #expect(reading.read == reading.turns)
    #expect(try read(budget: 1).f1 == reading.f1)
  }

  @Test func quotesOfTheFastScorerAreTheUsersOwn() throws {
    let scorer = EncoderScorer(model: try #require(.builtIn), budget: 0)
    let ledger = scorer.ledger(
      of: conversation([
        "coach: What would you like to change?", "I want to lose 20 pounds by June",
      ]))
    #expect(ledger.names.contains("outcome"))
    #expect(ledger.quote("outcome")?.contains("lose 20 pounds") == true)
  }
}
