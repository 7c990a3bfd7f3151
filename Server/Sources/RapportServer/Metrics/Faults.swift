import Intake
import Synchronization

/// What fails again and again, so that a load balancer and an operator learn of it: the model or the store.
///
/// A part has failed for a while after three failures in a row over a minute. It gets another chance five
/// minutes after the last one, because nothing can show that it works again while nobody is sent here.
final class Faults: Sendable {
  enum Part: String, Hashable, Sendable { case model, store }

  private struct Row {
    var count = 0
    var first: ContinuousClock.Instant
    var last: ContinuousClock.Instant
    var cause: String
  }

  private static let most = 3
  private static let shortest = Duration.seconds(60)
  private static let longest = Duration.seconds(300)

  private let rows = Mutex<[Part: Row]>([:])
  private let clock: @Sendable () -> ContinuousClock.Instant

  init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.clock = clock }

  func worked(_ part: Part) { rows.withLock { $0[part] = nil } }

  func failed(_ part: Part, _ cause: String) {
    let now = clock()
    rows.withLock { rows in
      var row = rows[part] ?? Row(first: now, last: now, cause: cause)
      (row.count, row.last, row.cause) = (row.count + 1, now, cause)
      rows[part] = row
    }
  }

  /// The part that has failed for a while, and why; nil if none has.
  var present: (part: Part, cause: String)? {
    let now = clock()
    return rows.withLock { rows in
      rows.first { _, row in
        row.count >= Self.most && row.first.duration(to: row.last) >= Self.shortest
          && row.last.duration(to: now) < Self.longest
      }.map { ($0.key, $0.value.cause) }
    }
  }
}

extension SessionOutput.Notice {
  /// Whether a reply failed, and not because a newer version wrote the conversation.
  var isModelFailure: Bool { level == .error && code != "newer-events" }

  /// Whether it tells of something that an operator can fix, though nothing failed: a message that was not read,
  /// a prompt that was cut, a request that the model declined.
  var isModelTrouble: Bool {
    level == .warning && code != "unexpected-events" || code == "reading-missed"
  }
}
