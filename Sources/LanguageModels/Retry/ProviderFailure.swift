import IncrementalJSON

/// A server's error message, in any of its forms.
struct ProviderFailure: Hashable, Sendable {
  var status: Int?
  var type: String?
  var code: String?
  var param: String?
  var message: String
  /// Whether the body is a web page.
  private(set) var isPage = false
  /// Whether the server hands back an answer that it rejected.
  private(set) var hasFailedSample = false
  /// What the user may recognize: a page's title, or the server's message.
  private(set) var clue: String?
}

extension ProviderFailure {
  /// The error in a JSON document; nil if there is none.
  ///
  /// Shapes: `{"error":{…}}` (OpenAI, Anthropic, OpenRouter), `{"error":"…"}` (LM Studio, Ollama),
  /// flat `{"object":"error",…}` (vLLM) and `{"type":"error",…}`, `{"detail":…}` (FastAPI), and any
  /// of them as the first element of an array (Gemini).
  init?(json: JSONValue, status: Int? = nil) {
    if let first = json.arrayValue?.first {
      self.init(json: first, status: status)
      return
    }
    if let error = json["error"], error.isTruthy {
      self.init(body: error, status: status)
    } else if json["object"] == "error" || json["type"] == "error" {
      self.init(body: json, status: status)
    } else if json["choices"] == nil, json["content"] == nil, let detail = json["detail"] {
      self.init(status: status, message: Self.text(ofDetail: detail))
    } else {
      return nil
    }
  }

  /// The error from the body of a response with an error status.
  init(status: Int, body: [UInt8]) {
    let json = try? JSONValue(parsing: body, invalidText: .replaced)
    if let json, let failure = ProviderFailure(json: json, status: status) {
      self = failure
      self.status = status
    } else if let message = json?["message"]?.stringValue {
      self.init(status: status, message: message)
    } else {
      self.init(status: status, text: String(decoding: body.prefix(2_000), as: UTF8.self))
    }
    if kind == .badRequest { clue = Self.shortened(message) }
  }

  /// A web page that came with status 200; nil if the body is no page.
  init?(page body: [UInt8]) {
    self.init(status: 200, text: String(decoding: body.prefix(2_000), as: UTF8.self))
    if !isPage { return nil }
  }

  private init(status: Int, text: String) {
    let text = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    self.init(status: status, message: text.isEmpty ? "an empty body" : String(text))
    let start = text.prefix(500).lowercased()
    isPage = start.hasPrefix("<!doctype html") || start.hasPrefix("<") && start.contains("<html")
    guard isPage else { return }
    clue = Self.title(ofPage: text).map(Self.shortened)
    message = clue.map { "an HTML page: \($0)" } ?? "an HTML page"
  }

  private static func title(ofPage text: Substring) -> String? {
    let title = text.firstMatch(of: /<title[^>]*>([^<]*)<\/title>/.ignoresCase())?.output.1
    let words = (title ?? "").split(whereSeparator: \.isWhitespace)
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  /// One line that fits into a sentence.
  private static func shortened(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count > 160 ? line.prefix(160) + "…" : line
  }

  private init(body: JSONValue, status: Int?) {
    let code = body["code"]
    let number =
      code?.intValue ?? body["status"]?.intValue ?? body["status_code"]?.intValue
      ?? code?.stringValue.flatMap { Int($0) }
    self.init(
      status: status ?? number.flatMap { (400..<600).contains($0) ? $0 : nil },
      type: body["type"]?.stringValue.flatMap { $0 == "error" ? nil : $0 },
      code: code?.stringValue ?? number.map(String.init),
      param: body["param"]?.stringValue,
      message: body["message"]?.stringValue ?? body.stringValue ?? body.serialized())
    hasFailedSample = body["failed_generation"] != nil
    if let inner = body["metadata"]?["raw"]?.stringValue { message += ": \(inner)" }
  }

  private static func text(ofDetail detail: JSONValue) -> String {
    guard let problems = detail.arrayValue else {
      return detail.stringValue ?? detail["message"]?.stringValue ?? detail.serialized()
    }
    return problems.map { problem in
      let path = (problem["loc"]?.arrayValue ?? []).map { $0.stringValue ?? $0.serialized() }
      let place = path.isEmpty ? "" : path.joined(separator: ".") + ": "
      return place + (problem["msg"]?.stringValue ?? problem.stringValue ?? "")
    }.joined(separator: "; ")
  }

  /// The name to show: the type, or its substitute.
  var name: String? { type ?? code }
}

extension JSONValue {
  /// Truthiness as in Python, because servers write `"error": null` and `"error": {}` for "none".
  fileprivate var isTruthy: Bool {
    switch self {
    case .null, .bool(false): false
    case .number(let number): number.doubleValue != 0
    case .string(let text): !text.isEmpty
    case .array(let elements): !elements.isEmpty
    case .object(let members): !members.isEmpty
    case .bool(true): true
    }
  }
}
