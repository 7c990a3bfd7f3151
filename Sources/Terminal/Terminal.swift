/// Where a person reads and types.
///
/// Everything written passes through ``OutputFilter`` here and nowhere else, so no caller can write
/// a control sequence; callers ask for styles by role.
public protocol Terminal: Sendable {
  /// Whether a person is at both ends: input and output are terminals.
  var isInteractive: Bool { get }

  /// The window's size now; it may change between calls.
  var size: TerminalSize { get }

  /// The `errno` of the first failed write to the output; `EPIPE` if a pipe's reader is gone.
  var writeFailure: Int32? { get }

  /// Writes text of the conversation to standard output.
  func write(_ text: String, as role: TextRole)

  /// Writes text about the conversation (notices, errors, help): to the terminal, or to standard
  /// error if output is not a terminal.
  func writeAside(_ text: String, as role: TextRole)

  /// Writes a record for programs to standard output, on a separate line. The record is valid JSON
  /// on one line; for control characters in it see ``OutputFilter/escaped(json:)``.
  func writeRecord(_ json: String)

  /// Shows the reason for a wait. It appears after ``StatusLine/delay`` and disappears before any
  /// text is written. After ``StatusLine/longWait`` it also says how long the wait has been, and
  /// after ``StatusLine/hintWait`` what can be done about it.
  ///
  /// - Parameter beginning: The reason until that has passed.
  func showStatus(_ text: String, beginning: StatusLine.Beginning?, hint: String)

  /// More text should follow soon. If nothing is written for ``StatusLine/longWait``, shows the text
  /// as a status, also below an unfinished line, and the hint as ``showStatus(_:beginning:hint:)`` does.
  func expectMore(_ text: String, hint: String)

  /// The wait is over.
  func clearStatus()

  /// Asks for a line, with `prefill` in the edit buffer. If input is not a terminal, there is no
  /// prompt and no assist, and each line of input is one answer.
  func readLine(prompt: String, prefill: String, assist: LineAssist?) async -> LineInput

  /// Asks for a secret without showing what is typed.
  func readHidden(prompt: String) async -> HiddenInput

  /// Switches the echo of typing while no line is being read, such as during a reply. What is typed
  /// then appears at the next prompt.
  func setEcho(_ isOn: Bool)
}

extension Terminal {
  public func write(_ text: String) { write(text, as: .coach) }
  public func showStatus(_ text: String) { showStatus(text, beginning: nil, hint: "") }
  public func readLine(prompt: String) async -> LineInput {
    await readLine(prompt: prompt, prefill: "", assist: nil)
  }

  public func readLine(prompt: String, prefill: String) async -> LineInput {
    await readLine(prompt: prompt, prefill: prefill, assist: nil)
  }

  /// Writes lines beside the conversation, wrapped for a window.
  public func writeNote(_ text: String, as role: TextRole) {
    writeAside(wrapped(text) + "\n", as: role)
  }

  /// A text with its lines wrapped to the terminal's width.
  public func wrapped(_ text: String) -> String {
    var reply = ReplyText(width: wrappingWidth)
    return reply.feed(text) + reply.finish()
  }

  /// A text behind something of its own, such as `[1] `; its further rows begin below its first.
  public func wrapped(_ text: String, after lead: String) -> String {
    guard let width = wrappingWidth, !lead.isEmpty else { return lead + wrapped(text) }
    var reply = ReplyText(width: max(1, width - lead.count))
    let rows = reply.feed(text) + reply.finish()
    return lead + rows.replacing("\n", with: "\n" + String(repeating: " ", count: lead.count))
  }

  /// Lines with a name and its explanation, at least two spaces apart. The explanation is wrapped
  /// below itself if there is room for that.
  public func wrappedList(_ text: String) -> String {
    guard let width = wrappingWidth else { return text }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { Self.wrappedEntry($0, width: width) }.joined(separator: "\n")
  }

  private static func wrappedEntry(_ line: Substring, width: Int) -> String {
    let name = line.prefix { $0 == " " }.count
    let gap = line.dropFirst(name).firstRange(of: "  ")
    let explanation = gap.map { line[$0.lowerBound...].drop { $0 == " " } } ?? line[...]
    let indent = line.distance(from: line.startIndex, to: explanation.startIndex)
    let isNarrow = width - indent < 20
    var reply = ReplyText(width: isNarrow ? width : width - indent)
    let wrapped = reply.feed(String(isNarrow ? line : explanation)) + reply.finish()
    guard !isNarrow else { return wrapped }
    return line.prefix(indent)
      + wrapped.replacing("\n", with: "\n" + String(repeating: " ", count: indent))
  }

  /// Columns to wrap text to; nil if output is not a terminal.
  public var wrappingWidth: Int? { isInteractive ? size.columns : nil }
}
