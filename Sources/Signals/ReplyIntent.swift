/// What a label that was printed means, or what a phrase list made of a short reply before messages
/// were read for what they do. Logs store the raw values permanently.
public enum ReplyIntent: String, Hashable, Sendable, Codable {
  case goAhead
  case keepTalking
  case notNow
  /// The user wants no more questions, only what there is.
  case stop
  /// Only in sessions from before messages were read for what they do.
  case declineToAnswer, nonAnswer, asksWhy
  /// Anything with other content.
  case other
}
