import Foundation
import Intake
import TestSupport
import Testing

@testable import Rehearsal

/// Whether a question may begin before the model has read the message. `make quality` prints the
/// figures.
@Suite(.slow)
struct ReadingAheadTests {
  /// Conversations that no training run saw. Where the bounds come from: docs/training.md.
  @Test func theQuestionIsTheOneThatTheModelsReadingLeadsTo() throws {
    let rows = try Fixtures.rows("Fixtures/unseen/conversations.jsonl")
    let figures = try ReadingAheadFigures(rows, maxTurns: 100)
    if ProcessInfo.processInfo.environment["RAPPORT_PRINT_QUALITY"] != nil {
      let capped = try ReadingAheadFigures(rows, maxTurns: IntakeSettings().maxTurns)
      print("reading ahead: \(figures)\nwith the usual cap on questions: \(capped)\n")
    }
    // The others may do more than answer, which only the model tells.
    #expect(figures.atOnce.share >= 0.7)
    #expect(figures.same.share >= 0.9)
    #expect(figures.again.share <= 0.02)
  }
}
