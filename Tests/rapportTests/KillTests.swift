import CoachServer
import Foundation
import Glibc
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
    let longest = max(try Self.duration(model), 0.05)
    while kills < Self.moments {
      let household = try Household()
      var cutsHere = 0
      // Three kills a conversation, then it may end.
      while try !Walkthrough.isOver(household) {
        let delay = cutsHere < 3 ? Double.random(in: 0...longest, using: &random) : nil
        let leg = try Walkthrough.talk(household, model) { child in
          if let delay { Killer.kill(child.pid, after: delay) }
        }
        if delay != nil {
          kills += 1
          cutsHere += 1
        }
        try Walkthrough.check(household, leg)
      }
      try Walkthrough.checkWhole(household)
    }
    #expect(kills >= Self.moments)
  }

  /// How long an uninterrupted conversation takes, so that kills fall everywhere in it.
  private static func duration(_ model: CoachServer) throws -> Double {
    let household = try Household()
    let start = ContinuousClock.now
    _ = try Walkthrough.talk(household, model)
    try Walkthrough.checkWhole(household)
    return (ContinuousClock.now - start) / .seconds(1)
  }
}

/// Sends SIGKILL from a thread of its own, as a power cut would: whatever the process is doing.
private enum Killer {
  static func kill(_ pid: pid_t, after delay: Double) {
    Thread.detachNewThread {
      usleep(UInt32(delay * 1_000_000))
      _ = Glibc.kill(pid, SIGKILL)
    }
  }
}
