import SessionStore
import Testing

@testable import RapportServer

/// What a reader gets who comes back: every case, without a store.
struct ResumptionTests {
  private static let base = EventID.Base(position: 4, stamp: 1_000)

  /// A reply of five events.
  private func run(
    _ phase: Run.Phase, for purpose: Run.Purpose = .reply, failed: Bool = false,
    base: EventID.Base? = base
  ) -> Run.Status {
    Run.Status(
      name: "reply1", purpose: purpose, phase: phase, base: base, count: 5, hasFailed: failed)
  }

  private func event(
    _ number: Int, of run: String = "reply1", base: EventID.Base = base
  ) -> EventID {
    EventID(
      conversation: SessionID(rawValue: "abcdefgh"), base: base, run: run, number: number)
  }

  @Test(arguments: [Run.Phase.replying, .suggesting, .over])
  func theRestOfTheReplyFollowsTheLastEvent(phase: Run.Phase) {
    for number in 0..<5 {
      #expect(Resumption(of: run(phase), after: event(number)) == .follow(from: number + 1))
    }
  }

  @Test(arguments: [5, 6, 1_000])
  func anEventThatNeverCameIsRefused(number: Int) {
    #expect(Resumption(of: run(.over), after: event(number)) == .refuse)
  }

  @Test func withoutAnEventTheReplyIsReadFromItsStart() {
    #expect(Resumption(of: run(.replying), after: nil) == .follow(from: 0))
    #expect(Resumption(of: run(.replying, base: nil), after: nil) == .follow(from: 0))
    #expect(Resumption(of: run(.suggesting), after: nil) == .begin)
    #expect(Resumption(of: run(.over), after: nil) == .begin)
  }

  @Test func aReaderOfAnotherReplyWaitsForThisOne() {
    let others = [
      event(1, of: "reply0"), event(1, base: .init(position: 3, stamp: 1_000)),
      event(1, base: .init(position: 4, stamp: 999)),
    ]
    for other in others {
      #expect(Resumption(of: run(.replying), after: other) == .wait)
      #expect(Resumption(of: run(.suggesting), after: other) == .begin)
      #expect(Resumption(of: run(.over), after: other) == .begin)
    }
    #expect(Resumption(of: run(.replying, base: nil), after: event(0)) == .wait)
  }

  @Test func afterTheEndOfAFailedReplyAnotherBegins() {
    let last = event(4)
    #expect(Resumption(of: run(.over, failed: true), after: last) == .begin)
    #expect(Resumption(of: run(.suggesting, failed: true), after: last) == .wait)
    // Before its end, the rest of it comes.
    #expect(Resumption(of: run(.over, failed: true), after: event(3)) == .follow(from: 4))
    #expect(Resumption(of: run(.over), after: last) == .follow(from: 5))
  }

  @Test func aDocumentIsFollowedToItsEnd() {
    let failed = run(.over, for: .document, failed: true)
    #expect(Resumption(of: failed, after: event(4)) == .follow(from: 5))
    #expect(Resumption(of: run(.replying, for: .document), after: nil) == .follow(from: 0))
  }

  /// What is stored in a moment isn't a reply that could be followed.
  @Test func aStepIsWaitedFor() {
    for last in [nil, event(1)] {
      #expect(Resumption(of: run(.replying, for: .step), after: last) == .wait)
      #expect(Resumption(of: run(.over, for: .step), after: last) == .begin)
    }
  }
}
