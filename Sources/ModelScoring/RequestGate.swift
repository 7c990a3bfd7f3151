/// How many requests may be under way at once, and whether any may begin now.
///
/// A server that is asked too much says so to each request alone; the gate makes all of them heed
/// it. Every such answer halves what is let through, and nothing more goes out until the wait is
/// over; every success lets a little more through again (as TCP does it).
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
  /// - Throws: `CancellationError` where the gate was closed meanwhile.
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

  /// Gives the place up for as long as the server wishes, then waits for one again.
  func pause(_ delay: Duration) async throws {
    let now = now()
    // Answers to requests that were under way together tell of one jam, not of many.
    if now >= opensAt { allowance = max(1, allowance / 2) }
    opensAt = max(opensAt, now + delay)
    running -= 1
    admit()
    do {
      try await enter()
    } catch {
      running += 1  // Whoever is paused holds a place again, and gives it up as everybody does.
      throw error
    }
  }

  /// Nothing more begins.
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
