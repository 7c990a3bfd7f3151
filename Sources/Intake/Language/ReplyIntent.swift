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
        for phrase in phrases { intents[Words(phrase).all] = intent }
      } else {
        throw PromptPackError(file: file, reason: "\(name): expected the name of an intent")
      }
    }
  }

  public func intent(of text: String) -> ReplyIntent {
    // A question is not an answer, whatever words it is made of.
    guard !text.contains("?") else { return .other }
    let words = Words(text).all
    guard !words.isEmpty, words.count <= 12 else { return .other }
    if let intent = intents[words] { return intent }
    let bare = Self.trimmed(words, fillers)
    if let intent = intents[bare] { return intent }
    return ofEverySentence(text)
  }

  /// "Perfect! Let's do it." is two phrases that mean the same.
  private func ofEverySentence(_ text: String) -> ReplyIntent {
    let parts = text.split { ".,!;\n".contains($0) }.map { Words(String($0)).all }
      .filter { !$0.isEmpty }
    let all = parts.map { intents[$0] ?? intents[Self.trimmed($0, fillers)] }
    guard let first = all.first, let intent = first, all.allSatisfy({ $0 == intent }) else {
      return .other
    }
    return intent
  }

  private static func trimmed(_ words: [String], _ fillers: Set<String>) -> [String] {
    var rest = words[...]
    while let first = rest.first, fillers.contains(first) { rest.removeFirst() }
    while let last = rest.last, fillers.contains(last) { rest.removeLast() }
    return Array(rest)
  }
}
