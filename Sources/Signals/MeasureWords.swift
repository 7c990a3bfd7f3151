public import ContextQuality
import IncrementalJSON

/// Units and number words of several languages, from a pack's `signals/measures.json`.
public struct MeasureWords: Sendable {
  private(set) var units: [String: MeasureUnit] = [:]
  private var numbers: [String: Double] = [:]
  /// Used only to check that a number was said. As measures they would be misread: "two hundred pounds" as a hundred.
  private var hundreds: [String: Double] = [:]
  /// Joins the parts of a number word, as in "achtundsechzig".
  private var infixes: [String] = []
  /// Words allowed beside a bare answer.
  private var beside: Set<String> = []
  private(set) var target = TargetWords()

  /// Knows only digits.
  public init() {}

  /// - Parameter file: The file's name, for errors.
  public init(text: String, file: String) throws(PackError) {
    let document = try PackDocument(text, file: file)
    let root = document.root
    try document.checkKeys(
      of: root, ["units", "numbers", "hundreds", "infixes", "beside", "target"])
    let units = try document.object(root, "units")
    try document.checkKeys(of: .object(units), MeasureUnit.allCases.map(\.rawValue))
    for unit in MeasureUnit.allCases where units[unit.rawValue] != nil {
      let words = try document.texts(.object(units), unit.rawValue)
      for word in words { self.units[word] = unit }
    }
    numbers = try Self.numbers("numbers", of: root, document)
    hundreds = try Self.numbers("hundreds", of: root, document)
    infixes = try document.texts(root, "infixes")
    beside = Set(try document.texts(root, "beside"))
    if let target = root["target"] { self.target = try TargetWords(target, document) }
  }

  private static func numbers(
    _ name: String, of root: JSONValue, _ document: PackDocument
  ) throws(PackError) -> [String: Double] {
    var numbers: [String: Double] = [:]
    for (word, value) in try document.object(root, name) {
      guard let number = value.doubleValue else {
        throw document.wrong("\(word): expected a number, found \(value.serialized())")
      }
      numbers[word] = number
    }
    return numbers
  }

  /// Whether a word in lower case is a number or a unit.
  func isMeasure(_ word: String) -> Bool { units[word] != nil || value(word) != nil }

  /// Whether a quote has the number, in digits or in listed words.
  public func holds(_ number: Double, in quote: String) -> Bool {
    let tokens = tokens(quote)
    if tokens.contains(where: { $0.number == number }) || holds(number, aroundUnit: tokens) {
      return true
    }
    // Digits aren't joined: "100, 80" doesn't say 180.
    let values = tokens.filter { !isBeside($0) }.map { token in
      token.text.first?.isNumber == true ? nil : token.number ?? hundred(token.text)
    }
    return values.indices.contains { start in
      var sum: Double?
      for case let next? in values[start...].prefix(while: { $0 != nil }) {
        sum = sum.map { Self.joined($0, next) } ?? next
        if sum == nil || sum == number { break }
      }
      return sum == number
    }
  }

  /// What two number words in a row say: 25 for "twenty five", 200 for "two hundred", 205 for "two hundred five".
  private static func joined(_ first: Double, _ next: Double) -> Double? {
    if next == 100, first < 10 { return first * 100 }
    let places = next < 10 ? 10.0 : 100
    return first >= 20 && next < 100 && first.remainder(dividingBy: places) == 0
      ? first + next : nil
  }

  /// The number that a word with a hundred in it says, such as "zweihundertfünf".
  private func hundred(_ word: String) -> Double? {
    if let number = hundreds[word] { return number }
    for (hundred, value) in hundreds where value == 100 {
      guard let place = word.firstRange(of: hundred) else { continue }
      let (before, after) = (word[..<place.lowerBound], word[place.upperBound...])
      let infix = infixes.first { after.hasPrefix($0) } ?? ""
      let rest = after.dropFirst(infix.count)
      guard let count = before.isEmpty ? 1 : numbers[String(before)], count < 10,
        let added = rest.isEmpty ? 0 : self.value(String(rest)), added < 100
      else { continue }
      return count * 100 + added
    }
    return nil
  }
}

