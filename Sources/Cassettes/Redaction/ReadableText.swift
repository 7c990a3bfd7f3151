/// A text as a reader sees it: JSON escapes, however deeply nested, become the characters they
/// stand for, and each character knows its source position.
///
/// So a value is found in prose, in JSON, and in JSON inside a JSON string, and its
/// replacement needs no escaping.
struct ReadableText {
  /// Marks what must not be searched: a placeholder or a fixed text.
  static let opaque: Unicode.Scalar = "\u{FFFC}"

  private(set) var scalars: [Unicode.Scalar] = []
  /// Where each scalar begins in the source, in UTF-8 bytes, plus one entry for the end.
  private(set) var offsets: [Int] = []

  init(_ text: String) {
    scalars.reserveCapacity(text.utf8.count)
    offsets.reserveCapacity(text.utf8.count + 1)
    let source = Array(text.unicodeScalars)
    var (index, offset) = (0, 0)
    while index < source.count {
      let (scalar, length) = Self.unit(source, at: index)
      scalars.append(scalar)
      offsets.append(offset)
      offset += source[index..<(index + length)].reduce(0) { $0 + $1.utf8Width }
      index += length
    }
    offsets.append(offset)
  }

  /// The source range of these scalars.
  func source(_ range: Range<Int>) -> Range<Int> {
    offsets[range.lowerBound]..<offsets[range.upperBound]
  }

  func text(_ range: Range<Int>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars[range])
    return text
  }

  mutating func hide(_ range: Range<Int>) {
    for index in range { scalars[index] = Self.opaque }
  }

  private static func unit(
    _ source: [Unicode.Scalar], at index: Int
  ) -> (scalar: Unicode.Scalar, length: Int) {
    switch source[index] {
    case "\\": escape(source, at: index)
    case "[": Placeholder.length(source, at: index).map { (opaque, $0) } ?? ("[", 1)
    default: (source[index], 1)
    }
  }

  private static func escape(
    _ source: [Unicode.Scalar], at start: Int
  ) -> (scalar: Unicode.Scalar, length: Int) {
    var index = start
    while index < source.count, source[index] == "\\" { index += 1 }
    let slashes = index - start
    guard index < source.count else { return ("\\", slashes) }
    switch source[index] {
    case "n", "r": return ("\n", slashes + 1)
    case "t", "b", "f": return ("\t", slashes + 1)
    case "\"", "/": return (source[index], slashes + 1)
    case "u": return unicodeEscape(source, at: index, slashes) ?? ("\\", slashes)
    default: return ("\\", slashes)
    }
  }

  private static func unicodeEscape(
    _ source: [Unicode.Scalar], at index: Int, _ slashes: Int
  ) -> (Unicode.Scalar, Int)? {
    guard let first = hex(source, after: index) else { return nil }
    if let scalar = Unicode.Scalar(first) { return (scalar, slashes + 5) }
    let next = index + 5
    guard (0xD800..<0xDC00).contains(first), next + slashes < source.count,
      source[next..<(next + slashes)].allSatisfy({ $0 == "\\" }), source[next + slashes] == "u",
      let second = hex(source, after: next + slashes), (0xDC00..<0xE000).contains(second)
    else { return ("\u{FFFD}", slashes + 5) }
    let value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
    return Unicode.Scalar(value).map { ($0, 2 * (slashes + 5)) }
  }

  private static func hex(_ source: [Unicode.Scalar], after index: Int) -> UInt32? {
    guard index + 4 < source.count else { return nil }
    var value: UInt32 = 0
    for scalar in source[(index + 1)...(index + 4)] {
      guard let digit = Character(scalar).hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}

/// The text that replaces a value: `[key]` for the configured key, otherwise `[name-1]`.
enum Placeholder {
  static let configuredKey = "[key]"

  enum Kind: String, CaseIterable {
    case key, org, email, phone, name
  }

  static func text(_ kind: Kind, _ number: Int) -> String { "[\(kind.rawValue)-\(number)]" }

  /// The length of the placeholder that begins here; nil if there is none.
  static func length(_ source: [Unicode.Scalar], at start: Int) -> Int? {
    read(source, at: start)?.length
  }

  /// The placeholder numbers that a text already uses.
  static func numbers(in text: String) -> [Int] {
    let source = Array(text.unicodeScalars)
    return source.indices.compactMap { source[$0] == "[" ? read(source, at: $0)?.number : nil }
  }

  private static func read(
    _ source: [Unicode.Scalar], at start: Int
  ) -> (length: Int, number: Int?)? {
    var word = ""
    var index = start + 1
    while index < source.count, index - start <= 16, source[index] != "]" {
      word.unicodeScalars.append(source[index])
      index += 1
    }
    guard index < source.count, source[index] == "]" else { return nil }
    let length = index - start + 1
    if word == "key" { return (length, nil) }
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, Kind(rawValue: String(parts[0])) != nil, parts[1].utf8.count <= 6,
      let number = Int(parts[1]), number > 0, String(number) == parts[1]
    else { return nil }
    return (length, number)
  }
}

extension Unicode.Scalar {
  fileprivate var utf8Width: Int { UTF8.width(self) }

  var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
  var isASCIIDigit: Bool { ("0"..."9").contains(self) }

  /// The value of a decimal digit in any script.
  var digit: Int? {
    if isASCIIDigit { return Int(value - 0x30) }
    guard value > 0x7F, properties.generalCategory == .decimalNumber else { return nil }
    return properties.numericValue.flatMap { Int(exactly: $0) }
  }

  /// A letter, or a mark that combines with one.
  var isWordScalar: Bool {
    if value < 0x80 { return isASCIILetter }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark:
      return true
    default: return false
    }
  }
}
