import FoundationEssentials
import Hummingbird
import IncrementalJSON
import Intake

/// Turns the events of a reply into completion chunks, or one completion.
struct CompletionEncoder: EventEncoder {
  /// Between two messages of one reply.
  static let gap = "\n\n"

  private let id: String
  private let includesUsage: Bool
  /// In seconds since 1970.
  private let created: Int
  private var text = ""
  /// The messages as they were written in full, for an answer in one piece.
  private var whole = ""
  private var streamed = StreamedMessage()
  private var isStreaming = false
  private var failure: JSONValue?
  private var notice = ""
  private var usage: JSONValue = .null
  private var hasFailed = false

  init(run: String, includesUsage: Bool, at date: Date) {
    (id, self.includesUsage) = ("chatcmpl-" + run, includesUsage)
    created = Int(date.timeIntervalSince1970)
  }

  var contentType: String { "text/event-stream; charset=utf-8" }
  var keepAlive: ByteBuffer { ByteBuffer(string: ": keep-alive\n\n") }

  mutating func write(_ data: String, name: String, id _: String, to buffer: inout ByteBuffer) {
    guard let event = try? JSONValue(parsing: data) else { return }
    switch name {
    case "delta":
      let piece = event["text"]?.stringValue ?? ""
      streamed.add(piece)
      say(piece, continues: isStreaming, &buffer)
    case "message":
      defer { isStreaming = false }
      guard event["role"] == "coach" else { return }
      let message = event["text"]?.stringValue ?? ""
      if isStreaming { settle(message, &buffer) } else { sayAll([message], &buffer) }
    case "choices": sayAll([Self.list(event["options"])], &buffer)
    case "paywall": sayAll([Self.words(ofPaywall: event)], &buffer)
    case "notice":
      if event["level"] == "error" {
        failure = event
      } else {
        notice = event["text"]?.stringValue ?? ""
      }
    case "done":
      hasFailed = event["failed"] == true
      // At the paywall, a notice can be the whole answer.
      if text.isEmpty, !hasFailed, !notice.isEmpty { sayAll([notice], &buffer) }
      let input = event["usage"]?["input_tokens"]?.intValue ?? 0
      let output = event["usage"]?["output_tokens"]?.intValue ?? 0
      usage = [
        "prompt_tokens": JSONValue(input), "completion_tokens": JSONValue(output),
        "total_tokens": JSONValue(input + output),
      ]
    default: break
    }
  }

  /// The paywall for clients that show words only.
  static func words(ofPaywall event: JSONValue) -> String {
    [event["title"]?.stringValue ?? "", event["note"]?.stringValue ?? "", list(event["options"])]
      .filter { !$0.isEmpty }.joined(separator: gap)
  }

  /// The choices that the user can answer with.
  private static func list(_ options: JSONValue?) -> String {
    (options?.arrayValue ?? [])
      .filter { $0["id"]?.stringValue != SessionOutput.Choice.inOwnWords }
      .compactMap { $0["label"]?.stringValue }.map { "- " + $0 }.joined(separator: "\n")
  }

  private mutating func sayAll(_ texts: [String?], _ buffer: inout ByteBuffer) {
    for text in texts {
      if let text, !text.isEmpty {
        say(text, continues: false, &buffer)
        keep(text)
      }
    }
    isStreaming = false
  }

  private mutating func keep(_ message: String) {
    whole += (whole.isEmpty ? "" : Self.gap) + message
  }

  /// Ends a message that was streamed.
  private mutating func settle(_ message: String, _ buffer: inout ByteBuffer) {
    switch streamed.rest(of: message) {
    case .nothing: break
    case .more(let rest): say(rest, continues: true, &buffer)
    case .instead(let message): say(message, continues: false, &buffer)
    }
    keep(message)
  }

  private mutating func say(_ piece: String, continues: Bool, _ buffer: inout ByteBuffer) {
    let piece = (text.isEmpty || continues ? "" : Self.gap) + piece
    let isFirst = text.isEmpty
    text += piece
    isStreaming = true
    var delta: [(String, JSONValue)] = isFirst ? [("role", "assistant")] : []
    delta.append(("content", .string(piece)))
    put(
      chunk([["index": 0, "delta": .object(JSONObject(delta)), "finish_reason": .null]]), &buffer)
  }

  mutating func finish(_ buffer: inout ByteBuffer) {
    if hasFailed, text.isEmpty {
      put(["error": error], &buffer)
    } else {
      let reason: JSONValue = hasFailed ? "length" : "stop"
      put(chunk([["index": 0, "delta": [:], "finish_reason": reason]]), &buffer)
      if includesUsage { put(chunk([]).adding([("usage", usage)]), &buffer) }
    }
    buffer.writeString("data: [DONE]\n\n")
  }

  /// The whole completion.
  func response() throws -> Response {
    if hasFailed, text.isEmpty {
      throw Problem(
        .badGateway, failure?["code"]?.stringValue ?? "failed",
        failure?["text"]?.stringValue ?? "The reply couldn't be finished. What you said is saved.")
    }
    return Response([
      "id": .string(id), "object": "chat.completion", "created": JSONValue(created),
      "model": .string(CompletionRoutes.model),
      "choices": [
        [
          "index": 0,
          "message": ["role": "assistant", "content": .string(isStreaming ? text : whole)],
          "finish_reason": hasFailed ? "length" : "stop",
        ]
      ],
      "usage": usage,
    ])
  }

  private var error: JSONValue {
    [
      "message": failure?["text"] ?? "The reply couldn't be finished. What you said is saved.",
      "code": failure?["code"] ?? "failed", "type": "server_error",
    ]
  }

  private func chunk(_ choices: [JSONValue]) -> JSONValue {
    [
      "id": .string(id), "object": "chat.completion.chunk", "created": JSONValue(created),
      "model": .string(CompletionRoutes.model), "choices": .array(choices),
    ]
  }

  private func put(_ json: JSONValue, _ buffer: inout ByteBuffer) {
    buffer.writeString("data: \(json.serialized())\n\n")
  }
}
