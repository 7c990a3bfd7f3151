import IncrementalJSON

/// Something that a chat client asks for itself: a title for its list, tags, questions to suggest.
///
/// Clients send these to the same endpoint as what a person says. None of it was said to the coach, so it is
/// answered from here: with the person's first words, or empty in the form that the client asks for. They are
/// known by the shape of the request, in any language.
struct ClientTask: Hashable, Sendable {
  /// Whether the request cannot be a person's message, whatever is stored.
  let isCertain: Bool
  /// Whether that is only because it encloses a chat and shows the form of an answer.
  let isMadeOfQuotes: Bool
  /// What is quoted in it.
  private let quotes: [String]
  /// Nil if it is answered in words.
  private let form: [AnswerForm.Member]?
  private var firstWords: String

  init(_ input: CompletionInput) {
    let line = input.line ?? ""
    let quoted = QuotedChat(line)
    let shown = AnswerForm.members(shownIn: line)
    quotes = quoted.texts
    form = input.form.flatMap { $0.isEmpty ? nil : $0 } ?? (shown.isEmpty ? input.form : shown)
    firstWords = CompletionInput.title(
      of: quotes.first ?? input.history.first { !$0.isCoach }?.text ?? line)
    if input.line == nil {
      // The coach would be asked to go on with its own message.
      isMadeOfQuotes = false
      isCertain = input.endsWithInstructions && input.history.contains(where: \.isCoach)
    } else {
      let isPlain = input.isForClient || quoted.isUnanswered
      isMadeOfQuotes = !isPlain && quoted.isEnclosed && !shown.isEmpty
      isCertain = isPlain || isMadeOfQuotes
    }
  }

  /// What it quotes of these messages, in full or only the beginning.
  func quotes(of messages: [String]) -> [String] {
    quotes.filter { quote in
      messages.contains { message in
        quote == message || quote.utf8.count >= Self.leastCut && message.hasPrefix(quote)
      }
    }
  }

  var hasQuotes: Bool { !quotes.isEmpty }

  /// The same about a chat that began with these words.
  func about(_ words: String) -> ClientTask {
    var task = self
    task.firstWords = CompletionInput.title(of: words)
    return task
  }

  /// How many bytes of a message a shortened quote has at least.
  private static let leastCut = 16

  /// The text of the completion.
  var answer: String {
    guard let form else { return firstWords }
    let members = form.map { member in
      (member.name, member.isText && member.name == "title" ? .string(firstWords) : member.empty)
    }
    return JSONValue.object(JSONObject(members)).serialized()
  }
}

extension CompletionInput {
  /// A chat's title: its first words.
  static func title(of text: String) -> String {
    let words = text.split { $0.isWhitespace }.prefix(mostWords).joined(separator: " ")
    let title = words.prefix(mostCharacters)
    return title.isEmpty ? "Rapport" : String(title).withoutOuterBlanks
  }

  private static let mostWords = 6
  private static let mostCharacters = 60
}

/// The JSON that a client's task is answered with.
enum AnswerForm {
  struct Member: Hashable, Sendable {
    var name: String
    var empty: JSONValue

    var isText: Bool { empty == "" }
  }

  /// The members of an answer that is shown as an example.
  static func members(shownIn text: String) -> [Member] {
    guard text.contains("{") else { return [] }
    // Not those of a request's messages.
    var names: Set<Substring> = ["role", "content"]
    return text.matches(of: /"([A-Za-z_]{1,40})"\s*:\s*(\[|")/).compactMap { match in
      guard names.insert(match.1).inserted else { return nil }
      return Member(name: String(match.1), empty: match.2 == "[" ? [] : "")
    }
  }

  /// The members that a request's `response_format` demands; nil if it lets the answer be words.
  static func members(demandedBy format: JSONValue?) -> [Member]? {
    switch format?["type"]?.stringValue {
    case "json_object": return []
    case "json_schema":
      let properties = format?["json_schema"]?["schema"]?["properties"]?.objectValue ?? [:]
      return properties.map { Member(name: $0.name, empty: empty($0.value["type"]?.stringValue)) }
    default: return nil
    }
  }

  private static func empty(_ type: String?) -> JSONValue {
    switch type {
    case "array": []
    case "object": [:]
    case "number", "integer": 0
    case "boolean": false
    default: ""
    }
  }
}

/// What a message quotes of a chat: behind the names of its sides (`USER: …`), as a request's messages, or
/// between marks.
private struct QuotedChat {
  private(set) var texts: [String] = []
  /// Whether tags or fences are around what one of the sides said.
  private(set) var isEnclosed = false
  /// Whether it is a chat that ends where the coach's answer would stand.
  private(set) var isUnanswered = false

  /// Longer messages are refused.
  private static let mostBytes = 1 << 18

  init(_ text: String) {
    guard text.utf8.count <= Self.mostBytes else { return }
    let labelled = Self.labelled(text[...])
    let sides = Set(labelled.map(\.isUser))
    isUnanswered = sides.count == 2 && labelled.last.map { !$0.isUser && $0.text.isEmpty } ?? false
    let enclosed = Self.enclosed(text)
    isEnclosed = enclosed.contains { !Self.labelled($0).isEmpty }
    texts =
      labelled.filter { $0.isUser && !$0.text.isEmpty }.map(\.text)
      + Self.asMessages(text) + enclosed.map(Self.trimmed)
  }

  private static func labelled(_ text: Substring) -> [(isUser: Bool, text: String)] {
    let label = /(?i)(?:^|[\s>*"(\[])\**(user|human|assistant|ai)[\]*]*\s*:\**[ \t]*([^\n]*)/
    return text.split(separator: "\n").flatMap { line in
      line.matches(of: label).map { match in
        (["user", "human"].contains(match.1.lowercased()), trimmed(match.2))
      }
    }
  }

  private static func asMessages(_ text: String) -> [String] {
    text.matches(of: /"role"\s*:\s*"user"\s*,\s*"content"\s*:\s*("(?:[^"\\\n]|\\.)*")/)
      .compactMap { (try? JSONValue(parsing: String($0.1)))?.stringValue?.withoutOuterBlanks }
  }

  /// What stands between tags (`<chat_history>`) or fences.
  private static func enclosed(_ text: String) -> [Substring] {
    var found: [Substring] = []
    var rest = text[...]
    for tag in text.matches(of: /<([A-Za-z_]{1,30})>/).prefix(mostTags)
    where tag.range.lowerBound >= rest.startIndex {
      rest = text[tag.range.upperBound...]
      guard let end = rest.firstRange(of: "</\(tag.1)>") else { continue }
      found.append(rest[..<end.lowerBound])
      rest = rest[end.upperBound...]
    }
    let parts = text.split(separator: "```", omittingEmptySubsequences: false)
    for place in stride(from: 1, to: parts.count - 1, by: 2) { found.append(parts[place]) }
    return found
  }

  private static let mostTags = 20

  private static func trimmed(_ text: Substring) -> String {
    let blanks: (Character) -> Bool = { $0.isWhitespace || $0 == "\"" || $0 == "…" }
    var text = text.drop(while: blanks)
    while let last = text.last, blanks(last) || text.hasSuffix("...") {
      text = text.dropLast(text.hasSuffix("...") ? 3 : 1)
    }
    return String(text)
  }
}
