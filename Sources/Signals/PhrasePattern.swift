import ContextQuality

/// A phrase with alternatives, gaps and numbers. Syntax: `Prompts/shared/care/everywhere.txt`.
package struct PhrasePattern: Hashable, Sendable {
  private enum Element: Hashable, Sendable {
    case oneOf(Choice)
    /// Up to this many words of any kind.
    case gap(Int)
    /// What stands behind must follow, without being part of the match.
    case lookahead
  }

  typealias Initials = UInt128

  /// A sentence with each word's initial, which rules out most phrases at once.
  package struct Text {
    package let words: [String]
    /// The words that a comma, a dash or the like stands before, in order.
    let pauses: [Int]
    let initials: [Initials]
    let allInitials: Initials

    package init(_ words: [String], pauses: [Int] = []) {
      self.words = words
      self.pauses = pauses
      initials = words.map { PhrasePattern.initial($0) }
      allInitials = initials.reduce(0, |)
    }

    /// Two sentences that follow each other.
    static func + (first: Text, second: Text) -> Text {
      let length = first.words.count
      return Text(
        first.words + second.words,
        pauses: first.pauses + [length] + second.pauses.map { $0 + length })
    }
  }

  fileprivate struct Choice: Hashable, Sendable {
    private(set) var alternatives: [Alternative] = []
    /// The initials of each alternative, and of all.
    private(set) var each: [Initials] = []
    private(set) var initials: Initials = 0
    /// Whether the end of the text also matches.
    var endsText = false

    mutating func add(_ alternative: Alternative) {
      alternatives.append(alternative)
      each.append(alternative.initials)
      initials |= alternative.initials
    }

    mutating func reserve(_ count: Int) {
      alternatives.reserveCapacity(count)
      each.reserveCapacity(count)
    }

    mutating func add(_ other: Choice) {
      alternatives += other.alternatives
      each += other.each
      initials |= other.initials
      endsText = endsText || other.endsText
    }
  }

  /// One of 128 bits, from a word's first two bytes; none if there is no word.
  static func initial(_ word: String) -> Initials {
    var bytes = word.utf8.makeIterator()
    guard let first = bytes.next() else { return 0 }
    let pair = UInt64(first) << 8 | UInt64(bytes.next() ?? 0)
    return 1 &<< Initials(truncatingIfNeeded: (pair &* 0x9e37_79b9_7f4a_7c15) >> 57)
  }

  fileprivate enum Alternative: Hashable, Sendable {
    case word(String)
    case words([String])
    case prefix(String)
    case containing(String)
    case number(ClosedRange<Double>)

    var initials: Initials {
      switch self {
      case .word(let word): PhrasePattern.initial(word)
      case .words(let words): words.first.map(PhrasePattern.initial) ?? 0
      case .prefix(let prefix) where prefix.utf8.count >= 2: PhrasePattern.initial(prefix)
      case .prefix, .containing, .number: .max
      }
    }

    /// How many words it matches at the start of a text; nil if it does not match.
    func length(in words: ArraySlice<String>) -> Int? {
      guard let first = words.first else { return nil }
      switch self {
      case .word(let expected): return first == expected ? 1 : nil
      case .words(let expected): return words.starts(with: expected) ? expected.count : nil
      case .prefix(let prefix): return first.hasPrefix(prefix) ? 1 : nil
      case .containing(let part): return first.hasBytes(of: part) ? 1 : nil
      case .number(let range):
        return PhrasePattern.value(first).map(range.contains) == true ? 1 : nil
      }
    }
  }

  /// Alternatives that a file names once (`@drug tren|clen`) and uses in many phrases.
  package struct Lists {
    fileprivate var choices: [String: Choice] = [:]

    package init() {}

    /// Reads `name alternatives`; redefining a name adds alternatives.
    package mutating func define(_ line: UTF8Line) throws(Malformed) {
      let parts = line.split(separator: UInt8(ascii: " "))
      guard parts.count == 2 else {
        throw Malformed(
          reason: "expected @name and its alternatives without spaces, found @\(text(line))")
      }
      let choice = try PhrasePattern.choice(parts[1], self)
      choices[text(parts[0]), default: Choice()].add(choice)
    }
  }

  private let elements: [Element]
  /// `^`: matches only at the beginning of a text.
  private let isAtStart: Bool
  /// `$`: matches only up to the end of a text.
  private let isAtEnd: Bool
  /// The initials that some word must have, for each non-gap element.
  private let required: [Initials]
  /// The initials that a word can have where an element begins.
  private let openings: [Initials]

  /// The longest gap that a pattern may ask for.
  package static let longestGap = 12

  /// Why a pattern is invalid.
  package struct Malformed: Error {
    package var reason: String

    package init(reason: String) { self.reason = reason }
  }

  package init(_ line: UTF8Line, _ lists: Lists = Lists()) throws(Malformed) {
    var elements: [Element] = []
    var (isAtStart, isAtEnd) = (false, false)
    try line.forEachPart(where: { $0 == 0x20 || $0 == 0x09 }) { token throws(Malformed) in
      if isAtEnd { throw Malformed(reason: "expected $ at the end of a phrase") }
      switch token {
      case [UInt8(ascii: "^")] where elements.isEmpty: isAtStart = true
      case [UInt8(ascii: "$")]: isAtEnd = true
      case [UInt8(ascii: ">")]: elements.append(.lookahead)
      default: elements.append(try Self.element(token, lists))
      }
    }
    (self.isAtStart, self.isAtEnd) = (isAtStart, isAtEnd)
    guard elements.contains(where: { if case .oneOf = $0 { true } else { false } }) else {
      throw Malformed(reason: "expected at least one word")
    }
    self.elements = elements
    required = elements.compactMap {
      if case .oneOf(let choice) = $0, !choice.endsText { choice.initials } else { nil }
    }
    openings = elements.map { if case .oneOf(let choice) = $0 { choice.initials } else { .max } }
  }

  /// The two rarest of the initials that it requires; all initials where it requires fewer.
  var rarest: (Initials, Initials) {
    var (rarest, next) = (Initials.max, Initials.max)
    for initials in required {
      let count = initials.nonzeroBitCount
      if count < rarest.nonzeroBitCount {
        (rarest, next) = (initials, rarest)
      } else if count < next.nonzeroBitCount {
        next = initials
      }
    }
    return (rarest, next)
  }

  private static func element(
    _ token: UTF8Line, _ lists: Lists
  ) throws(Malformed) -> Element {
    if token.first == UInt8(ascii: "~") {
      guard let most = Int(text(token.dropFirst())), (1...longestGap).contains(most) else {
        throw Malformed(reason: "expected a gap from ~1 to ~\(longestGap), found \(text(token))")
      }
      return .gap(most)
    }
    return .oneOf(try choice(token, lists))
  }

  fileprivate static func choice(_ token: UTF8Line, _ lists: Lists) throws(Malformed) -> Choice {
    if token.first == UInt8(ascii: "@"), let named = lists.choices[text(token.dropFirst())] {
      return named
    }
    var choice = Choice()
    choice.reserve(token.count { $0 == UInt8(ascii: "|") } + 1)
    try token.forEachPart(where: { $0 == UInt8(ascii: "|") }) { part throws(Malformed) in
      if part.count == 1, part.first == UInt8(ascii: "$") {
        choice.endsText = true
        return
      }
      guard part.first == UInt8(ascii: "@") else { return choice.add(try alternative(part)) }
      guard let named = lists.choices[text(part.dropFirst())] else {
        throw Malformed(reason: "expected the name of a list defined above, found \(text(part))")
      }
      choice.add(named)
    }
    return choice
  }

  private static func alternative(_ part: UTF8Line) throws(Malformed) -> Alternative {
    if part.first == UInt8(ascii: "#") { return try number(part) }
    if part.first == UInt8(ascii: "*") {
      let inner = Words(text(part)).all.joined()
      guard !inner.isEmpty else { throw Malformed(reason: "expected letters, found \(text(part))") }
      return .containing(inner)
    }
    if part.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) {
      return .word(text(part))
    }
    let isPrefix = part.last == UInt8(ascii: "*")
    let stem = isPrefix ? part.dropLast() : part
    let words = plainWords(stem, separator: UInt8(ascii: "_")) ?? Words(text(stem)).all
    if isPrefix { return .prefix(words.joined()) }
    guard !words.isEmpty else { throw Malformed(reason: "expected a word, found \(text(part))") }
    return .words(words)
  }

  /// Reads plain words, which most pack phrases are, without the folding other text needs.
  static func plainWords(_ part: UTF8Line, separator: UInt8) -> [String]? {
    let isPlain = part.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == separator
    }
    guard isPlain else { return nil }
    return part.split(separator: separator).map(text)
  }

  private static func number(_ token: UTF8Line) throws(Malformed) -> Alternative {
    let rest = text(token.dropFirst())
    if rest.isEmpty { return .number(0...(.infinity)) }
    if rest.hasPrefix("<"), let limit = finite(rest.dropFirst()), limit > 0 {
      return .number(0...limit.nextDown)
    }
    if rest.hasPrefix(">"), let limit = finite(rest.dropFirst()) {
      return .number(limit.nextUp...(.infinity))
    }
    let ends = rest.split(separator: "-", maxSplits: 1)
    if ends.count == 2, let low = finite(ends[0]), let high = finite(ends[1]), low <= high {
      return .number(low...high)
    }
    throw Malformed(reason: "expected a number such as # or #<800, found \(text(token))")
  }

  private static func finite(_ text: Substring) -> Double? {
    Double(String(text)).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }

  /// Its words if it is a plain list; nil if it means more than "any of these words".
  var plainWords: [String]? {
    guard elements.count == 1, !isAtStart, !isAtEnd, case .oneOf(let choice) = elements[0] else {
      return nil
    }
    var words: [String] = []
    for alternative in choice.alternatives {
      switch alternative {
      case .word(let word): words.append(word)
      case .words(let several) where several.count == 1: words.append(several[0])
      default: return nil
      }
    }
    return words
  }

  /// Every place in a sentence where the pattern matches.
  package func matches(in text: Text) -> [Range<Int>] {
    guard canMatch(text) else { return [] }
    var found: [Range<Int>] = []
    for start in starts(in: text) where canBegin(at: start, text) {
      if let end = end(0, text, start) { found.append(start..<end) }
    }
    return found
  }

  package func matches(in text: Text) -> Bool {
    canMatch(text)
      && starts(in: text).contains { canBegin(at: $0, text) && end(0, text, $0) != nil }
  }

  private func canBegin(at start: Int, _ text: Text) -> Bool {
    openings[0] == .max || openings[0] & text.initials[start] != 0
  }

  private func starts(in text: Text) -> Range<Int> {
    isAtStart ? text.words.indices.prefix(1) : text.words.indices
  }

  private func canMatch(_ text: Text) -> Bool {
    required.allSatisfy { $0 & text.allInitials != 0 }
  }

  private func end(_ element: Int, _ text: Text, _ at: Int) -> Int? {
    guard element < elements.count else { return isAtEnd && at < text.words.count ? nil : at }
    // Before the element is copied.
    let opening = openings[element]
    if opening != .max, at < text.words.count, opening & text.initials[at] == 0 { return nil }
    switch elements[element] {
    case .lookahead: return end(element + 1, text, at) == nil ? nil : at
    case .oneOf(let choice) where at == text.words.count:
      return choice.endsText ? end(element + 1, text, at) : nil
    case .gap(let most):
      for skipped in 0...most where at + skipped <= text.words.count {
        if let end = end(element + 1, text, at + skipped) { return end }
      }
      return nil
    case .oneOf(let choice):
      let initial = text.initials[at]
      for index in choice.each.indices where choice.each[index] & initial != 0 {
        guard let length = choice.alternatives[index].length(in: text.words[at...])
        else { continue }
        if let end = end(element + 1, text, at + length) { return end }
      }
      return nil
    }
  }

  /// The number in digits or words (`500`, `fifteen`); nil if not a number.
  package static func value(_ word: String) -> Double? {
    guard let first = word.utf8.first else { return nil }
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return spelled[word] }
    let digits = word.prefix { $0.isNumber || $0 == "." }
    return digits.count <= 9 ? Double(String(digits)) : nil
  }

  /// Omits "one", which is rarely a number.
  private static let spelled: [String: Double] = [
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30,
    "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
  ]
}

/// Part of a phrase file, in bytes: startup reads a thousand lines.
package typealias UTF8Line = ArraySlice<UInt8>

private func text(_ line: UTF8Line) -> String { String(decoding: line, as: UTF8.self) }

extension UTF8Line {
  /// The nonempty parts between separators.
  @inline(__always)
  fileprivate func forEachPart<Failure: Error>(
    where isSeparator: (UInt8) -> Bool, _ body: (UTF8Line) throws(Failure) -> Void
  ) throws(Failure) {
    var start = startIndex
    for index in indices where isSeparator(self[index]) {
      if start < index { try body(self[start..<index]) }
      start = index + 1
    }
    if start < endIndex { try body(self[start...]) }
  }
}
