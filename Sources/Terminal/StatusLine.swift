/// Decides when a line about a wait is shown: only once the wait has lasted ``delay``, and never
/// together with text. It reads no clock and writes nothing.
public struct StatusLine: Sendable {
  /// Shorter waits are not worth a flicker.
  public static let delay = Duration.milliseconds(500)

  /// What to do to the screen.
  public enum Action: Sendable, Equatable {
    /// Write the text over the status shown before, if there is one.
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

  /// When to call ``tick(now:)`` next; nil when there is nothing to wait for.
  public var deadline: ContinuousClock.Instant? {
    guard case .waiting(_, let since) = state else { return nil }
    return since + StatusLine.delay
  }

  /// What is waited for. Changing it does not start the wait anew.
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
