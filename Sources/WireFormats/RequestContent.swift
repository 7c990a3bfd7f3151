package import IncrementalJSON
public import LanguageModels

/// What a request asks for, in either wire format.
///
/// Recording and replaying both parse it from the bytes sent.
public struct RequestContent: Hashable, Sendable {
  public var model: String
  public var system: String
  public var messages: [ModelMessage]
  /// The top-level names of the answer's schema, joined; nil asks for prose.
  public var structure: String?
  public var isStreaming: Bool
  /// The size of the body.
  public var byteCount: Int
  private var schema: String

  /// - Throws: ``FieldError`` if the body is not a request in this format.
  public init(parsing body: [UInt8], format: WireFormat) throws(FieldError) {
    let root: JSONValue
    do { root = try JSONValue(parsing: body) } catch {
      throw FieldError(path: "the request's body", "\(error)")
    }
    guard let listed = root["messages"]?.arrayValue else {
      throw FieldError(
        path: "messages", expected: "an array", found: root["messages"]?.kind ?? "nothing")
    }
    byteCount = body.count
    model = root["model"]?.stringValue ?? ""
    isStreaming = root["stream"]?.boolValue ?? false
    var instructions = [Self.text(root["system"])]
    messages = []
    for message in listed {
      let text = Self.text(message["content"])
      switch message["role"]?.stringValue {
      case "assistant": messages.append(ModelMessage(.assistant, text))
      case "system", "developer": instructions.append(text)
      default: messages.append(ModelMessage(.user, text))
      }
    }
    system = instructions.filter { !$0.isEmpty }.joined(separator: "\n\n")
    let given: JSONValue? =
      switch format {
      case .openAI: root["response_format"]?["json_schema"]?["schema"]
      case .anthropic: root["output_config"]?["format"]?["schema"]
      }
    let asked = given ?? Self.schemaInInstruction(system)
    structure = asked?["properties"]?.objectValue?.names.joined(separator: ",")
    schema = given?.serialized() ?? ""
  }

  /// A schema given in the prompt, because the server does not accept one.
  private static func schemaInInstruction(_ system: String) -> JSONValue? {
    guard let schema = system.cut(at: ResponseSchema.instructionLead)?.after else { return nil }
    return try? JSONValue(parsing: schema)
  }

  private static func text(_ content: JSONValue?) -> String {
    content?.stringValue
      ?? content?.arrayValue?.compactMap { $0["text"]?.stringValue }.joined() ?? ""
  }
}

extension RequestContent {
  /// The key that recording and replaying share.
  public var record: RequestRecord {
    RequestRecord(
      model: model, structure: structure, messages: messages.count,
      words: Fingerprint.of(userWords),
      conversation: Fingerprint.of(messages.map { $0.author.rawValue + "\n" + $0.text }),
      prompt: Fingerprint.of([system, schema]))
  }

  /// What the user has said so far. A request may put the conversation into one JSON document,
  /// as the scorer's does; then this is the text in it.
  public var userWords: [String] {
    if let spoken = spokenInDocument { return spoken.filter(\.isUser).map(\.text) }
    return messages.filter { $0.author == .user && !ConversationShape.isPlaceholder($0.text) }
      .map(\.text)
  }

  /// The conversation as far as the request shows it.
  public var conversation: [String] {
    if let spoken = spokenInDocument {
      return spoken.map { ($0.isUser ? "user: " : "coach: ") + $0.text }
    }
    return messages.filter { !ConversationShape.isPlaceholder($0.text) }
      .map { ($0.author == .user ? "user: " : "coach: ") + $0.text }
  }

  /// The JSON document that a structured request gives the model.
  package var document: JSONValue? {
    guard structure != nil, messages.count == 1, messages[0].text.utf8.first == UInt8(ascii: "{")
    else { return nil }
    // A repair request adds prose after the document.
    let text = messages[0].text
    return try? JSONValue(parsing: text.cut(at: "}\n\n").map { $0.before + "}" } ?? text)
  }

  private var spokenInDocument: [(isUser: Bool, text: String)]? {
    guard let listed = document?["conversation"]?.arrayValue else { return nil }
    return listed.compactMap { message in
      if let said = message["user"]?.stringValue { return (true, said) }
      return message["coach"]?.stringValue.map { (false, $0) }
    }
  }
}

extension String {
  /// The text before and after the first match of these bytes; nil if they do not occur.
  fileprivate func cut(at part: String) -> (before: String, after: String)? {
    var (whole, part) = (self, part)
    return whole.withUTF8 { whole in
      part.withUTF8 { part in
        guard let first = part.first else { return nil }
        var rest = whole[...]
        while let place = rest.firstIndex(of: first), place + part.count <= whole.count {
          if whole[place..<place + part.count].elementsEqual(part) {
            return (
              String(decoding: whole[..<place], as: UTF8.self),
              String(decoding: whole[(place + part.count)...], as: UTF8.self)
            )
          }
          rest = whole[(place + 1)...]
        }
        return nil
      }
    }
  }
}
