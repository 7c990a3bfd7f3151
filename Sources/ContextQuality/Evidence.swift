/// Why a facet is known: the user's own words, or a reading from their health data.
public struct Evidence: Hashable, Sendable {
  public enum Basis: Hashable, Sendable {
    /// A verbatim quote and its user turn, counted from 1.
    case quote(String, turn: Int)
    /// A reading such as `7,412 steps a day over 84 days`, and its source.
    case reading(String, source: String)
  }

  /// A sensitive topic that a reading mentions, such as `weight`. Whoever reads the data names it.
  public struct Topic: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// For readings from before topics were named.
    public static let unknown = Topic(rawValue: "unknown")
  }

  public var facet: Facet
  public var basis: Basis
  public var topics: Set<Topic>

  public init(facet: Facet, basis: Basis, topics: Set<Topic> = []) {
    self.facet = facet
    self.basis = basis
    self.topics = topics
  }

  public init(facet: Facet, quote: String, turn: Int) {
    self.init(facet: facet, basis: .quote(quote, turn: turn))
  }

  /// The evidence's user turn; 0 for a reading, which precedes all turns.
  public var turn: Int {
    switch basis {
    case .quote(_, let turn): turn
    case .reading: 0
    }
  }

  /// Whether it comes from health data, not the user's words.
  public var isReading: Bool {
    if case .reading = basis { true } else { false }
  }

  /// The text to display.
  public var text: String {
    switch basis {
    case .quote(let quote, _): quote
    case .reading(let reading, _): reading
    }
  }
}

/// A fact that the user took back, with the words that did so.
public struct Retraction: Hashable, Sendable, Codable {
  public var facet: Facet
  public var quote: String
  /// The retracting user turn, counted from 1.
  public var turn: Int

  public init(facet: Facet, quote: String, turn: Int) {
    self.facet = facet
    self.quote = quote
    self.turn = turn
  }
}

/// `{"facet", "turn", "quote"}` for words, `{"facet", "reading", "source"}` for health data, with
/// `"topics"` if there are any.
extension Evidence: Codable {
  private enum Key: String, CodingKey { case facet, turn, quote, reading, source, topics }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    facet = try container.decode(Facet.self, forKey: .facet)
    topics = try container.decodeIfPresent(Set<Topic>.self, forKey: .topics) ?? []
    if let reading = try container.decodeIfPresent(String.self, forKey: .reading) {
      basis = .reading(reading, source: try container.decode(String.self, forKey: .source))
    } else {
      basis = .quote(
        try container.decode(String.self, forKey: .quote),
        turn: try container.decode(Int.self, forKey: .turn))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(facet, forKey: .facet)
    if !topics.isEmpty {
      try container.encode(topics.map(\.rawValue).sorted(), forKey: .topics)
    }
    switch basis {
    case .quote(let quote, let turn):
      try container.encode(turn, forKey: .turn)
      try container.encode(quote, forKey: .quote)
    case .reading(let reading, let source):
      try container.encode(reading, forKey: .reading)
      try container.encode(source, forKey: .source)
    }
  }
}
