public import ContextQuality
import IncrementalJSON

/// What a short reply means as a whole.
public enum ReplyIntent: String, Hashable, Sendable, Codable {
  case goAhead
  case keepTalking
  /// The user won't say.
  case declineToAnswer
  /// An answer with no information, such as "idk".
  case nonAnswer
  case notNow
  /// The user wants no more questions, only what there is.
  case stop
  /// The user asks why something is asked.
  case asksWhy
  /// Anything with other content.
  case other

  /// The intents with phrases in packs.
  package static let listed: [ReplyIntent] = [
    .goAhead, .keepTalking, .declineToAnswer, .nonAnswer, .notNow,
  ]
}

/// Phrase lists for whole replies, read from a pack's `intents.json`. `withdrawHealth` lists
/// sentence beginnings in `care.txt` syntax.
///
/// A reply counts only if it consists of listed phrases with one meaning: "yes, but my knee…"
/// is `other`.
public struct IntentLexicon: Sendable {
  private var intents: [[String]: ReplyIntent] = [:]
  /// The first words of all phrases.
  private var openings: Set<String> = []
  /// Replies without words, such as a thumb.
  private var signs: [Character: ReplyIntent] = [:]
  /// Words allowed around a phrase that don't change its meaning.
  private var fillers: Set<String> = []
  /// What withdraws a yes to health data.
  private var withdrawals: [PhrasePattern] = []

  /// - Parameter file: The file's name, for errors.
  public init(text: String, file: String) throws(PackError) {
    let document = try PackDocument(text, file: file)
    for (name, value) in document.root.objectValue ?? [:] { try read(name, value, document) }
    for intent in ReplyIntent.listed where !intents.values.contains(intent) {
      throw document.wrong("\(intent.rawValue): expected at least one phrase, found none")
    }
  }

  private static let withdrawHealth = "withdrawHealth"

  private mutating func read(
    _ name: String, _ value: JSONValue, _ document: PackDocument
  ) throws(PackError) {
    let phrases = value.arrayValue?.compactMap(\.stringValue)
    guard let phrases, phrases.count == value.arrayValue?.count else {
      throw document.wrong("\(name): expected a list of phrases, found \(value.serialized())")
    }
    if name == "fillers" {
      fillers = Set(phrases)
    } else if name == Self.withdrawHealth {
      for phrase in phrases { withdrawals.append(try pattern(phrase, document)) }
    } else if let intent = ReplyIntent(rawValue: name), ReplyIntent.listed.contains(intent) {
      for phrase in phrases { try add(phrase, intent, document) }
    } else {
      let names = ReplyIntent.listed.map(\.rawValue).joined(separator: ", ")
      throw document.wrong("\(name): expected one of \(names), \(Self.withdrawHealth), fillers")
    }
  }

  private func pattern(
    _ phrase: String, _ document: PackDocument
  ) throws(PackError) -> PhrasePattern {
    do throws(PhrasePattern.Malformed) {
      return try PhrasePattern(Array(phrase.utf8)[...])
    } catch {
      throw document.wrong("\(phrase): \(error.reason)")
    }
  }

  private mutating func add(
    _ phrase: String, _ intent: ReplyIntent, _ document: PackDocument
  ) throws(PackError) {
    let words =
      PhrasePattern.plainWords(Array(phrase.utf8)[...], separator: 0x20) ?? Words(phrase).all
    let before: ReplyIntent?
    if words.isEmpty {
      let all = Self.signs(of: phrase)
      before = all.compactMap { signs[$0] }.first
      for sign in all { signs[sign] = intent }
    } else {
      before = intents.updateValue(intent, forKey: words)
      openings.insert(words[0])
    }
    if let before, before != intent {
      throw document.wrong(
        "\"\(phrase)\" stands under both \(before.rawValue) and \(intent.rawValue)")
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
    // A question is never an answer.
    guard !text.contains("?") else { return .other }
    let words = Words(text).all
    guard !words.isEmpty else { return intent(ofSigns: text) }
    guard words.count <= 12 else { return .other }
    if let intent = intent(ofPhrase: words) { return intent }
    return ReplyIntent.listed.first { consists(words[...], of: $0, sayingSo: false) } ?? .other
  }

  /// Whether a sentence begins by asking to stop using health data.
  public func withdrawsHealth(_ text: String) -> Bool {
    Words(text).sentences.contains { words in
      let start = words.firstIndex { !fillers.contains($0) } ?? 0
      let sentence = PhrasePattern.Text(words)
      return withdrawals.contains { phrase in
        phrase.matches(in: sentence).contains { $0.lowerBound == start }
      }
    }
  }

  /// "Perfect! Let's do it." and "yes that's it": two phrases, one meaning.
  private func consists(
    _ words: ArraySlice<String>, of intent: ReplyIntent, sayingSo: Bool
  ) -> Bool {
    guard let first = words.first else { return sayingSo }
    guard openings.contains(first) || fillers.contains(first) else { return false }
    for length in (1...words.count).reversed()
    where intents[Array(words.prefix(length))] == intent
      && consists(words.dropFirst(length), of: intent, sayingSo: true)
    {
      return true
    }
    return fillers.contains(first) && consists(words.dropFirst(), of: intent, sayingSo: sayingSo)
  }

  /// Matches a listed phrase with as few fillers as possible: "not right now, thanks" is
  /// "not right now", even though "now" can be a filler.
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
