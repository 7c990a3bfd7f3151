import IncrementalJSON

/// What a short reply as a whole comes to.
public enum ReplyIntent: String, Hashable, Sendable, Codable {
  case goAhead
  case keepTalking
  /// They would rather not say.
  case declineToAnswer
  /// "idk" and the like: an answer that tells nothing.
  case nonAnswer
  case notNow
  /// Anything with content of its own.
  case other
}

/// Phrase lists for whole replies, read from a pack's `intents.json`.
///
/// Only a reply that is nothing but a listed phrase counts: "yes, but my knee…" is `other`.
public struct IntentLexicon: Sendable {
  private var intents: [[String]: ReplyIntent] = [:]
  /// Replies without a word in them, such as a thumb.
  private var signs: [Character: ReplyIntent] = [:]
  /// Words that may stand around a phrase without changing what it means.
  private var fillers: Set<String> = []

  /// - Parameter file: The file's name, for errors.
  public init(text: String, file: String) throws(PromptPackError) {
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONValue(parsing: text)
    } catch {
      throw PromptPackError(file: file, line: error.line, reason: error.reason)
    }
    for (name, value) in root.objectValue ?? [:] {
      let phrases = (value.arrayValue ?? []).compactMap(\.stringValue)
      if name == "fillers" {
        fillers = Set(phrases)
      } else if let intent = ReplyIntent(rawValue: name) {
        for phrase in phrases { add(phrase, intent) }
      } else {
        throw PromptPackError(file: file, reason: "\(name): expected the name of an intent")
      }
    }
  }

  private mutating func add(_ phrase: String, _ intent: ReplyIntent) {
    let words = Words(phrase).all
    if words.isEmpty {
      for sign in Self.signs(of: phrase) { signs[sign] = intent }
    } else {
      intents[words] = intent
    }
  }

  /// The characters of a wordless reply, whatever their skin tone.
  private static func signs(of text: String) -> [Character] {
    text.filter { !$0.isWhitespace }.compactMap { $0.unicodeScalars.first.map(Character.init) }
  }

  private func intent(ofSigns text: String) -> ReplyIntent {
    let all = Self.signs(of: text).map { signs[$0] }
    guard let first = all.first, let intent = first, all.allSatisfy({ $0 == intent }) else {
      return .other
    }
    return intent
  }

  public func intent(of text: String) -> ReplyIntent {
    // A question is not an answer, whatever words it is made of.
    guard !text.contains("?") else { return .other }
    let words = Words(text).all
    guard !words.isEmpty else { return intent(ofSigns: text) }
    guard words.count <= 12 else { return .other }
    if let intent = intent(ofPhrase: words) { return intent }
    return ofEverySentence(text)
  }

  /// "Perfect! Let's do it." is two phrases that mean the same.
  private func ofEverySentence(_ text: String) -> ReplyIntent {
    let parts = text.split { ".,!;\n".contains($0) }.map { Words(String($0)).all }
      .filter { !$0.isEmpty }
    let all = parts.map { intent(ofPhrase: $0) }
    guard let first = all.first, let intent = first, all.allSatisfy({ $0 == intent }) else {
      return .other
    }
    return intent
  }

  /// A listed phrase with as few fillers around it as there can be: "not right now, thanks" is
  /// "not right now", although "now" can be a filler too.
  private func intent(ofPhrase words: [String]) -> ReplyIntent? {
    var rest = words[...]
    while true {
      if let intent = intents[Array(rest)] ?? withoutLastFillers(rest) { return intent }
      guard let first = rest.first, fillers.contains(first) else { return nil }
      rest.removeFirst()
    }
  }

  private func withoutLastFillers(_ words: ArraySlice<String>) -> ReplyIntent? {
    var rest = words
    while let last = rest.last, fillers.contains(last) {
      rest.removeLast()
      if let intent = intents[Array(rest)] { return intent }
    }
    return nil
  }
}
