import IncrementalJSON

/// A server's error message, in any of its forms.
struct ProviderFailure: Hashable, Sendable {
  var status: Int?
  var type: String?
  var code: String?
  var param: String?
  var message: String

  init(
    status: Int? = nil, type: String? = nil, code: String? = nil, param: String? = nil,
    message: String
  ) {
    self.status = status
    self.type = type
    self.code = code
    self.param = param
    self.message = message
  }

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
      let text = String(decoding: body.prefix(2_000), as: UTF8.self)
      self.init(status: status, message: Self.readable(text))
    }
  }

  private init(body: JSONValue, status: Int?) {
    let code = body["code"]
    let number = code?.intValue ?? body["status"]?.intValue
    self.init(
      status: status ?? number.flatMap { (400..<600).contains($0) ? $0 : nil },
      type: body["type"]?.stringValue.flatMap { $0 == "error" ? nil : $0 },
      code: code?.stringValue ?? number.map(String.init),
      param: body["param"]?.stringValue,
      message: body["message"]?.stringValue ?? body.stringValue ?? body.serialized())
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

  /// For a proxy's web page its title; for other text its first words.
  private static func readable(_ text: String) -> String {
    let trimmed = String(text.drop(while: \.isWhitespace))
    guard trimmed.hasPrefix("<") else { return trimmed.isEmpty ? "an empty body" : String(trimmed) }
    let lowered = trimmed.lowercased()
    guard let open = lowered.firstRange(of: "<title>"),
      let close = lowered.firstRange(of: "</title>"),
      open.upperBound <= close.lowerBound
    else { return "an HTML page" }
    return "an HTML page: " + lowered[open.upperBound..<close.lowerBound]
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
