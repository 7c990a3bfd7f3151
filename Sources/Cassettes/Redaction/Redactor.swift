/// Replaces keys, addresses, numbers and names with placeholders. The same value always gets the
/// same placeholder; different values get different ones.
///
/// It collects values from what the user and the server said, then replaces them everywhere. A
/// text that is built from others, such as a request, comes out the same as if it had been
/// built from the redacted ones.
struct Redactor {
  /// The configured keys.
  private let configured: [String]
  private let names: [Name]
  private var values: [Value] = []
  private var known: Set<String> = []
  private var counts: [Placeholder.Kind: Int] = [:]

  private struct Name {
    var folded: String
    var placeholder: String
    var lengths: ClosedRange<Int>
  }

  private struct Value {
    var kind: SecretKind
    /// The search form: lower case for addresses, digits only for numbers.
    var pattern: [Unicode.Scalar]
    var placeholder: String
  }

  /// - Parameters:
  ///   - configured: The keys in use, which also appear in models' replies as `[key]`.
  ///   - texts: What the user and the server said: the source of the values.
  ///   - wire: What else the server sent, which is searched for keys only.
  init(
    configured: [String], names: [String], learningFrom texts: [String],
    keysFrom wire: [String] = []
  ) {
    self.configured = configured.filter { $0.utf8.count >= 8 }
      .sorted { $0.utf8.count > $1.utf8.count }
    // The user may type text that looks like a placeholder.
    let taken = texts.flatMap { Placeholder.numbers(in: $0) }.max() ?? 0
    for kind in Placeholder.Kind.allCases { counts[kind] = taken }
    var folded: [String] = []
    for name in names.map(Self.folded) where !name.isEmpty && !folded.contains(name) {
      folded.append(name)
    }
    let first = taken + 1
    self.names = folded.enumerated().map { index, name in
      let length = name.unicodeScalars.count
      return Name(
        folded: name, placeholder: Placeholder.text(.name, first + index),
        lengths: max(1, length / 2)...(2 * length + 2))
    }.sorted { $0.folded.unicodeScalars.count > $1.folded.unicodeScalars.count }
    values = self.configured.map {
      Value(kind: .key, pattern: Array($0.unicodeScalars), placeholder: Placeholder.configuredKey)
    }
    learn(texts) { ContactShapes(text: $0).sightings() }
    learn(wire) { _ in [] }
  }

  /// Searches again after each replacement, because removing one value can reveal another.
  private mutating func learn(_ texts: [String], contacts: (ReadableText) -> [Sighting]) {
    // A name can be part of an address, so names are replaced last.
    for (text, sparesNames) in texts.flatMap({ [($0, true), ($0, false)] }) {
      for _ in 0..<4 where learn(text, sparesNames, contacts) == 0 { break }
    }
  }

  /// - Returns: How many values were found.
  private mutating func learn(
    _ text: String, _ sparesNames: Bool, _ contacts: (ReadableText) -> [Sighting]
  ) -> Int {
    let rest = Self.apply(replacements(in: text, sparingNames: sparesNames), to: text)
    let readable = ReadableText(rest)
    var found = KeyShapes(text: readable).sightings(configured: configured)
    if found.isEmpty { found = contacts(readable) }
    for sighting in found.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      add(sighting.kind, Array(readable.scalars[sighting.range]))
    }
    return found.count
  }

  private mutating func add(_ kind: SecretKind, _ scalars: [Unicode.Scalar]) {
    let pattern: [Unicode.Scalar] =
      switch kind {
      case .phone: scalars.compactMap(\.digit).flatMap { Array(String($0).unicodeScalars) }
      case .email: scalars.map(Self.lowered)
      default: scalars
      }
    guard known.insert(kind.rawValue + Self.text(pattern)).inserted else { return }
    let same = values.first {
      kind == .phone && $0.kind == .phone && Self.isSame($0.pattern, pattern)
    }
    values.append(
      Value(kind: kind, pattern: pattern, placeholder: same?.placeholder ?? next(kind.placeholder)))
    values.sort { $0.pattern.count > $1.pattern.count }
    // The configured key goes before any value that contains it.
    values = values.filter(isConfigured) + values.filter { !isConfigured($0) }
  }

  private func isConfigured(_ value: Value) -> Bool {
    value.placeholder == Placeholder.configuredKey
  }

  private mutating func next(_ kind: Placeholder.Kind) -> String {
    counts[kind, default: 0] += 1
    return Placeholder.text(kind, counts[kind, default: 1])
  }

  /// Whether both are the same phone number, with or without its dialing prefix.
  private static func isSame(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Bool {
    let (one, other) = (one.drop { $0 == "0" }, other.drop { $0 == "0" })
    let shorter = min(one.count, other.count)
    return shorter >= 7 && one.suffix(shorter).elementsEqual(other.suffix(shorter))
  }

  private static func text(_ scalars: [Unicode.Scalar]) -> String {
    String(String.UnicodeScalarView(scalars))
  }

  private static func lowered(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.value < 0x80 {
      return ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value | 0x20)) : scalar
    }
    let lower = scalar.properties.lowercaseMapping.unicodeScalars
    return lower.count == 1 ? lower.first ?? scalar : scalar
  }

  private static func folded(_ text: String) -> String {
    text.lowercased().replacing("\u{2019}", with: "'").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }
}

