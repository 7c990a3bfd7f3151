import IncrementalJSON
import LanguageModels

// What changes the response itself.
extension Fault {
  typealias Frame = RecordedResponse.Frame

  func breaking(
    _ response: RecordedResponse, format: WireFormat, model: String
  ) -> RecordedResponse {
    var broken = response
    let writer = ReplyFrames(format: format, model: model)
    switch name {
    case .split, .chunks, .drip, .mute: break
    case .silence:
      broken.content = .frames(Array(frames(response, writer).prefix(number("after"))))
      broken.ending = .held
    case .cut:
      broken.content = .frames(Array(frames(response, writer).prefix(number("after"))))
      broken.ending = ["clean": .whole, "reset": .reset][text("close")] ?? .cut
    case .streamError:
      broken.content = .frames(
        frames(response, writer).prefix(number("after")) + Self.errorFrames(text("shape")))
    case .noDone:
      broken.content = .frames(
        frames(response, writer).filter { $0.content != .event(nil, "[DONE]") })
    case .doneHeld:
      broken.content = .frames(frames(response, writer))
      broken.ending = .held
    case .rateLimit: broken = Self.rateLimited(text("after"), format)
    case .status: broken = Self.failed(number("code"), format)
    case .html:
      broken = RecordedResponse(
        status: 502, headers: [.init("content-type", "text/html")],
        content: .body("<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>")
      )
    case .contentType:
      broken.headers.removeAll { $0.name.lowercased() == "content-type" }
      broken.headers.append(.init("content-type", text("value")))
    case .wholeBody:
      if let answer = response.answer {
        broken.content = .body(writer.document(answer).serialized())
      }
    case .malformed:
      let all = frames(response, writer)
      broken.content = .frames(
        all.prefix(number("after")) + [Frame(at: at(all), .raw("data: {\"choices\":[{\"del\n\n"))]
          + all.dropFirst(number("after")))
    case .schemaIgnored:
      broken.answer?.body = .text("Sure! From what they told me, I'd say they want to get fitter.")
    case .fences:
      if let answer = response.answer {
        broken.answer?.body = .text("```json\n\(answer.text)\n```")
      }
    case .refusal: broken = Self.refusal(response, writer)
    case .length:
      broken = cutAtLimit(response, writer)
    case .promptCut:
      let output = response.answer?.usage?.output ?? 16
      broken.answer?.usage = TokenUsage(input: number("tokens") - output, output: output)
    case .redirect:
      broken = RecordedResponse(
        status: number("code"), headers: [.init("location", "https://elsewhere.example/v1")],
        content: .body(""))
    case .huge: broken.answer?.body = .text(Self.filler(megabytes: number("megabytes")))
    case .empty: broken.content = .body("")
    }
    return broken
  }

  private func frames(_ response: RecordedResponse, _ writer: ReplyFrames) -> [Frame] {
    switch response.content {
    case .answer(let answer): writer.frames(answer)
    case .frames(let frames): frames
    case .body(let body): body.isEmpty ? [] : [Frame(.raw(body))]
    }
  }

  private func at(_ frames: [Frame]) -> Int {
    frames.prefix(number("after")).last?.at ?? 0
  }

  private func cutAtLimit(_ response: RecordedResponse, _ writer: ReplyFrames) -> RecordedResponse {
    guard let answer = response.answer else { return response }
    var cut = answer
    cut.body = .text(ReplyFrames.pieces(answer.text).prefix(number("after")).joined())
    cut.finish = writer.format == .openAI ? "length" : "max_tokens"
    var broken = response
    broken.content = .answer(cut)
    return broken
  }

