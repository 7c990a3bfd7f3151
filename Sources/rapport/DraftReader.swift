import Synchronization

/// Has a draft read as soon as its writer pauses. The next key that changes it ends the reading.
final class DraftReader: Sendable {
  /// Without a key for so long, somebody may be done.
  static let pause = Duration.milliseconds(300)

  private struct State {
    var draft = ""
    var task: Task<Void, Never>?
    var isReading = false
    var isOver = false
  }

  private let clock: any Clock<Duration>
  private let read: @Sendable (String) async -> [String]?
  private let show: @Sendable ([String]) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - read: What the draft makes known; nil where nothing could be found out.
  ///   - show: Told of it while the draft is as it was.
  init(
    clock: any Clock<Duration> = ContinuousClock(),
    read: @escaping @Sendable (String) async -> [String]?,
    show: @escaping @Sendable ([String]) -> Void
  ) {
    (self.clock, self.read, self.show) = (clock, read, show)
  }

  /// A key was pressed, and this is the line now.
  func typed(_ line: String) {
    state.withLock { state in
      // Moving about in a draft that is being read changes nothing.
      guard !state.isOver, !(line == state.draft && state.isReading) else { return }
      state.task?.cancel()
      (state.draft, state.isReading, state.task) = (line, false, nil)
      guard Self.isWorthReading(line) else { return }
      state.task = Task { [self, clock] in
        guard (try? await clock.sleep(for: Self.pause)) != nil, begin(line) else { return }
        let found = await read(line)
        if let found, isCurrent(line) { show(found) }
      }
    }
  }

  private static func isWorthReading(_ line: String) -> Bool {
    guard line.contains(where: { !$0.isWhitespace }) else { return false }
    if case .message = SlashCommand.read(line) { return true }
    return false
  }

  private func begin(_ line: String) -> Bool {
    state.withLock { state in
      guard !state.isOver, !Task.isCancelled, state.draft == line else { return false }
      state.isReading = true
      return true
    }
  }

  private func isCurrent(_ line: String) -> Bool {
    state.withLock { !$0.isOver && $0.draft == line }
  }

  /// The line was sent, or nothing was: what is being read of exactly this line is read to its end,
  /// because its answer is wanted now.
  func end(sent line: String?) {
    state.withLock { state in
      state.isOver = true
      if !state.isReading || line != state.draft { state.task?.cancel() }
      state.task = nil
    }
  }
}