// Replacing known values.
extension Redactor {
  /// A replaced range in UTF-8 bytes of the text; replacements are in order.
  struct Replacement: Hashable {
    var range: Range<Int>
    var text: String
  }

  /// - Parameter fixed: The program's own texts, which are left unchanged.
  func redact(_ text: String, sparing fixed: FixedTexts? = nil) -> String {
    Self.apply(replacements(in: text, sparing: fixed), to: text)
  }

  /// Replaces keys and addresses only, for text that is not prose.
  func redactStructure(_ text: String) -> String {
    Self.apply(replacements(in: text, onlySecrets: true), to: text)
  }

  static func apply(_ replacements: [Replacement], to text: String) -> String {
    guard !replacements.isEmpty else { return text }
    var bytes = Array(text.utf8)
    for replacement in replacements.reversed() {
      bytes.replaceSubrange(replacement.range, with: replacement.text.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func replacements(
    in text: String, sparing fixed: FixedTexts? = nil, sparingNames: Bool = false,
    onlySecrets: Bool = false
  ) -> [Replacement] {
    guard !values.isEmpty || !names.isEmpty else { return [] }
    var readable = ReadableText(text)
    fixed?.hide(in: &readable)
    let firsts = Set(values.compactMap(\.pattern.first))
    var found: [Replacement] = []
    var index = 0
    while index < readable.scalars.count {
      let match =
        value(at: index, readable.scalars, firsts, onlySecrets)
        ?? (onlySecrets || sparingNames ? nil : name(at: index, readable))
      guard let (range, placeholder) = match else {
        index += 1
        continue
      }
      found.append(Replacement(range: readable.source(range), text: placeholder))
      index = range.upperBound
    }
    return found
  }

  private func value(
    at index: Int, _ scalars: [Unicode.Scalar], _ firsts: Set<Unicode.Scalar>, _ onlySecrets: Bool
  ) -> (Range<Int>, String)? {
    let scalar = scalars[index]
    let isNumber = scalar.digit != nil || scalar == "+" || scalar == "("
    guard isNumber || firsts.contains(Self.lowered(scalar)) || firsts.contains(scalar) else {
      return nil
    }
    for value in values {
      let end: Int? =
        switch value.kind {
        case .phone: onlySecrets ? nil : Self.end(ofNumber: value.pattern, at: index, scalars)
        case .email: Self.end(ofAddress: value.pattern, at: index, scalars)
        default: scalars[index...].starts(with: value.pattern) ? index + value.pattern.count : nil
        }
      if let end { return (index..<end, value.placeholder) }
    }
    return nil
  }

  private static func end(
    ofAddress pattern: [Unicode.Scalar], at index: Int, _ scalars: [Unicode.Scalar]
  ) -> Int? {
    let end = index + pattern.count
    guard end <= scalars.count, scalars[index..<end].map(lowered) == pattern,
      index == 0 || !ContactShapes.isLocal(scalars[index - 1]) || scalars[index - 1] == "*"
        || scalars[index - 1] == "." || scalars[index - 1] == "-",
      end == scalars.count || !(scalars[end].isWordScalar || scalars[end].digit != nil)
    else { return nil }
    return end
  }

  private static func end(
    ofNumber digits: [Unicode.Scalar], at start: Int, _ scalars: [Unicode.Scalar]
  ) -> Int? {
    guard start == 0 || scalars[start - 1].digit == nil else { return nil }
    var (index, matched, gap) = (start, 0, 0)
    while matched < digits.count {
      guard index < scalars.count else { return nil }
      if let digit = scalars[index].digit {
        guard digits[matched].digit == digit else { return nil }
        matched += 1
        gap = 0
      } else if gap < 3, isBetween(scalars[index], isFirst: matched == 0) {
        gap += 1
      } else {
        return nil
      }
      index += 1
    }
    return index < scalars.count && scalars[index].digit != nil ? nil : index
  }

  private static func isBetween(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
    isFirst ? scalar == "+" || scalar == "(" : PhoneShapes.isSeparator(scalar)
  }

  /// Whether this is a JSON member name, which belongs to the format.
  private static func isMemberName(_ range: Range<Int>, _ scalars: [Unicode.Scalar]) -> Bool {
    guard range.upperBound + 1 < scalars.count, scalars[range.upperBound] == "\"",
      scalars[range.upperBound + 1] == ":", range.lowerBound > 0,
      scalars[range.lowerBound - 1] == "\""
    else { return false }
    let before = scalars[..<(range.lowerBound - 1)].last { $0 != " " && $0 != "\n" }
    return before == "{" || before == ","
  }

  private func name(at index: Int, _ readable: ReadableText) -> (Range<Int>, String)? {
    let scalars = readable.scalars
    guard !names.isEmpty, scalars[index].isWordScalar || scalars[index].digit != nil,
      index == 0 || !scalars[index - 1].isWordScalar
    else { return nil }
    for name in names {
      for length in name.lengths where index + length <= scalars.count {
        let end = index + length
        let isWhole = end == scalars.count || !scalars[end].isWordScalar
        guard isWhole, scalars[end - 1].isWordScalar || !(name.folded.last?.isLetter ?? false),
          Self.folded(readable.text(index..<end)) == name.folded,
          !Self.isMemberName(index..<end, scalars)
        else { continue }
        return (index..<end, name.placeholder)
      }
    }
    return nil
  }
}

/// The program's own texts, split at their variables. They contain no personal names.
struct FixedTexts: Sendable {
  private var pieces: [String: [[Unicode.Scalar]]] = [:]
  private static let shortest = 8
  private static let keyLength = 6

  init(_ texts: [String]) {
    for text in texts {
      for line in text.split(whereSeparator: \.isNewline) {
        for piece in Self.constant(String(line)) where piece.unicodeScalars.count >= Self.shortest {
          let scalars = Array(piece.unicodeScalars)
          pieces[Self.key(scalars[...]), default: []].append(scalars)
        }
      }
    }
  }

  /// The constant text between a template's tags.
  private static func constant(_ line: String) -> [String] {
    var pieces: [String] = []
    var rest = line[...]
    while let open = rest.firstRange(of: "{{") {
      pieces.append(String(rest[..<open.lowerBound]))
      guard let close = rest[open.upperBound...].firstRange(of: "}}") else { return pieces }
      rest = rest[close.upperBound...].drop { $0 == "}" }
    }
    return pieces + [String(rest)]
  }

  private static func key(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars.prefix(keyLength)))
  }

  func hide(in readable: inout ReadableText) {
    guard !pieces.isEmpty else { return }
    var index = 0
    while index + Self.shortest <= readable.scalars.count {
      let rest = readable.scalars[index...]
      let found = pieces[Self.key(rest)]?.filter { rest.starts(with: $0) }.map(\.count).max()
      if let found { readable.hide(index..<(index + found)) }
      index += found ?? 1
    }
  }
}
