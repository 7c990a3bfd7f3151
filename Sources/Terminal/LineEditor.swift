internal import CLineEdit
internal import Synchronization

/// The result of asking for a line.
public enum LineInput: Sendable, Equatable {
  /// What was typed, without the final newline. May contain newlines, and may be empty.
  case line(String)
  /// Ctrl-C, SIGINT or SIGTERM, or the reading task was canceled.
  case interrupted
  /// Ctrl-D on an empty line, the end of a pipe, or a terminal that was closed.
  case endOfInput
}

/// The number of scalars in the first or the last character.
private func lengthOfCharacter(
  _ scalars: UnsafePointer<UInt32>?, _ count: Int, _ isAtEnd: Int32
) -> Int {
  var text = String.UnicodeScalarView()
  for value in UnsafeBufferPointer(start: scalars, count: count) {
    text.append(Unicode.Scalar(value) ?? "\u{FFFD}")
  }
  let character = isAtEnd == 1 ? String(text).last : String(text).first
  return character?.unicodeScalars.count ?? 0
}

/// Edits lines on a terminal with libedit: history, UTF-8 and bracketed paste.
///
/// Alt-Enter, a backslash before Enter, or a paste inserts a newline; a paste never submits. Ctrl-C
/// moves a half-typed line into the history; on an empty line it ends the read. The terminal's modes
/// are restored whenever no line is being read, and what was typed ahead is kept.
public final class LineEditor: Sendable {
  private let editor: Mutex<OpaquePointer>
  /// The number of lines to keep; the oldest are dropped first.
  private static let historySize: Int32 = 1_000

  /// - Parameters:
  ///   - program: The name that `~/.editrc` uses for the program.
  ///   - escapes: If false, treats the terminal as dumb: no escape bytes, and a paste of several
  ///     lines is submitted line by line.
  /// - Returns: Nil if the descriptors are not an editable terminal.
  public init?(
    program: String, input: Int32, output: Int32, escapes: Bool = true
  ) {
    guard
      let handle = cle_editor_create(
        program, input, output, Self.historySize, escapes ? 1 : 0, lengthOfCharacter)
    else { return nil }
    editor = Mutex(handle)
  }

  deinit {
    editor.withLock { cle_editor_destroy($0) }
  }

  /// Reads a line and adds it to the history unless it is blank.
  ///
  /// - Parameters:
  ///   - prompt: Shown in front; styles are between pairs of U+0001.
  ///   - prefill: Initial text, as if it had been typed.
  ///   - assist: Help while the line is typed.
  ///   - draw: Draws the assist's board, with styles between pairs of U+0001, in lines that fit.
  public func readLine(
    prompt: String, prefill: String = "", assist: LineAssist? = nil,
    draw: @escaping @Sendable () -> String = { "" }
  ) async -> LineInput {
    await BlockingRead.run(interrupted: .interrupted, failed: .endOfInput) {
      self.editor.withLock { editor in
        guard let assist else { return LineEditor.read(with: editor, prompt, prefill, nil) }
        return AssistCalls(assist, draw: draw).withFunctions {
          LineEditor.read(with: editor, prompt, prefill, $0, escape: assist.escape)
        }
      }
    }
  }

  private static func read(
    with editor: OpaquePointer, _ prompt: String, _ prefill: String,
    _ assist: UnsafePointer<cle_assist>?, escape: String? = nil
  ) -> LineInput {
    var text: UnsafeMutablePointer<CChar>?
    switch cle_editor_read(editor, prompt, prefill, assist, &text) {
    case CLE_READY:
      guard let text else { return .endOfInput }
      defer { cle_free(text) }
      let line = String(cString: text)
      if !line.allSatisfy(\.isWhitespace) { cle_history_add(editor, line) }
      return .line(line)
    case CLE_ESCAPED:
      return escape.map { .line($0) } ?? .interrupted
    case CLE_INTERRUPTED:
      return .interrupted
    default:
      return .endOfInput
    }
  }

  /// Adds earlier lines to the history, oldest first.
  public func recall(_ lines: [String]) {
    editor.withLock { editor in
      for line in lines where !line.allSatisfy(\.isWhitespace) { cle_history_add(editor, line) }
    }
  }
}