extension MeasureWords {
  /// Whether a unit stands in the number's place of the point, as in "1m64".
  private func holds(_ number: Double, aroundUnit tokens: [Token]) -> Bool {
    tokens.indices.dropFirst().dropLast().contains { place in
      guard tokens[place].unit != nil, let whole = tokens[place - 1].number,
        let rest = tokens[place + 1].number, rest >= 10, rest < 100,
        tokens[place - 1].range.upperBound == tokens[place].range.lowerBound,
        tokens[place].range.upperBound == tokens[place + 1].range.lowerBound
      else { return false }
      return whole * 100 + rest == (number * 100).rounded()
    }
  }

  /// The first weight that a text names, in kilograms; nil if it names none.
  package func weight(in text: String) -> Double? {
    let tokens = tokens(PlainText.visible(text))
    let place = tokens.indices.dropLast().first {
      tokens[$0].number != nil && tokens[$0 + 1].unit?.kind == .weight
    }
    guard let place, let number = tokens[place].number, let unit = tokens[place + 1].unit,
      // "Eighty" is only a part of "a hundred eighty".
      place == 0 || hundred(tokens[place - 1].text) == nil
    else { return nil }
    return unit.metric([number]).map { ($0 * 10).rounded() / 10 }
  }
}

// Which units somebody uses.
extension MeasureWords {
  /// Whether the last pounds, feet, kilograms or centimeters of a text are imperial; nil without any.
  ///
  /// "5 in the morning", "the 1st" and "a 10k" name none of them.
  package func isImperial(_ text: String) -> Bool? {
    let tokens = tokens(PlainText.visible(text))
    let named = tokens.indices.dropFirst().last { place in
      let token = tokens[place]
      guard tokens[place - 1].number != nil,
        [.pound, .foot, .kilogram, .centimetre].contains(token.unit)
      else { return false }
      return token.text.first?.isLetter == true
        ? token.text.count > 1
        : tokens[place - 1].range.upperBound == token.range.lowerBound
    }
    return named.map { [.pound, .foot].contains(tokens[$0].unit) }
  }
}

// Reading characters.
extension MeasureWords {
  struct Token {
    var text: String
    var range: Range<String.Index>
    var number: Double?
    var unit: MeasureUnit?
    /// The mark right before it, such as a comma.
    var follows: Character?
  }

  func isBeside(_ token: Token) -> Bool {
    token.number == nil && token.unit == nil && beside.contains(token.text)
  }

  func isBare(_ token: Token) -> Bool {
    token.number != nil || token.unit != nil || beside.contains(token.text)
  }

  private static let separators: Set<Character> = [
    ",", ".", "/", "-", ":", "&", "+", "(", ")", "~",
  ]

  func tokens(_ text: String) -> [Token] {
    var tokens: [Token] = []
    var mark: Character?
    var rest = text[...]
    while let first = rest.first {
      if first.isWhitespace || Self.separators.contains(first) {
        mark = first.isWhitespace ? mark : first
        rest.removeFirst()
        continue
      }
      let piece = Self.piece(rest)
      let word = piece.lowercased()
      let number = first.isASCIIDigit ? Self.number(piece) : value(word)
      tokens.append(
        Token(
          text: word, range: piece.startIndex..<piece.endIndex, number: number,
          unit: number == nil ? units[word] : nil, follows: mark))
      mark = nil
      rest = rest[piece.endIndex...]
    }
    return tokens
  }

  /// A number, a word, or a run of one sign.
  private static func piece(_ rest: Substring) -> Substring {
    guard let first = rest.first else { return rest }
    if first.isASCIIDigit { return digits(rest) }
    if first.isLetter { return rest.prefix { $0.isLetter || $0 == "'" || $0 == "\u{2019}" } }
    return rest.prefix { $0 == first }
  }

  /// Digits with at most one point or comma between them.
  private static func digits(_ rest: Substring) -> Substring {
    let whole = rest.prefix(while: \.isASCIIDigit)
    let behind = rest[whole.endIndex...]
    guard let point = behind.first, point == "." || point == ",",
      case let fraction = behind.dropFirst().prefix(while: \.isASCIIDigit), !fraction.isEmpty
    else { return whole }
    return rest[..<fraction.endIndex]
  }

  private static func number(_ digits: Substring) -> Double? {
    digits.utf8.count <= 12 ? Double(digits.replacing(",", with: ".")) : .greatestFiniteMagnitude
  }

  func value(_ word: String) -> Double? {
    if let number = numbers[word] { return number }
    for infix in infixes {
      guard let place = word.firstRange(of: infix),
        let ones = numbers[String(word[..<place.lowerBound])],
        let tens = numbers[String(word[place.upperBound...])]
      else { continue }
      return tens + ones
    }
    return nil
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
