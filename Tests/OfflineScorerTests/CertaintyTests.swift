import ContextQuality
import EncoderScorer
import Foundation
import TestSupport
import Testing

@testable import OfflineScorer

/// How sure the scorers are, on conversations that neither they nor their calibration have seen.
/// `make quality` prints the figures.
struct CertaintyTests {
  @Test func theFastScorersChancesAndRangesHold() throws {
    try expectThatTheyHold(.offline)
  }

  @Test(.slow) func theEncodersChancesAndRangesHold() throws {
    try expectThatTheyHold(.encoder)
  }

  @Test(.slow, .enabled(if: QualityFigures.arePrinted)) func theCascadesChancesAndRangesHold()
    throws
  {
    try expectThatTheyHold(.cascade)
  }

  private func expectThatTheyHold(_ tier: Tier) throws {
    for text in UnseenSet.allCases {
      let figures = try CertaintyFigures(tier, text)
      if QualityFigures.arePrinted { print("\(tier), \(text): \(figures.text)\n") }
      #expect(figures.calibrationError <= 0.05)
      #expect(figures.covered >= 0.85)
      // The cascade isn't calibrated separately.
      #expect(figures.coveredAtEnd >= (tier == .cascade ? 0.75 : 0.85))
      #expect(figures.width <= 0.4)
    }
  }

  @Test func aRangeHoldsTheScoreItself() throws {
    let table = ScoreTable(try Fixtures.rubric())
    for row in try Fixtures.rows("Fixtures/unseen/conversations.jsonl") {
      for turn in certainties(.offline, row, table) {
        #expect(turn.certainty.range.contains(table.points(known: turn.known)))
        #expect(turn.certainty.range.lowerBound % 100 == 0)
      }
    }
  }

  @Test func beforeAnythingIsSaidTheScoreIsNothing() throws {
    let certainty = ConversationScorer().certainty(ScoreTable(try Fixtures.rubric()))
    #expect(certainty.range == 0...0 && certainty.chances.allSatisfy { $0 == 0 })
  }

  @Test func textAboutSomethingElseIsUnlike() throws {
    let table = ScoreTable(try Fixtures.rubric())
    var scorer = ConversationScorer()
    for words in [
      "My Python script throws a KeyError when the column is missing in the dataframe.",
      "The traceback points at line 42 in loader.py, after the merge with the second csv.",
    ] {
      var words = words
      words.withUTF8 { scorer.userSaid($0) }
    }
    #expect(scorer.certainty(table).isUnlike)
    let unseen = try Fixtures.rows("Fixtures/unseen/conversations.jsonl").filter {
      certainties(.offline, $0, table).last?.certainty.isUnlike == true
    }
    #expect(unseen.count <= 3)
  }
}
