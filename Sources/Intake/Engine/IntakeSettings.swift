/// How long a discovery may take, and when it is good enough.
public struct IntakeSettings: Hashable, Sendable {
  /// Ready means more than this many ten-thousandths; nil takes the rubric's own bar.
  public var readyAbove: Int?
  /// User turns after which the person is asked whether to go on.
  public var maxTurns: Int
  /// Conversation time after which the person is asked whether to go on.
  public var timeLimit: Duration
  public var followUp: FollowUpPolicy
  /// The longest message that is taken, in bytes of UTF-8.
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
