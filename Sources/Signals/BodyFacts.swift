import ContextQuality

/// A metric height and weight, with the words they came from.
public struct BodyFacts: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case height, weight
  }

  /// 90…250.
  public private(set) var heightCentimetres: Double?
  /// 25…350.
  public private(set) var weightKilograms: Double?
  /// The user's words for each value.
  public private(set) var quotesByKind: [Kind: String] = [:]
  /// The user's words for these values, in the order in which they were taken.
  public private(set) var quotes: [String] = []
  /// A value that cannot be right.
  public private(set) var implausible: String?

  private static let heights = 90.0...250.0
  static let weights = 25.0...350.0

  package init() {}

  package var isEmpty: Bool { quotes.isEmpty && implausible == nil }

  /// Takes centimeters or kilograms; the first value of a kind wins.
  package mutating func take(_ kind: Kind, _ metric: Double, quote: String) {
    let range = kind == .height ? Self.heights : Self.weights
    guard range.contains(metric) else {
      implausible = [implausible, quote].compactMap(\.self).joined(separator: ", ")
      return
    }
    let path = kind == .height ? \BodyFacts.heightCentimetres : \.weightKilograms
    guard self[keyPath: path] == nil else { return }
    self[keyPath: path] = (metric * 10).rounded() / 10
    quotes.append(quote)
    quotesByKind[kind] = quote
  }
}

/// A unit of length or weight.
public enum MeasureUnit: String, Hashable, Sendable, CaseIterable {
  case centimetre = "cm"
  case metre = "m"
  case foot = "ft"
  case inch = "in"
  case kilogram = "kg"
  case pound = "lb"
  case stone = "st"

  package var kind: BodyFacts.Kind {
    switch self {
    case .centimetre, .metre, .foot, .inch: .height
    case .kilogram, .pound, .stone: .weight
    }
  }

  /// A second number's unit ("5'11", "12 st 4", "1 m 78"), and its limit.
  fileprivate var part: (unit: MeasureUnit, below: Double)? {
    switch self {
    case .foot: (.inch, 12)
    case .stone: (.pound, 14)
    case .metre: (.centimetre, 100)
    case .centimetre, .inch, .kilogram, .pound: nil
    }
  }

  private var metric: Double {
    switch self {
    case .centimetre, .kilogram: 1
    case .metre: 100
    case .foot: 12 * 2.54
    case .inch: 2.54
    case .pound: 0.453_592_37
    case .stone: 14 * 0.453_592_37
    }
  }

  /// Centimeters or kilograms; nil for numbers not used with the unit.
  package func metric(_ numbers: [Double]) -> Double? {
    guard let first = numbers.first else { return nil }
    guard numbers.count > 1 else { return first * metric }
    guard let part, numbers.count == 2, first == first.rounded(),
      (0..<part.below).contains(numbers[1])
    else { return nil }
    return first * metric + numbers[1] * part.unit.metric
  }
}

extension MeasureWords {
  /// Reads a bare answer about height and weight: numbers, units, and the few listed words
  /// allowed beside them. Nil for any other text.
  ///
  /// The first of two bare numbers is the height; one beside a measurement is the other kind.
  public func bareAnswer(_ text: String) -> BodyFacts? {
    guard var measures = Measures(text, self) else { return nil }
    guard (1...2).contains(measures.found.count), measures.name() else { return nil }
    var facts = BodyFacts()
    for found in measures.found {
      guard let unit = found.unit, let metric = unit.metric(found.numbers) else { return nil }
      facts.take(unit.kind, metric, quote: found.quote)
    }
    return facts
  }
}

/// Measurements in a text with nothing else.
private struct Measures {
  struct Found {
    var numbers: [Double]
    var unit: MeasureUnit?
    var quote: String
  }

  var found: [Found] = []
  private let tokens: [MeasureWords.Token]

  init?(_ text: String, _ words: MeasureWords) {
    let text = PlainText.visible(text)
    let tokens = words.tokens(text)
    guard tokens.allSatisfy({ words.isBare($0) }) else { return nil }
    self.tokens = tokens.filter { !words.isBeside($0) }
    var index = 0
    while index < self.tokens.count {
      guard let (numbers, unit, end) = measure(at: index) else { return nil }
      let whole = self.tokens[index].range.lowerBound..<self.tokens[end - 1].range.upperBound
      found.append(Found(numbers: numbers, unit: unit, quote: String(text[whole])))
      index = end
    }
  }

  private func number(_ index: Int) -> Double? {
    tokens.indices.contains(index) ? tokens[index].number : nil
  }

  private func unit(_ index: Int) -> MeasureUnit? {
    tokens.indices.contains(index) ? tokens[index].unit : nil
  }

  private func measure(at index: Int) -> (numbers: [Double], unit: MeasureUnit?, end: Int)? {
    guard let first = number(index) else { return nil }
    if let inches = number(index + 1), tokens[index + 1].follows == "-", (4...7).contains(first),
      inches < 12
    {
      return ([first, inches], .foot, index + 2)
    }
    guard let unit = unit(index + 1) else { return ([first], nil, index + 1) }
    if let part = unit.part, first == first.rounded(), let second = number(index + 2),
      second < part.below, tokens[index + 2].follows != ","
    {
      let given = self.unit(index + 3)
      if given == nil || given == part.unit {
        return ([first, second], unit, index + (given == nil ? 3 : 4))
      }
    }
    return ([first], unit, index + 2)
  }

  /// Gives bare numbers their units; false if it cannot tell which.
  mutating func name() -> Bool {
    let units = found.map(\.unit)
    guard units.count > 1 else { return units[0] != nil }
    for index in 0...1 where units[index] == nil {
      let other = units[1 - index]
      let isHeight = other.map { $0.kind == .weight } ?? (index == 0)
      found[index].unit = isHeight ? Self.height(found[index].numbers[0]) : weight(beside: other)
    }
    return Set(found.compactMap(\.unit?.kind)).count == 2
  }

  private static func height(_ number: Double) -> MeasureUnit? {
    (1...2.6).contains(number) ? .metre : (100...260).contains(number) ? .centimetre : nil
  }

  private func weight(beside height: MeasureUnit?) -> MeasureUnit {
    height == .foot || height == .inch ? .pound : .kilogram
  }
}
