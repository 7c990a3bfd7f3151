import Synchronization

/// A moment after a reply in which Ctrl-C does nothing: it was meant to stop the reply.
final class ReplyGrace: Sendable {
  static let length = Duration.milliseconds(700)

  private let clock: any Clock<Duration>
  private let sinceReply = Mutex<(@Sendable () -> Duration)?>(nil)

  init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

  func replyEnded() {
    let elapsed = Self.stopwatch(clock)
    sinceReply.withLock { $0 = elapsed }
  }

  /// Whether a reply ended just now.
  var isFresh: Bool {
    sinceReply.withLock(\.self).map { $0() < Self.length } ?? false
  }

  private static func stopwatch(
    _ clock: some Clock<Duration>
  ) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
