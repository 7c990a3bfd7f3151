import ContextQuality
import IncrementalJSON

/// Height and weight as somebody wrote them in answer to the question for both.
public struct BodyFacts: Hashable, Sendable {
  /// 90…250.
  public private(set) var heightCentimetres: Double?
  /// 25…350.
  public private(set) var weightKilograms: Double?
  /// The user's own words for what was read.
  public private(set) var quotes: [String] = []
  public private(set) var skipped = false
  /// What was read and cannot be right.
  public private(set) var implausible: String?

  package static let heights = 90.0...250.0
  package static let weights = 25.0...350.0
  private static let centimetresPerInch = 2.54
  private static let kilogramsPerPound = 0.453_592_37

  /// Reads an answer such as `5'10" 180lbs`, `178 cm, 81 kilos` or `skip`.
  ///
  /// Meant for answers to the question alone: a wish ("want to be 70 kg") is not taken, and a pair
  /// of bare numbers is taken as height and weight.
  public static func stated(in text: String) -> BodyFacts {
    var facts = BodyFacts()
    let readings = BodyReadings(PlainText.visible(text))
    for reading in readings.settled { facts.take(reading) }
    if facts.quotes.isEmpty && facts.implausible == nil {
      facts.skipped = readings.words.contains { skips.contains($0) } || isRefusal(readings.words)
    }
    return facts
  }

  private mutating func take(_ reading: BodyReadings.Reading) {
    switch reading.kind {
    case .height(let centimetres):
      guard heightCentimetres == nil else { return }
      guard Self.heights.contains(centimetres) else { return refuse(reading) }
      heightCentimetres = (centimetres * 10).rounded() / 10
    case .weight(let kilograms):
      guard weightKilograms == nil else { return }
      guard Self.weights.contains(kilograms) else { return refuse(reading) }
      weightKilograms = (kilograms * 10).rounded() / 10
    }
    quotes.append(reading.quote)
  }

  private mutating func refuse(_ reading: BodyReadings.Reading) {
    implausible = [implausible, reading.quote].compactMap(\.self).joined(separator: ", ")
  }

  private static let skips: Set<String> = [
    "skip", "pass", "rather", "private", "next", "dont", "idk", "dunno", "nope", "no", "none",
  ]

  private static func isRefusal(_ words: [String]) -> Bool {
    words.starts(with: ["not", "sure"]) || words == ["whatever"]
  }
}

