public import Plans

/// What somebody answered, in metric units.
public enum AnswerValue: Hashable, Sendable {
  /// Words, or an option's id.
  case text(String)
  case number(Double)
  case range(ClockRange)
}

extension AnswerValue: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else {
      self = .range(try container.decode(ClockRange.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .range(let range): try container.encode(range)
    }
  }
}

extension AnswerValue {
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var range: ClockRange? { if case .range(let range) = self { range } else { nil } }
}
