import HTTPStreaming
import IncrementalJSON
import LanguageModels
import WireFormats

/// Rejects what the vendors reject, in their words.
struct RequestCheck {
  private let format: WireFormat

  init(_ format: WireFormat) { self.format = format }

  func content(of request: MockRequest) throws(VendorError) -> RequestContent {
    let root: JSONValue
    do { root = try JSONValue(parsing: request.body) } catch {
      throw refusal("We could not parse the JSON body of your request: \(error)", nil)
    }
    guard root.objectValue != nil else {
      throw refusal("The body must be a JSON object, but is \(root.kind).", nil)
    }
    if format == .anthropic, request.headers[WireFormat.anthropicVersionHeader] == nil {
      throw refusal("\(WireFormat.anthropicVersionHeader): header is required", nil)
    }
    try checkText("model", in: root)
    if format == .anthropic { try checkTokenLimit(in: root) }
    try checkMessages(in: root)
    do throws(FieldError) {
      return try RequestContent(parsing: request.body, format: format)
    } catch { throw refusal("\(error)", nil) }
  }

  private func checkText(_ name: String, in root: JSONValue) throws(VendorError) {
    switch root[name] {
    case .string(let text) where !text.isEmpty: return
    case nil: throw missing(name)
    default: throw refusal("\(name): expected a string", name)
    }
  }

  private func checkTokenLimit(in root: JSONValue) throws(VendorError) {
    guard let value = root["max_tokens"] else { throw missing("max_tokens") }
    guard let limit = value.intValue, limit > 0 else {
      throw refusal("max_tokens: expected a whole number of at least 1", "max_tokens")
    }
  }

  private func checkMessages(in root: JSONValue) throws(VendorError) {
    guard let value = root["messages"] else { throw missing("messages") }
    guard let messages = value.arrayValue else {
      throw refusal("messages: expected an array", "messages")
    }
    guard !messages.isEmpty else {
      throw refusal("messages: at least one message is required", "messages")
    }
    for (index, message) in messages.enumerated() {
      let role = message["role"]?.stringValue ?? ""
      guard roles.contains(role) else {
        throw refusal(
          "messages.\(index).role: expected one of \(roles.joined(separator: ", "))",
          "messages[\(index)].role")
      }
      // Messages that call a tool have no content.
      guard message["content"] != nil || message["tool_calls"] != nil else {
        throw missing("messages.\(index).content")
      }
    }
  }

  private var roles: [String] {
    switch format {
    case .openAI: ["system", "developer", "user", "assistant", "tool", "function"]
    case .anthropic: ["user", "assistant"]
    }
  }

  private func missing(_ name: String) -> VendorError {
    switch format {
    case .openAI:
      refusal("Missing required parameter: '\(name)'.", name, "missing_required_parameter")
    case .anthropic: refusal("\(name): Field required", name)
    }
  }

  private func refusal(
    _ message: String, _ parameter: String?, _ code: String? = nil
  ) -> VendorError {
    var error = VendorError(status: 400, format: format, message: message)
    error.parameter = parameter
    error.code = code
    return error
  }
}

extension VendorError {
  static func unknownModel(_ name: String, _ format: WireFormat) -> VendorError {
    switch format {
    case .openAI:
      VendorError(
        status: 404, type: "invalid_request_error", code: "model_not_found",
        message: "The model `\(name)` does not exist or you do not have access to it.",
        parameter: "model")
    case .anthropic: VendorError(status: 404, format: format, message: "model: \(name)")
    }
  }

  static func missingKey(_ format: WireFormat) -> VendorError {
    switch format {
    case .openAI:
      VendorError(
        status: 401, type: "invalid_request_error",
        message: "You didn't provide an API key. You need to provide your API key in an "
          + "Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).")
    case .anthropic:
      VendorError(
        status: 401, format: format, message: "\(WireFormat.anthropicKeyHeader) header is required")
    }
  }
}
