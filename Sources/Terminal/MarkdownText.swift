/// Markdown as a terminal shows it: headings and emphasis become styles, and the marks are gone.
///
/// It reads what models write in a conversation (headings, bold, emphasis, code, lists and rules).
/// Everything else stays as it is.
public struct MarkdownText {
  /// Consecutive text in one style.
  public struct Piece: Hashable, Sendable {
    public var text: String
    public var role: TextRole
  }

  private let text: String

  public init(_ text: String) { self.text = text }

  /// - Parameter width: Columns to wrap to; nil leaves the lines as they are.
  public func pieces(width: Int?) -> [Piece] {
    var reply = ReplyText(width: width)
    let wrapped = reply.feed(text) + reply.finish()
    let lines = wrapped.split(separator: "\n", omittingEmptySubsequences: false)
    var pieces: [Piece] = []
    var prose: [Substring] = []
    func flush() {
      guard !prose.isEmpty else { return }
      pieces += Self.inline(prose.joined(separator: "\n")[...])
      prose = []
    }
    for (index, line) in lines.enumerated() {
      let isLast = index == lines.count - 1
      if let block = Self.block(line, width) {
        flush()
        pieces.append(Piece(text: block + (isLast ? "" : "\n"), role: .bold))
      } else {
        prose.append(line)
        if isLast {
          flush()
        } else if line.isEmpty {
          flush()
          pieces.append(Piece(text: "\n", role: .coach))
        }
      }
    }
    return pieces
  }

  /// A heading or a rule.
  private static func block(_ line: Substring, _ width: Int?) -> String? {
    let marks = line.prefix { $0 == "#" }.count
    if (1...6).contains(marks), line.dropFirst(marks).first == " " {
      return String(line.dropFirst(marks + 1))
    }
    guard line == "---" || line == "***" else { return nil }
    return String(repeating: "─", count: min(width ?? 40, 40))
  }

  /// Emphasis and code. What is inside a mark can hold the other marks.
  private static func inline(
    _ text: Substring, as role: TextRole = .coach, marks: [Mark] = marks
  ) -> [Piece] {
    var (pieces, plain, place) = ([Piece](), text.startIndex, text.startIndex)
    var marks = marks
    while place < text.endIndex {
      let rest = text[place...]
      guard let mark = marks.first(where: { rest.hasPrefix($0.text) }) else {
        text.formIndex(after: &place)
        continue
      }
      let inside = rest.dropFirst(mark.text.count)
      guard let end = mark.end(in: inside) else {
        // Nothing closes a later one either.
        marks.removeAll { $0 == mark }
        continue
      }
      guard isMarked(inside[..<end.lowerBound], in: text, from: place, to: end.upperBound) else {
        place = inside.startIndex
        continue
      }
      let content = inside[..<end.lowerBound]
      let others = mark.isCode ? [] : marks.filter { $0 != mark }
      pieces += piece(text[plain..<place], role) + inline(content, as: mark.role, marks: others)
      (plain, place) = (end.upperBound, end.upperBound)
    }
    return pieces + piece(text[plain...], role)
  }

  /// Whether the marks are at a word's ends, and not an operator or a bullet.
  private static func isMarked(
    _ content: Substring, in text: Substring, from start: String.Index, to end: String.Index
  ) -> Bool {
    guard let first = content.first, let last = content.last, !first.isWhitespace,
      !last.isWhitespace
    else { return false }
    let before = text[..<start].last
    let after = text[end...].first
    return ![before, after].contains { $0?.isLetter == true || $0?.isNumber == true }
  }

  private static func piece(_ text: Substring, _ role: TextRole) -> [Piece] {
    text.isEmpty ? [] : [Piece(text: String(text), role: role)]
  }

  private struct Mark: Hashable {
    let text: String
    let role: TextRole
    var isCode = false

    /// Where it is closed. A single star does not close at a double one.
    func end(in inside: Substring) -> Range<String.Index>? {
      guard text == "*" else { return inside.firstRange(of: text) }
      var rest = inside
      while let start = rest.firstIndex(of: "*") {
        let after = rest[start...].drop { $0 == "*" }
        if rest[start..<after.startIndex].count == 1 { return start..<after.startIndex }
        rest = after
      }
      return nil
    }
  }

  private static let marks = [
    Mark(text: "**", role: .bold), Mark(text: "__", role: .bold), Mark(text: "*", role: .dim),
    Mark(text: "`", role: .accent, isCode: true),
  ]
}
