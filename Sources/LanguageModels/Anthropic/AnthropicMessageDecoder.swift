import IncrementalJSON

/// Decodes Anthropic messages, streamed or whole.
///
/// The text is all `text_delta`s of text blocks, but not thinking or tool input. Unknown events are
/// ignored, as the documentation requires. Usage is cumulative: the last value counts.
struct AnthropicMessageDecoder: ReplyDecoder {
  private(set) var reply = DecodedReply()
  private var cachedInput: Int { cacheCreation + cacheRead }
  private var freshInput: Int?
  private var cacheCreation = 0
  private var cacheRead = 0

  mutating func receive(
    _ data: UnsafeRawBufferPointer, type: String?, into text: inout [UInt8]
  ) throws(DecodingFailure) {
    guard !reply.isEnded else { return }
    if data.isBlank {
      if type == "error" { throw .provider(.unexplained) }
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
      // Gateways end every stream the way OpenAI does.
      if data.isWord(WireFormat.endMark) { return endQuietly() }
      if let type, !Self.knownTypes.contains(type) { return }
      throw .notJSON(data, error)
    }
    try read(json, type: type, into: &text)
  }

  private static let knownTypes: Set = [
    "message_start", "content_block_start", "content_block_delta", "content_block_stop",
    "message_delta", "message_stop",
  ]

  private mutating func endQuietly() { reply.isEnded = reply.finishReason != nil }

  private mutating func read(
    _ json: JSONValue, type: String?, into text: inout [UInt8]
  ) throws(DecodingFailure) {
    if let failure = ProviderFailure(json: json) { throw .provider(failure) }
    guard json.objectValue != nil else {
      if let type, !Self.knownTypes.contains(type) { return }
      throw .format("an event is \(json.kind), not an object")
    }
    switch json["type"]?.stringValue ?? type {
    case "message_start": readMessage(json["message"], into: &text)
    case "message": readWhole(json, into: &text)
    case "content_block_start":
      if json["content_block"]?["type"] == "thinking" { reply.hasReasoning = true }
      append(json["content_block"], "text", to: &text)
    case "content_block_delta": append(json["delta"], "text_delta", to: &text)
    case "message_delta":
      readUsage(json["usage"])
      readStopReason(json["delta"])
    case "message_stop": reply.isEnded = true
    case "error":
      throw .provider(
        ProviderFailure(json: ["error": json]) ?? ProviderFailure(message: json.serialized()))
    default: return
    }
  }

  private mutating func readMessage(_ message: JSONValue?, into text: inout [UInt8]) {
    reply.id = message?["id"]?.stringValue
    readUsage(message?["usage"])
    for block in message?["content"]?.arrayValue ?? [] { append(block, "text", to: &text) }
    readStopReason(message)
  }

  private mutating func readWhole(_ message: JSONValue, into text: inout [UInt8]) {
    readMessage(message, into: &text)
    reply.isEnded = true
  }

  private mutating func append(_ part: JSONValue?, _ type: String, to text: inout [UInt8]) {
    guard part?["type"]?.stringValue == type, let piece = part?["text"]?.stringValue,
      !piece.isEmpty
    else { return }
    reply.hasContent = true
    text.append(contentsOf: piece.utf8)
  }

  private mutating func readStopReason(_ part: JSONValue?) {
    guard let reason = part?["stop_reason"]?.stringValue, !reason.isEmpty else { return }
    reply.finishReason = reason
  }

  /// Input is the sum of fresh tokens, cache writes and cache reads.
  private mutating func readUsage(_ usage: JSONValue?) {
    guard let usage else { return }
    if let count = usage["input_tokens"]?.countValue { freshInput = count }
    if let count = usage["cache_creation_input_tokens"]?.countValue { cacheCreation = count }
    if let count = usage["cache_read_input_tokens"]?.countValue { cacheRead = count }
    if let count = usage["output_tokens"]?.countValue { reply.outputTokens = count }
    let (sum, overflows) = (freshInput ?? 0).addingReportingOverflow(
      cacheCreation.addingReportingOverflow(cacheRead).overflow ? .max : cachedInput)
    reply.inputTokens = freshInput == nil ? nil : overflows ? .max : sum
  }

  func finish() -> ModelCompletion.FinishReason {
    switch reply.finishReason {
    case nil, "end_turn", "stop_sequence", "stop": .stop
    case "max_tokens", "model_context_window_exceeded", "length": .length
    case "refusal", "content_filter": .refusal
    case let reason?: .other(reason)
    }
  }
}

/// The event that makes up nearly all of a stream.
private enum TextDelta {
  /// Appends the text of a `content_block_delta` with a `text_delta`; for anything else appends
  /// nothing and returns false.
  static func read(_ data: UnsafeRawBufferPointer, into text: inout [UInt8]) -> Bool {
    var scanner = JSONScanner(data)
    guard scanner.peek() == UInt8(ascii: "{") else { return false }
    let start = text.count
    var root = scanner.openObject()
    guard let first = scanner.nextName(&root), first == "type", let type = scanner.plainString(),
      type == "content_block_delta"
    else { return false }
    var isText = false
    var isUnusual = false
    while let name = scanner.nextName(&root) {
      if name == "delta" {
        isText = readDelta(&scanner, into: &text)
      } else if name == "error" || name == "object" || name == "detail" {
        isUnusual = true
        break
      } else {
        scanner.skipValue()
      }
    }
    guard scanner.isAtEnd, isText, !isUnusual, text.count > start else {
      text.removeLast(text.count - start)
      return false
    }
    text.repairUTF8(from: start)
    return true
  }

  private static func readDelta(_ scanner: inout JSONScanner, into text: inout [UInt8]) -> Bool {
    guard scanner.peek() == UInt8(ascii: "{") else {
      scanner.skipValue()
      return false
    }
    var delta = scanner.openObject()
    var isText = false
    while let name = scanner.nextName(&delta) {
      if name == "type", let type = scanner.plainString() {
        isText = type == "text_delta"
      } else if name == "text" {
        scanner.readString(into: &text)
      } else {
        scanner.skipValue()
      }
    }
    return isText
  }
}
