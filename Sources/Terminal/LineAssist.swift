internal import CLineEdit
internal import Glibc
internal import Synchronization

/// Help while a line is typed on a terminal. Ignored if input is not a terminal.
public struct LineAssist: Sendable {
  public enum Key: Sendable, Equatable {
    case tab
    case backTab
    /// Ctrl-X Ctrl-E. The terminal has its own modes during the call, and may be used.
    case edit
  }

  /// The text to replace the line with; nil keeps the key's usual effect. A prompt without this
  /// leaves all keys alone.
  public var choose: (@Sendable (Key, String) -> String?)?
  /// Called with the line before each keystroke, on the reading thread; must not block.
  public var draft: (@Sendable (String) -> Void)?
  /// The lines above the prompt.
  public var board: LineBoard?
  /// Whether Ctrl-C or SIGINT does nothing at this moment.
  public var ignoresInterrupt: (@Sendable () -> Bool)?
  /// Whether what was typed before the read goes into the line to be edited, even if it was ended
  /// with Enter.
  public var holdsTypedAhead: Bool
  /// The line that Esc alone stands for; Ctrl-C then ends the read, too, whatever has been typed. Nil leaves
  /// both keys to the editor.
  public var escape: String?

  public init(
    choose: (@Sendable (Key, String) -> String?)? = nil, escape: String? = nil,
    draft: (@Sendable (String) -> Void)? = nil, board: LineBoard? = nil,
    ignoresInterrupt: (@Sendable () -> Bool)? = nil, holdsTypedAhead: Bool = false
  ) {
    (self.choose, self.escape, self.draft, self.board) = (choose, escape, draft, board)
    (self.ignoresInterrupt, self.holdsTypedAhead) = (ignoresInterrupt, holdsTypedAhead)
  }
}

/// Lines above a prompt that may change while a line is typed, and vanish once it is sent.
public final class LineBoard: Sendable {
  public struct Line: Hashable, Sendable {
    public var text: String
    public var role: TextRole
    public var isAtRight: Bool
    /// Items after the text, never split; those that do not fit continue below, under the first.
    public var items: [String]
    public var separator: String

    public init(
      _ text: String, as role: TextRole, isAtRight: Bool = false, items: [String] = [],
      separator: String = " "
    ) {
      (self.text, self.role, self.isAtRight) = (text, role, isAtRight)
      (self.items, self.separator) = (items, separator)
    }

    /// Its text wrapped to a number of columns, in lines.
    func broken(to room: Int) -> [String] {
      let margin = String(repeating: " ", count: displayWidth(of: text))
      var lines = [text]
      var isFirst = true
      for item in items {
        let longer = (lines.last ?? "") + (isFirst ? "" : separator) + item
        if isFirst || displayWidth(of: longer) <= room {
          lines[lines.count - 1] = longer
        } else {
          lines.append(margin + item)
        }
        isFirst = false
      }
      return lines
    }
  }

  private let shown = Mutex<[Line]>([])

  public init() {}

  /// Any thread may set it; the reading thread draws it.
  public var lines: [Line] {
    get { shown.withLock(\.self) }
    set {
      let isNew = shown.withLock { lines in
        defer { lines = newValue }
        return lines != newValue
      }
      if isNew { cle_wake_board() }
    }
  }

  /// The lines fitted to a number of columns, styles between pairs of U+0001.
  func drawn(columns: Int, style: TerminalStyle) -> String {
    let room = max(columns - 1, 1)
    return lines.flatMap { line in
      line.broken(to: room).map { text in
        let text = shortened(OutputFilter.clean(text).replacing("\n", with: " "), to: room)
        let margin = line.isAtRight ? room - displayWidth(of: text) : 0
        return String(repeating: " ", count: max(margin, 0)) + style.marked(text, as: line.role)
          + "\n"
      }
    }.joined()
  }
}

/// An assist for the C editor's callbacks; lives for one read.
final class AssistCalls {
  private let assist: LineAssist
  private let draw: () -> String

  init(_ assist: LineAssist, draw: @escaping () -> String) {
    self.assist = assist
    self.draw = draw
  }

  func withFunctions<Result>(_ body: (UnsafePointer<cle_assist>) -> Result) -> Result {
    var functions = cle_assist()
    functions.context = Unmanaged.passUnretained(self).toOpaque()
    if assist.choose != nil {
      functions.key = { context, key, line in
        guard let calls = AssistCalls.at(context), let key, let line else { return nil }
        return calls.chosen(String(cString: key), String(cString: line)).flatMap { strdup($0) }
      }
    }
    if assist.draft != nil {
      functions.draft = { context, line in
        guard let line else { return }
        AssistCalls.at(context)?.assist.draft?(String(cString: line))
      }
    }
    if assist.board != nil {
      functions.board = { context in AssistCalls.at(context).flatMap { strdup($0.draw()) } }
    }
    if assist.ignoresInterrupt != nil {
      functions.interrupt = { context in
        AssistCalls.at(context)?.assist.ignoresInterrupt?() == true ? 1 : 0
      }
    }
    functions.holds_typed_ahead = assist.holdsTypedAhead ? 1 : 0
    functions.leaves = assist.escape == nil ? 0 : 1
    return withExtendedLifetime(self) { body(&functions) }
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> AssistCalls? {
    context.map { Unmanaged<AssistCalls>.fromOpaque($0).takeUnretainedValue() }
  }

  private func chosen(_ key: String, _ line: String) -> String? {
    switch key {
    case "\t": assist.choose?(.tab, line)
    case "\u{1B}[Z": assist.choose?(.backTab, line)
    case "\u{18}\u{5}": assist.choose?(.edit, line)
    default: nil
    }
  }
}

extension TerminalStyle {
  /// The text in the role's style, with the style between marks for the editor.
  func marked(_ text: String, as role: TextRole) -> String {
    let styled = self(text, as: role)
    guard styled != text, let range = styled.firstRange(of: text) else { return text }
    return "\u{1}\(styled[..<range.lowerBound])\u{1}\(text)\u{1}\(styled[range.upperBound...])\u{1}"
  }
}
