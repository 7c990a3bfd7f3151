public import ContextQuality

/// Limits on a discovery's length, and the score it needs.
public struct IntakeSettings: Hashable, Sendable {
  /// Ready means more than this many ten-thousandths; nil uses the rubric's threshold.
  public var readyAbove: Int?
  /// User turns after which the user is asked whether to continue.
  public var maxTurns: Int
  /// Conversation time after which the user is asked whether to continue.
  public var timeLimit: Duration
  public var followUp: FollowUpPolicy
  /// An order of questions to measure ``followUp`` against; nil to ask by ``followUp``.
  package var trialOrder: TrialOrder?
  /// The longest message accepted, in UTF-8 bytes.
  public var longestTurn: Int
  /// The most tokens that a coaching prompt may have, by a cautious estimate. Persona, goals,
  /// constraints and the user's last message are sent even if they alone take more.
  public var coachingTokens = 10_000
  /// What the questions lead to.
  public var ending = Ending.summary
  /// Whether the paywall follows the discovery; without it the session just waits.
  public var hasPaywall = true

  /// Whether the next question begins while the model still reads the last message, if a quick
  /// reader is sure what to ask; see ``QuickReader``.
  public var readsAhead = false

  /// The code of the device's language, such as `de`, for the first words; nil for English.
  public var language: String?

  /// When the coach stops asking.
  public enum Ending: Hashable, Sendable {
    /// A summary follows, which the user confirms.
    case summary
    /// Ready, at a limit, or with nothing left to ask. Nothing follows.
    case ready
    /// Every topic is known, kept private, declined or asked in vain. Nothing follows.
    case topics([Topic])
  }

  /// Facets that are asked for as one topic.
  public struct Topic: Hashable, Sendable {
    public var facets: [Facet]

    public init(facets: [Facet]) { self.facets = facets }
  }

  public init(
    readyAbove: Int? = nil, maxTurns: Int = 5, timeLimit: Duration = .seconds(240),
    followUp: FollowUpPolicy = .largestShortfall, longestTurn: Int = 16 * 1024
  ) {
    self.readyAbove = readyAbove
    self.maxTurns = maxTurns
    self.timeLimit = timeLimit
    self.followUp = followUp
    self.longestTurn = longestTurn
  }

  /// Why a text is not a turn; nil if it is.
  public func refusal(of text: String) -> TurnRefusal? {
    if PlainText.isBlank(text) { return .empty }
    return text.utf8.count > longestTurn
      ? .tooLong(bytes: text.utf8.count, limit: longestTurn) : nil
  }
}
