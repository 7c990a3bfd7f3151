/// Decides what to leave out of a request that a server has rejected.
struct RequestLadder {
  /// What the rejected request contained.
  let sent: Set<RequestField>

  /// The fields not to send again, or nil if the rejection names none that was sent.
  ///
  /// Rejections of `max_tokens` and `temperature` go together: models that reject one reject the
  /// other, whose rejection would only come next.
  func fieldsToDrop(after refusal: ProviderFailure) -> Set<RequestField>? {
    guard [400, 422, 501].contains(refusal.status ?? 0),
      [.badRequest, .gatewayError, .serverError].contains(refusal.kind)
    else { return nil }
    var dropped: Set<RequestField> = []
    let text = "\(refusal.param ?? "") \(refusal.message)".lowercased()
    if let field = firstTokenField(in: text) { dropped.insert(field) }
    if text.contains("temperature") { dropped.insert(.temperature) }
    if dropped.contains(.temperature) || dropped.contains(.maxTokens) {
      dropped.formUnion([.temperature, .maxTokens])
    }
    if text.contains("stream_options") || text.contains("include_usage") {
      dropped.insert(.streamOptions)
    }
    if isAboutStructure(text), let rung = structureRung { dropped.insert(rung) }
    let useful = dropped.intersection(sent)
    return useful.isEmpty ? nil : dropped
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
      "response_format", "json_schema", "json_object", "output_config", "output_format",
      "structured output", "json schema", "json mode", "grammar",
    ].contains { text.contains($0) }
  }

  /// The strictest form of structured output that was sent.
  private var structureRung: RequestField? {
    [.strictSchema, .jsonSchema, .jsonObject, .outputConfig].first { sent.contains($0) }
  }
}
