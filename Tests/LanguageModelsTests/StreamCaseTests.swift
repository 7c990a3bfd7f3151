import FoundationEssentials
import HTTPStreaming
import TestSupport
import Testing

@testable import LanguageModels

@Suite(.integration)
struct StreamCaseTests {
  static let cases = ((try? CaseFile("sse-cases").cases) ?? []).filter { $0["llm"] != nil }

  @Test func theCaseFileIsThere() throws {
    #expect(try CaseFile("sse-cases").cases.count { $0["llm"] != nil } >= 35)
  }

  @Test(arguments: cases)
  func decodersReachTheOutcomeHoweverTheStreamIsCut(_ sample: Case) throws {
    let bytes = try #require(sample.input)
    expect(decode([bytes], sample), sample)
    expect(decode(bytes.map { [$0] }, sample), sample)
    for cut in 0...bytes.count {
      expect(decode([Array(bytes[..<cut]), Array(bytes[cut...])], sample), sample)
    }
  }

  @Test(arguments: cases)
  func modelsReachTheOutcomeOverASocket(_ sample: Case) async throws {
    let bytes = try #require(sample.input)
    let type = sample["http"]?["content_type"]?.string ?? "text/event-stream"
    let server = try LoopbackServer { exchange in
      try exchange.write("HTTP/1.1 200 OK\r\ncontent-type: \(type)\r\nconnection: close\r\n\r\n")
      try exchange.write(bytes)
      exchange.close()
    }
    let isOpenAI = sample["llm"]?["provider"]?.string == "openai"
    let endpoint = isOpenAI ? ModelEndpoint.openAI(server.url("/v1")) : .anthropic(server.url(""))
    let runtime = ModelRuntime(transport: HTTPClient(), retries: .never)
    let outcome = await ReplyOutcome(of: HTTPModel(endpoint, runtime: runtime).reply(to: .hello))
    let expected = sample["llm"]
    #expect(outcome.name == expected?["outcome"]?.string)
    #expect(outcome.text == expected?["text"]?.string)
    #expect(outcome.failure?.type == expected?["error"]?.string)
    if outcome.completion != nil {
      #expect(outcome.completion?.usage?.output == expected?["output_tokens"]?.int)
    }
  }

  struct Decoded: Equatable {
    var outcome = ""
    var text: [UInt8] = []
    var error: String?
    var reply = DecodedReply()
    var finish: ModelCompletion.FinishReason?
  }

  private func decode(_ chunks: [[UInt8]], _ sample: Case) -> Decoded {
    sample["llm"]?["provider"]?.string == "openai"
      ? decode(chunks, with: ChatCompletionDecoder.self)
      : decode(chunks, with: AnthropicMessageDecoder.self)
  }

  private func decode<D: ReplyDecoder>(_ chunks: [[UInt8]], with: D.Type) -> Decoded {
    var reader = ReplyBodyReader<D>(status: 200, contentType: "text/event-stream")
    var result = Decoded()
    do throws(DecodingFailure) {
      for chunk in chunks where !reader.isEnded { try reader.receive(chunk, into: &result.text) }
      if !reader.isEnded { try reader.end(into: &result.text) }
      result.outcome = reader.decoder.reply.isWhole ? "complete" : "truncated"
    } catch {
      switch error {
      case .provider(let failure):
        result.outcome = "error"
        result.error = failure.name
      case .format: result.outcome = "protocol_error"
      }
    }
    result.reply = reader.decoder.reply
    result.finish = reader.decoder.finish()
    return result
  }

  private func expect(_ decoded: Decoded, _ sample: Case) {
    let expected = sample["llm"]
    #expect(decoded.outcome == expected?["outcome"]?.string)
    #expect(String(decoding: decoded.text, as: UTF8.self) == expected?["text"]?.string)
    #expect(decoded.error == expected?["error"]?.string)
    guard decoded.outcome == "complete" else { return }
    #expect(decoded.reply.finishReason == expected?["finish"]?.string)
    #expect(decoded.reply.outputTokens == expected?["output_tokens"]?.int)
    #expect(decoded.finish == reason(expected?["finish"]?.string))
  }

  private func reason(_ spelled: String?) -> ModelCompletion.FinishReason {
    switch spelled {
    case "length", "max_tokens": .length
    case "content_filter", "refusal": .refusal
    default: .stop
    }
  }
}
