/// Decides when to show a line about a wait: only after ``delay``, never together with text, and with
/// the time it takes once that is ``longWait`` or more. It reads no clock and writes nothing.
public struct StatusLine: Sendable {
  /// Shorter waits are not worth a flicker.
  public static let delay = Duration.milliseconds(500)
  /// Longer waits say for how long.
  public static let longWait = Duration.seconds(5)
  /// The hint of what can be done about a wait appears once that has been possible for this long.
  public static let hintWait = Duration.seconds(10)

  /// What to do to the screen.
  public enum Action: Sendable, Equatable {
    /// Write the text, replacing the current status if any.
    case show(String)
    case erase
  }

  private enum State: Equatable {
    case idle
    case waiting(String, since: ContinuousClock.Instant, after: Duration)
    /// - Parameter seconds: The seconds shown; nil before the wait is long.
    case shown(String, since: ContinuousClock.Instant, seconds: Int?)
  }

  /// What can be done about a wait that is very long.
  private struct Hint {
    var text: String
    var since: ContinuousClock.Instant
    var isShown = false
  }

  /// What a wait is for at first.
  public struct Beginning: Sendable, Equatable {
    public var text: String
    public var lasts: Duration

    public init(_ text: String, lasts: Duration) { (self.text, self.lasts) = (text, lasts) }
  }

  private var state = State.idle
  private var hint: Hint?
  private var beginning: (text: String, end: ContinuousClock.Instant)?
  /// Whether the line can be replaced. Otherwise only the beginning of a long wait is reported.
  private let isLive: Bool

  public init(isLive: Bool = true) { self.isLive = isLive }

  /// When to call ``tick(now:)`` next; nil if nothing changes with time.
  public var deadline: ContinuousClock.Instant? {
    switch state {
    case .idle: nil
    case .waiting(_, let since, let delay): since + delay
    case .shown(_, let since, nil):
      isLive
        ? min(since + StatusLine.longWait, beginning?.end ?? since + StatusLine.longWait)
        : since + StatusLine.longWait
    case .shown(_, let since, let seconds?):
      isLive
        ? since + .seconds(seconds + 1)
        : hint.flatMap { $0.isShown ? nil : $0.since + StatusLine.hintWait }
    }
  }

  /// The reason for the wait. Changing it does not restart the wait.
  ///
  /// - Parameters:
  ///   - beginning: The reason until that has passed.
  ///   - hint: What can be done about it once it is very long; empty for nothing.
  ///   - delay: How long the wait must be to be worth a line.
  public mutating func set(
    _ text: String, beginning: Beginning? = nil, hint: String = "",
    after delay: Duration = StatusLine.delay, now: ContinuousClock.Instant
  ) -> Action? {
    let isSame = beginning == nil && self.beginning == nil
    self.beginning = beginning.map { ($0.text, now + $0.lasts) }
    if hint != self.hint?.text { self.hint = hint.isEmpty ? nil : Hint(text: hint, since: now) }
    switch state {
    case .idle:
      state = .waiting(text, since: now, after: delay)
      return nil
    case .waiting(_, let since, let before):
      state = .waiting(text, since: since, after: min(delay, before))
      return tick(now: now)
    case .shown(let old, let since, let seconds):
      state = .shown(text, since: since, seconds: seconds)
      return old == text && isSame || !isLive ? nil : .show(line(text, seconds, now))
    }
  }

  /// Time has passed.
  public mutating func tick(now: ContinuousClock.Instant) -> Action? {
    guard let deadline, now >= deadline else { return nil }
    switch state {
    case .idle: return nil
    case .waiting(let text, let since, _), .shown(let text, let since, _):
      let waited = since.duration(to: now)
      let seconds = waited < StatusLine.longWait ? nil : Int(waited.components.seconds)
      state = .shown(text, since: since, seconds: seconds)
      return .show(line(text, seconds, now))
    }
  }

  private mutating func line(
    _ text: String, _ seconds: Int?, _ now: ContinuousClock.Instant
  ) -> String {
    if let end = beginning?.end, end <= now { beginning = nil }
    let text = beginning?.text ?? text
    guard let seconds else { return text }
    let line = "\(text) (\(seconds) s)"
    guard let hint, hint.since.duration(to: now) >= StatusLine.hintWait else { return line }
    self.hint?.isShown = true
    return line + " " + hint.text
  }

  /// The wait is over, or text is about to be written.
  public mutating func clear() -> Action? {
    defer { (state, hint, beginning) = (.idle, nil, nil) }
    if case .shown = state { return .erase }
    return nil
  }
}
