import Glibc
import HTTPStreaming
import IncrementalJSON
import LanguageModels

/// How servers report an error once a stream has begun.
enum ErrorShape: String, CaseIterable {
  case openai, openrouter, vllm
  case lmStudio = "lm-studio"
  case llamacpp, anthropic, ollama

  /// For `vendor`, the format's own shape.
  init(rawValue: String, format: WireFormat) {
    self =
      ErrorShape(rawValue: rawValue) ?? (format == .openAI ? .openai : .anthropic)
  }

  func frames(_ writer: ReplyFrames, at: Int) -> [RecordedResponse.Frame] {
    let content: [RecordedResponse.Frame.Content] =
      switch self {
      case .openai, .lmStudio: [.event(nil, document)]
      case .openrouter:
        [
          .raw(": OPENROUTER PROCESSING\n\n"),
          .event(
            nil,
            writer.chunk(["content": ""], finish: "error", more: [("error", openRouterError)])),
        ]
      case .vllm: [.event(nil, document), .event(nil, .endMark)]
      case .llamacpp:
        [.raw("error: \((document["error"] ?? .null).serialized())\n\n"), .event(nil, .endMark)]
      case .anthropic: [.event("error", document)]
      // Its wrapper takes the error for an empty piece, and no other sign follows.
      case .ollama: [.event(nil, writer.chunk(["content": ""]))]
      }
    return content.map { RecordedResponse.Frame(at: at, $0) }
  }

  private var openRouterError: JSONValue { ["code": 502, "message": "Provider disconnected"] }

  /// The error alone.
  var document: JSONValue {
    switch self {
    case .openai:
      VendorError(
        status: 500, format: .openAI,
        message: "The server had an error while processing your request."
      ).body(.openAI)
    case .anthropic: VendorError(status: 529, format: .anthropic).body(.anthropic)
    case .openrouter: ["error": openRouterError]
    case .vllm: ["object": "error", "message": "EngineDeadError", "code": 500]
    case .lmStudio: ["error": "The model has crashed without additional information."]
    case .llamacpp:
      ["error": ["code": 500, "message": "slot unavailable", "type": "server_error"]]
    case .ollama: ["error": "llama runner process has terminated"]
    }
  }
}

/// How servers say when to try again.
enum RateLimitWait: String, CaseIterable {
  case seconds, float, ms, date, none, reset, long, garbage, never, quota

  func headers(_ format: WireFormat, now: Int) -> HTTPHeaders {
    switch self {
    case .seconds: ["retry-after": "2"]
    case .float: ["retry-after": "1.5"]
    case .ms: ["retry-after-ms": "750"]
    case .date:
      ["date": HeaderTime.httpDate(now), "retry-after": HeaderTime.httpDate(now + 3)]
    case .none, .quota: [:]
    case .reset where format == .openAI:
      [
        "\(format.rateLimitPrefix)remaining-requests": "0",
        "\(format.rateLimitPrefix)reset-requests": "1.2s",
      ]
    case .reset:
      [
        "date": HeaderTime.httpDate(now),
        "\(format.rateLimitPrefix)requests-remaining": "0",
        "\(format.rateLimitPrefix)requests-reset": HeaderTime.timestamp(now + 4),
      ]
    case .long: ["retry-after": "3600"]
    case .garbage: ["retry-after": "soon"]
    case .never: ["x-should-retry": "false"]
    }
  }
}

/// Times in header syntax.
public enum HeaderTime {
  static func httpDate(_ seconds: Int) -> String {
    format(seconds, "%a, %d %b %Y %H:%M:%S GMT")
  }

  /// RFC 3339.
  public static func timestamp(_ seconds: Int) -> String { format(seconds, "%Y-%m-%dT%H:%M:%SZ") }

  /// In the C locale, which this program never leaves for times.
  private static func format(_ seconds: Int, _ pattern: String) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, pattern, &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