/// The measurements in a text, with the words each was read from.
package struct BodyReadings {
  package enum Kind: Hashable {
    case height(centimetres: Double)
    case weight(kilograms: Double)
  }

  package struct Reading: Hashable {
    var kind: Kind
    var quote: String
  }

  private struct Token {
    enum Kind: Equatable {
      case number(Double)
      case word(String)
      /// ' and its likes: feet; doubled: inches.
      case foot, inch
      /// A comma or the end of a sentence.
      case stop
    }
    var kind: Kind
    var range: Range<Int>
  }

  private enum Unit {
    case centimetre, metre, foot, inch, kilogram, pound, stone
  }

  private let scalars: [Unicode.Scalar]
  private var tokens: [Token] = []
  private(set) var settled: [Reading] = []

  package var words: [String] {
    tokens.compactMap { if case .word(let word) = $0.kind { word } else { nil } }
  }

  package init(_ text: String) {
    scalars = Array(text.unicodeScalars)
    tokens = Self.tokens(scalars)
    read()
  }

  private mutating func read() {
    var index = 0
    var bare: [(value: Double, range: Range<Int>)] = []
    var isWish = false
    while index < tokens.count {
      isWish = self.isWish(index, before: isWish)
      if let (reading, next) = measurement(at: index) {
        if !isWish && !isDifference(next) { settled.append(reading) }
        index = next
      } else {
        if case .number(let value) = tokens[index].kind, !isWish, !isDifference(index + 1) {
          bare.append((value, tokens[index].range))
        }
        index += 1
      }
    }
    settle(bare)
  }

  /// "Want to be 70 kg" and "lost 20 lbs" say nothing about now, until the clause is over.
  private func isWish(_ index: Int, before: Bool) -> Bool {
    switch tokens[index].kind {
    case .stop: return false
    case .word("like"): return before || ["id", "would"].contains(word(index - 1))
    case .word("used"): return self.word(index + 1) == "to"
    case .word(let word):
      let isPresent = Self.presents.contains(word) && self.word(index - 1) != "to"
      return Self.wishes.contains(word) || before && !isPresent
    default: return before
    }
  }

  /// "20 lbs over", "5 kg to lose".
  private func isDifference(_ next: Int) -> Bool {
    ["over", "overweight", "lighter", "heavier", "too", "more", "less", "down"].contains(word(next))
      || word(next) == "to" && ["lose", "go", "drop", "gain"].contains(word(next + 1))
  }

  private func word(_ index: Int) -> String {
    guard tokens.indices.contains(index), case .word(let word) = tokens[index].kind else {
      return ""
    }
    return word
  }

  private static let wishes: Set<String> = [
    "want", "wanna", "goal", "target", "aiming", "aim", "hope", "hoping", "until", "lose", "losing",
    "lost", "gain", "gained", "drop", "dropped", "from", "bench", "squat", "deadlift",
    "lift", "ideally", "wish",
  ]
  private static let presents: Set<String> = [
    "i", "im", "am", "now", "currently", "but", "today", "weigh", "stand", "height", "weight",
  ]

  private func measurement(at index: Int) -> (Reading, Int)? {
    guard case .number(let value) = tokens[index].kind else { return nil }
    if let height = hyphenated(index, feet: value) { return height }
    guard let unit = unit(at: index + 1) else { return nil }
    let second = secondPart(at: index + 2)
    switch unit {
    case .foot:
      let inches = second.flatMap { part -> Double? in
        part.unit == .inch || (part.unit == nil && part.value < 12) ? part.value : nil
      }
      let end = inches == nil ? index + 2 : second?.end ?? index + 2
      return height((value * 12 + (inches ?? 0)) * 2.54, index, end)
    case .stone:
      let pounds = second.flatMap { part -> Double? in
        part.unit == .pound || (part.unit == nil && part.value < 14) ? part.value : nil
      }
      let end = pounds == nil ? index + 2 : second?.end ?? index + 2
      return weight((value * 14 + (pounds ?? 0)) * 0.453_592_37, index, end)
    case .metre:
      // "1m78" and "1 m 78": the rest is centimetres.
      let rest = second.flatMap {
        $0.unit == nil && $0.value < 100 && $0.value >= 10 && value < 3 ? $0 : nil
      }
      return height(value * 100 + (rest?.value ?? 0), index, rest?.end ?? index + 2)
    case .centimetre: return height(value, index, index + 2)
    case .inch: return height(value * 2.54, index, index + 2)
    case .kilogram: return weight(value, index, index + 2)
    case .pound: return weight(value * 0.453_592_37, index, index + 2)
    }
  }

  /// "5-11": feet and inches.
  private func hyphenated(_ index: Int, feet: Double) -> (Reading, Int)? {
    guard (4...7).contains(feet), index + 1 < tokens.count,
      case .number(let inches) = tokens[index + 1].kind, inches < 12,
      text(tokens[index].range.upperBound..<tokens[index + 1].range.lowerBound) == "-"
    else { return nil }
    return height((feet * 12 + inches) * 2.54, index, index + 2)
  }

  private func secondPart(at index: Int) -> (value: Double, unit: Unit?, end: Int)? {
    var index = index
    if index < tokens.count, tokens[index].kind == .word("and") { index += 1 }
    guard index < tokens.count, case .number(let value) = tokens[index].kind else { return nil }
    let unit = unit(at: index + 1)
    return (value, unit, unit == nil ? index + 1 : index + 2)
  }

  private func height(_ centimetres: Double, _ start: Int, _ end: Int) -> (Reading, Int) {
    (Reading(kind: .height(centimetres: centimetres), quote: quote(start, end)), end)
  }

  private func weight(_ kilograms: Double, _ start: Int, _ end: Int) -> (Reading, Int) {
    (Reading(kind: .weight(kilograms: kilograms), quote: quote(start, end)), end)
  }

  private func quote(_ start: Int, _ end: Int) -> String {
    let last = min(end, tokens.count) - 1
    return text(tokens[start].range.lowerBound..<tokens[last].range.upperBound)
  }

  private func text(_ range: Range<Int>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[range])
    return String(view)
  }

  /// Bare numbers take their meaning from the question: height first, or whichever is missing.
  private mutating func settle(_ bare: [(value: Double, range: Range<Int>)]) {
    let hasHeight = settled.contains { if case .height = $0.kind { true } else { false } }
    let hasWeight = settled.contains { if case .weight = $0.kind { true } else { false } }
    let saysPounds = settled.contains { reading in
      reading.quote.lowercased().contains { "'-f\u{2019}".contains($0) }
    }
    for number in bare {
      let quote = text(number.range)
      if !hasHeight, bare.count + settled.count <= 2,
        let centimetres = Self.likelyHeight(number.value),
        bare.count == 2 ? number.range == bare[0].range : true, hasWeight || bare.count == 2
      {
        settled.append(Reading(kind: .height(centimetres: centimetres), quote: quote))
      } else if !hasWeight, hasHeight || bare.count == 2, bare.count <= 2 {
        let kilograms = saysPounds ? number.value * 0.453_592_37 : number.value
        settled.append(Reading(kind: .weight(kilograms: kilograms), quote: quote))
      }
    }
  }

  private static func likelyHeight(_ value: Double) -> Double? {
    switch value {
    case 1...2.6: value * 100
    case 100...260: value
    default: nil
    }
  }
}

