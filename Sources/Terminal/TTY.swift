internal import CLineEdit
internal import Glibc
internal import Synchronization

/// The terminal, or the pipes, that the process was started with.
public final class TTY: Terminal {
  public let isInteractive: Bool
  public let style: TerminalStyle

  private let environment: [String: String]
  private let input: Int32
  private let output: Int32
  private let errors: Int32
  private let inputIsTerminal: Bool
  private let outputIsTerminal: Bool
  private let editor: LineEditor?
  private let reader: LineReader
  private let screen: Mutex<Screen>

  /// The state of the output and of what may write to it.
  private struct Screen {
    var status = StatusLine()
    var statusWidth = 0
    var timer: Task<Void, Never>?
    var isAtLineStart = true
    var writeFailure: Int32?
  }

  /// Takes over the descriptors and makes sure the terminal's modes are restored when the process
  /// ends.
  ///
  /// - Parameters:
  ///   - program: The name that `~/.editrc` uses for the program.
  ///   - noColor: The `--no-color` flag.
  public init(
    program: String, environment: [String: String], noColor: Bool = false, input: Int32 = 0,
    output: Int32 = 1, errors: Int32 = 2
  ) {
    outputIsTerminal = isatty(output) == 1
    inputIsTerminal = isatty(input) == 1
    isInteractive = inputIsTerminal && outputIsTerminal
    style = TerminalStyle(
      isTerminal: outputIsTerminal, environment: environment, noColor: noColor)
    self.environment = environment
    (self.input, self.output, self.errors) = (input, output, errors)
    if inputIsTerminal { cle_guard_install(input) }
    editor =
      isInteractive
      ? LineEditor(
        program: program, input: input, output: output, escapes: style.allowsEscapes)
      : nil
    reader = LineReader(descriptor: input)
    screen = Mutex(Screen())
  }

  public var size: TerminalSize { .current(of: output, environment: environment) }

  public var writeFailure: Int32? { screen.withLock(\.writeFailure) }

  /// Restores the terminal's modes from before the start.
  public func restoreModes() { cle_guard_restore() }

  public func setEcho(_ isOn: Bool) {
    if inputIsTerminal { _ = cle_set_echo(input, isOn ? 1 : 0) }
  }
}

// Writing.

extension TTY {
  public func write(_ text: String, as role: TextRole) {
    emit(text, as: role, to: output)
  }

  public func writeAside(_ text: String, as role: TextRole) {
    emit(text, as: role, to: isInteractive ? output : errors)
  }

  public func writeRecord(_ json: String) {
    emit(OutputFilter.escaped(json: json) + "\n", to: output, endsLine: true)
  }

  /// Writes a document: exactly as it is into a file or a pipe. On a terminal, what could act on it
  /// is escaped in JSON and left out of other text.
  public func writeDocument(_ text: String, isJSON: Bool) {
    guard outputIsTerminal, !isJSON else {
      let text = outputIsTerminal ? OutputFilter.escaped(json: text) : text
      return emit(text, to: output, endsLine: text.hasSuffix("\n"))
    }
    write(text)
  }

  private func emit(_ text: String, as role: TextRole, to descriptor: Int32) {
    let clean = OutputFilter.clean(text)
    guard !clean.isEmpty else { return }
    let styled = descriptor == output ? style(clean, as: role) : clean
    emit(styled, to: descriptor, endsLine: clean.hasSuffix("\n"))
  }

  private func emit(_ text: String, to descriptor: Int32, endsLine: Bool) {
    screen.withLock { screen in
      erase(&screen)
      put(text, to: descriptor, &screen)
      if descriptor == output { screen.isAtLineStart = endsLine }
    }
  }

  private func put(_ text: String, to descriptor: Int32, _ screen: inout Screen) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0 && (errno == EINTR || waitedUntilWritable(descriptor)) { continue }
        guard count > 0 else {
          if descriptor == output, screen.writeFailure == nil { screen.writeFailure = errno }
          return
        }
        rest = rest.dropFirst(count)
      }
    }
  }

  private func waitedUntilWritable(_ descriptor: Int32) -> Bool {
    guard errno == EAGAIN else { return false }
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&polled, 1, -1) >= 0
  }
}

