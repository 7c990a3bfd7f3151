import Synchronization
import TestSupport
import Testing

@testable import rapport

/// Waiting for a server that has gone silent.
@Suite(.serialized, .integration)
struct StalledReplyTests {
  @Test func aMuteServerIsGivenUpAfterTheIdleTimeout() throws {
    let server = try LoopbackServer { $0.waitForClientToClose() }
    defer { server.stop() }
    let household = try Household()
    household.environment["RAPPORT_IDLE_TIMEOUT"] = "1"
    let result = try household.run(
      "chat", "--no-health", "--base-url", server.url("/v1"), "--model", "mute")
    #expect(result.status == 69)
    #expect(result.errors.contains("The model stopped answering."), "\(result.errors)")
    #expect(result.errors.contains("waiting for the model"))
  }

  @Test func controlCDoesNothingForAMomentAfterAReply() {
    let clock = HandClock()
    let grace = ReplyGrace(clock: clock)
    #expect(!grace.isFresh)
    grace.replyEnded()
    clock.advance(by: ReplyGrace.length - .milliseconds(1))
    #expect(grace.isFresh)
    clock.advance(by: .milliseconds(1))
    #expect(!grace.isFresh)
  }
}

/// A clock that is moved by hand.
private final class HandClock: Clock {
  private let time = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { time.withLock(\.self) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func advance(by duration: Duration) { time.withLock { $0 += duration } }
  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
}
