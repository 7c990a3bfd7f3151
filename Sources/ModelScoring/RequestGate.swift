/// Limits how many requests run at once, and when new ones may start.
///
/// An overloaded server tells each request separately; the gate makes all of them back off. Each
/// such answer halves the limit and holds everything back until the wait is over; each success
/// raises the limit a little, as in TCP.
actor RequestGate {
  private let most: Int
  private var allowance: Double
  private var running = 0
  private var opensAt: ContinuousClock.Instant
  private var isClosed = false
  private var queue: [CheckedContinuation<Void, Never>] = []
  private var sleepers: [Int: Task<Void, any Error>] = [:]
  private var sleeps = 0
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: @Sendable (Duration) async throws -> Void

  init(
    most: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.most = most
    self.now = now
    opensAt = now()
    self.sleep = sleep
    allowance = Double(most)
  }

  /// Waits for a place.
  ///
  /// - Throws: `CancellationError` if the gate closes meanwhile.
  func enter() async throws {
    while true {
      if isClosed { throw CancellationError() }
      let wait = now().duration(to: opensAt)
      if wait > .zero {
        await rest(wait)
      } else if running < Int(allowance) {
        running += 1
        return
      } else {
        await withCheckedContinuation { queue.append($0) }
      }
    }
  }

  func leave(succeeded: Bool) {
    running -= 1
    if succeeded { allowance = min(Double(most), allowance + 1 / allowance) }
    admit()
  }

  /// Gives up the place for as long as the server asks, then waits for a new one.
  func pause(_ delay: Duration) async throws {
    let now = now()
    // Overloaded answers to parallel requests report one jam, not many.
    if now >= opensAt { allowance = max(1, allowance / 2) }
    opensAt = max(opensAt, now + delay)
    running -= 1
    admit()
    do {
      try await enter()
    } catch {
      running += 1  // A paused request gets its place back and releases it like any other.
      throw error
    }
  }

  /// Starts nothing more.
  func close() {
    isClosed = true
    for waiting in queue { waiting.resume() }
    queue = []
    for sleeper in sleepers.values { sleeper.cancel() }
  }

  private func rest(_ wait: Duration) async {
    sleeps += 1
    let number = sleeps
    let sleeper = Task { [sleep] in try await sleep(wait) }
    sleepers[number] = sleeper
    _ = await sleeper.result
    sleepers[number] = nil
  }

  private func admit() {
    let free = max(0, Int(allowance) - running)
    for _ in 0..<min(free, queue.count) { queue.removeFirst().resume() }
  }
}
