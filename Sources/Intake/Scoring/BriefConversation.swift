import ContextQuality

/// The conversation as a reading for a small context window shows it: the new turns and what they
/// answer, with the middle left out of what is long.
struct BriefConversation {
  /// Older turns that were never read are given up.
  static let mostTurns = 6
  private let bytesOfUser: Int
  private static let bytesOfCoach = 240

  init(window: Int?, _ new: some Collection<Int>) {
    let bytes = window ?? 0 < 4_000 ? 600 : 1_200
    bytesOfUser = max(120, bytes / max(1, new.count))
  }

  func shortened(_ text: String, of speaker: Transcript.Speaker) -> String {
    Self.shortened(text, to: speaker == .user ? bytesOfUser : Self.bytesOfCoach)
  }

  /// Keeps more of the beginning than of the end, and only whole words.
  static func shortened(_ text: String, to bytes: Int) -> String {
    guard text.utf8.count > bytes else { return text }
    var (head, tail) = ("", "")
    for word in text.split(separator: " ") {
      guard head.utf8.count + word.utf8.count < bytes * 2 / 3 else { break }
      head += head.isEmpty ? String(word) : " " + word
    }
    for word in text.dropFirst(head.count).split(separator: " ").reversed() {
      guard tail.utf8.count + word.utf8.count < bytes / 3 else { break }
      tail = tail.isEmpty ? String(word) : word + " " + tail
    }
    return head + " … " + tail
  }
}