// The status line.

extension TTY {
  public func showStatus(_ text: String) {
    screen.withLock { screen in
      perform(screen.status.set(OutputFilter.clean(text), now: .now), &screen)
      if let deadline = screen.status.deadline, screen.timer == nil {
        screen.timer = Task { [weak self] in
          guard (try? await ContinuousClock().sleep(until: deadline)) != nil else { return }
          self?.statusIsDue()
        }
      }
    }
  }

  public func clearStatus() {
    screen.withLock { erase(&$0) }
  }

  private func statusIsDue() {
    screen.withLock { screen in
      guard !Task.isCancelled else { return }
      screen.timer = nil
      perform(screen.status.tick(now: .now), &screen)
    }
  }

  private func erase(_ screen: inout Screen) {
    screen.timer?.cancel()
    screen.timer = nil
    perform(screen.status.clear(), &screen)
  }

  private func perform(_ action: StatusLine.Action?, _ screen: inout Screen) {
    switch action {
    case .show(let text): show(text, &screen)
    case .erase: blankStatus(&screen)
    case nil: break
    }
  }

  /// No status is shown in the middle of a line.
  private func show(_ text: String, _ screen: inout Screen) {
    guard isInteractive else {
      if screen.statusWidth == 0 { put(text + "\n", to: errors, &screen) }
      screen.statusWidth = 1
      return
    }
    guard screen.isAtLineStart else { return }
    blankStatus(&screen)
    let line = shortened(text.split(separator: "\n").joined(separator: " "), to: size.columns - 1)
    put(style(line, as: .dim), to: output, &screen)
    screen.statusWidth = displayWidth(of: line)
  }

  private func blankStatus(_ screen: inout Screen) {
    if screen.statusWidth > 0, isInteractive {
      let blank =
        style.allowsEscapes
        ? "\r\u{1B}[K" : "\r" + String(repeating: " ", count: screen.statusWidth) + "\r"
      put(blank, to: output, &screen)
    }
    screen.statusWidth = 0
  }
}

// Reading.

extension TTY {
  public func readLine(
    prompt: String, prefill: String, assist: LineAssist?
  ) async -> LineInput {
    guard let editor else {
      clearStatus()
      return await reader.readLine()
    }
    beginPrompt()
    let input = await editor.readLine(
      prompt: promptText(prompt), prefill: OutputFilter.clean(prefill), assist: assist
    ) { [self] in
      assist?.board?.drawn(columns: size.columns, style: style) ?? ""
    }
    screen.withLock { $0.isAtLineStart = true }
    return input
  }

  public func readHidden(prompt: String) async -> HiddenInput {
    guard isInteractive else {
      switch await reader.readLine() {
      case .line(let line): return .value(line.trimmingSpaces)
      case .interrupted: return .interrupted
      case .endOfInput: return .endOfInput
      }
    }
    beginPrompt()
    let value = await HiddenInput.read(
      prompt: style(OutputFilter.clean(prompt), as: .you), input: input, output: output,
      escapes: style.allowsEscapes, limit: HiddenInput.defaultLimit)
    screen.withLock { $0.isAtLineStart = true }
    return value
  }

  /// Makes earlier lines available with the arrow keys, oldest first.
  public func recall(_ lines: [String]) { editor?.recall(lines.map(OutputFilter.clean)) }

  private func beginPrompt() {
    setEcho(true)
    screen.withLock { screen in
      erase(&screen)
      if !screen.isAtLineStart { put("\n", to: output, &screen) }
      screen.isAtLineStart = true
    }
  }

  /// The prompt with its styles marked for the editor. Trailing spaces stay unstyled.
  private func promptText(_ prompt: String) -> String {
    let clean = OutputFilter.clean(prompt)
    let spaces = clean.reversed().prefix { $0 == " " }.count
    let words = String(clean.dropLast(spaces))
    let styled = style.marked(words, as: .you)
    return styled == words ? clean : styled + String(repeating: " ", count: max(spaces, 1))
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest = rest.dropFirst() }
    while rest.last?.isWhitespace == true { rest = rest.dropLast() }
    return String(rest)
  }
}
