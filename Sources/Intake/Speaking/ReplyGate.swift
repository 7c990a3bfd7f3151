/// Passes a reply's words and stops at JSON, such as a profile that a weak model echoes.
///
/// An object, a list of objects or strings, and a code fence that says JSON count as JSON, wherever
/// they begin. Without quotes around its keys, an object needs a value in quotes or a number. A list
/// of numbers looks like a footnote, so it counts only on separate lines or if there is nothing else.
///
/// Words pass at once: only an opening brace, bracket, or fence, and the word "json" at the start
/// of a line, wait until the next characters show what they are. Nothing passes after JSON has begun.
///
/// It reads scalar by scalar, so the result is the same however the reply was cut into pieces.
struct ReplyGate {
  /// What the last scalar is part of.
  private enum Position: Equatable {
    /// The word "json" at the start of a line; empty before anything else.
    case label(String)
    case words
    case object
    case key
    case afterKey
    case value(String)
    case list
    case string
    case afterString
    case afterList
    case numbers
    case fenceMarks(Int)
    case fenceLabel(String)
    case fenceContent
    case json
  }

  private var position = Position.label("")
  private var isInFence = false
  /// Nothing but blanks on this line so far.
  private var isLineStart = true
  private var held = ""
  private var heldCount = 0
  private static let mostHeld = 2_000

  /// The words that have passed.
  private(set) var passed = ""

  /// - Returns: What can be shown now; empty while it is undecided, and after JSON has begun.
  mutating func pass(_ piece: String) -> String {
    let before = passed.utf8.count
    var rest = piece[...]
    while !rest.isEmpty, position != .json {
      if position == .words, !isLineStart {
        // Most of a reply opens nothing.
        let plain = rest.utf8.prefix { !Self.mayOpen($0) }
        passed += rest[..<plain.endIndex]
        rest = rest[plain.endIndex...]
      }
      if let scalar = rest.unicodeScalars.popFirst() { read(scalar) }
    }
    return String(passed.utf8.dropFirst(before)) ?? ""
  }

  /// Ends the reply.
  ///
  /// - Returns: The rest of its words. What could still have become JSON is not among them.
  mutating func finish() -> String {
    switch position {
    case .words, .label, .key, .afterKey, .value: position = .words
    case .fenceMarks(let count) where count < 3 || isInFence: position = .words
    default: position = .json
    }
    guard position == .words else { return "" }
    defer { release() }
    return held
  }

  /// Whether the reply holds JSON. An undecided one does once it is finished.
  var isJSON: Bool { position == .json }

  private mutating func read(_ scalar: Unicode.Scalar) {
    held.unicodeScalars.append(scalar)
    heldCount += 1
    position = next(scalar)
    isLineStart = Self.lineBreaks.contains(scalar) || isLineStart && Self.isBlank(scalar)
    if position == .words { release() } else if heldCount > Self.mostHeld { position = .json }
  }

  private mutating func release() {
    passed += held
    held = ""
    heldCount = 0
  }

  private mutating func next(_ scalar: Unicode.Scalar) -> Position {
    switch position {
    case .json: .json
    case .words: opening(scalar)
    case .label(let label): inLineLabel(label, scalar)
    case .object: inObject(scalar)
    case .key: Self.isKey(scalar) ? .key : afterKey(scalar)
    case .afterKey: afterKey(scalar)
    case .value(let value): inValue(value, scalar)
    case .list: inList(scalar)
    case .string: Self.quotes.contains(scalar) ? .afterString : .string
    case .afterString: scalar == "]" ? .afterList : Self.isBlank(scalar) ? .afterString : .json
    // A link whose text is in quotes.
    case .afterList: scalar == "(" || scalar == "[" ? .words : .json
    case .numbers: inNumbers(scalar)
    case .fenceMarks(let count): afterMarks(count, scalar)
    case .fenceLabel(let label): inLabel(label, scalar)
    case .fenceContent: Self.isBlank(scalar) ? .fenceContent : opening(scalar)
    }
  }

