import Journeys

// Times.
extension Amounts {
  mutating func readTime(_ operand: Operand, _ unit: LogWords.Unit) -> Int {
    // "2 min rest".
    if words.rest.contains(word(operand.end)) { return operand.end + 1 }
    // "8x400m off 90s".
    if sets != nil, words.sendOff.contains(word(operand.end - operand.quantity.length - 2)) {
      return operand.end
    }
    var end = operand.end
    switch unit {
    case .hour:
      add(seconds: operand.value * 3_600)
      if let half = tokens.halfWords(end) {
        add(seconds: 1_800)
        return end + half
      }
      // "1h30", "1 h 30 m".
      if let rest = self.operand(end), rest.value < 60, rest.unit == nil || rest.unit == .meter,
        !rest.quantity.isArticle, !words.by.contains(word(rest.end)), word(rest.end) != ":"
      {
        add(seconds: rest.value * 60)
        end = rest.end
      }
    case .minute: add(seconds: operand.value * 60)
    default: add(seconds: operand.value)
    }
    if let length = eachWay(end) {
      seconds = seconds.map { $0 * 2 }
      return end + length
    }
    return end
  }

  func eachWay(_ index: Int) -> Int? {
    guard tokens.tokens.indices.contains(index) else { return nil }
    return words.eachWay.length(at: 0, of: next(index))
  }

  /// `31:20`, `1:05:00`, `6:12 / km`.
  ///
  /// - Returns: How many words were read.
  mutating func readClock(at index: Int) -> Int {
    func number(_ index: Int) -> Double? { tokens[index]?.value }
    guard let first = number(index), let second = number(index + 2), second < 60 else { return 3 }
    if word(index + 3) == ":", let third = number(index + 4), third < 60 {
      add(seconds: first * 3_600 + second * 60 + third)
      return 5
    }
    let before = words.of.contains(word(index - 1)) ? word(index - 2) : word(index - 1)
    let isOver = word(index + 3) == "/" || words.per.contains(word(index + 3))
    if isOver || words.per.contains(before) {
      pace = (first * 60 + second) / paceLength(at: index + (isOver ? 4 : 3), isOver: isOver)
      return isOver ? 4 : 3
    }
    // "A 5:30 mile", but "at 8:30 mile pace".
    if let unit = unit(index + 3), unit == .mile || unit == .kilometer {
      if words.per.contains(word(index + 4)) {
        pace = (first * 60 + second) / (unit == .mile ? Self.kilometersPerMile : 1)
        return 5
      }
      if kilometers == nil {
        setDistance(unit == .mile ? Self.kilometersPerMile : 1, unit == .mile ? .imperial : .metric)
        add(seconds: first * 60 + second)
        return 4
      }
    }
    if unit(index + 3) == .hour {
      add(seconds: first * 3_600 + second * 60)
      return 4
    }
    if words.clockTime.contains(word(index + 3)) { return 3 }
    if sets != nil, words.sendOff.contains(word(index - 1)) || words.rest.contains(word(index + 3))
    {
      return 3
    }
    // A time of day, as in "at 7:30", is no duration; "6x400m at 1:45" is the time of each.
    if words.at.contains(word(index - 1)), !isOfEach(first * 60 + second, sign: word(index - 1)) {
      return 3
    }
    add(seconds: first * 60 + second)
    if unit(index + 3) == .minute { return 4 }
    clock = (first, second)
    return 3
  }

  /// Slower repetitions than this, in kilometers per hour, are no repetitions.
  private static let slowestRepetition = 6.0

  /// Whether a time behind "at" is that of each repetition.
  private func isOfEach(_ seconds: Double, sign: String) -> Bool {
    guard sets != nil, let kilometers, seconds > 0 else { return false }
    return sign == "@" || kilometers / seconds * 3_600 >= Self.slowestRepetition
  }

  /// In kilometers, of the unit at a word or behind it.
  private func paceLength(at index: Int, isOver: Bool) -> Double {
    let unit = (index...index + 1).lazy.compactMap { self.unit($0) }.first
    if unit == .mile || unit == nil && frame.units == .imperial && !isOver {
      return Self.kilometersPerMile
    }
    return unit == .kilometer || isOver ? 1 : frame.paceLength ?? 1
  }
}
