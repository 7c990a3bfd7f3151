internal import CLineEdit
internal import Glibc
internal import Synchronization

/// The terminal, or the pipes, that the process was started with.
public final class TTY: Terminal {
  public let isInteractive: Bool
  public let style: TerminalStyle
  private let movesCursor: Bool

  private let environment: [String: String]
  private let input: Int32
  private let output: Int32
  private let errors: Int32
  private let inputIsTerminal: Bool
  private let outputIsTerminal: Bool
  private let program: String
  private let editing: Mutex<Editing>
  /// The modes from before keys were read one by one; nil while lines are.
  let modesBeforeKeys = Mutex<termios?>(nil)
  private let reader: LineReader
  private let screen: Mutex<Screen>

  /// The line editor, which exists once a line is edited: a command that edits none must leave the
  /// terminal's input alone.
  private enum Editing {
    case unused(recalled: [String])
    case ready(LineEditor)
    case unavailable
  }

  /// The state of the output and of what may write to it.
  private struct Screen {
    var status: StatusLine
    var statusWidth = 0
    /// Whether the status stands below an unfinished line.
    var isStatusBelow = false
    var timer: Task<Void, Never>?
    var timerDeadline: ContinuousClock.Instant?
    /// Columns written since the last newline.
    var column = 0
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
    let colored = environment.filter { $0.key != "NO_COLOR" }
    movesCursor =
      TerminalStyle(isTerminal: outputIsTerminal, environment: colored).allowsEscapes
    self.environment = environment
    (self.input, self.output, self.errors) = (input, output, errors)
    if inputIsTerminal { cle_guard_install(input) }
    self.program = program
    editing = Mutex(isInteractive ? .unused(recalled: []) : .unavailable)
    reader = LineReader(descriptor: input)
    screen = Mutex(Screen(status: StatusLine(isLive: isInteractive)))
  }

  public var size: TerminalSize { .current(of: output, environment: environment) }

  public var writeFailure: Int32? { screen.withLock(\.writeFailure) }

  /// Restores the terminal's modes from before the start.
  public func restoreModes() { cle_guard_restore() }

  /// Whether a screen can be drawn over the last one: a person is there, and the terminal has escapes.
  /// Without color, too.
  public var canRedraw: Bool { isInteractive && movesCursor }

  var keyInput: Int32 { input }

  /// Clears the window, so that the next text is at its top. Does nothing where it cannot.
  public func clearWindow() {
    guard canRedraw else { return }
    emit("\u{1B}[H\u{1B}[2J", to: output, endsLine: true)
  }

