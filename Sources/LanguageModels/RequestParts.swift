import IncrementalJSON

/// An encoded request and which of the optional fields it holds.
public struct EncodedRequest: Hashable, Sendable {
  public var body: [UInt8]
  public var fields: Set<RequestField>
}

/// The conversation in the form that every server accepts: user and assistant take turns, the user
/// speaks first and last, and no message is blank.
///
/// Where nobody has spoken, as when the coach greets, a neutral message in brackets stands for the
/// user; so it does where the conversation begins or ends with the assistant.
package enum ConversationShape {
  static let opening = "(The conversation begins. Greet the person.)"
  static let earlierOpening = "(The conversation begins.)"
  static let continuation = "(Please go on.)"

  /// Whether a message stands for somebody who has not spoken.
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

  static func json(_ messages: [ModelMessage]) -> [JSONValue] {
    normalised(messages).map { ["role": .string($0.author.rawValue), "content": .string($0.text)] }
  }
}

extension ResponseSchema {
  /// What stands before a schema that is part of the instructions.
  package static let instructionLead = "It must follow this JSON Schema:\n"

  /// What tells a model of the schema where the server cannot.
  var instruction: String {
    """


    Answer with one JSON object and nothing else: no prose, no code fence. \
    \(Self.instructionLead)\(json)
    """
  }

  /// The schema as a value; nil where it is not JSON.
  var value: JSONValue? { try? JSONValue(parsing: json) }

  /// The name in the characters that servers accept.
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
