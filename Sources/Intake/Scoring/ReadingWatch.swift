import ContextQuality

/// Stops a reading that can't become usable any more: it repeats itself, or a quote is longer than
/// anything that the user has written.
struct ReadingWatch {
  private var repetition = Repetition()
  private var hasRepeated = false
  /// A list may hold the same item a few times, and still end.
  private var bytesSince = 0
  private static let mostRepeated = 16_000
  private let longestString: Int
  private var length = 0
  private var isInString = false
  private var isEscaped = false

  /// Why the reading was stopped.
  private(set) var reason: String?

  init(_ transcript: Transcript) {
    // Escapes can make each byte of a quote six.
    let longest = transcript.messages.map(\.text.utf8.count).max() ?? 0
    longestString = longest * 6 + 400
  }

  mutating func receive(_ piece: String) {
    guard reason == nil else { return }
    if repetition.receive(piece) != nil { hasRepeated = true }
    if hasRepeated { bytesSince += piece.utf8.count }
    if bytesSince > Self.mostRepeated {
      reason = "the answer repeats itself"
    } else if !piece.utf8.allSatisfy({ isShort($0) }) {
      reason = "a quote is longer than anything the user wrote"
    }
  }

  private mutating func isShort(_ byte: UInt8) -> Bool {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = isInString
    } else if byte == UInt8(ascii: "\"") {
      isInString.toggle()
      length = 0
    }
    length += isInString ? 1 : 0
    return length <= longestString
  }
}
