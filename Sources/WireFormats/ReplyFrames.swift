import IncrementalJSON
import LanguageModels

/// Splits a model's answer into the frames that the format's servers send.
struct ReplyFrames {
  let format: WireFormat
  let model: String

  /// Milliseconds before the first piece of an answer, and between two pieces.
  static let firstPiece = 400
  static let betweenPieces = 40
  /// Words in a piece.
  private static let wordsInPiece = 3
  /// Longer texts are sent in fewer, larger pieces.
  private static let longText = 1 << 16

  typealias Frame = RecordedResponse.Frame

  func frames(_ answer: ModelAnswer) -> [Frame] {
    switch format {
    case .openAI: openAI(answer)
    case .anthropic: anthropic(answer)
    }
  }

  /// The answer as one document, for a request without streaming.
  func document(_ answer: ModelAnswer) -> JSONValue {
    switch format {
    case .openAI:
      openAI(
        ["role": "assistant", "content": .string(answer.text)],
        finish: answer.finish ?? format.stopReason, usage: answer.usage)
    case .anthropic:
      [
        "id": "msg_1", "type": "message", "role": "assistant", "model": .string(model),
        "content": [["type": "text", "text": .string(answer.text)]],
        "stop_reason": .string(answer.finish ?? format.stopReason), "stop_sequence": .null,
        "usage": usage(answer.usage ?? TokenUsage(input: 1, output: 1)) ?? .null,
      ]
    }
  }

  /// Pieces of a few words; for a long structured answer, pieces of a set length.
  static func pieces(_ text: String) -> [String] {
    guard text.utf8.count <= longText else { return largePieces(text[...]) }
    var pieces: [String] = []
    var piece = ""
    var words = 0
    for character in text {
      piece.append(character)
      if character == " " || character == "\n" || character == "," { words += 1 }
      guard words == wordsInPiece || piece.utf8.count >= 60 else { continue }
      pieces.append(piece)
      piece = ""
      words = 0
    }
    return piece.isEmpty ? pieces : pieces + [piece]
  }

  private static func largePieces(_ text: Substring) -> [String] {
    var pieces: [String] = []
    var rest = text
    while !rest.isEmpty {
      let piece = rest.prefix(4096)
      pieces.append(String(piece))
      rest = rest[piece.endIndex...]
    }
    return pieces
  }

  private func timed(_ events: [(String?, JSONValue)]) -> [Frame] {
    events.enumerated().map { offset, event in
      Frame(
        at: Self.firstPiece + offset * Self.betweenPieces, .event(event.0, event.1))
    }
  }

  private func openAI(_ answer: ModelAnswer) -> [Frame] {
    openAI(
      Self.pieces(answer.text).map { ["content": .string($0)] },
      finish: answer.finish ?? format.stopReason,
      usage: answer.usage)
  }

  /// A refusal in OpenAI's shape, which has a separate field.
  func refusal(_ words: String, usage: TokenUsage?) -> [Frame] {
    openAI([["refusal": .string(words)]], finish: format.stopReason, usage: usage)
  }

  func refusalDocument(_ words: String, usage: TokenUsage?) -> JSONValue {
    openAI(
      ["role": "assistant", "content": .null, "refusal": .string(words)],
      finish: format.stopReason, usage: usage)
  }

  private func openAI(_ message: JSONValue, finish: String, usage: TokenUsage?) -> JSONValue {
    [
      "id": "chatcmpl-1", "object": "chat.completion", "created": 1_767_600_000,
      "model": .string(model),
      "choices": [["index": 0, "message": message, "finish_reason": .string(finish)]],
      "usage": self.usage(usage) ?? .null,
    ]
  }

  private func openAI(_ deltas: [JSONValue], finish: String, usage: TokenUsage?) -> [Frame] {
    var events = [chunk(["role": "assistant", "content": ""])] + deltas.map { chunk($0) }
    events.append(chunk([:], finish: .string(finish)))
    if let usage = self.usage(usage) {
      events.append([
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_767_600_000,
        "model": .string(model), "choices": [], "usage": usage,
      ])
    }
    events.append(.endMark)
    return timed(events.map { (nil, $0) })
  }

  func chunk(
    _ delta: JSONValue, finish: JSONValue = .null, more: [(String, JSONValue)] = []
  ) -> JSONValue {
    .object(
      JSONObject(
        [
          ("id", "chatcmpl-1"), ("object", "chat.completion.chunk"), ("created", 1_767_600_000),
          ("model", .string(model)),
          ("choices", [["index": 0, "delta": delta, "finish_reason": finish]]),
        ] + more))
  }

  private func usage(_ usage: TokenUsage?) -> JSONValue? {
    usage.map { usage -> JSONValue in
      let names = format.usageNames
      var members = [
        (names.input, JSONValue(usage.input)), (names.output, JSONValue(usage.output)),
      ]
      if format == .openAI {
        members.append(("total_tokens", JSONValue(usage.input + usage.output)))
      }
      return .object(JSONObject(members))
    }
  }

  private func anthropic(_ answer: ModelAnswer) -> [Frame] {
    let usage = answer.usage ?? TokenUsage(input: 0, output: 0)
    var events: [(String, JSONObject)] = [
      (
        "message_start",
        [
          "message": [
            "id": "msg_1", "type": "message", "role": "assistant", "model": .string(model),
            "content": [], "stop_reason": .null, "stop_sequence": .null,
            "usage": ["input_tokens": JSONValue(usage.input), "output_tokens": 1],
          ]
        ]
      ),
      ("content_block_start", ["index": 0, "content_block": ["type": "text", "text": ""]]),
      ("ping", [:]),
    ]
    events += Self.pieces(answer.text).map {
      ("content_block_delta", ["index": 0, "delta": ["type": "text_delta", "text": .string($0)]])
    }
    events += [
      ("content_block_stop", ["index": 0]),
      (
        "message_delta",
        [
          "delta": [
            "stop_reason": .string(answer.finish ?? format.stopReason), "stop_sequence": .null,
          ],
          "usage": ["output_tokens": JSONValue(usage.output)],
        ]
      ),
      ("message_stop", [:]),
    ]
    return timed(
      events.map { name, members in
        (name, .object(JSONObject([("type", JSONValue.string(name))] + members.map { ($0, $1) })))
      })
  }
}

extension JSONValue {
  /// The data of the event that ends an OpenAI stream.
  static let endMark = JSONValue.string("\(WireFormat.endMark)")
}

extension RecordedResponse.Frame {
  /// The frame's bytes on the wire.
  package var wireBytes: [UInt8] {
    switch content {
    case .raw(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    case .event(let name, let data): Array(Self.event(name, data).utf8)
    }
  }

  private static func event(_ name: String?, _ data: JSONValue) -> String {
    let line = data.stringValue ?? data.serialized()
    return (name.map { "event: \($0)\n" } ?? "") + "data: \(line)\n\n"
  }
}