  private static func refusal(
    _ response: RecordedResponse, _ writer: ReplyFrames
  ) -> RecordedResponse {
    var broken = response
    switch writer.format {
    case .anthropic:
      broken.content = .answer(
        ModelAnswer(.text(""), usage: response.answer?.usage, finish: "refusal"))
    case .openAI:
      let chunk: JSONValue = [
        "id": "chatcmpl-1", "object": "chat.completion.chunk",
        "choices": [
          [
            "index": 0, "delta": ["refusal": "I'm sorry, I can't help with that."],
            "finish_reason": .null,
          ]
        ],
      ]
      let end: JSONValue = [
        "id": "chatcmpl-1", "object": "chat.completion.chunk",
        "choices": [["index": 0, "delta": [:], "finish_reason": "stop"]],
      ]
      broken.content = .frames([
        Frame(at: 400, .event(nil, chunk)), Frame(at: 440, .event(nil, end)),
        Frame(at: 440, .event(nil, "[DONE]")),
      ])
    }
    return broken
  }

  private static func filler(megabytes: Int) -> String {
    String(repeating: "and then we walk a little further, and ", count: megabytes * 26_887)
  }
}

// Errors in the shapes of those who send them.
extension Fault {
  private static func errorFrames(_ shape: String) -> [Frame] {
    let at = 400
    switch ErrorShape(rawValue: shape) ?? .openai {
    case .openai:
      return [
        Frame(
          at: at,
          .event(
            nil,
            [
              "error": [
                "message": "The server had an error while processing your request.",
                "type": "server_error", "param": .null, "code": .null,
              ]
            ]))
      ]
    case .openrouter:
      return [
        Frame(at: at, .raw(": OPENROUTER PROCESSING\n\n")),
        Frame(at: at, .event(nil, ["error": ["code": 502, "message": "Provider disconnected"]])),
      ]
    case .vllm:
      return [
        Frame(
          at: at,
          .event(nil, ["object": "error", "message": "EngineDeadError", "code": 500])),
        Frame(at: at, .event(nil, "[DONE]")),
      ]
    case .lmStudio:
      return [
        Frame(
          at: at, .event(nil, ["error": "The model has crashed without additional information."]))
      ]
    case .llamacpp:
      return [
        Frame(
          at: at,
          .raw(
            "error: {\"code\":500,\"message\":\"slot unavailable\",\"type\":\"server_error\"}\n\n")),
        Frame(at: at, .event(nil, "[DONE]")),
      ]
    case .ollama:
      // The wrapper takes the error for an empty piece; nothing else tells of it.
      return [
        Frame(
          at: at,
          .event(
            nil,
            [
              "id": "chatcmpl-1", "object": "chat.completion.chunk",
              "choices": [["index": 0, "delta": ["content": ""], "finish_reason": .null]],
            ]))
      ]
    case .anthropic:
      return [
        Frame(
          at: at,
          .event(
            "error",
            [
              "type": "error", "error": ["type": "overloaded_error", "message": "Overloaded"],
              "request_id": "req_1",
            ]))
      ]
    }
  }

  private static func errorBody(
    _ format: WireFormat, type: String, message: String, code: JSONValue = .null
  ) -> String {
    switch format {
    case .openAI:
      let error: JSONValue = [
        "error": [
          "message": .string(message), "type": .string(type), "param": .null, "code": code,
        ]
      ]
      return error.serialized()
    case .anthropic:
      let error: JSONValue = [
        "type": "error", "error": ["type": .string(type), "message": .string(message)],
        "request_id": "req_1",
      ]
      return error.serialized()
    }
  }

  private static func failed(_ code: Int, _ format: WireFormat) -> RecordedResponse {
    let type =
      switch (format, code) {
      case (.anthropic, 529): "overloaded_error"
      case (.anthropic, 504): "timeout_error"
      case (.anthropic, _): "api_error"
      case (.openAI, _): "server_error"
      }
    let message = code == 529 ? "Overloaded" : "The server is having a bad moment."
    return RecordedResponse(
      status: code, content: .body(errorBody(format, type: type, message: message)))
  }

