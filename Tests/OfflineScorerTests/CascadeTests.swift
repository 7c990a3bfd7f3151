import ContextQuality
import EncoderScorer
import Foundation
import IncrementalJSON
import TestSupport
import Testing

@testable import OfflineScorer

/// What it costs to let the encoder read only the turns of which the fast scorer is unsure.
struct CascadeTests {
  private struct Reading {
    var agreement: Agreement
    var turns = 0
    var read = 0
    var seconds = 0.0
    var share: Double { Double(read) / Double(turns) }
  }

  private func read(_ rows: [JSONValue], budget: Double?) throws -> Reading {
    let model = try #require(EncoderModel.builtIn)
    var reading = try Reading(agreement: Agreement([]))
    let start = clock()
    for row in rows {
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
    reading.seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
    return reading
  }

  @Test(.slow, arguments: [0, 0.35])
  func theBudgetIsRoughlyTheShareOfTurnsThatTheEncoderReads(budget: Double) throws {
    let rows = try Fixtures.rows("Fixtures/unseen/conversations.jsonl").enumerated()
      .filter { $0.offset % 4 == 0 }.map(\.element)
    #expect(abs(try read(rows, budget: budget).share - budget) < 0.15)
  }

  /// The curve for `make quality`: share of turns read, against F1 and wrong decisions.
  @Test(.slow, .enabled(if: QualityFigures.arePrinted)) func aLargerBudgetReadsBetter() throws {
    let rows = try Fixtures.rows("Fixtures/unseen/conversations.jsonl")
    let all = try read(rows, budget: nil)
    for budget in [0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] {
      let reading = try read(rows, budget: budget)
      print(
        String(
          format: "cascade, %3.0f%% of turns read by the encoder: F1 %.3f, ready wrong in %.1f%%, "
            + "%.1f times as fast as the encoder", 100 * reading.share,
          reading.agreement.figures.f1, 100 * (1 - reading.agreement.readyAgreement),
          all.seconds / reading.seconds))
      if budget == 0.35 {
        #expect(reading.agreement.figures.f1 > all.agreement.figures.f1 - 0.01)
      }
    }
  }

  private func worth(turn: Int, _ words: String, known: UInt32 = 0) throws -> Double {
    let conversation = EncoderConversation(model: try #require(.builtIn), budget: 0)
    conversation.begin(at: turn, known: known, after: "")
    var words = words
    words.withUTF8 { conversation.userSaid($0) }
    return conversation.worth
  }

  @Test func anEarlyTurnIsWorthMoreAndALongOneLess() throws {
    let words = "I could maybe do something about it"
    let second = try worth(turn: 2, words)
    #expect(second > 2 * (try worth(turn: 6, words)))
    let aside = "and the bus was late and the rain came through the roof of the stop again "
    #expect(second > (try worth(turn: 2, words + ", " + aside + aside + aside)))
    #expect(try worth(turn: 2, words, known: 0xFFFFFF) == 0)
  }

  @Test func whatTheOtherReaderDoesNotKnowIsFoundAgain() {
    var scorer = ConversationScorer()
    var words = "I want to lose 20 pounds by June"
    words.withUTF8 { scorer.userSaid($0) }
    #expect(scorer.known & 1 == 1)
    scorer.assume(known: 0)
    words.withUTF8 { scorer.userSaid($0) }
    #expect(scorer.changes & scorer.known & 1 == 1)
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
