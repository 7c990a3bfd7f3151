/// Passes a reply's words and stops at JSON, such as a profile that a weak model echoes.
///
/// An object with quoted keys, a list of objects or strings, and a code fence that says JSON count
/// as JSON, wherever they begin. Words pass at once: only an opening brace, bracket, or fence waits
/// until the next characters show what it is. Nothing passes after JSON has begun.
///
/// It reads scalar by scalar, so the result is the same however the reply was cut into pieces.
struct ReplyGate {
  private enum State: Equatable {
    /// Blanks, or the word "json", before anything else.
    case beginning
    case words
    case object
    case list
    case string
    case afterString
    case afterList
    case emptyList
    case fenceMarks(Int)
    case fenceLabel(String)
    case fenceContent
    case json
  }

  private var state = State.beginning
  private var isInFence = false
  private var held = ""
  private var heldCount = 0
  private static let mostHeld = 2_000

  /// The words that have passed.
  private(set) var passed = ""

  /// - Returns: What can be shown now; empty while it's undecided, and after JSON has begun.
  mutating func pass(_ piece: String) -> String {
    let before = passed.utf8.count
    for scalar in piece.unicodeScalars where state != .json { read(scalar) }
    return String(passed.utf8.dropFirst(before)) ?? ""
  }

  /// Ends the reply.
  ///
  /// - Returns: The rest of its words. What could still have become JSON isn't among them.
  mutating func finish() -> String {
    switch state {
    case .words, .beginning: state = .words
    case .fenceMarks(let count) where count < 3 || isInFence: state = .words
    default: state = .json
    }
    guard state == .words else { return "" }
    defer { release() }
    return held
  }

  /// Whether the reply holds JSON. An undecided one does once it's finished.
  var isJSON: Bool { state == .json }

  private mutating func read(_ scalar: Unicode.Scalar) {
    held.unicodeScalars.append(scalar)
    heldCount += 1
    state = next(scalar)
    if state == .words { release() } else if heldCount > Self.mostHeld { state = .json }
  }

  private mutating func release() {
    passed += held
    held = ""
    heldCount = 0
  }

  private mutating func next(_ scalar: Unicode.Scalar) -> State {
    switch state {
    case .json: .json
    case .words: opening(scalar)
    case .beginning: atBeginning(scalar)
    case .object: inObject(scalar)
    case .list: inList(scalar)
    case .string: Self.quotes.contains(scalar) ? .afterString : .string
    case .afterString: scalar == "]" ? .afterList : Self.isBlank(scalar) ? .afterString : .json
    // A link whose text is in quotes.
    case .afterList: scalar == "(" || scalar == "[" ? .words : .json
    case .emptyList: Self.isBlank(scalar) ? .emptyList : opening(scalar)
    case .fenceMarks(let count): afterMarks(count, scalar)
    case .fenceLabel(let label): inLabel(label, scalar)
    case .fenceContent: Self.isBlank(scalar) ? .fenceContent : opening(scalar)
    }
  }

  private func opening(_ scalar: Unicode.Scalar) -> State {
    switch scalar {
    case "{": .object
    case "[": .list
    case "`", "~": .fenceMarks(1)
    default: .words
    }
  }

  private func atBeginning(_ scalar: Unicode.Scalar) -> State {
    if Self.isBlank(scalar) { return .beginning }
    let label = held.lowercased().unicodeScalars.filter { !Self.isBlank($0) }
    let isLabel = "json:".unicodeScalars.starts(with: label)
    return isLabel ? .beginning : opening(scalar)
  }

  private func inObject(_ scalar: Unicode.Scalar) -> State {
    if Self.isBlank(scalar) { return .object }
    return scalar == "}" || scalar == "\\" || Self.quotes.contains(scalar)
      || Self.singleQuotes.contains(scalar) ? .json : opening(scalar)
  }

  private func inList(_ scalar: Unicode.Scalar) -> State {
    if Self.isBlank(scalar) { return .list }
    if Self.quotes.contains(scalar) { return .string }
    // An open check box, unless the reply is nothing else.
    if scalar == "]" { return passed.isEmpty ? .emptyList : .words }
    return opening(scalar)
  }

  private mutating func afterMarks(_ count: Int, _ scalar: Unicode.Scalar) -> State {
    if scalar == "`" || scalar == "~" { return .fenceMarks(count + 1) }
    guard count >= 3 else { return opening(scalar) }
    isInFence.toggle()
    return isInFence ? inLabel("", scalar) : opening(scalar)
  }

  private func inLabel(_ label: String, _ scalar: Unicode.Scalar) -> State {
    let label = label + String(scalar).lowercased()
    if label.hasSuffix("json") { return .json }
    if scalar == "\n" || scalar == "\r" { return .fenceContent }
    let next = opening(scalar)
    return next == .words && label.count <= 30 ? .fenceLabel(label) : next
  }

  private static let quotes: Set<Unicode.Scalar> = ["\"", "\u{201C}", "\u{201D}"]
  private static let singleQuotes: Set<Unicode.Scalar> = ["'", "\u{2018}", "\u{2019}"]

  /// White space, and marks that nobody sees, such as a byte order mark.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
  }
}
