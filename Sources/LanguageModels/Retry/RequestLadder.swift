/// Decides what to leave out of a request that a server has rejected.
struct RequestLadder {
  /// What the rejected request contained.
  let sent: Set<RequestField>

  /// The parameters not to send again, or nil if the rejection names none that was sent.
  func fieldsToDrop(after refusal: ProviderFailure) -> Set<RequestField>? {
    guard [nil, 400, 422, 501].contains(refusal.status),
      [.badRequest, .gatewayError, .serverError].contains(refusal.kind)
    else { return nil }
    let dropped = parameters(in: "\(refusal.param ?? "") \(refusal.message)".lowercased())
    return dropped.isDisjoint(with: sent) ? nil : dropped
  }

  /// What to leave out, one after the other, where a rejection names no parameter: nothing at first, since
  /// the server may have rejected the model's answer, then each form of structured output, and the system
  /// message. The words for that are each vendor's own, so it is found out by trying.
  var trials: [Set<RequestField>] {
    let role = sent.intersection([.systemRole])
    let forms: [RequestField] = [.strictSchema, .jsonSchema, .jsonObject, .outputConfig]
    guard let first = forms.firstIndex(where: sent.contains) else {
      return role.isEmpty ? [] : [role]
    }
    let last = sent.contains(.outputConfig) ? forms.count : forms.count - 1
    let steps = (first..<last).map { Set(forms[first...$0]) }
    return [[]] + steps + (role.isEmpty ? [] : [role, role.union(forms[first..<last])])
  }

  private func parameters(in text: String) -> Set<RequestField> {
    var dropped: Set<RequestField> = []
    if let field = firstTokenField(in: text) { dropped.insert(field) }
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
}
