import IncrementalJSON

/// Decodes chat completions, streamed or whole, from OpenAI and compatible servers.
///
/// Every field is optional. The first choice counts (index 0, or no index). Reasoning is not text.
/// A frame with an error is an error whatever else it contains.
struct ChatCompletionDecoder: ReplyDecoder {
  private(set) var reply = DecodedReply()

  mutating func receive(
    _ data: UnsafeRawBufferPointer, type: String?, into text: inout [UInt8]
  ) throws(DecodingFailure) {
    guard !reply.isEnded else { return }
    if data.isBlank {
      if type == "error" { throw .provider(.unexplained) }
      return
    }
    if data.isWord(WireFormat.endMark) {
      reply.isEnded = true
      return
    }
    if TextDelta.read(data, into: &text) {
      reply.hasContent = true
      return
    }
    // A gateway's comment as data: no JSON begins with a colon.
    if data.first(where: { $0 > 0x20 }) == UInt8(ascii: ":") { return }
    let json: JSONValue
    do {
      json = try JSONValue(parsing: data, invalidText: .replaced)
    } catch {
      if type == "error" { throw failure(inErrorLine: data) }
      if type != nil { return }
      throw .notJSON(data, error)
    }
    if let failure = ProviderFailure(json: json) { throw .provider(failure) }
    if type == "error" { throw failure(inErrorLine: data) }
    guard json.objectValue != nil else {
      if type != nil { return }
      throw .format("an event is \(json.kind), not an object")
    }
    try read(json, into: &text)
  }

  private mutating func read(
    _ json: JSONValue, into text: inout [UInt8]
  ) throws(DecodingFailure) {
    readUsage(json["usage"])
    reply.id = reply.id ?? json["id"]?.stringValue
    let choices = json["choices"]?.arrayValue ?? []
    guard let choice = choices.first(where: { ($0["index"]?.intValue ?? 0) == 0 }) else { return }
    if let failure = ProviderFailure(json: choice) { throw .provider(failure) }
    readMessage(of: choice, into: &text)
    guard let reason = choice["finish_reason"]?.stringValue, !reason.isEmpty else { return }
    guard reason != "error" else {
      throw .provider(ProviderFailure(type: "error", message: "the answer ended with an error"))
    }
    reply.finishReason = reason
  }

  /// Some servers repeat the whole message in every chunk: it counts only if no delta did.
  private mutating func readMessage(of choice: JSONValue, into text: inout [UInt8]) {
    let delta = choice["delta"]?.objectValue
    guard let source = delta.map(JSONValue.object) ?? (reply.hasContent ? nil : choice["message"])
    else { return }
    let content = Self.content(source["content"])
    if !content.isEmpty {
      reply.hasContent = true
      text.append(contentsOf: content.utf8)
    }
    // `reasoning_content`, `reasoning_details`, `thinking`: each server has its own name.
    let isReasoning = source.objectValue?.contains { name, value in
      (name.hasPrefix("reason") || name.hasPrefix("think")) && !value.isNothing
    }
    if isReasoning == true { reply.hasReasoning = true }
    if let refusal = source["refusal"]?.stringValue, !refusal.isEmpty { reply.isRefused = true }
  }

  /// A string, or a list of parts, of which the text parts count.
  private static func content(_ value: JSONValue?) -> String {
    guard let parts = value?.arrayValue else { return value?.stringValue ?? "" }
    return parts.compactMap { $0["type"] == "text" ? $0["text"]?.stringValue : nil }.joined()
  }

  /// The last usage counts: some servers send a running total with every chunk.
  private mutating func readUsage(_ usage: JSONValue?) {
    guard let usage else { return }
    if let input = (usage["prompt_tokens"] ?? usage["input_tokens"])?.countValue {
      reply.inputTokens = input
    }
    if let output = (usage["completion_tokens"] ?? usage["output_tokens"])?.countValue {
      reply.outputTokens = output
    }
  }

  func finish() -> ModelCompletion.FinishReason {
    if reply.isRefused { return .refusal }
    guard let reason = reply.finishReason else { return .stop }
    return switch reason.lowercased() {
    case "stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed": .stop
    case "length", "max_tokens", "max_output_tokens", "model_length": .length
    case "content_filter", "refusal", "safety", "recitation", "prohibited_content": .refusal
    default: .other(reason)
    }
  }
}

extension JSONValue {
  /// Null, or empty text or list.
  fileprivate var isNothing: Bool {
    self == .null || stringValue?.isEmpty == true || arrayValue?.isEmpty == true
  }
}

/// The event that makes up nearly all of a stream.
private enum TextDelta {
  /// Appends the text of a chunk that holds a piece of the first choice's text and nothing else that
  /// matters; false, with nothing appended, for everything else.
  static func read(_ data: UnsafeRawBufferPointer, into text: inout [UInt8]) -> Bool {
    var scanner = JSONScanner(data)
    let start = text.count
    guard readChunk(&scanner, into: &text), scanner.isAtEnd, text.count > start else {
      text.removeLast(text.count - start)
      return false
    }
    text.repairUTF8(from: start)
    return true
  }

  private static func readChunk(_ scanner: inout JSONScanner, into text: inout [UInt8]) -> Bool {
    var chunk = scanner.openObject()
    while let name = scanner.nextName(&chunk) {
      if name == "choices" {
        guard scanner.peek() == UInt8(ascii: "[") else { return false }
        scanner.openArray()
        guard scanner.nextElement(isFirst: true), readChoice(&scanner, into: &text),
          !scanner.nextElement(isFirst: false)
        else { return false }
      } else if name == "object" {
        guard let object = scanner.plainString(), !(object == "error") else { return false }
      } else if name == "usage" || name == "error" {
        guard scanner.skipNull() else { return false }
      } else if name == "type" || name == "detail" {
        return false
      } else {
        scanner.skipValue()
      }
    }
    return true
  }

  private static func readChoice(_ scanner: inout JSONScanner, into text: inout [UInt8]) -> Bool {
    guard scanner.peek() == UInt8(ascii: "{") else { return false }
    var choice = scanner.openObject()
    while let name = scanner.nextName(&choice) {
      if name == "delta" {
        guard readDelta(&scanner, into: &text) else { return false }
      } else if name == "index" {
        guard scanner.readInteger() == 0 else { return false }
      } else if name == "finish_reason" {
        guard scanner.skipNull() else { return false }
      } else if name == "message" || name == "error" || name == "object" || name == "type"
        || name == "detail"
      {
        return false
      } else {
        scanner.skipValue()
      }
    }
    return true
  }

  private static func readDelta(_ scanner: inout JSONScanner, into text: inout [UInt8]) -> Bool {
    guard scanner.peek() == UInt8(ascii: "{") else { return false }
    var delta = scanner.openObject()
    while let name = scanner.nextName(&delta) {
      if name == "content" {
        guard scanner.peek() == UInt8(ascii: "\"") else { return false }
        scanner.readString(into: &text)
      } else if name == "refusal" {
        guard scanner.skipNull() else { return false }
      } else {
        scanner.skipValue()
      }
    }
    return true
  }
}
