/// Limits on a discovery's length, and the score it needs.
public struct IntakeSettings: Hashable, Sendable {
  /// Ready means more than this many ten-thousandths; nil uses the rubric's threshold.
  public var readyAbove: Int?
  /// User turns after which the user is asked whether to continue.
  public var maxTurns: Int
  /// Conversation time after which the user is asked whether to continue.
  public var timeLimit: Duration
  public var followUp: FollowUpPolicy
  /// The longest message accepted, in UTF-8 bytes.
  public var longestTurn: Int

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
}
