public import IncrementalJSON

/// What a coach makes of a person while they talk: what they want, how they like to talk, and what
/// gets in the way.
///
/// It shapes how the coach speaks and never the score.
public struct Understanding: Hashable, Sendable {
  public enum Aspect: String, Hashable, Sendable, Codable, CaseIterable {
    /// What they are here for, such as `weightLoss`.
    case intent
    /// How they like to talk, such as `analytical`.
    case style
    /// What gets in the way, such as `time`. There can be several.
    case obstacle
    case urgency, experience
    /// How they feel in one message.
    case mood
  }

  /// How plainly the words say it.
  public enum Confidence: String, Hashable, Sendable, Codable, CaseIterable {
    case guess, likely, clear
  }

  /// One conclusion, with the words or the reading that it rests on.
  public struct Part: Hashable, Sendable, Codable {
    public var aspect: Aspect
    /// As the pack calls it, such as `weightLoss`.
    public var name: String
    public var confidence: Confidence
    /// The user turn, counted from 1; 0 for a reading of health data.
    public var turn: Int
    /// The user's words, or the reading.
    public var quote: String
    /// A weight that the words name, such as the one to lose, in kilograms.
    public var kilograms: Double?

    public init(
      _ aspect: Aspect, _ name: String, confidence: Confidence, turn: Int, quote: String,
      kilograms: Double? = nil
    ) {
      (self.aspect, self.name, self.confidence) = (aspect, name, confidence)
      (self.turn, self.quote, self.kilograms) = (turn, quote, kilograms)
    }

    /// The aspect and the name, such as `intent.weightLoss`.
    public var id: String { "\(aspect.rawValue).\(name)" }
  }

  /// By aspect, then in the order in which they were found.
  public private(set) var parts: [Part] = []

  public init(_ parts: [Part] = []) { take(parts) }

  public var isEmpty: Bool { parts.isEmpty }

  public subscript(aspect: Aspect) -> [Part] { parts.filter { $0.aspect == aspect } }

  /// The newest part of an aspect replaces the one before, but only what is clear replaces what was.
  /// Obstacles add up.
  public mutating func take(_ new: [Part]) {
    for part in new { take(part) }
    let order = Aspect.allCases
    parts = order.flatMap { aspect in parts.filter { $0.aspect == aspect } }
  }

  mutating func remove(where isGone: (Part) -> Bool) { parts.removeAll(where: isGone) }

  private mutating func take(_ part: Part) {
    let isSame: (Part) -> Bool = {
      $0.aspect == part.aspect && (part.aspect != .obstacle || $0.name == part.name)
    }
    let known = parts.first(where: isSame)
    if known?.confidence == .clear, part.confidence != .clear { return }
    var part = part
    if known?.name == part.name { part.kilograms = part.kilograms ?? known?.kilograms }
    parts.removeAll(where: isSame)
    parts.append(part)
  }
}

extension Understanding {
  /// A list of objects with the members of a part. A reading has the turn 0.
  public var json: JSONValue { .array(parts.map(\.json)) }
}

extension Understanding.Part {
  fileprivate var json: JSONValue {
    .members([
      "aspect": aspect.rawValue, "name": name, "confidence": confidence.rawValue, "turn": turn,
      "quote": quote, "kilograms": kilograms,
    ])
  }
}

/// Words of the user that the coach should remember, found while a turn was read.
public struct MemoryNote: Hashable, Sendable, Codable {
  /// The user turn, counted from 1.
  public var turn: Int
  public var quote: String

  public init(turn: Int, quote: String) { (self.turn, self.quote) = (turn, quote) }
}
