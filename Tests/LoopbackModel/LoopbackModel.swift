import IncrementalJSON
import Synchronization
public import TestSupport

/// A coaching model on a loopback socket: it speaks both wire formats as their servers do, and
/// answers by a few rules instead of a network of weights.
///
/// It is for trying and testing the whole program where the real thing is out of reach.
public final class LoopbackModel: Sendable {
  public static let modelName = "loopback-coach"

  private let server: LoopbackServer

  public init() throws {
    server = try LoopbackServer { exchange in try Self.answer(exchange) }
  }

  /// What to give as the base URL, for either format.
  public var baseURL: String { server.url("/v1") }

  public var requests: [RecordedRequest] { server.requests }

  public func stop() { server.stop() }

  private static func answer(_ exchange: ServerExchange) throws {
    switch exchange.request.path {
    case "/v1/models":
      try exchange.respond(
        body: #"{"object":"list","data":[{"id":"\#(modelName)","object":"model","type":"model"}]}"#)
    case "/v1/chat/completions":
      let request = try JSONValue(parsing: exchange.request.text)
      try OpenAIWire.stream(LoopbackCoach.answer(openAI: request), exchange, request)
    case "/v1/messages":
      let request = try JSONValue(parsing: exchange.request.text)
      try AnthropicWire.stream(LoopbackCoach.answer(anthropic: request), exchange, request)
    default:
      try exchange.respond(
        status: "404 Not Found",
        body: #"{"error":{"message":"no such path","type":"not_found_error"}}"#)
    }
  }
}

/// The text in pieces of a few words, as models send it.
private func pieces(_ text: String) -> [String] {
  text.split(separator: " ", omittingEmptySubsequences: false).enumerated()
    .map { ($0.offset == 0 ? "" : " ") + $0.element }
}

private func string(_ text: String) -> String { JSONValue.string(text).serialized() }

private enum OpenAIWire {
  static func stream(_ text: String, _ exchange: ServerExchange, _ request: JSONValue) throws {
    guard request["stream"]?.boolValue == true else {
      return try exchange.respond(
        body:
          #"{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":\#(string(text))},"finish_reason":"stop"}],"usage":\#(usage(exchange, text))}"#
      )
    }
    try exchange.startChunks()
    for piece in pieces(text) {
      try exchange.sendEvent(chunk(#"{"content":\#(string(piece))}"#))
    }
    try exchange.sendEvent(chunk("{}", finish: #""stop""#))
    try exchange.sendEvent(
      #"{"id":"c1","object":"chat.completion.chunk","choices":[],"usage":\#(usage(exchange, text))}"#
    )
    try exchange.sendEvent("[DONE]")
    try exchange.endChunks()
  }

  private static func chunk(_ delta: String, finish: String = "null") -> String {
    #"{"id":"c1","object":"chat.completion.chunk","created":1700000000,"model":"\#(LoopbackModel.modelName)","choices":[{"index":0,"delta":\#(delta),"finish_reason":\#(finish)}]}"#
  }

  private static func usage(_ exchange: ServerExchange, _ text: String) -> String {
    let (input, output) = (exchange.request.body.count / 4, text.utf8.count / 4)
    return
      #"{"prompt_tokens":\#(input),"completion_tokens":\#(output),"total_tokens":\#(input + output)}"#
  }
}

private enum AnthropicWire {
  static func stream(_ text: String, _ exchange: ServerExchange, _ request: JSONValue) throws {
    let input = exchange.request.body.count / 4
    guard request["stream"]?.boolValue == true else {
      return try exchange.respond(
        body:
          #"{"id":"m1","type":"message","role":"assistant","content":[{"type":"text","text":\#(string(text))}],"stop_reason":"end_turn","usage":{"input_tokens":\#(input),"output_tokens":9}}"#
      )
    }
    try exchange.startChunks()
    try send(
      exchange, "message_start",
      #""message":{"id":"m1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":\#(input),"output_tokens":1}}"#
    )
    try send(
      exchange, "content_block_start", #""index":0,"content_block":{"type":"text","text":""}"#)
    try send(exchange, "ping", "")
    for piece in pieces(text) {
      try send(
        exchange, "content_block_delta",
        #""index":0,"delta":{"type":"text_delta","text":\#(string(piece))}"#)
    }
    try send(exchange, "content_block_stop", #""index":0"#)
    try send(
      exchange, "message_delta",
      #""delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":\#(text.utf8.count / 4)}"#
    )
    try send(exchange, "message_stop", "")
    try exchange.endChunks()
  }

  private static func send(_ exchange: ServerExchange, _ type: String, _ members: String) throws {
    let rest = members.isEmpty ? "" : "," + members
    try exchange.sendEvent(#"{"type":"\#(type)"\#(rest)}"#, type: type)
  }
}
