public import Plans

/// What somebody answered, in metric units.
public enum AnswerValue: Hashable, Sendable {
  /// Words, or an option's id.
  case text(String)
  case number(Double)
  case range(ClockRange)
}

extension AnswerValue: Codable {
  private enum Key: String, CodingKey { case start, end }

  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.singleValueContainer() {
      if let text = try? container.decode(String.self) {
        self = .text(text)
        return
      }
      if let number = try? container.decode(Double.self) {
        self = .number(number)
        return
      }
    }
    let container = try decoder.container(keyedBy: Key.self)
    self = .range(
      ClockRange(
        start: try Self.minutes(container, .start), end: try Self.minutes(container, .end)))
  }

  private static func minutes(
    _ container: KeyedDecodingContainer<Key>, _ key: Key
  ) throws -> Int {
    let text = try container.decode(String.self, forKey: key)
    guard let minutes = ClockRange.minutes(text) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "expected a time such as 12:00")
    }
    return minutes
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .text(let text):
      var container = encoder.singleValueContainer()
      try container.encode(text)
    case .number(let number):
      var container = encoder.singleValueContainer()
      try container.encode(number)
    case .range(let range):
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(ClockRange.text(range.start), forKey: .start)
      try container.encode(ClockRange.text(range.end), forKey: .end)
    }
  }
}

extension AnswerValue {
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var range: ClockRange? { if case .range(let range) = self { range } else { nil } }
}
