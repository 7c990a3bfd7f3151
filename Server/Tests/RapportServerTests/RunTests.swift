import Foundation
import IncrementalJSON
import SessionStore
import Testing

@testable import RapportServer

@Suite struct RunTests {
  private func run(_ name: String, bytes: Int = 0) -> Run {
    let run = Run(SessionID(rawValue: name))
    if bytes > 0 {
      run.add(["type": "delta", "text": .string(String(repeating: "a", count: bytes))])
    }
    return run
  }

  @Test func aHeartbeatWakesOnlyTheReadersOfQuietStreams() async {
    let run = run("quiet")
    run.add(["type": "delta", "text": "one"])
    #expect(!run.beat())
    async let woken: Void = run.wait(past: 1)
    // The reader may not wait yet.
    let beats = Task {
      while !Task.isCancelled {
        await Task.yield()
        run.beat()
      }
    }
    await woken
    beats.cancel()
    await beats.value
    #expect(run.count == 1)
    #expect(run.beat())
  }

  /// Thirty replies of a mebibyte each.
  @Test func onlyTheLatestRepliesAreKept() throws {
    var past = PastRuns()
    let names = (0..<30).map { SessionID(rawValue: "conversation-\($0)") }
    for name in names { past[name] = run(name.rawValue, bytes: 1 << 20) }
    let kept = names.filter { past[$0] != nil }
    #expect(kept == names.suffix(kept.count))
    #expect((4...9).contains(kept.count))

    // One that's written anew takes no more room than before.
    let last = try #require(names.last)
    for _ in 0..<30 { past[last] = run(last.rawValue, bytes: 1 << 10) }
    #expect(names.filter { past[$0] != nil } == kept)
    past[last] = nil
    #expect(past[last] == nil)
  }

  @Test func aThreadsPriorityIsLoweredOnce() async {
    let thread = __priority_which_t(PRIO_PROCESS.rawValue)
    let lowered = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        ThreadPriority.lower()
        ThreadPriority.lower()
        continuation.resume(returning: getpriority(thread, 0))
      }
    }
    #expect(lowered == getpriority(thread, id_t(getpid())) + 1)
  }
}
