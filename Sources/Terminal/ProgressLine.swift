internal import Glibc
internal import Synchronization

/// A ``ProgressBar`` at the bottom of a terminal, on standard error. In a pipe or a file it writes
/// nothing.
///
/// Clear it before anything else is written to the terminal.
public final class ProgressLine: Sendable {
  private struct State {
    var bar: ProgressBar
    var width = 0
  }

  private let state: Mutex<State>
  private let descriptor: Int32
  private let isShown: Bool
  private let style: TerminalStyle
  private let environment: [String: String]
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameters:
  ///   - isWanted: False if the line would disturb what the program writes.
  ///   - now: The clock.
  public init(
    _ unit: ProgressBar.Unit, environment: [String: String], noColor: Bool = false,
    isWanted: Bool = true, descriptor: Int32 = 2,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    isShown = isWanted && isatty(descriptor) == 1
    style = TerminalStyle(isTerminal: isShown, environment: environment, noColor: noColor)
    let alphabet =
      style.allowsEscapes ? BarChart.Alphabet(environment: environment) : .ascii
    state = Mutex(State(bar: ProgressBar(unit, alphabet: alphabet, start: now())))
    (self.descriptor, self.environment, self.now) = (descriptor, environment, now)
  }

  /// - Parameter clearing: Takes whatever else is on the line away before the bar is drawn.
  public func show(_ progress: ProgressBar.Progress, clearing: () -> Void = {}) {
    guard isShown else { return }
    state.withLock { state in
      let columns = TerminalSize.current(of: descriptor, environment: environment).columns
      guard let line = state.bar.line(progress, now: now(), columns: columns) else { return }
      clearing()
      put(erasing(state.width) + line)
      state.width = displayWidth(of: line)
    }
  }

  /// Leaves nothing on the line.
  public func clear() {
    guard isShown else { return }
    state.withLock { state in
      if state.width > 0 { put(erasing(state.width)) }
      state.width = 0
      state.bar.wasErased()
    }
  }

  private func erasing(_ width: Int) -> String {
    guard width > 0 else { return "" }
    return style.allowsEscapes
      ? "\r\u{1B}[K" : "\r" + String(repeating: " ", count: width) + "\r"
  }

  /// Progress that cannot be shown is not worth an error.
  private func put(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}