// Reading characters.
extension BodyReadings {
  private static func tokens(_ scalars: [Unicode.Scalar]) -> [Token] {
    var tokens: [Token] = []
    var index = 0
    while index < scalars.count {
      let start = index
      let scalar = scalars[index]
      if scalar.isDigit {
        let value = number(scalars, &index)
        tokens.append(Token(kind: .number(value), range: start..<index))
      } else if scalar.properties.isAlphabetic {
        while index < scalars.count,
          scalars[index].properties.isAlphabetic
            || (apostrophes.contains(scalars[index]) && index + 1 < scalars.count
              && scalars[index + 1].properties.isAlphabetic)
        { index += 1 }
        tokens.append(word(scalars[start..<index], start..<index))
      } else if apostrophes.contains(scalar) {
        index += 1
        let isDouble = index < scalars.count && apostrophes.contains(scalars[index])
        if isDouble { index += 1 }
        tokens.append(Token(kind: isDouble ? .inch : .foot, range: start..<index))
      } else {
        index += 1
        if inchMarks.contains(scalar) { tokens.append(Token(kind: .inch, range: start..<index)) }
        if [",", ".", ";", "!", "\n"].contains(scalar) {
          tokens.append(Token(kind: .stop, range: start..<index))
        }
        if scalar == "#" { tokens.append(Token(kind: .word("lbs"), range: start..<index)) }
      }
    }
    return tokens
  }

  private static let apostrophes: Set<Unicode.Scalar> = [
    "'", "\u{2019}", "\u{2018}", "\u{2032}", "`",
  ]
  private static let inchMarks: Set<Unicode.Scalar> = ["\"", "\u{201D}", "\u{201C}", "\u{2033}"]

  /// Digits with at most one point or comma; what is too long to be a measurement reads as huge.
  private static func number(_ scalars: [Unicode.Scalar], _ index: inout Int) -> Double {
    var text = ""
    var hasPoint = false
    while index < scalars.count {
      let scalar = scalars[index]
      let isPoint =
        !hasPoint && (scalar == "." || scalar == ",") && index + 1 < scalars.count
        && scalars[index + 1].isDigit
      guard scalar.isDigit || isPoint else { break }
      hasPoint = hasPoint || isPoint
      text += isPoint ? "." : String(scalar)
      index += 1
    }
    return text.utf8.count <= 12 ? Double(text) ?? .greatestFiniteMagnitude : 1e12
  }

  private static func word(_ scalars: ArraySlice<Unicode.Scalar>, _ range: Range<Int>) -> Token {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    let word = String(view).lowercased().filter { $0 != "'" && $0 != "\u{2019}" }
    let kind = numberWords[word].map { Token.Kind.number($0) } ?? .word(word)
    return Token(kind: kind, range: range)
  }

  private static let numberWords: [String: Double] = [
    "five": 5, "six": 6, "four": 4, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
  ]

  private func unit(at index: Int) -> Unit? {
    guard index < tokens.count else { return nil }
    switch tokens[index].kind {
    case .foot: return .foot
    case .inch: return .inch
    case .number, .stop: return nil
    case .word(let word):
      switch word {
      case "cm", "cms", "centimetres", "centimeters", "centimetre", "centimeter": return .centimetre
      case "m", "mt", "metre", "metres", "meter", "meters": return .metre
      case "ft", "foot", "feet", "f": return .foot
      case "in", "inch", "inches", "ins": return .inch
      case "kg", "kgs", "kilo", "kilos", "kilogram", "kilograms", "k": return .kilogram
      case "lb", "lbs", "pound", "pounds", "pds": return .pound
      case "st", "stone", "stones": return .stone
      default: return nil
      }
    }
  }
}
