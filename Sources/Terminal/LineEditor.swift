internal import CLineEdit
internal import Synchronization

/// What came of asking for a line.
public enum LineInput: Sendable, Equatable {
  /// What was typed, without its ending newline. It may hold newlines, and may be empty.
  case line(String)
  /// Ctrl-C, SIGINT or SIGTERM, or the reading task was cancelled.
  case interrupted
  /// Ctrl-D on an empty line, the end of a pipe, or a terminal that has gone.
  case endOfInput
}

/// Edits lines on a terminal, with history, UTF-8 and bracketed paste, through libedit.
///
/// A newline is entered with Alt-Enter, with a backslash before Enter, or by a paste, which never
/// submits. Terminal modes are restored whenever no line is being read.
public final class LineEditor: Sendable {
  private let editor: Mutex<OpaquePointer>

  /// - Parameters:
  ///   - program: The name under which `~/.editrc` knows the program.
  ///   - historySize: Lines kept; the oldest go first.
  ///   - escapes: Without them the terminal is driven as a dumb one, with no escape byte, and a
  ///     paste of several lines is submitted line by line.
  /// - Returns: nil when the descriptors are no terminal that can be edited on.
  public init?(
    program: String, input: Int32, output: Int32, historySize: Int = 1000, escapes: Bool = true
  ) {
    guard
      let handle = cle_editor_create(
        program, input, output, Int32(clamping: historySize), escapes ? 1 : 0)
    else { return nil }
    editor = Mutex(handle)
  }

  deinit {
    editor.withLock { cle_editor_destroy($0) }
  }

  /// Reads a line; what is typed is added to the history unless it is blank.
  ///
  /// - Parameters:
  ///   - prompt: Shown in front; styles stand between pairs of U+0001.
  ///   - prefill: Text to begin with, as if it had been typed.
  ///   - assist: What helps meanwhile.
  ///   - draw: The assist's board with its styles between pairs of U+0001, in lines that fit.
  public func readLine(
    prompt: String, prefill: String = "", assist: LineAssist? = nil,
    draw: @escaping @Sendable () -> String = { "" }
  ) async -> LineInput {
    await BlockingRead.run(interrupted: .interrupted, failed: .endOfInput) {
      self.editor.withLock { editor in
        guard let assist else { return LineEditor.read(with: editor, prompt, prefill, nil) }
        return AssistCalls(assist, draw: draw).withFunctions {
          LineEditor.read(with: editor, prompt, prefill, $0)
        }
      }
    }
  }

  private static func read(
    with editor: OpaquePointer, _ prompt: String, _ prefill: String,
    _ assist: UnsafePointer<cle_assist>?
  ) -> LineInput {
    var text: UnsafeMutablePointer<CChar>?
    switch cle_editor_read(editor, prompt, prefill, assist, &text) {
    case CLE_READY:
      guard let text else { return .endOfInput }
      defer { cle_free(text) }
      let line = String(cString: text)
      if !line.allSatisfy(\.isWhitespace) { cle_history_add(editor, line) }
      return .line(line)
    case CLE_INTERRUPTED:
      return .interrupted
    default:
      return .endOfInput
    }
  }

  /// Puts lines of an earlier time into the history, the oldest first.
  public func recall(_ lines: [String]) {
    editor.withLock { editor in
      for line in lines where !line.allSatisfy(\.isWhitespace) { cle_history_add(editor, line) }
    }
  }
}
