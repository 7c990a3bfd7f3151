/// What stands before a mark, which tells whether the answer is made of it or speaks of it: in code, in
/// quotes, in a string of a JSON object, or in the middle of a sentence, a mark is text.
struct MarkContext: Sendable {
  private var line: [Unicode.Scalar] = []
  private var isInFence = false
  /// Open objects of JSON.
  private var depth = 0
  /// Openings on this line that were text.
  private var named = 0

  var isAtLineStart: Bool { line.allSatisfy(\.properties.isWhitespace) }

  mutating func pass(_ scalar: Unicode.Scalar) {
    if scalar.isLineBreak { endLine() } else { line.append(scalar) }
  }

  /// Takes a piece within a line, if it cannot hold a mark.
  ///
  /// - Returns: False, with nothing taken, for any other piece.
  mutating func skim(_ piece: String) -> Bool {
    guard !isAtLineStart,
      piece.utf8.allSatisfy({ ![0x3C, 0x5B, 0x5D, 0xE2, 0x0A, 0x0D].contains($0) })
    else { return false }
    line += piece.unicodeScalars
    return true
  }

  mutating func endLine() {
    let left = leftOpen
    (isInFence, depth, line, named) = (left.fence, left.depth, [], 0)
  }

  /// What the line leaves open.
  private var leftOpen: (fence: Bool, depth: Int, isInCode: Bool) {
    var (text, fence, depth) = (line.drop(while: \.properties.isWhitespace), isInFence, depth)
    let marks = text.prefix { $0 == text.first && ($0 == "`" || $0 == "~") }.count
    if marks >= 3 {
      fence.toggle()
      text = text.dropFirst(marks)
    }
    var (isInTicks, isInString, before) = (false, false, " " as Unicode.Scalar)
    for scalar in text {
      switch scalar {
      case _ where isInString && before == "\\":
        before = " "
        continue
      case "\"" where depth > 0: isInString.toggle()
      case _ where isInString: break
      case "`": if before != "`" { isInTicks.toggle() }
      case "{": depth += 1
      case "}": depth = max(0, depth - 1)
      default: break
      }
      before = scalar
    }
    return (fence, depth, fence || isInTicks || isInString)
  }

  /// Whether the text is made of this mark; nil if what follows (`next`) decides.
  ///
  /// - Parameters:
  ///   - isFirst: No words stand before it.
  ///   - isDraft: It stands in a draft, whose code and JSON may be unfinished.
  mutating func counts(
    _ mark: TemplateMark, next: ArraySlice<Unicode.Scalar>, _ isEnd: Bool, isFirst: Bool,
    isDraft: Bool
  ) -> Bool? {
    switch mark {
    case .strippedFinal: return true
    case .lead where isFirst || isDraft: return true
    case .lead: named += 1
    case .closing where named > 0, .tagEnd where named > 0: named -= 1
    default:
      let counts = stands(next, isEnd, isFirst, isDraft, isClosing: mark == .closing)
      if counts == false, !isDraft, mark == .opening { named += 1 }
      return counts
    }
    return false
  }

  private func stands(
    _ next: ArraySlice<Unicode.Scalar>, _ isEnd: Bool, _ isFirst: Bool, _ isDraft: Bool,
    isClosing: Bool
  ) -> Bool? {
    if !isDraft, leftOpen.isInCode { return false }
    guard let last = line.last, let word = line.last(where: { !$0.properties.isWhitespace })
    else { return true }
    let isQuoted = Self.quotes.contains(last)
    if isQuoted {
      guard let after = next.first ?? (isEnd ? " " : nil) else { return nil }
      if Self.quotes.contains(after) { return false }
    }
    if isFirst || isDraft && isClosing { return true }
    if !isQuoted, !last.properties.isWhitespace || Self.sentenceEnds.contains(word) { return true }
    // Nothing but another mark follows on the line.
    let after = next.first { !$0.properties.isWhitespace || $0.isLineBreak }
    return after.map { $0.isLineBreak || TemplateMark.mayBegin($0) } ?? (isEnd ? true : nil)
  }

  /// A mark is named together with these.
  private static let quotes = Set(
    "\"'`()*/>\u{2018}\u{2019}\u{201A}\u{201C}\u{201D}\u{201E}\u{AB}\u{BB}\u{300C}\u{300D}"
      .unicodeScalars)
  private static let sentenceEnds = Set(".!?\u{2026}\u{3002}\u{FF01}\u{FF1F}".unicodeScalars)
}

extension Unicode.Scalar {
  fileprivate var isLineBreak: Bool { self == "\n" || self == "\r" || self == "\u{2028}" }
}
