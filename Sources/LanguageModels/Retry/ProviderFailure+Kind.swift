extension ProviderFailure {
  /// What the failure means for the caller. Error names and messages outrank the status, which
  /// does not exist mid-stream.
  var kind: ModelError.Kind {
    if isPage { return kindOfPage }
    return kindOfRefusal ?? kindOfTrouble
  }

  /// A gateway, a proxy or a network answers with pages; a model's server answers with JSON.
  private var kindOfPage: ModelError.Kind {
    switch status {
    case 404: .modelNotFound
    case 413: .promptTooLong
    case 429: .rateLimited
    case 503, 529: .overloaded
    case 400, 407: .gatewayError
    case let status? where status >= 500: .gatewayError
    default: .webPage
    }
  }

  /// What the same request would meet again; nil if it may be different next time.
  private var kindOfRefusal: ModelError.Kind? {
    if status == 402 || isNamed("insufficient_quota", "billing", "insufficient_credit", "402")
      || says(
        "exceeded your current quota", "credit balance", "insufficient credit",
        "insufficient balance", "insufficient_quota", "out of credit")
    {
      return .outOfCredit
    }
    if status == 413 || isNamed("context_length", "request_too_large", "exceed_context")
      || says(
        "maximum context length", "prompt is too long", "context window", "context length",
        "context size", "too many tokens", "input is too long", "context_length_exceeded")
    {
      return .promptTooLong
    }
    if namesUnknownModel { return .modelNotFound }
    if status == 401 || status == 403
      || isNamed("authentication", "permission", "invalid_api_key", "unauthorized", "forbidden")
      || says("invalid api key", "incorrect api key", "invalid x-api-key", "api key not valid")
    {
      return .unauthorized
    }
    return nil
  }

  private var kindOfTrouble: ModelError.Kind {
    if status == 429 || isNamed("rate_limit", "ratelimit", "too_many_requests") {
      return .rateLimited
    }
    if status == 404 || isNamed("not_found") { return .modelNotFound }
    if status == 408 { return .timedOut }
    if [503, 529].contains(status) || isNamed("overloaded") { return .overloaded }
    if status == 407 || [502, 504, 520, 521, 522, 523, 524].contains(status) || isProxysOwn {
      return .gatewayError
    }
    if let status, (300..<500).contains(status) { return .badRequest }
    if isNamed("invalid_request", "badrequest", "bad_request", "invalid_prompt") {
      return .badRequest
    }
    return status == nil && says("overloaded", "at capacity") ? .overloaded : .serverError
  }

  /// Servers name an unknown model with 400, 403, 404 or 422.
  var namesUnknownModel: Bool {
    if isNamed("model_not_found") { return true }
    guard [nil, 400, 404, 422].contains(status), param == nil || param == "model" else {
      return false
    }
    return param == "model"
      || says("invalid model", "unknown model", "not a valid model", "no such model")
      || says("model") && says("not found", "not exist", "doesn't exist")
  }

  /// The context window that a rejection of a long request names.
  var window: Int? {
    guard kind == .promptTooLong else { return nil }
    let named = /(?:context (?:length|window|size)|n_ctx)[^0-9]{0,30}([0-9]{3,8})/.ignoresCase()
    return message.firstMatch(of: named).flatMap { Int($0.output.1) }
  }

  /// Whether nothing is served at this path, whatever the model.
  var isAboutThePath: Bool {
    if isPage, status == 200 { return true }
    if says("unexpected endpoint", "unknown endpoint", "no such endpoint") { return true }
    return (status == 404 || status == 405) && !namesUnknownModel
  }

  /// A proxy that could not reach the model's server says so with any status.
  private var isProxysOwn: Bool {
    guard status.map({ $0 >= 400 && $0 != 501 }) ?? false else { return false }
    return says(
      "upstream connect", "upstream request", "upstream error", "bad gateway", "proxy error",
      "apiconnectionerror", "connection refused", "econnrefused", "no healthy", "failed to connect",
      "could not connect", "connection error")
  }

  private func isNamed(_ candidates: String...) -> Bool {
    let names = [type, code].compactMap { $0?.lowercased() }
    return names.contains { name in candidates.contains { name.contains($0) } }
  }

  private func says(_ candidates: String...) -> Bool {
    let words = message.lowercased()
    return candidates.contains { words.contains($0) }
  }
}
