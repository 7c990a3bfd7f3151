/// The numbers in a row of words, as people put them: `62.5`, `10,000`, `forty five`, `half an`, `an`,
/// `one and a half`.
struct Quantities {
  struct Quantity {
    var value: Double
    /// If a point or comma groups thousands.
    var grouped: Double?
    /// How many words it takes.
    var length: Int
    /// Written as an article, such as the "an" of "an hour".
    var isArticle = false

    var whole: Int? { Int(exactly: grouped ?? value) }
  }

  let tokens: ArraySlice<LogTokens.Token>
  private let words: LogWords

  init(_ tokens: ArraySlice<LogTokens.Token>, _ words: LogWords) {
    (self.tokens, self.words) = (tokens, words)
  }

  func word(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }

  func unit(_ index: Int) -> LogWords.Unit? { words.units[word(index)] }

  /// The number that begins at a word.
  subscript(index: Int) -> Quantity? {
    guard tokens.indices.contains(index) else { return nil }
    if let number = tokens[index].number {
      if let fraction = fraction(index) { return fraction }
      if number == number.rounded(), var part = fraction(index + 1) {
        part.value += number
        part.length += 1
        return part
      }
      let half = half(after: index + 1)
      return Quantity(
        value: number + (half == nil ? 0 : 0.5), grouped: tokens[index].grouped,
        length: 1 + (half ?? 0))
    }
    guard let value = words.numbers[word(index)] else { return article(index) }
    if value > 0, value < 1 { return part(value, at: index) }
    if value >= 20, value.truncatingRemainder(dividingBy: 10) == 0,
      let ones = words.numbers[word(index + 1)], ones >= 1, ones < 10
    {
      return Quantity(value: value + ones, length: 2)
    }
    let half = half(after: index + 1)
    return Quantity(value: value + (half == nil ? 0 : 0.5), length: 1 + (half ?? 0))
  }

  /// "1/2 mile", and the "1/2" in "3 1/2 miles". "½" is already one number.
  private func fraction(_ index: Int) -> Quantity? {
    guard tokens.indices.contains(index), let above = tokens[index].number else { return nil }
    if above > 0, above < 1, index > tokens.startIndex, tokens[index - 1].number != nil,
      measures(index + 1)
    {
      return Quantity(value: above, length: 1)
    }
    guard word(index + 1) == "/", tokens.indices.contains(index + 2),
      let below = tokens[index + 2].number, (1..<below).contains(above),
      [2, 3, 4, 5, 8].contains(below), measures(index + 3)
    else { return nil }
    return Quantity(value: above / below, length: 3)
  }

  private func measures(_ index: Int) -> Bool {
    guard let unit = unit(index) else { return words.thousand.contains(word(index)) }
    return unit.isLoad || unit == .stone || unit.isExtent
  }

  /// "half an hour", "a quarter of an hour".
  private func part(_ value: Double, at index: Int) -> Quantity {
    var next = index + 1
    if words.of.contains(word(next)) { next += 1 }
    if words.article.contains(word(next)) { next += 1 }
    let hasUnit = unit(next)?.isCounted == true
    return Quantity(value: value, length: hasUnit ? next - index : 1)
  }

  private func article(_ index: Int) -> Quantity? {
    guard words.article.contains(word(index)) else { return nil }
    if let value = words.numbers[word(index + 1)], value > 0, value < 1 {
      var part = part(value, at: index + 1)
      guard unit(index + 1 + part.length)?.isCounted == true else { return nil }
      part.length += 1
      return part
    }
    guard unit(index + 1)?.isCounted == true else { return nil }
    return Quantity(value: 1, length: 1, isArticle: true)
  }

  /// The words of "and a half" in front of a unit.
  private func half(after index: Int) -> Int? {
    guard let length = halfWords(index) else { return nil }
    let next = index + length
    return unit(next) != nil || words.thousand.contains(word(next)) ? length : nil
  }

  /// The words of "and a half": of an hour that was just named.
  func halfWords(_ index: Int) -> Int? {
    guard words.and.contains(word(index)) else { return nil }
    let next = words.article.contains(word(index + 1)) ? index + 2 : index + 1
    return words.numbers[word(next)] == 0.5 ? next + 1 - index : nil
  }

  /// The number that ends right before a word.
  func before(_ index: Int) -> Quantity? {
    for length in [4, 3, 2, 1] {
      guard let found = self[index - length], found.length == length, !found.isArticle else {
        continue
      }
      return found
    }
    return nil
  }

  /// All numbers, read in each way.
  var values: Set<Double> {
    var values: Set<Double> = []
    for index in tokens.indices {
      if let number = tokens[index].number ?? words.numbers[word(index)] { values.insert(number) }
      guard let found = self[index] else { continue }
      values.formUnion([found.value, found.grouped ?? found.value])
    }
    return values
  }

  /// Whether a number is there, read in any way, and isn't followed by another unit than this.
  ///
  /// - Parameter unit: Such as `kg`.
  func names(_ value: Double, _ unit: String) -> Bool {
    tokens.indices.contains { index in
      func isUnit(at next: Int) -> Bool {
        self.unit(next).map { $0.rawValue == unit } ?? true
      }
      if (tokens[index].number ?? words.numbers[word(index)]) == value {
        return isUnit(at: index + 1)
      }
      guard let found = self[index], [found.value, found.grouped].contains(value) else {
        return false
      }
      return isUnit(at: index + found.length)
    }
  }
}

extension LogWords.Unit {
  /// Whether "a" before it means one.
  fileprivate var isCounted: Bool {
    switch self {
    case .hour, .minute, .second, .kilometer, .mile, .sets: true
    case .kilogram, .pound, .stone, .meter, .yard, .repetitions, .laps, .steps, .kilometersPerHour,
      .milesPerHour:
      false
    }
  }

  var isLoad: Bool { self == .kilogram || self == .pound }

  /// Whether it measures a time or a distance.
  var isExtent: Bool {
    switch self {
    case .second, .minute, .hour, .meter, .kilometer, .mile, .yard, .laps: true
    case .kilogram, .pound, .stone, .sets, .repetitions, .steps, .kilometersPerHour, .milesPerHour:
      false
    }
  }
}
