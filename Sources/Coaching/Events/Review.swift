public import HealthRecords

/// A look back: what was planned and done, what moved, one question, and at most one proposed change.
public struct Review: Hashable, Sendable, Codable {
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// Seven days have passed.
    case week
    /// The person asked for it.
    case asked
    case milestone
    case plateau
    /// The person named something that matters more now.
    case priority
    /// The person was away for long.
    case absence
  }

  /// Counted from 1.
  public var number: Int
  public var reason: Reason
  public var from: Day
  public var through: Day
  /// Sessions; nil without a plan.
  public var planned: Int?
  public var done: Int
  /// What moved, as it was said.
  public var moved: [String] = []
  public var question = ""
  public var proposal: Proposal?
  /// What it is about, so that the same thing is not brought up again, such as `plateau squat`.
  public var topics: [String] = []
  /// As it was shown.
  public var text = ""
}

/// A change to goals or programs that nothing applies before the person agrees.
public struct Proposal: Hashable, Sendable, Codable {
  public enum Change: String, Hashable, Sendable, Codable, CaseIterable {
    /// Fewer sessions a week.
    case fewerSessions
    /// More sessions a week.
    case moreSessions
    /// A lighter week for one activity, or another way to train it.
    case vary
    /// A new goal, or a later one.
    case goal
    /// Start again with less, after an absence.
    case easeIn
  }

  public var change: Change
  /// Sessions a week, if that is what changes.
  public var sessions: Int?
  public var activity: String?
  /// The new goal.
  public var goal: String?
  /// As it was shown.
  public var text: String
  /// What it rests on, as it was shown.
  public var because: String
  /// Entries that it rests on.
  public var restsOn: [Int] = []
}

/// The person's answer to a review's proposal.
public struct ProposalAnswer: Hashable, Sendable, Codable {
  public enum Outcome: String, Hashable, Sendable, Codable {
    case accepted, refused
    /// Accepted in other words.
    case changed
    /// Nobody answered.
    case unanswered
  }

  public var review: Int
  public var outcome: Outcome
  public var turn: Int?
  public var words: String?
  /// Sessions a week as agreed, if that is what changed.
  public var sessions: Int?
}

/// What the person typed to a review's question.
public struct ReviewAnswer: Hashable, Sendable, Codable {
  public var review: Int
  public var words: String
}

/// What the person wants now. The first goal stays on record.
public struct GoalChange: Hashable, Sendable, Codable {
  public var goal: String
  /// The user turn, counted from 1; nil if it was typed as a command.
  public var turn: Int?
  /// The user's words.
  public var words: String?
  /// The review whose proposal it was.
  public var review: Int?
}