  private func opening(_ scalar: Unicode.Scalar) -> Position {
    switch scalar {
    case "{": .object
    case "[": .list
    case "`", "~": .fenceMarks(1)
    case "j", "J": isLineStart ? .label("j") : .words
    default: .words
    }
  }

  private func inLineLabel(_ label: String, _ scalar: Unicode.Scalar) -> Position {
    if Self.isBlank(scalar) {
      return label.isEmpty || label.hasPrefix("json") ? .label(label) : .words
    }
    let longer = label + String(scalar).lowercased()
    return "json:".hasPrefix(longer) ? .label(longer) : opening(scalar)
  }

  private func inObject(_ scalar: Unicode.Scalar) -> Position {
    if Self.isBlank(scalar) { return .object }
    if scalar == "}" || scalar == "\\" || Self.isQuote(scalar) { return .json }
    return Self.isKey(scalar) ? .key : opening(scalar)
  }

  private func afterKey(_ scalar: Unicode.Scalar) -> Position {
    if Self.isBlank(scalar) { return .afterKey }
    return scalar == ":" ? .value("") : opening(scalar)
  }

  private func inValue(_ value: String, _ scalar: Unicode.Scalar) -> Position {
    let isNew = value.isEmpty
    if Self.isBlank(scalar), isNew { return .value("") }
    if isNew, Self.isQuote(scalar) { return .json }
    if scalar == "," || scalar == "}" { return Self.isLiteral(value) ? .json : .words }
    let next = opening(scalar)
    return next == .words && value.count < Self.longestLiteral
      ? .value(value + String(scalar)) : next
  }

  private func inNumbers(_ scalar: Unicode.Scalar) -> Position {
    if scalar == "]", !passed.isEmpty { return .json }
    let isNumber = Self.isDigit(scalar) || "[],.+-".unicodeScalars.contains(scalar)
    return isNumber || Self.isBlank(scalar) ? .numbers : opening(scalar)
  }

  private func inList(_ scalar: Unicode.Scalar) -> Position {
    if Self.isBlank(scalar) { return .list }
    if Self.quotes.contains(scalar) { return .string }
    if scalar == "]" || Self.isDigit(scalar) || scalar == "-" {
      // A footnote or an open check box, unless the reply is nothing else.
      return passed.isEmpty || isLineStart && scalar != "]" ? .numbers : .words
    }
    return opening(scalar)
  }

  private mutating func afterMarks(_ count: Int, _ scalar: Unicode.Scalar) -> Position {
    if scalar == "`" || scalar == "~" { return .fenceMarks(count + 1) }
    guard count >= 3 else { return opening(scalar) }
    isInFence.toggle()
    return isInFence ? inLabel("", scalar) : opening(scalar)
  }

  private func inLabel(_ label: String, _ scalar: Unicode.Scalar) -> Position {
    let label = label + String(scalar).lowercased()
    if label.hasSuffix("json") { return .json }
    if scalar == "\n" || scalar == "\r" { return .fenceContent }
    let next = opening(scalar)
    return next == .words && label.count <= 30 ? .fenceLabel(label) : next
  }

  private static let quotes: Set<Unicode.Scalar> = ["\"", "\u{201C}", "\u{201D}"]
  private static let singleQuotes: Set<Unicode.Scalar> = ["'", "\u{2018}", "\u{2019}"]
  private static let lineBreaks: Set<Unicode.Scalar> = ["\n", "\r"]
  private static let longestLiteral = 20

  /// Whether it may change the position within a line of words, or end the line.
  private static func mayOpen(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "`"), UInt8(ascii: "~"),
      UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      true
    default: false
    }
  }

  private static func isQuote(_ scalar: Unicode.Scalar) -> Bool {
    quotes.contains(scalar) || singleQuotes.contains(scalar)
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isKey(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || isDigit(scalar) || scalar == "_" || scalar == "-"
  }

  private static func isLiteral(_ value: String) -> Bool {
    let value = value.filter { !$0.isWhitespace }
    return ["true", "false", "null"].contains(value) || Double(value) != nil
  }

  /// White space, and marks that nobody sees, such as a byte order mark.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
  }
}
