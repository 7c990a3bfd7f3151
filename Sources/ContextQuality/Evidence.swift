/// Why a facet is known: the user's own words, a reading from their health data, or what they answered in
/// a form.
public struct Evidence: Hashable, Sendable {
  public enum Basis: Hashable, Sendable {
    /// A verbatim quote and its user turn, counted from 1.
    case quote(String, turn: Int)
    /// A reading such as `7,412 steps a day over 84 days`, and its source.
    case reading(String, source: String)
    case answer(Answer)
  }

  /// What the user answered in a form. A default that they did not touch is no answer.
  public struct Answer: Hashable, Sendable {
    /// The form's step, such as `height`.
    public var step: String
    /// The option's label, the value as it was shown, or the words that say it.
    public var text: String
    /// The question as the user saw it.
    public var wording: String
    /// The user turns before it; 0 before the conversation.
    public var turn: Int

    public init(step: String, text: String, wording: String, turn: Int = 0) {
      (self.step, self.text, self.wording, self.turn) = (step, text, wording, turn)
    }
  }

  /// A sensitive topic that a reading mentions, such as `weight`. The reader of the data names it.
  public struct Topic: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// For readings from before topics were named.
    public static let unknown = Topic(rawValue: "unknown")
  }

  /// What sets a quote apart from others about its facet. It never changes the score.
  public enum Mark: String, Hashable, Sendable, Codable, CaseIterable {
    /// A limit that a doctor, midwife or physiotherapist set.
    case clinician
    case medication
    /// A pregnancy, or breast-feeding.
    case pregnancy
    /// Medical history that limits nothing.
    case background
    /// A goal of losing, gaining or keeping body weight. A plan for it needs height and weight.
    case weight
    /// Half in jest, or hedged: likely, and worth making sure.
    case likely
    /// Says that what `corrects` names, which was likely, is meant.
    case meant
    /// Read at a glance, by the program instead of a model. It counts for the score until a model reads the
    /// turn, and is shown to nobody.
    case provisional

    /// Whether it stands until the user takes back these very words.
    public var isProtected: Bool { [.clinician, .medication, .pregnancy].contains(self) }

    public var isMedical: Bool { isProtected || self == .background }
  }

  public var facet: Facet
  public var basis: Basis
  public var topics: Set<Topic>
  public var mark: Mark?
  /// The earlier words about the facet that these correct; nil if they add to them.
  public var corrects: String?

  public init(facet: Facet, basis: Basis, topics: Set<Topic> = []) {
    self.facet = facet
    self.basis = basis
    self.topics = topics
  }

  public init(
    facet: Facet, quote: String, turn: Int, mark: Mark? = nil, corrects: String? = nil
  ) {
    self.init(facet: facet, basis: .quote(quote, turn: turn))
    (self.mark, self.corrects) = (mark, corrects)
  }

  /// The evidence's user turn; 0 for a reading, which precedes all turns. An answer has the turn that it
  /// followed.
  public var turn: Int {
    switch basis {
    case .quote(_, let turn): turn
    case .reading: 0
    case .answer(let answer): answer.turn
    }
  }

  /// Whether it comes from health data, not the user's words.
  public var isReading: Bool {
    if case .reading = basis { true } else { false }
  }

  /// The form's answer that it comes from; nil for words and readings.
  public var answer: Answer? {
    if case .answer(let answer) = basis { answer } else { nil }
  }

  /// The text to display.
  public var text: String {
    switch basis {
    case .quote(let quote, _): quote
    case .reading(let reading, _): reading
    case .answer(let answer): answer.text
    }
  }
}

/// A fact that the user took back, with the words that did so.
public struct Retraction: Hashable, Sendable, Codable {
  public var facet: Facet
  public var quote: String
  /// The retracting user turn, counted from 1.
  public var turn: Int
  /// The earlier words that are taken back; nil for all about the facet.
  public var of: String?
  /// Whether the user says beyond doubt that a doctor's limit is over. Nil means no.
  public var isPlain: Bool?

  public init(facet: Facet, quote: String, turn: Int, of: String? = nil) {
    self.facet = facet
    self.quote = quote
    self.turn = turn
    self.of = of
  }
}

/// `{"facet", "turn", "quote"}` for words, `{"facet", "reading", "source"}` for health data,
/// `facet`, `turn`, `step`, `answer` and `wording` for a form, with `topics`, `mark` and `corrects` if there
/// are any.
extension Evidence: Codable {
  private enum Key: String, CodingKey {
    case facet, turn, quote, reading, source, step, answer, wording, topics, mark, corrects
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    facet = try container.decode(Facet.self, forKey: .facet)
    topics = try container.decodeIfPresent(Set<Topic>.self, forKey: .topics) ?? []
    mark = try container.decodeIfPresent(Mark.self, forKey: .mark)
    corrects = try container.decodeIfPresent(String.self, forKey: .corrects)
    if let reading = try container.decodeIfPresent(String.self, forKey: .reading) {
      basis = .reading(reading, source: try container.decode(String.self, forKey: .source))
    } else if let answer = try container.decodeIfPresent(String.self, forKey: .answer) {
      basis = .answer(
        Answer(
          step: try container.decode(String.self, forKey: .step), text: answer,
          wording: try container.decode(String.self, forKey: .wording),
          turn: try container.decode(Int.self, forKey: .turn)))
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
    try container.encodeIfPresent(mark, forKey: .mark)
    try container.encodeIfPresent(corrects, forKey: .corrects)
    switch basis {
    case .quote(let quote, let turn):
      try container.encode(turn, forKey: .turn)
      try container.encode(quote, forKey: .quote)
    case .reading(let reading, let source):
      try container.encode(reading, forKey: .reading)
      try container.encode(source, forKey: .source)
    case .answer(let answer):
      try container.encode(answer.turn, forKey: .turn)
      try container.encode(answer.step, forKey: .step)
      try container.encode(answer.text, forKey: .answer)
      try container.encode(answer.wording, forKey: .wording)
    }
  }
}