  /// Empties the window in place, to draw the same thing again. Clearing it would leave a copy in the
  /// history that some terminals keep.
  public func eraseWindow() {
    guard canRedraw else { return }
    let rows = Array(repeating: "\u{1B}[2K", count: max(1, size.rows))
    emit("\u{1B}[H" + rows.joined(separator: "\u{1B}[B") + "\u{1B}[H", to: output, endsLine: true)
  }

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
    emit(styled, to: descriptor, endsLine: clean.hasSuffix("\n"), lastLine: clean)
  }

  /// - Parameter text: Its last line, without styles, is what is measured.
  private func emit(
    _ text: String, to descriptor: Int32, endsLine: Bool, lastLine clean: String = ""
  ) {
    screen.withLock { screen in
      erase(&screen)
      put(text, to: descriptor, &screen)
      guard descriptor == output else { return }
      screen.isAtLineStart = endsLine
      guard isInteractive else { return }
      if let end = clean.lastIndex(where: \.isNewline) {
        screen.column = displayWidth(of: String(clean[clean.index(after: end)...]))
      } else {
        screen.column += displayWidth(of: clean)
      }
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
  public func showStatus(_ text: String, beginning: StatusLine.Beginning?, hint: String) {
    wait(text, beginning, hint: hint, after: StatusLine.delay)
  }

  public func expectMore(_ text: String, hint: String) {
    wait(text, hint: hint, after: StatusLine.longWait)
  }

  private func wait(
    _ text: String, _ beginning: StatusLine.Beginning? = nil, hint: String = "",
    after delay: Duration
  ) {
    screen.withLock { screen in
      var beginning = beginning
      if let text = beginning?.text { beginning?.text = OutputFilter.clean(text) }
      let action = screen.status.set(
        OutputFilter.clean(text), beginning: beginning, hint: OutputFilter.clean(hint),
        after: delay, now: .now)
      perform(action, &screen)
      startTimer(&screen)
    }
  }

  public func clearStatus() {
    screen.withLock { erase(&$0) }
  }

  /// A timer that is due too early looks again, so that text which arrives in many pieces needs only
  /// one.
  private func startTimer(_ screen: inout Screen) {
    guard let deadline = screen.status.deadline else { return }
    if let running = screen.timerDeadline, running <= deadline { return }
    screen.timer?.cancel()
    screen.timerDeadline = deadline
    screen.timer = Task { [weak self] in
      guard (try? await ContinuousClock().sleep(until: deadline)) != nil else { return }
      self?.statusIsDue()
    }
  }

  private func statusIsDue() {
    screen.withLock { screen in
      guard !Task.isCancelled else { return }
      (screen.timer, screen.timerDeadline) = (nil, nil)
      perform(screen.status.tick(now: .now), &screen)
      startTimer(&screen)
    }
  }

  private func erase(_ screen: inout Screen) {
    perform(screen.status.clear(), &screen)
  }

  private func perform(_ action: StatusLine.Action?, _ screen: inout Screen) {
    switch action {
    case .show(let text): show(text, &screen)
    case .erase: blankStatus(&screen)
    case nil: break
    }
  }

  private func show(_ text: String, _ screen: inout Screen) {
    guard isInteractive else { return put(text + "\n", to: errors, &screen) }
    blankStatus(&screen)
    if !screen.isAtLineStart {
      // The unfinished line can only be found again with escapes.
      guard style.allowsEscapes else { return }
      put("\n", to: output, &screen)
      screen.isStatusBelow = true
    }
    let line = shortened(text.split(separator: "\n").joined(separator: " "), to: size.columns - 1)
    put(style(line, as: .dim), to: output, &screen)
    screen.statusWidth = displayWidth(of: line)
  }

  private func blankStatus(_ screen: inout Screen) {
    if screen.statusWidth > 0, isInteractive {
      var blank =
        style.allowsEscapes
        ? "\r\u{1B}[K" : "\r" + String(repeating: " ", count: screen.statusWidth) + "\r"
      if screen.isStatusBelow {
        blank += "\u{1B}[A" + (screen.column > 0 ? "\u{1B}[\(screen.column)C" : "")
      }
      put(blank, to: output, &screen)
    }
    (screen.statusWidth, screen.isStatusBelow) = (0, false)
  }
}

// Reading.

extension TTY {
  public func readLine(
    prompt: String, prefill: String, assist: LineAssist?
  ) async -> LineInput {
    guard let editor = lineEditor() else {
      // Its output may go elsewhere while a person types.
      setEcho(true)
      clearStatus()
      return await reader.readLine()
    }
    beginPrompt()
    let input = await editor.readLine(
      prompt: promptText(prompt), prefill: OutputFilter.clean(prefill), assist: assist
    ) { [self] in
      assist?.board?.drawn(columns: size.columns, style: style) ?? ""
    }
    noteFreshLine()
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
    noteFreshLine()
    return value
  }

  /// Makes earlier lines available with the arrow keys, oldest first.
  public func recall(_ lines: [String]) {
    let lines = lines.map(OutputFilter.clean)
    editing.withLock { editing in
      switch editing {
      case .unused(let recalled): editing = .unused(recalled: recalled + lines)
      case .ready(let editor): editor.recall(lines)
      case .unavailable: break
      }
    }
  }

  func lineEditor() -> LineEditor? {
    editing.withLock { editing in
      if case .unused(let recalled) = editing {
        let editor = LineEditor(
          program: program, input: input, output: output, escapes: style.allowsEscapes)
        editor?.recall(recalled)
        editing = editor.map(Editing.ready) ?? .unavailable
      }
      if case .ready(let editor) = editing { return editor }
      return nil
    }
  }

  private func noteFreshLine() {
    screen.withLock { ($0.isAtLineStart, $0.column) = (true, 0) }
  }

  private func beginPrompt() {
    setEcho(true)
    screen.withLock { screen in
      erase(&screen)
      if !screen.isAtLineStart { put("\n", to: output, &screen) }
      (screen.isAtLineStart, screen.column) = (true, 0)
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
