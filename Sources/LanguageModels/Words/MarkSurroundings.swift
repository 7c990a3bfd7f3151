/// What stands around a mark, which tells whether the answer is made of it or speaks of it.
struct MarkSurroundings: Sendable {
  private var last: Unicode.Scalar?
  /// The last scalar of this line that isn't blank; nil if there is none.
  private var lastOfLine: Unicode.Scalar?
  // Code.
  private var ticks = 0
  private var ticksBeginLine = false
  private var isInFence = false
  private var isInCode = false
  // JSON.
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  // What was spoken of, on this line or before.
  private var namedOpenings = 0
  private var hasStrike = false

  /// Takes a piece in which nothing can change what it surrounds.
  ///
  /// - Returns: False, with nothing taken, for any other piece.
  mutating func skim(_ piece: String) -> Bool {
    guard ticks == 0, !isEscaped, piece.utf8.allSatisfy(Self.isInert) else { return false }
    for scalar in piece.unicodeScalars.reversed() {
      guard scalar.properties.isWhitespace else {
        lastOfLine = scalar
        break
      }
    }
    if let end = piece.unicodeScalars.last { last = end }
    return true
  }

  private static func isInert(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: "["), 0xE2, UInt8(ascii: "`"), UInt8(ascii: "~"),
      UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\\"),
      UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
      false
    default: true
    }
  }

  mutating func pass(_ scalar: Unicode.Scalar) {
    if isTick(scalar) { return passTick(scalar) }
    endTicks()
    if depth > 0 { passJSON(scalar) } else if scalar == "{" { depth = 1 }
    last = scalar
    if scalar.isLineBreak {
      (lastOfLine, isInCode, isInString, namedOpenings) = (nil, false, false, 0)
    } else if !scalar.properties.isWhitespace {
      lastOfLine = scalar
    }
  }

  /// A mark was taken out of the text.
  mutating func passMark() {
    endTicks()
    (last, lastOfLine) = (nil, nil)
  }

  // A tick in a JSON string is text.
  private func isTick(_ scalar: Unicode.Scalar) -> Bool {
    guard depth == 0 || !isInString else { return false }
    return scalar == "`" || (scalar == "~" && (lastOfLine == nil || ticks > 0 && last == "~"))
  }

  private mutating func passTick(_ scalar: Unicode.Scalar) {
    if ticks > 0, last != scalar { endTicks() }
    if ticks == 0 { ticksBeginLine = lastOfLine == nil }
    ticks += 1
    (last, lastOfLine) = (scalar, scalar)
  }

  private mutating func endTicks() {
    guard ticks > 0 else { return }
    if ticks >= 3, ticksBeginLine {
      isInFence.toggle()
      // An answer in a fence is JSON, not code that is shown.
      isInCode = false
    } else if !isInFence, last == "`" {
      isInCode.toggle()
    }
    ticks = 0
  }

  private mutating func passJSON(_ scalar: Unicode.Scalar) {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "\"" {
        isInString = false
      }
      return
    }
    switch scalar {
    case "\"": isInString = true
    case "{": depth += 1
    case "}": depth -= 1
    default: break
    }
  }

  /// Whether the text is made of this mark; nil if what follows decides.
  ///
  /// - Parameters:
  ///   - next: What follows the mark.
  ///   - isDraft: It stands in a draft, whose code and JSON may be unfinished.
  ///   - isFirst: No words stand before it.
  mutating func counts(
    _ mark: TemplateMark, next: ArraySlice<Unicode.Scalar>, isEnd: Bool, isDraft: Bool,
    isFirst: Bool
  ) -> Bool? {
    endTicks()
    guard let decision = decision(mark, next, isEnd, isDraft, isFirst) else { return nil }
    if !decision, !isDraft { name(mark) }
    return decision
  }

  private mutating func name(_ mark: TemplateMark) {
    switch mark {
    case .opening: namedOpenings += 1
    case .closing: namedOpenings = max(0, namedOpenings - 1)
    case .strike(isClosing: false): hasStrike = true
    default: break
    }
  }

  private func decision(
    _ mark: TemplateMark, _ next: ArraySlice<Unicode.Scalar>, _ isEnd: Bool, _ isDraft: Bool,
    _ isFirst: Bool
  ) -> Bool? {
    switch mark {
    case .strike(isClosing: true) where hasStrike: return false
    case .strike(isClosing: false), .lead: return isFirst || isDraft
    case .answerTag(isClosing: false): return isFirst
    case .closing where namedOpenings > 0: return false
    default: break
    }
    if !isDraft, isInFence || isInCode || isInString { return false }
    if let last, Self.quotes.contains(last) {
      guard let after = next.first ?? (isEnd ? " " : nil) else { return nil }
      if Self.quotes.contains(after) { return false }
    }
    if isDraft, mark == .closing { return true }
    if isFirst || lastOfLine == nil { return true }
    guard let last, let lastOfLine else { return true }
    if !last.properties.isWhitespace, !Self.joints.contains(last) { return true }
    return Self.sentenceEnds.contains(lastOfLine) ? true : Self.endsLine(next, isEnd)
  }

  /// Whether nothing but another mark follows on the line.
  private static func endsLine(_ next: ArraySlice<Unicode.Scalar>, _ isEnd: Bool) -> Bool? {
    guard let after = next.first(where: { !$0.isBlank }) else { return isEnd ? true : nil }
    return after.isLineBreak || TemplateMark.mayBegin(after)
  }

  private static let quotes: Set<Unicode.Scalar> = [
    "\"", "'", "`", "(", ")", "*", "\u{2018}", "\u{2019}", "\u{201A}", "\u{201C}", "\u{201D}",
    "\u{201E}", "\u{AB}", "\u{BB}", "\u{300C}", "\u{300D}",
  ]
  /// After these, a mark is named together with what stands before it.
  private static let joints: Set<Unicode.Scalar> = [
    "/", ">", "(", "\"", "'", "`", "\u{2018}", "\u{201C}", "\u{201E}", "\u{AB}", "\u{300C}",
  ]
  private static let sentenceEnds: Set<Unicode.Scalar> = [
    ".", "!", "?", "\u{2026}", "\u{3002}", "\u{FF01}", "\u{FF1F}",
  ]
}

extension Unicode.Scalar {
  fileprivate var isLineBreak: Bool { self == "\n" || self == "\r" || self == "\u{2028}" }
  fileprivate var isBlank: Bool { properties.isWhitespace && !isLineBreak }
}
