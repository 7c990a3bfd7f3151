public import HealthRecords

/// A limit that coaching respects, with where it comes from and how long it holds.
public struct KeptConstraint: Hashable, Sendable, Codable {
  public enum List: String, Hashable, Sendable, Codable, CaseIterable {
    case physical, time, resources, temporary
  }

  /// Where a constraint comes from.
  public struct Origin: Hashable, Sendable, Codable {
    /// The user turn, counted from 1; nil if it is from the profile alone.
    public var turn: Int?
    /// The form's step that the user answered; nil if they said it in the conversation.
    public var step: String?
    /// The user's words.
    public var quote: String?
  }

  /// Such as `temporary/0` for one of the profile (`temporary/0.2` if an earlier profile's has that name), and
  /// `said-12-knee` for one that was said later.
  public var id: String
  public var list: List
  /// Such as `cold` or `knee`.
  public var about: String
  public var detail: String
  public var notedAt: Day
  /// The first day, if it is still to come.
  public var beginsAt: Day?
  public var expiresAt: Day?
  /// When to ask whether it is over, if nobody said until when.
  public var asksAt: Day?
  public var origin = Origin()
}

/// The coach asked about a constraint.
public struct ConstraintQuestion: Hashable, Sendable, Codable {
  public enum Reason: String, Hashable, Sendable, Codable {
    /// It was temporary, and its time is over.
    case lapsed
    /// The log has something that does not go with it.
    case contradicted
    /// It was said in passing, and is not confirmed yet.
    case proposed
  }

  public var constraint: String
  public var reason: Reason
  /// The entry that contradicts it.
  public var entry: Int?
  public var on: Day
  public var text: String
}

/// What became of a question about a constraint.
public struct ConstraintAnswer: Hashable, Sendable, Codable {
  public enum Outcome: String, Hashable, Sendable, Codable {
    /// It holds.
    case holds
    /// It is over. It stays on record, archived.
    case archived
    /// It was proposed, and the person said no.
    case refused
    /// Nobody answered; it is not asked about again for the same reason.
    case unanswered
  }

  public var constraint: String
  public var outcome: Outcome
  /// The user turn, counted from 1; nil if there was no answer.
  public var turn: Int?
  /// The user's words.
  public var words: String?
  /// The new last day, if it holds longer than thought.
  public var expiresAt: Day?
  /// The new first day.
  public var beginsAt: Day?
  /// It does not pass, so it has no last day anymore. Nil means no.
  public var lasts: Bool?
  /// What it is in other words, if the first ones were wrong.
  public var detail: String?
  /// What it is about, if that was wrong.
  public var about: String?
}
