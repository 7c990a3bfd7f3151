import Foundation
import Intake
import TestSupport
import Testing

@testable import Rehearsal

/// Whether a question may begin before the model has read the message. `make quality` prints the
/// figures.
@Suite(.slow)
struct ReadingAheadTests {
  /// Conversations that no training run saw, and no bound was chosen on.
  @Test func theQuestionIsTheOneThatTheModelsReadingLeadsTo() throws {
    let figures = try ReadingAheadFigures(Fixtures.rows("Fixtures/unseen/conversations.jsonl"))
    if ProcessInfo.processInfo.environment["RAPPORT_PRINT_QUALITY"] != nil {
      print("reading ahead: \(figures)\n")
    }
    #expect(figures.atOnce.share >= 0.9)
    #expect(figures.same.share >= 0.9)
    #expect(figures.again.share <= 0.01)
  }
}
