import Synchronization

/// Reads a draft as soon as its writer pauses. The next keystroke that changes it cancels the
/// reading.
final class DraftReader: Sendable {
  /// A pause this long means the writer may be done.
  static let pause = Duration.milliseconds(300)

  private struct State {
    var draft = ""
    /// The draft last read, and what was found in it.
    var lastRead: String?
    var found: [String]?
    var task: Task<Void, Never>?
    var isReading = false
    var isOver = false
  }

  private let clock: any Clock<Duration>
  private let allowance: ReadingAllowance
  private let read: @Sendable (String) async -> [String]?
  private let show: @Sendable (String, [String]) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - allowance: How many readings the conversation has left.
  ///   - read: What the draft reveals; nil if it could not be read.
  ///   - show: Receives the draft and its findings while the draft is unchanged.
  init(
    clock: any Clock<Duration> = ContinuousClock(),
    allowance: ReadingAllowance = ReadingAllowance(),
    read: @escaping @Sendable (String) async -> [String]?,
    show: @escaping @Sendable (String, [String]) -> Void
  ) {
    (self.clock, self.allowance, self.read, self.show) = (clock, allowance, read, show)
  }

  /// The line changed with a keystroke.
  func typed(_ line: String) {
    let known = state.withLock { state -> [String]? in
      // Moving the cursor in a draft that is being read changes nothing.
      guard !state.isOver, !(line == state.draft && state.isReading) else { return nil }
      state.task?.cancel()
      (state.draft, state.isReading, state.task) = (line, false, nil)
      guard Self.isWorthReading(line) else { return nil }
      if line == state.lastRead, let found = state.found {
        state.isReading = true
        return found
      }
      let pause = allowance.pause(isSmall: Self.isSmall(from: state.lastRead, to: line))
      state.task = Task { [self, clock] in
        guard (try? await clock.sleep(for: pause)) != nil, begin(line) else { return }
        if let found = await read(line) { finish(line, found) }
      }
      return nil
    }
    if let known { show(line, known) }
  }

  private static func isWorthReading(_ line: String) -> Bool {
    guard line.contains(where: { !$0.isWhitespace }) else { return false }
    if case .message = SlashCommand.read(line) { return true }
    return false
  }

  /// Whether only a letter or two changed.
  private static func isSmall(from last: String?, to line: String) -> Bool {
    guard let last else { return false }
    return abs(line.count - last.count) < 3 && (line.hasPrefix(last) || last.hasPrefix(line))
  }

  private func begin(_ line: String) -> Bool {
    state.withLock { state in
      guard !state.isOver, !Task.isCancelled, state.draft == line else { return false }
      (state.isReading, state.lastRead, state.found) = (true, line, nil)
      allowance.spend()
      return true
    }
  }

  private func finish(_ line: String, _ found: [String]) {
    let isCurrent = state.withLock { state in
      guard !state.isOver, state.lastRead == line else { return false }
      state.found = found
      return state.draft == line
    }
    if isCurrent { show(line, found) }
  }

  /// The line was sent, or nothing was. A reading of exactly this line runs to its end, because its
  /// answer is needed now.
  func end(sent line: String?) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.isOver = true
      if !state.isReading || line != state.draft { state.task?.cancel() }
      state.task = nil
      if let line { allowance.sent(wasRead: line == state.lastRead) }
    }
  }
}

/// Limits how often drafts are read, so that previews leave the server room: frequent pauses
/// lengthen the wait, across messages. The number of readings has no limit, so the finished draft
/// is always read.
final class ReadingAllowance: Sendable {
  private let spent = Mutex(0)

  /// How long to wait before the next reading: 300 ms twice, 600 ms twice, then ever longer, at
  /// most seven readings in half a minute.
  ///
  /// - Parameter isSmall: Only a little is new.
  func pause(isSmall: Bool) -> Duration {
    let spent = spent.withLock(\.self)
    if spent >= 4 { return .milliseconds(2_500) * (1 << min(spent - 4, 4)) }
    return isSmall || spent >= 2 ? DraftReader.pause * 2 : DraftReader.pause
  }

  func spend() { spent.withLock { $0 += 1 } }

  /// A message needs one request anyway; if its draft was read, that was the one.
  func sent(wasRead: Bool) { spent.withLock { $0 = max(0, $0 - (wasRead ? 2 : 1)) } }
}
