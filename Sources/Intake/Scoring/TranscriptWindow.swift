import ContextQuality

/// The part of a conversation that a reading sees: all of it, unless it is long.
///
/// What came before is in the ledger, with its quotes. It is never summarized for the scorer.
enum TranscriptWindow {
  /// UTF-8 bytes of words; about 8,000 tokens of English.
  private static let mostBytes = 32_000
  /// The window moves in steps, so that a server can reuse most of the prompt before.
  private static let step = 20

  /// The first message to send.
  ///
  /// - Parameter new: The turns to read, which are always part of it.
  static func start(_ transcript: Transcript, reading new: [Int]) -> Int {
    let messages = transcript.messages
    var (start, bytes) = (messages.count, 0)
    while start > 0, bytes <= mostBytes {
      start -= 1
      bytes += messages[start].text.utf8.count
    }
    guard bytes > mostBytes else { return 0 }
    // Never up to the end: what a turn answers comes before it.
    start = min((start / step + 1) * step, max(0, messages.count - step))
    return min(start, firstMessage(of: new.min(), in: messages) ?? start)
  }

  /// The coach's message before a turn.
  static func firstMessage(of turn: Int?, in messages: [Transcript.Message]) -> Int? {
    guard let turn else { return nil }
    var count = 0
    for (index, message) in messages.enumerated() where message.speaker == .user {
      count += 1
      if count == turn { return max(0, index - 1) }
    }
    return nil
  }
}
