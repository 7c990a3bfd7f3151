import IncrementalJSON

/// What a reply has told besides its text.
struct DecodedReply: Hashable, Sendable {
  /// As the server spelled it; nil until it arrives.
  var finishReason: String?
  /// Whether the stream's end marker was read: nothing after it counts.
  var isEnded = false
  var hasContent = false
  var isRefused = false
  /// Whether the server sent thinking apart from the text.
  var hasReasoning = false
  var inputTokens: Int?
  var outputTokens: Int?
  /// The server's id for the answer, if no header gives one.
  var id: String?

  var usage: TokenUsage? {
    guard inputTokens != nil || outputTokens != nil else { return nil }
    return TokenUsage(input: inputTokens ?? 0, output: outputTokens ?? 0)
  }

  /// Whether the answer is known to be complete.
  var isWhole: Bool { finishReason != nil || (isEnded && (hasContent || isRefused)) }
}

/// A reply that cannot be decoded further.
enum DecodingFailure: Error, Hashable, Sendable {
  /// The server reports an error inside the reply.
  case provider(ProviderFailure)
  /// The server does not follow the format.
  case format(String)

  static func notJSON(_ bytes: UnsafeRawBufferPointer, _ error: JSONError) -> DecodingFailure {
    let start = String(decoding: bytes.prefix(80), as: UTF8.self)
    return .format("an event is not JSON (\(error)): \(start)")
  }
}

/// Turns the events of one wire format into text and an outcome. A value: no I/O, no clock.
protocol ReplyDecoder: Sendable {
  init()

  var reply: DecodedReply { get }

  /// Decodes one event and appends its text.
  ///
  /// - Parameters:
  ///   - data: The event's data, or a line or document of a reply that was not sent as events.
  ///   - type: Its `event` field; nil for the default.
  mutating func receive(
    _ data: UnsafeRawBufferPointer, type: String?, into text: inout [UInt8]
  ) throws(DecodingFailure)

  /// The finish reason in the program's terms.
  func finish() -> ModelCompletion.FinishReason
}

extension ReplyDecoder {
  /// Decodes an `error:` line, which llama.cpp writes.
  func failure(inErrorLine data: UnsafeRawBufferPointer) -> DecodingFailure {
    guard let json = try? JSONValue(parsing: data, invalidText: .replaced) else {
      return .provider(ProviderFailure(message: String(decoding: data, as: UTF8.self)))
    }
    let wrapped: JSONValue = json["error"] == nil ? ["error": json] : json
    return .provider(
      ProviderFailure(json: wrapped) ?? ProviderFailure(message: json.serialized()))
  }
}

extension ProviderFailure {
  /// An error event without data.
  static let unexplained = ProviderFailure(message: "the server reports an error without a reason")
}

extension UnsafeRawBufferPointer {
  var isBlank: Bool { allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D } }

  /// Whether these are the bytes, ignoring trailing white space.
  func isWord(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard count >= length, (0..<length).allSatisfy({ self[$0] == word.utf8Start[$0] }) else {
      return false
    }
    return UnsafeRawBufferPointer(rebasing: self[length...]).isBlank
  }
}

extension JSONValue {
  /// A count from a server; nil unless it is a whole number of at least 0.
  var countValue: Int? { intValue.flatMap { $0 >= 0 ? $0 : nil } }
}

extension [UInt8] {
  /// Replaces invalid UTF-8 from `start` on, so that pieces can be joined as bytes.
  mutating func repairUTF8(from start: Int) {
    let isASCII = withUnsafeBytes { bytes in bytes[start...].allSatisfy { $0 < 0x80 } }
    guard !isASCII, String(validating: self[start...], as: UTF8.self) == nil else { return }
    replaceSubrange(start..., with: Array(String(decoding: self[start...], as: UTF8.self).utf8))
  }
}
