/// When a transfer has waited long enough. Pure: the time is an argument.
struct TransferDeadlines {
  private let start: MonotonicTime
  private let firstByte: Int64
  private let idle: Int64
  private let total: Int64
  private var lastByte: MonotonicTime?
  private var isPaused = false

  init(_ timeouts: HTTPTimeouts, start: MonotonicTime) {
    self.start = start
    firstByte = timeouts.firstByte.clampedNanoseconds
    idle = timeouts.idle.clampedNanoseconds
    total = timeouts.total.clampedNanoseconds
  }

  mutating func received(at now: MonotonicTime) {
    lastByte = now
  }

  /// While the reader is behind, silence is not the server's fault.
  mutating func paused() {
    isPaused = true
  }

  mutating func resumed(at now: MonotonicTime) {
    isPaused = false
    if lastByte != nil { lastByte = now }
  }

  /// The next time at which ``expired(at:)`` may return a limit.
  var next: MonotonicTime { min(totalEnd, silenceEnd) }

  func expired(at now: MonotonicTime) -> HTTPTimeouts.Limit? {
    if now >= totalEnd { return .total }
    if now >= silenceEnd { return lastByte == nil ? .firstByte : .idle }
    return nil
  }

  private var totalEnd: MonotonicTime { start.adding(total) }

  private var silenceEnd: MonotonicTime {
    if isPaused { return .distantFuture }
    return lastByte?.adding(idle) ?? start.adding(firstByte)
  }
}
