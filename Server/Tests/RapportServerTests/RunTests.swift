import Foundation
import SessionStore
import TestSupport
import Testing

@testable import RapportServer

@Suite(.integration) struct RunTests {
  @Test func aHeartbeatWakesReadersOnlyIfOneHadNothingToWrite() async {
    let run = Run(SessionID(rawValue: "quiet"))
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
