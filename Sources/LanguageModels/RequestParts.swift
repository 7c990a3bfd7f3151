import IncrementalJSON
import Synchronization

/// An encoded request and the optional fields in it.
public struct EncodedRequest: Hashable, Sendable {
  public var body: [UInt8]
  public var fields: Set<RequestField>
}

/// The conversation in the form that every server accepts: user and assistant alternate, the user
/// comes first and last, and no message is blank.
///
/// If no one has spoken, such as when the coach greets, a neutral message in brackets stands in for
/// the user. The same happens if the conversation starts or ends with the assistant.
package enum ConversationShape {
  static let opening = "(The conversation begins. Greet the person.)"
  static let earlierOpening = "(The conversation begins.)"
  static let continuation = "(Please go on.)"

  /// Whether a message stands in for someone who has not spoken.
  package static func isPlaceholder(_ text: String) -> Bool {
    [opening, earlierOpening, continuation].contains(text)
  }

  static func normalised(_ messages: [ModelMessage]) -> [ModelMessage] {
    var turns: [ModelMessage] = []
    for message in messages where !message.text.allSatisfy(\.isWhitespace) {
      if turns.last?.author == message.author {
        turns[turns.count - 1].text += "\n\n" + message.text
      } else {
        turns.append(message)
      }
    }
    guard let first = turns.first, let last = turns.last else {
      return [ModelMessage(.user, opening)]
    }
    if first.author == .assistant { turns.insert(ModelMessage(.user, earlierOpening), at: 0) }
    if last.author == .assistant { turns.append(ModelMessage(.user, continuation)) }
    return turns
  }

  /// - Parameter instructions: Put in front of the first user message, for a model whose template
  ///   has no other place for them.
  static func json(_ messages: [ModelMessage], instructions: String = "") -> [JSONValue] {
    var messages = normalised(messages)
    if !instructions.isEmpty { messages[0].text = instructions + "\n\n" + messages[0].text }
    return messages.map { ["role": .string($0.author.rawValue), "content": .string($0.text)] }
  }
}

extension ResponseSchema {
  /// What stands before a schema that is part of the instructions.
  package static let instructionLead = "It must follow this JSON Schema:\n"

  /// Tells a model about the schema if the server cannot.
  var instruction: String {
    """


    Answer with one JSON object and nothing else: no prose, no code fence. \
    \(Self.instructionLead)\(json)
    """
  }

  /// The schema as a value; nil if it is not JSON.
  var value: JSONValue? { ParsedSchemas.shared.value(of: json) }

  /// The name in characters that servers accept.
  var wireName: String {
    let kept = name.unicodeScalars.prefix(64).map { scalar -> Character in
      let isAllowed =
        scalar.isASCII
        && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "_-".unicodeScalars.contains(scalar))
      return isAllowed ? Character(scalar) : "_"
    }
    return kept.isEmpty ? "answer" : String(kept)
  }
}

/// Schemas as values. A program sends the same few with every request.
private final class ParsedSchemas: Sendable {
  static let shared = ParsedSchemas()
  /// More than any program has; a caller that makes up a schema for each request cannot fill the memory.
  private static let most = 32

  private let values = Mutex<[String: JSONValue]>([:])

  func value(of json: String) -> JSONValue? {
    if let known = values.withLock({ $0[json] }) { return known }
    guard let value = try? JSONValue(parsing: json) else { return nil }
    values.withLock { values in
      if values.count >= Self.most { values = [:] }
      values[json] = value
    }
    return value
  }
}
