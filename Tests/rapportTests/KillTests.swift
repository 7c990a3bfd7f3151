import CoachServer
import TestSupport
import Testing

/// The program is killed at a random moment and started again, until the conversation is over.
@Suite(.serialized, .integration)
struct KillTests {
  private static let moments = Soak.rounds(40, soak: 500)

  @Test func nothingAcknowledgedIsLostAndNoStepIsTakenTwice() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    var random = SeededGenerator(seed: 2026)
    var kills = 0
    let lines = try Self.lines(model)
    while kills < Self.moments {
      let household = try Household()
      var cutsHere = 0
      // Three kills a conversation, then it may end.
      while try !Walkthrough.isOver(household) {
        let fall = cutsHere < 3 ? ChildProcess.Fall(within: lines, using: &random) : nil
        let leg = try Walkthrough.talk(household, model) { child in
          if let fall { child.die(fall) }
        }
        if fall != nil {
          kills += 1
          cutsHere += 1
        }
        try Walkthrough.check(household, leg)
      }
      try Walkthrough.checkWhole(household)
    }
    #expect(kills >= Self.moments)
  }

  /// How much an uninterrupted conversation writes, so that kills fall everywhere in it.
  private static func lines(_ model: CoachServer) throws -> Int {
    let household = try Household()
    let leg = try Walkthrough.talk(household, model)
    try Walkthrough.checkWhole(household)
    return leg.result.output.count { $0 == "\n" }
  }
}
