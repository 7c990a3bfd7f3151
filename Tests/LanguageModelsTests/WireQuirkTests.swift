import Testing

@testable import LanguageModels

/// What servers do beyond their documentation, a body each.
struct WireQuirkTests {
  struct Quirk: Sendable, CustomTestStringConvertible {
    var name: String
    var body: String
    var type = "text/event-stream"
    var format = WireFormat.openAI
    var outcome = "complete"
    var text = ""
    var finish = ModelCompletion.FinishReason.stop
    var usage: TokenUsage?
    var kind: ModelError.Kind?
    var testDescription: String { name }
  }

  static func content(_ text: String, finish: String = "null", more: String = "") -> String {
    #"data: {"choices":[{"index":0,"delta":{"content":"\#(text)"},"finish_reason":\#(finish)}]\#(more)}"#
      + "\n\n"
  }
  static let stop = #"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"# + "\n\n"
  static let done = "data: [DONE]\n\n"

  static let quirks: [Quirk] = [
    Quirk(
      name: "Ollama: empty finish_reason on every chunk",
      body: content("a", finish: "\"\"") + content("b", finish: "\"\""), outcome: "truncated",
      text: "ab"),
    Quirk(
      name: "Ollama: a failure becomes an empty chunk and the end",
      body:
        #"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#
        + "\n\n", outcome: "truncated"),
    Quirk(
      name: "Ollama: thinking as reasoning",
      body: #"data: {"choices":[{"delta":{"reasoning":"hm","content":""}}]}"# + "\n\n"
        + content("a")
        + stop, text: "a"),
    Quirk(
      name: "DONE without content is not an answer", body: done, outcome: "truncated"),
    Quirk(
      name: "DONE with content and no finish reason", body: content("a") + done, text: "a"),
    Quirk(
      name: "llama.cpp: error field, then DONE",
      body: content("a") + #"error: {"code":500,"message":"context is full","type":"server_error"}"#
        + "\n\n" + done, outcome: "error", text: "a", kind: .serverError),
    Quirk(
      name: "llama.cpp: prompt too long as the first chunk",
      body:
        #"data: {"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size","type":"invalid_request_error"}}"#
        + "\n\n", outcome: "error", kind: .promptTooLong),
    Quirk(
      name: "llama.cpp: timings beside the choice",
      body: content("a", finish: "\"stop\"", more: #","timings":{"prompt_ms":1.5e1}"#), text: "a"),
    Quirk(
      name: "vLLM: usage with null choices",
      body: content("a") + stop
        + #"data: {"choices":null,"usage":{"prompt_tokens":7,"completion_tokens":3}}"# + "\n\n"
        + done,
      text: "a", usage: TokenUsage(input: 7, output: 3)),
    Quirk(
      name: "usage with absent choices",
      body: content("a") + stop + #"data: {"usage":{"prompt_tokens":7,"completion_tokens":3}}"#
        + "\n\n" + done, text: "a", usage: TokenUsage(input: 7, output: 3)),
    Quirk(
      name: "cumulative usage on every chunk: the last wins",
      body: content("a", more: #","usage":{"prompt_tokens":7,"completion_tokens":1}"#)
        + content(
          "b", finish: "\"stop\"", more: #","usage":{"prompt_tokens":7,"completion_tokens":2}"#),
      text: "ab", usage: TokenUsage(input: 7, output: 2)),
    Quirk(
      name: "LM Studio: the error is a string",
      body: #"data: {"error":"Model unloaded"}"# + "\n\n", outcome: "error", kind: .serverError),
    Quirk(
      name: "LM Studio: an error event",
      body: "event: error\n" + #"data: {"error":{"message":"The model crashed"}}"# + "\n\n",
      outcome: "error", kind: .serverError),
    Quirk(
      name: "an error event in mid-stream is an error, not a cut",
      body: content("a") + "event: error\n" + #"data: {"message":"The model crashed"}"# + "\n\n",
      outcome: "error", text: "a", kind: .serverError),
    Quirk(
      name: "an error event in plain text",
      body: content("a") + "event: error\ndata: overloaded\n\n",
      outcome: "error", text: "a", kind: .overloaded),
    Quirk(
      name: "an error event without data",
      body: content("a") + "event: error\ndata:\n\n" + done,
      outcome: "error", text: "a", kind: .serverError),
    Quirk(
      name: "OpenRouter: numeric code, out of credit",
      body: #"data: {"error":{"code":402,"message":"Insufficient credits"}}"# + "\n\n",
      outcome: "error", kind: .outOfCredit),
    Quirk(
      name: "OpenRouter: finish_reason error", body: content("a", finish: "\"error\""),
      outcome: "error", text: "a", kind: .serverError),
    Quirk(
      name: "an error of null is none",
      body: content("a", more: #","error":null"#) + content("b", more: #","error":{}"#) + stop,
      text: "ab"),
    Quirk(
      name: "an error member hidden by escapes is found",
      body: #"data: {"err\u006fr":{"message":"no"},"choices":[{"delta":{"content":"x"}}]}"#
        + "\n\n",
      outcome: "error", kind: .serverError),
    Quirk(
      name: "a frame with a name twice is refused",
      body: #"data: {"choices":[{"delta":{"content":"x"}}],"choices":[]}"# + "\n\n",
      outcome: "protocol_error", kind: .protocolViolation),
    Quirk(
      name: "a gateway's comments as data",
      body: "data: : GATEWAY PROCESSING\n\n" + content("a") + "data: : STILL\n\n" + stop,
      text: "a"),
    Quirk(
      name: "Azure: an annotation without a delta",
      body: content("a")
        + #"data: {"id":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{}}]}"#
        + "\n\n" + content("b") + stop, text: "ab"),
    Quirk(
      name: "vLLM: an aborted answer", body: content("a", finish: "\"abort\""), text: "a",
      finish: .other("abort")),
    Quirk(
      name: "TGI: eos_token", body: content("a", finish: "\"eos_token\""), text: "a"),
    Quirk(
      name: "Gemini: STOP in capitals", body: content("a", finish: "\"STOP\""), text: "a"),
    Quirk(
      name: "Mistral: the model's own length", body: content("a", finish: "\"model_length\""),
      text: "a", finish: .length),
    Quirk(
      name: "refusal in its own field",
      body: #"data: {"choices":[{"delta":{"refusal":"I cannot"},"finish_reason":null}]}"# + "\n\n"
        + stop
        + done, finish: .refusal),
    Quirk(
      name: "Perplexity: message and delta in one chunk",
      body:
        #"data: {"object":"chat.completion","choices":[{"index":0,"message":{"content":"ab"},"delta":{"content":"ab"},"finish_reason":"stop"}]}"#
        + "\n\n", text: "ab"),
    Quirk(
      name: "Mistral: content in parts",
      body:
        #"data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"a"}]},"finish_reason":"stop"}]}"#
        + "\n\n", text: "a"),
    Quirk(
      name: "tool calls are no text",
      body:
        #"data: {"choices":[{"delta":{"content":null,"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#
        + "\n\n", finish: .other("tool_calls")),
    Quirk(
      name: "whole JSON answer to a streaming request",
      body:
        #"{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}"#,
      type: "application/json", text: "Hi", usage: TokenUsage(input: 5, output: 1)),
    Quirk(
      name: "whole JSON answer over many lines",
      body:
        "{\n \"choices\": [\n {\"message\": {\"content\": \"Hi\"},\n \"finish_reason\": \"length\"}\n ]\n}\n",
      type: "application/json", text: "Hi", finish: .length),
    Quirk(
      name: "whole JSON answer called an event stream",
      body: #"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#, text: "Hi"),
    Quirk(
      name: "half a JSON answer",
      body: #"{"choices":[{"message":{"content":"Hi"#, type: "application/json",
      outcome: "truncated"),
    Quirk(
      name: "Gemini through a proxy: a JSON document a line",
      body: #"{"choices":[{"delta":{"content":"a"}}]}"# + "\n"
        + #"{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}"# + "\n",
      type: "text/plain", text: "ab"),
    Quirk(
      name: "Gemini: an error in an array",
      body:
        "[{\n \"error\": {\"code\": 400, \"message\": \"API key not valid\", \"status\": \"INVALID_ARGUMENT\"}\n}]",
      type: "application/json", outcome: "error", kind: .unauthorized),
    Quirk(
      name: "an error in JSON after status 200",
      body: #"{"error":{"message":"Rate limit reached","type":"rate_limit_error"}}"#,
      type: "application/json", outcome: "error", kind: .rateLimited),
    Quirk(
      name: "a page of a proxy with status 200",
      body: "<html><head><title>Sign in</title></head></html>", type: "text/html",
      outcome: "error", kind: .webPage),
    Quirk(
      name: "LiteLLM: a whole Anthropic message",
      body:
        #"{"type":"message","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":5,"cache_read_input_tokens":100,"output_tokens":2}}"#,
      type: "application/json", format: .anthropic, text: "Hi",
      usage: TokenUsage(input: 105, output: 2)),
    Quirk(
      name: "Anthropic: usage is overwritten, thinking is not text, unknown events are skipped",
      body: """
        event: message_start
        data: {"type":"message_start","message":{"content":[],"usage":{"input_tokens":5,"cache_creation_input_tokens":10,"cache_read_input_tokens":20,"output_tokens":1}}}

        event: surprise
        data: not json

        event: content_block_delta
        data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

        event: content_block_delta
        data: {"type":"content_block_delta","index":1,"delta":{"text":"Hi","type":"text_delta"}}

        event: content_block_delta
        data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{"}}

        event: message_delta
        data: {"type":"message_delta","delta":{},"usage":{"output_tokens":3}}

        event: message_delta
        data: {"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{"output_tokens":7}}

        event: message_stop
        data: {"type":"message_stop"}


        """, format: .anthropic, text: "Hi", finish: .refusal,
      usage: TokenUsage(input: 35, output: 7)),
    Quirk(
      name: "Anthropic: the window is full",
      body:
        #"data: {"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}"#
        + "\n\n", format: .anthropic, finish: .length),
    Quirk(
      name: "Anthropic: an error is told by its type",
      body: "event: error\n"
        + #"data: {"type":"error","error":{"type":"rate_limit_error","message":"slow down"},"request_id":"r"}"#
        + "\n\n", format: .anthropic, outcome: "error", kind: .rateLimited),
  ]

  @Test(arguments: quirks)
  func isReadAsMeantHoweverItIsCut(_ quirk: Quirk) {
    let bytes = Array(quirk.body.utf8)
    for cut in 0...bytes.count { expect(quirk, [Array(bytes[..<cut]), Array(bytes[cut...])]) }
    expect(quirk, bytes.map { [$0] })
  }

  /// An escape in a name keeps both decoders from taking their short way through a text event.
  @Test(arguments: quirks)
  func isReadTheSameTheLongWay(_ quirk: Quirk) {
    var long = quirk
    long.body = quirk.body.replacing(#"data: {"type":"#, with: #"data: {"\u0074ype":"#)
      .replacing(#"data: {"choices":"#, with: #"data: {"\u0063hoices":"#)
    expect(long, [Array(long.body.utf8)])
  }

  private func expect(_ quirk: Quirk, _ chunks: [[UInt8]]) {
    switch quirk.format {
    case .openAI: expect(quirk, chunks, ChatCompletionDecoder.self)
    case .anthropic: expect(quirk, chunks, AnthropicMessageDecoder.self)
    }
  }

  private func expect<D: ReplyDecoder>(_ quirk: Quirk, _ chunks: [[UInt8]], _: D.Type) {
    var reader = ReplyBodyReader<D>(status: 200, contentType: quirk.type)
    var text: [UInt8] = []
    var kind: ModelError.Kind?
    do throws(DecodingFailure) {
      for chunk in chunks where !reader.isEnded { try reader.receive(chunk, into: &text) }
      if !reader.isEnded { try reader.end(into: &text) }
      #expect((reader.decoder.reply.isWhole ? "complete" : "truncated") == quirk.outcome)
    } catch {
      switch error {
      case .provider(let failure):
        kind = failure.kind
        #expect(quirk.outcome == "error")
      case .format:
        kind = .protocolViolation
        #expect(quirk.outcome == "protocol_error")
      }
    }
    #expect(kind == quirk.kind)
    #expect(String(decoding: text, as: UTF8.self) == quirk.text)
    guard quirk.outcome == "complete" else { return }
    #expect(reader.decoder.finish() == quirk.finish)
    #expect(reader.decoder.reply.usage == quirk.usage)
  }
}
