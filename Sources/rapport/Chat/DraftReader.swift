import Synchronization

/// Reads a draft when its writer pauses, for the margin. The next keystroke that changes it cancels
/// the reading.
final class DraftReader: Sendable {
  /// While somebody types on, the margin keeps still.
  static let pause = Duration.milliseconds(300)

  private struct State {
    var draft = ""
    var task: Task<Void, Never>?
  }

  private let clock: any Clock<Duration>
  private let read: @Sendable (String) async -> [String]?
  private let show: @Sendable (String, [String]) -> Void
  /// Nil once the prompt is over.
  private let state = Mutex<State?>(State())

  /// - Parameters:
  ///   - read: What the draft reveals; nil if it could not be read.
  ///   - show: Receives the draft and its findings while the draft is unchanged.
  init(
    clock: any Clock<Duration> = ContinuousClock(),
    read: @escaping @Sendable (String) async -> [String]?,
    show: @escaping @Sendable (String, [String]) -> Void
  ) {
    (self.clock, self.read, self.show) = (clock, read, show)
  }

  /// The line changed with a keystroke, or the cursor moved in it.
  func typed(_ line: String) {
    state.withLock { state in
      guard let draft = state?.draft, line != draft else { return }
      state?.task?.cancel()
      state = State(draft: line, task: Self.isWorthReading(line) ? Task { await look(line) } : nil)
    }
  }

  private static func isWorthReading(_ line: String) -> Bool {
    guard line.contains(where: { !$0.isWhitespace }) else { return false }
    if case .message = SlashCommand.read(line) { return true }
    return false
  }

  private func look(_ line: String) async {
    guard (try? await clock.sleep(for: Self.pause)) != nil, let found = await read(line),
      !Task.isCancelled
    else { return }
    show(line, found)
  }

  /// The line was sent, or nothing was.
  func end() {
    state.withLock { state in
      state?.task?.cancel()
      state = nil
    }
  }
}
