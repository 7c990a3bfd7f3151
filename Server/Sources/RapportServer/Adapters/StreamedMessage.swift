/// What a client was shown of a coach's message while it was written. What was written in full may differ: a draft
/// was taken for the reply, or a reply that went round in circles was cut.
struct StreamedMessage {
  private var shown = ""

  mutating func add(_ piece: String) { shown += piece }

  enum Rest: Equatable {
    /// All of it was shown, and perhaps more.
    case nothing
    case more(String)
    /// What was shown was not the message.
    case instead(String)
  }

  /// What a client still has to get of the message, which is over then.
  mutating func rest(of message: String) -> Rest {
    defer { shown = "" }
    let (shown, message) = (Self.trimmed(shown), Self.trimmed(message))
    if shown.utf8.starts(with: message.utf8) { return .nothing }
    guard message.utf8.starts(with: shown.utf8) else { return .instead(message) }
    return .more(
      String(message[message.utf8.index(message.startIndex, offsetBy: shown.utf8.count)...]))
  }

  private static func trimmed(_ text: String) -> String {
    let text = text.drop(while: \.isWhitespace)
    return String(text.prefix(text.lastIndex { !$0.isWhitespace }.map { text[...$0].count } ?? 0))
  }
}