  private static func rateLimited(_ wait: String, _ format: WireFormat) -> RecordedResponse {
    let wait = RateLimitWait(rawValue: wait) ?? .seconds
    let headers: [RecordedResponse.Header] =
      switch wait {
      case .seconds: [.init("retry-after", "2")]
      case .float: [.init("retry-after", "1.5")]
      case .ms: [.init("retry-after-ms", "750")]
      case .date:
        [
          .init("date", "Mon, 05 Jan 2026 08:00:00 GMT"),
          .init("retry-after", "Mon, 05 Jan 2026 08:00:03 GMT"),
        ]
      case .none, .quota: []
      case .reset:
        format == .openAI
          ? [
            .init("x-ratelimit-remaining-requests", "0"),
            .init("x-ratelimit-reset-requests", "1.2s"),
          ]
          : [
            .init("date", "Mon, 05 Jan 2026 08:00:00 GMT"),
            .init("anthropic-ratelimit-requests-remaining", "0"),
            .init("anthropic-ratelimit-requests-reset", "2026-01-05T08:00:04Z"),
          ]
      case .long: [.init("retry-after", "3600")]
      case .garbage: [.init("retry-after", "soon")]
      case .never: [.init("x-should-retry", "false")]
      }
    let isQuota = wait == .quota
    let type =
      format == .anthropic ? "rate_limit_error" : isQuota ? "insufficient_quota" : "requests"
    let message =
      isQuota ? "You exceeded your current quota, please check your plan." : "Rate limit reached."
    // Anthropic tells an empty account by a type of its own.
    if isQuota, format == .anthropic {
      return RecordedResponse(
        status: 402,
        content: .body(errorBody(format, type: "billing_error", message: message)))
    }
    return RecordedResponse(
      status: 429, headers: headers,
      content: .body(
        errorBody(
          format, type: type, message: message,
          code: isQuota ? "insufficient_quota" : "rate_limit_exceeded")))
  }
}

extension RecordedResponse {
  /// The answer, where the content is one.
  var answer: ModelAnswer? {
    get { if case .answer(let answer) = content { answer } else { nil } }
    set { if let newValue { content = .answer(newValue) } }
  }
}

// What changes only how the bytes come.
extension Fault {
  func disturb(_ delivery: inout Delivery, seed: UInt64) {
    switch name {
    case .mute:
      delivery.isSilent = true
      delivery.parts = []
      delivery.ending = .held
    case .split: delivery.recut([number("at")], pace: 0)
    case .drip: delivery.recut(every: 1, pace: number("pace"))
    case .chunks:
      let size = max(1, number("bytes"))
      guard text("random") == "yes" else {
        return delivery.recut(every: size, pace: number("pace"))
      }
      var random = SeededRandom(seed: seed)
      var cuts: [Int] = []
      var place = 0
      while place < delivery.byteCount {
        place += Int.random(in: 1...size, using: &random)
        cuts.append(place)
      }
      delivery.recut(cuts, pace: number("pace"))
    default: break
    }
  }
}

extension Delivery {
  fileprivate mutating func recut(every size: Int, pace: Int) {
    recut(Array(stride(from: size, to: byteCount, by: size)), pace: pace)
  }

  /// The same bytes in pieces that end at these places, each as soon as its last byte is there.
  fileprivate mutating func recut(_ cuts: [Int], pace: Int) {
    let all = parts.flatMap(\.bytes)
    let ends = Set(cuts.filter { $0 > 0 && $0 < all.count }).sorted() + [all.count]
    var recut: [Part] = []
    var start = 0
    var partEnd = parts.first?.bytes.count ?? 0
    var part = 0
    for (index, end) in ends.enumerated() where end > start {
      while partEnd < end, part + 1 < parts.count {
        part += 1
        partEnd += parts[part].bytes.count
      }
      let at = pace == 0 ? parts[part].at : (parts.first?.at ?? 0) + index * pace
      recut.append(Part(at: at, Array(all[start..<end])))
      start = end
    }
    parts = recut
    keepsParts = true
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
