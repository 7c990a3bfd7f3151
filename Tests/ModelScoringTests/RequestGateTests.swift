import Synchronization
import TestSupport
import Testing

@testable import ModelScoring

struct RequestGateTests {
  @Test func nobodyEntersMoreThanThereArePlaces() async throws {
    let gate = RequestGate(most: 2) { _ in }
    let room = Room()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await gate.enter()
          room.come()
          await Task.yield()
          room.go()
          await gate.leave(succeeded: true)
        }
      }
      try await group.waitForAll()
    }
    #expect(room.most <= 2)
    #expect(room.now == 0)
  }

  @Test func aPauseOfOneHoldsBackTheOthers() async throws {
    let over = Gate()
    let sleeping = Counter()
    let entered = Counter()
    let begin = ContinuousClock.now
    let time = Mutex(begin)
    let gate = RequestGate(most: 4, now: { time.withLock(\.self) }) { duration in
      sleeping.increment()
      await over.opened()
      time.withLock { $0 = max($0, begin + duration) }
    }
    try await gate.enter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await gate.pause(.milliseconds(200)) }
      await sleeping.reaches(1)
      group.addTask {
        try await gate.enter()
        entered.increment()
      }
      await sleeping.reaches(2)
      #expect(entered.value == 0)
      over.open()
      try await group.waitForAll()
    }
    #expect(entered.value == 1)
  }

  @Test func closingSendsEverybodyAwayThoughTheyWaitForAPlaceOrSleep() async throws {
    let sleeping = Counter()
    let gate = RequestGate(most: 1) { _ in
      sleeping.increment()
      // Ends at once when it is cancelled, which is what closing must do.
      try await untilCancelled()
    }
    try await gate.enter()
    await withTaskGroup(of: Bool.self) { group in
      func refused(_ body: @escaping @Sendable () async throws -> Void) {
        group.addTask {
          do {
            try await body()
            return false
          } catch {
            return error is CancellationError
          }
        }
      }
      refused { try await gate.pause(.seconds(3600)) }
      await sleeping.reaches(1)
      refused { try await gate.enter() }
      await sleeping.reaches(2)
      await gate.close()
      refused { try await gate.enter() }
      for await wasRefused in group { #expect(wasRefused) }
    }
  }
}

/// Counts who is inside.
private final class Room: Sendable {
  private let count = Mutex((now: 0, most: 0))

  var now: Int { count.withLock { $0.now } }
  var most: Int { count.withLock { $0.most } }

  func come() {
    count.withLock {
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
  }

  func go() { count.withLock { $0.now -= 1 } }
}
