/// Where a person reads and types.
///
/// Everything written goes through ``OutputFilter`` here and nowhere else, so no caller can write
/// a control sequence; styles are asked for by role.
public protocol Terminal: Sendable {
  /// Whether a person is at both ends: input and output are terminals.
  var isInteractive: Bool { get }

  /// The window's size now; it may change between calls.
  var size: TerminalSize { get }

  /// The `errno` of the first write to the output that failed; `EPIPE` when the reader of a pipe
  /// has gone.
  var writeFailure: Int32? { get }

  /// Writes text of the conversation itself, which goes to standard output.
  func write(_ text: String, as role: TextRole)

  /// Writes what is about the conversation (notices, errors, help): to the terminal, or to
  /// standard error where output is no terminal.
  func writeAside(_ text: String, as role: TextRole)

  /// Writes a record for programs to standard output, as a line of its own. The record is valid
  /// JSON on one line; see ``OutputFilter/escaped(json:)`` for what happens to its controls.
  func writeRecord(_ json: String)

  /// Says what is waited for. It appears once the wait has lasted ``StatusLine/delay`` and goes
  /// before any text comes.
  func showStatus(_ text: String)

  /// The wait is over.
  func clearStatus()

  /// Asks for a line, beginning with `prefill` in the edit buffer. Where input is no terminal,
  /// nothing is asked, nothing helps, and each line of it is one answer.
  func readLine(prompt: String, prefill: String, assist: LineAssist?) async -> LineInput

  /// Asks for a secret without showing what is typed.
  func readHidden(prompt: String) async -> HiddenInput

  /// Switches the echo of what is typed while no line is being read, as during a reply. What is
  /// typed meanwhile is there at the next prompt.
  func setEcho(_ isOn: Bool)
}

extension Terminal {
  public func write(_ text: String) { write(text, as: .coach) }
  public func readLine(prompt: String) async -> LineInput {
    await readLine(prompt: prompt, prefill: "", assist: nil)
  }

  public func readLine(prompt: String, prefill: String) async -> LineInput {
    await readLine(prompt: prompt, prefill: prefill, assist: nil)
  }

  /// Writes lines beside the conversation, wrapped where they go to a window.
  public func writeNote(_ text: String, as role: TextRole) {
    writeAside(wrapped(text) + "\n", as: role)
  }

  /// A text with its lines broken to the width of the terminal.
  public func wrapped(_ text: String) -> String {
    var reply = ReplyText(width: wrappingWidth)
    return reply.feed(text) + reply.finish()
  }

  /// Columns to wrap text to; nil where output is not read on a terminal.
  public var wrappingWidth: Int? { isInteractive ? size.columns : nil }
}
