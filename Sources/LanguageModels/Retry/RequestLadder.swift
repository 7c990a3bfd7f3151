/// Decides what to leave out of a request that a server has rejected.
struct RequestLadder {
  /// What the rejected request contained.
  let sent: Set<RequestField>

  /// The fields not to send again, or nil if the rejection names none that was sent.
  ///
  /// Rejections of `max_tokens` and `temperature` go together: models that reject one reject the
  /// other, whose rejection would only come next.
  func fieldsToDrop(after refusal: ProviderFailure) -> Set<RequestField>? {
    guard [.badRequest, .gatewayError, .serverError].contains(refusal.kind) else { return nil }
    var dropped: Set<RequestField> = []
    let text = "\(refusal.param ?? "") \(refusal.message)".lowercased()
    if isAboutSystemRole(text) { dropped.insert(.systemRole) }
    if isAboutStructure(text), let rung = structureRung { dropped.insert(rung) }
    if [400, 422, 501].contains(refusal.status) { dropped.formUnion(parameters(in: text)) }
    // Servers that render the prompt or the grammar while they answer report it as their own fault.
    guard [400, 422, 500, 501, nil].contains(refusal.status) else { return nil }
    let useful = dropped.intersection(sent)
    return useful.isEmpty ? nil : dropped
  }

  /// What to leave out where a rejection names nothing that was sent: the strictest form of structured output, or else
  /// the system message.
  func guess(after refusal: ProviderFailure) -> RequestField? {
    guard refusal.kind == .badRequest, [400, 405, 422, 501].contains(refusal.status) else {
      return nil
    }
    return structureRung ?? (sent.contains(.systemRole) ? .systemRole : nil)
  }

  private func parameters(in text: String) -> Set<RequestField> {
    var dropped: Set<RequestField> = []
    if let field = firstTokenField(in: text) { dropped.insert(field) }
    if text.contains("temperature") { dropped.insert(.temperature) }
    if dropped.contains(.temperature) || dropped.contains(.maxTokens) {
      dropped.formUnion([.temperature, .maxTokens])
    }
    if text.contains("stream_options") || text.contains("include_usage") {
      dropped.insert(.streamOptions)
    }
    return dropped
  }

  /// The field named first is the rejected one; the other is its replacement.
  private func firstTokenField(in text: String) -> RequestField? {
    let old = text.firstRange(of: "max_tokens")?.lowerBound
    let new = text.firstRange(of: "max_completion_tokens")?.lowerBound
    switch (old, new) {
    case (nil, nil): return nil
    case (_?, nil): return .maxTokens
    case (nil, _?): return .maxCompletionTokens
    case (let old?, let new?): return old < new ? .maxTokens : .maxCompletionTokens
    }
  }

  private func isAboutStructure(_ text: String) -> Bool {
    [
      "schema", "response_format", "response format", "responseformat", "response_mime_type",
      "json_object", "output_config", "output_format", "structured output", "json mode", "grammar",
      "guided", "additionalproperties", "'strict'", "\"strict\"", "`strict`",
    ].contains { text.contains($0) }
  }

  /// A chat template without a place for instructions, in its own words or its server's.
  private func isAboutSystemRole(_ text: String) -> Bool {
    let names = /(system|developer)[\s_'"`-]*(role|message|instruction|prompt)/
    let lists = /\broles?\b.{0,60}\b(system|developer|alternate)\b/
    return text.contains(names) || text.contains(lists)
  }

  /// The strictest form of structured output that was sent.
  var structureRung: RequestField? {
    [.strictSchema, .jsonSchema, .jsonObject, .outputConfig].first { sent.contains($0) }
  }
}
