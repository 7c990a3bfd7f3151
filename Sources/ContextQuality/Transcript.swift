/// A conversation as the scorer reads it: who said what, in order.
public struct Transcript: Hashable, Sendable {
  public enum Speaker: String, Hashable, Sendable { case coach, user }

  public struct Message: Hashable, Sendable {
    public var speaker: Speaker
    public var text: String

    public init(_ speaker: Speaker, _ text: String) {
      self.speaker = speaker
      self.text = text
    }
  }

  public private(set) var messages: [Message] = []
  /// What the user said; turn `n` is `userTurns[n - 1]`.
  public private(set) var userTurns: [String] = []

  public init(_ messages: [Message] = []) {
    for message in messages { append(message) }
  }

  public mutating func append(_ message: Message) {
    messages.append(message)
    if message.speaker == .user { userTurns.append(message.text) }
  }

  /// What the user said, without invisible characters.
  package var visibleTurns: [String] { userTurns.map(PlainText.visible) }

  /// The visible words of a user turn, counted from 1; nil if there is no such turn.
  package func visibleTurn(_ number: Int) -> String? { userTurn(number).map(PlainText.visible) }

  /// What the coach said right before a user turn; nil if nothing.
  package func coachMessage(before number: Int) -> String? {
    var turn = 0
    var said: String?
    for message in messages {
      guard message.speaker == .user else {
        said = message.text
        continue
      }
      turn += 1
      if turn == number { return said }
      said = nil
    }
    return nil
  }

  /// The conversation up to a user turn, which comes last.
  package func through(_ turn: Int) -> Transcript {
    var result = Transcript()
    for message in messages where result.userTurns.count < turn { result.append(message) }
    return result
  }

  /// The words of a user turn, counted from 1; nil if there is no such turn.
  public func userTurn(_ number: Int) -> String? {
    number >= 1 && number <= userTurns.count ? userTurns[number - 1] : nil
  }
}
