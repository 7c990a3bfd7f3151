import Synchronization

/// Something that happens once, perhaps on another task.
final class OneTimeEvent: Sendable {
  private let value = Mutex(false)
  var hasHappened: Bool { value.withLock(\.self) }
  func happen() { value.withLock { $0 = true } }
}
