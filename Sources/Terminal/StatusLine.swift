/// Decides when to show a line about a wait: only after ``delay``, and never together with text. It
/// reads no clock and writes nothing.
public struct StatusLine: Sendable {
  /// Shorter waits are not worth a flicker.
  public static let delay = Duration.milliseconds(500)

  /// What to do to the screen.
  public enum Action: Sendable, Equatable {
    /// Write the text, replacing the current status if any.
    case show(String)
    case erase
  }

  private enum State: Equatable {
    case idle
    case waiting(String, since: ContinuousClock.Instant)
    case shown(String)
  }

  private var state = State.idle

  public init() {}

  /// When to call ``tick(now:)`` next; nil if there is no wait.
  public var deadline: ContinuousClock.Instant? {
    guard case .waiting(_, let since) = state else { return nil }
    return since + StatusLine.delay
  }

  /// The reason for the wait. Changing it doesn't restart the wait.
  public mutating func set(_ text: String, now: ContinuousClock.Instant) -> Action? {
    switch state {
    case .idle:
      state = .waiting(text, since: now)
      return nil
    case .waiting(_, let since):
      state = .waiting(text, since: since)
      return tick(now: now)
    case .shown(let old):
      state = .shown(text)
      return old == text ? nil : .show(text)
    }
  }

  /// Time has passed.
  public mutating func tick(now: ContinuousClock.Instant) -> Action? {
    guard case .waiting(let text, let since) = state, now >= since + StatusLine.delay else {
      return nil
    }
    state = .shown(text)
    return .show(text)
  }

  /// The wait is over, or text is about to be written.
  public mutating func clear() -> Action? {
    defer { state = .idle }
    if case .shown = state { return .erase }
    return nil
  }
}
