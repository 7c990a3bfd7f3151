extension ProviderFailure {
  /// What the failure means for the caller. Error names and messages outrank the status, which
  /// doesn't exist mid-stream.
  var kind: ModelError.Kind {
    let names = [type, code].compactMap { $0?.lowercased() }
    let words = message.lowercased()
    func isNamed(_ candidates: String...) -> Bool {
      names.contains { name in candidates.contains { name.contains($0) } }
    }
    func says(_ candidates: String...) -> Bool { candidates.contains { words.contains($0) } }

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
    if status == 401 || status == 403
      || isNamed("authentication", "permission", "invalid_api_key", "unauthorized", "forbidden")
      || says("invalid api key", "incorrect api key", "invalid x-api-key", "api key not valid")
    {
      return .unauthorized
    }
    if status == 429 || isNamed("rate_limit", "ratelimit", "too_many_requests") {
      return .rateLimited
    }
    if status == 404 || isNamed("not_found") || (status == 400 && says("model not found")) {
      return .modelNotFound
    }
    if status == 408 { return .timedOut }
    if let status, status >= 500 { return .overloaded }
    if let status, (300..<500).contains(status) { return .badRequest }
    if isNamed("invalid_request", "badrequest", "bad_request", "invalid_prompt") {
      return .badRequest
    }
    return .overloaded
  }
}
