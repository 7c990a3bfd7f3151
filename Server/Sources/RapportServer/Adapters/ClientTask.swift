import IncrementalJSON

/// Something that a chat client asks for itself: a title for its list, tags, questions to suggest.
///
/// Clients send these to the same endpoint as what a person says. None of it was said to the coach, so it's
/// answered from here: with the person's first words, or empty in the form that the client asks for.
struct ClientTask: Hashable, Sendable {
  /// Whether the request can't be a person's message, whatever is stored.
  let isCertain: Bool
  /// What is quoted in it.
  private let quotes: [Substring]
  private let text: String
  private let firstWords: String

  /// Nil if nothing speaks for it.
  init?(candidate input: CompletionInput) {
    let hasTalked = input.history.contains(where: \.isCoach)
    guard let line = input.line else {
      // The coach would be asked to go on with its own message.
      guard hasTalked, input.endsWithInstructions else { return nil }
      self.init("", quotes: [], isCertain: true, input)
      return
    }
    let quoted = QuotedChat(line)
    let isAboutChat = hasTalked && Self.asksForTitle(line)
    let hasForm = quoted.isEnclosed && Self.form(in: line) != nil
    guard !quoted.texts.isEmpty || isAboutChat else { return nil }
    self.init(
      line, quotes: quoted.texts, isCertain: isAboutChat || hasForm && quoted.hasSpeakers, input)
  }

  private init(_ text: String, quotes: [Substring], isCertain: Bool, _ input: CompletionInput) {
    (self.text, self.quotes, self.isCertain) = (text, quotes, isCertain)
    let first = quotes.first.map(String.init) ?? input.history.first { !$0.isCoach }?.text
    firstWords = Self.title(first ?? "")
  }

  /// Whether it quotes one of these messages, in full or only the beginning.
  func quotes(oneOf messages: [String]) -> Bool {
    quotes.contains { quote in
      messages.contains { message in
        quote == message || quote.utf8.count >= Self.leastCut && message.hasPrefix(quote)
      }
    }
  }

  /// How many bytes of a message a shortened quote has at least.
  private static let leastCut = 16

  /// The text of the completion.
  var answer: String {
    guard let form = Self.form(in: text) else { return firstWords }
    let members = form.map { name, isList -> (String, JSONValue) in
      (name, isList ? [] : .string(name == "title" ? firstWords : ""))
    }
    return JSONValue.object(JSONObject(members)).serialized()
  }

  private static func title(_ text: String) -> String {
    let words = text.split { $0.isWhitespace }.prefix(mostWords).joined(separator: " ")
    let title = words.prefix(mostCharacters)
    return title.isEmpty ? "Rapport" : String(title).withoutOuterBlanks
  }

  private static let mostWords = 6
  private static let mostCharacters = 60

  /// The members of a JSON answer that is shown as an example, and which of them are lists.
  private static func form(in text: String) -> [(name: String, isList: Bool)]? {
    let members = text.matches(of: /"([A-Za-z_]{1,40})"\s*:\s*(\[|")/)
    guard !members.isEmpty, text.contains("{") else { return nil }
    var names: Set<Substring> = []
    return members.compactMap { member in
      names.insert(member.1).inserted ? (String(member.1), member.2 == "[") : nil
    }
  }

  /// Whether an instruction behind a chat asks for its title: in how many words, and nothing about the person
  /// who would say it.
  private static func asksForTitle(_ text: String) -> Bool {
    let isTitle = /\b(title|titel|título|summar\w+|resum\w+|zusammenfass\w+|name|tags?|topic)\b/
    let isChat = /\b(chat|conversation|discussion|conversación|gespräch|unterhaltung)\b/
    let isShort = /\b(words?|characters?|palabras|caracteres|wört\w+|zeichen|punctuation|quotes)\b/
    let isPerson = /\b(i|i['’]\w+|me|my|mine|yo|mi|mis|ich|mir|mich|mein\w*)\b/
    let text = text.lowercased()
    return text.contains(isTitle) && text.contains(isChat) && text.contains(isShort)
      && !text.contains(isPerson)
  }
}

/// What a message quotes of a chat: behind the names of its sides (`USER: …`), or between marks.
private struct QuotedChat {
  private(set) var texts: [Substring] = []
  /// Whether both sides of a chat are quoted by name.
  private(set) var hasSpeakers = false
  /// Whether tags or fences are around a quote.
  private(set) var isEnclosed = false

  init(_ text: String) {
    let label = /(?i)(?:^|[\s>*"(\[])\**(user|human|assistant|ai)\**\s*:\**[ \t]*(\S[^\n]*)/
    var sides: Set<Bool> = []
    for line in text.split(separator: "\n") {
      for match in line.matches(of: label) {
        let isUser = ["user", "human"].contains(match.1.lowercased())
        sides.insert(isUser)
        if isUser { texts.append(Self.trimmed(match.2)) }
      }
    }
    hasSpeakers = sides.count == 2
    let tags = text.matches(of: /<([A-Za-z_]{1,30})>\s*([\s\S]*?)\s*<\/\1>/).map(\.2)
    let fences = text.matches(of: /```\w*\s*([\s\S]*?)\s*```/).map(\.1)
    isEnclosed = !tags.isEmpty || !fences.isEmpty
    texts += (tags + fences).map(Self.trimmed)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let blanks: (Character) -> Bool = { $0.isWhitespace || $0 == "\"" || $0 == "…" }
    var text = text.drop(while: blanks)
    while let last = text.last, blanks(last) || text.hasSuffix("...") {
      text = text.dropLast(text.hasSuffix("...") ? 3 : 1)
    }
    return text
  }
}
