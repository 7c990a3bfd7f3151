/// A phrase with alternatives, gaps and numbers; the syntax is explained in a pack's `care.txt`.
struct PhrasePattern: Hashable, Sendable {
  private enum Element: Hashable, Sendable {
    case oneOf([Alternative])
    /// Up to this many words of any kind.
    case gap(Int)
  }

  private enum Alternative: Hashable, Sendable {
    case words([String])
    case prefix(String)
    case number(Comparison, Double)

    /// How many words it takes up at the start of a text; nil where it does not match there.
    func length(in words: ArraySlice<String>) -> Int? {
      guard let first = words.first else { return nil }
      switch self {
      case .words(let expected): return words.starts(with: expected) ? expected.count : nil
      case .prefix(let prefix): return first.hasPrefix(prefix) ? 1 : nil
      case .number(let comparison, let limit):
        let value = PhrasePattern.value(first)
        return value.map { PhrasePattern.holds($0, comparison, limit) } == true ? 1 : nil
      }
    }
  }

  private enum Comparison: Hashable, Sendable {
    case any, below, atMost, above, atLeast
  }

  private let elements: [Element]

  /// The longest gap that a pattern may ask for.
  static let longestGap = 12

  /// Why a pattern cannot be read.
  struct Malformed: Error {
    var reason: String
  }

  init(_ text: Substring) throws(Malformed) {
    var elements: [Element] = []
    for token in text.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
      elements.append(try Self.element(Substring(token)))
    }
    guard elements.contains(where: { if case .gap = $0 { false } else { true } }) else {
      throw Malformed(reason: "expected at least one word")
    }
    self.elements = elements
  }

  private static func element(_ token: Substring) throws(Malformed) -> Element {
    if token.utf8.first == UInt8(ascii: "~") {
      guard let most = Int(token.dropFirst()), (1...longestGap).contains(most) else {
        throw Malformed(reason: "expected a gap from ~1 to ~\(longestGap), found \(token)")
      }
      return .gap(most)
    }
    var alternatives: [Alternative] = []
    for part in token.utf8.split(separator: UInt8(ascii: "|")) {
      alternatives.append(try alternative(Substring(part)))
    }
    return .oneOf(alternatives)
  }

  private static func alternative(_ part: Substring) throws(Malformed) -> Alternative {
    if part.utf8.first == UInt8(ascii: "#") { return try number(part) }
    let isPrefix = part.utf8.last == UInt8(ascii: "*")
    let text = isPrefix ? part.dropLast() : part
    let words = plainWords(text) ?? Words(String(text)).all
    if isPrefix { return .prefix(words.joined()) }
    guard !words.isEmpty else { throw Malformed(reason: "expected a word, found \(part)") }
    return .words(words)
  }

  /// What nearly all of a pack's phrases are made of, without the folding that other text needs.
  private static func plainWords(_ part: Substring) -> [String]? {
    let isPlain = part.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
    }
    guard isPlain else { return nil }
    return part.utf8.split(separator: UInt8(ascii: "_")).map { String(Substring($0)) }
  }

  private static func number(_ token: Substring) throws(Malformed) -> Alternative {
    let rest = token.dropFirst()
    let signs: [(String, Comparison)] = [
      ("<=", .atMost), (">=", .atLeast), ("<", .below), (">", .above),
    ]
    guard !rest.isEmpty else { return .number(.any, 0) }
    for (sign, comparison) in signs where rest.hasPrefix(sign) {
      guard let limit = Double(String(rest.dropFirst(sign.count))), limit.isFinite else { break }
      return .number(comparison, limit)
    }
    throw Malformed(reason: "expected a number such as # or #<800, found \(token)")
  }

  /// Where the pattern first matches in a sentence; nil where it does not.
  func firstMatch(in words: [String]) -> Range<Int>? {
    for start in words.indices {
      if let end = end(elements[...], words, start) { return start..<end }
    }
    return nil
  }

  private func end(_ rest: ArraySlice<Element>, _ words: [String], _ at: Int) -> Int? {
    guard let first = rest.first else { return at }
    let following = rest.dropFirst()
    switch first {
    case .gap(let most):
      for skipped in 0...most where at + skipped <= words.count {
        if let end = end(following, words, at + skipped) { return end }
      }
      return nil
    case .oneOf(let alternatives):
      guard at < words.count else { return nil }
      for alternative in alternatives {
        guard let length = alternative.length(in: words[at...]) else { continue }
        if let end = end(following, words, at + length) { return end }
      }
      return nil
    }
  }

  private static func holds(_ value: Double, _ comparison: Comparison, _ limit: Double) -> Bool {
    switch comparison {
    case .any: true
    case .below: value < limit
    case .atMost: value <= limit
    case .above: value > limit
    case .atLeast: value >= limit
    }
  }

  /// The number that a word is or begins with (`500`, `2100kcal`); nil where there is none.
  static func value(_ word: String) -> Double? {
    let digits = word.prefix { $0.isNumber || $0 == "." }
    guard let first = digits.first, first != ".", digits.count <= 9 else { return nil }
    return Double(String(digits))
  }
}
