import Foundation
import IncrementalJSON
import SessionStore
import TestSupport
import Testing

@testable import RapportServer

@Suite(.integration) struct RunTests {
  private func run(_ name: String, bytes: Int = 0) -> Run {
    let run = Run(SessionID(rawValue: name))
    if bytes > 0 {
      run.add(["type": "delta", "text": .string(String(repeating: "a", count: bytes))])
    }
    return run
  }

  @Test func aHeartbeatWakesReadersOnlyIfOneHadNothingToWrite() async {
    let run = run("quiet")
    let (engineer, person) = (run.enter(at: 0), run.enter(at: 0))
    for reader in [engineer, person] { run.advance(reader, to: 1) }
    #expect(!run.beat())
    // An event that only engineers get.
    run.advance(engineer, to: 2)
    run.advance(person, to: 2, wrote: false)
    async let woken: Void = run.wait(past: 2)
    #expect(run.beat())
    // The reader may not have waited yet.
    let beats = Task {
      while !Task.isCancelled {
        await Task.yield()
        run.beat()
      }
    }
    await woken
    beats.cancel()
    await beats.value
    run.leave(engineer, isStalled: false)
    run.leave(person, isStalled: false)
    #expect(!run.beat())
  }

  /// Thirty replies of a mebibyte each.
  @Test func onlyTheLatestRepliesAreKept() throws {
    var past = PastRuns()
    let names = (0..<30).map { SessionID(rawValue: "conversation-\($0)") }
    var forgotten = 0
    for name in names {
      let run = run(name.rawValue, bytes: 1 << 20)
      forgotten += past.keep(run, bytes: run.bytes).count
    }
    let kept = names.filter { past[$0] != nil }
    #expect(kept == names.suffix(kept.count))
    #expect((4...9).contains(kept.count))
    #expect(kept.count + forgotten == names.count)

    // One that's written anew takes no more room than before.
    let last = try #require(names.last)
    for _ in 0..<30 {
      let run = run(last.rawValue, bytes: 1 << 10)
      #expect(past.keep(run, bytes: run.bytes).isEmpty)
    }
    #expect(names.filter { past[$0] != nil } == kept)
    past.remove(last)
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
    #expect(lowered == min(19, getpriority(thread, id_t(getpid())) + 1))
  }
}
