/// Ends a reply that does not end by itself.
///
/// A reply can have three times the words that were asked for. The last third passes sentence by
/// sentence, so that what is cut off is never half of one.
struct ReplyLimit {
  private let mostWords: Int
  private var repetition = Repetition()
  private var count = 0
  private var isInWord = false
  private var held = ""

  /// The words that have passed.
  private(set) var passed = ""
  /// Whether the rest of the reply is cut off.
  private(set) var isReached = false
  /// Whether what has passed ends in the middle of a sentence.
  var isUnfinished: Bool {
    passed.last { !$0.isWhitespace && !"\"'\u{201D}\u{2019}\u{BB})".contains($0) }
      .map { !Self.sentenceEnds.contains($0) } ?? true
  }

  private static let sentenceEnds = ".!?\u{2026}\u{3002}\u{FF01}\u{FF1F}"

  /// - Parameter asked: The words that were asked for.
  init(asked: Int) { mostWords = asked * 3 }

  /// - Returns: What can be shown now.
  mutating func pass(_ piece: String) -> String {
    var shown = ""
    for character in piece where !isReached {
      take(character, &shown)
    }
    return shown
  }

  /// Ends the reply.
  ///
  /// - Returns: The rest of its words.
  mutating func finish() -> String {
    guard !isReached else { return "" }
    var shown = ""
    release(&shown)
    return shown
  }

  private mutating func take(_ character: Character, _ shown: inout String) {
    let isBlank = character.isWhitespace
    if !isBlank, !isInWord { count += 1 }
    isInWord = !isBlank
    guard count <= mostWords else {
      isReached = true
      return
    }
    held.append(character)
    if let length = repetition.receive(String(character)) { return end(at: length, &shown) }
    let isEnd = character == "\n" || Self.sentenceEnds.contains(character)
    if count <= mostWords * 2 / 3 || isEnd { release(&shown) }
  }

  /// Keeps only the first bytes, whatever was shown.
  private mutating func end(at length: Int, _ shown: inout String) {
    let before = passed.utf8.count
    passed = String((passed + held).utf8.prefix(length)) ?? passed
    shown += String(passed.utf8.dropFirst(before)) ?? ""
    (isReached, held) = (true, "")
  }

  private mutating func release(_ shown: inout String) {
    passed += held
    shown += held
    held = ""
  }
}
