import HTTPStreaming

/// Sends the request, reads the reply, and retries if allowed. Values make the decisions:
/// ``RetryPolicy``, ``RequestLadder``, ``ReplyBodyReader``.
final class HTTPReplySource<Decoder: ReplyDecoder>: ModelReplySource {
  private enum Phase {
    case ready
    case sleeping(Duration)
    case reading
    case completed(ModelCompletion)
    /// Whether the text before the failure has been shown.
    case failing(ModelError)
    case ended
  }

  private let request: ModelRequest
  private let endpoint: ModelEndpoint
  private let runtime: ModelRuntime
  private let truncation: TruncationMemory
  private let report: FailureReport

  private var phase = Phase.ready
  /// The request as it is sent first, written by the caller and not on the network's thread.
  private var encoded: EncodedRequest?
  /// Releasing it closes the transfer.
  private var body: HTTPBody.Iterator?
  private var reader = ReplyBodyReader<Decoder>(status: 200, contentType: nil)
  /// Requests sent.
  private var sent = 0
  /// Requests sent again without a rejected field, or elsewhere; these are not retries.
  private var amended = 0
  /// The optional fields of the last request.
  private var fields: Set<RequestField> = []
  /// What is still to be tried after rejections that name nothing, and what is left out now.
  private var trials: [Set<RequestField>]?
  private var withheld: Set<RequestField> = []
  private var lastRejection: String?
  /// What was known to be rejected when the trials began.
  private var knownRefused: Set<RequestField> = []
  /// Whether the server has handed back an answer of the model that it rejects.
  private var hasLostSample = false
  /// Whether the server called a rejection its own fault, and the fields that were left out when that happened before.
  /// Once proves nothing, because the server may only have been restarting.
  private var hasServerFault = false
  private let suspected: Set<RequestField>
  /// Where the request goes, if not to the address that was set.
  private var target: ModelEndpoint
  /// The error that the answer brought instead of words.
  private var refusal: ProviderFailure?
  private var filter: KeyFilter
  private var hints = WaitHints()
  private var requestID: String?
  private var replyByteCount = 0

  init(
    _ request: ModelRequest, _ endpoint: ModelEndpoint, _ runtime: ModelRuntime,
    _ truncation: TruncationMemory
  ) {
    self.request = request
    self.endpoint = endpoint
    self.runtime = runtime
    self.truncation = truncation
    report = FailureReport(endpoint)
    suspected = runtime.memory.suspected(at: endpoint)
    filter = KeyFilter(key: endpoint.apiKey)
    target = runtime.memory.reachable(endpoint)
    encoded = encode(runtime.memory[endpoint])
  }

  func next() async throws(ModelError) -> ModelEvent? {
    while true {
      switch phase {
      case .ready: if let wait = try await start() { return wait }
      case .sleeping(let delay): try await sleep(delay)
      case .reading: if let event = try await read() { return event }
      case .completed(let completion):
        phase = .ended
        return .completed(completion)
      case .failing(let error): throw finished(error)
      case .ended: return nil
      }
    }
  }

  private func sleep(_ delay: Duration) async throws(ModelError) {
    phase = .ended
    do {
      try await runtime.sleep(delay)
    } catch {
      throw finished(report.error(.cancelled, "cancelled while waiting"))
    }
    phase = .ready
  }

  /// Sends the request and sets the next phase.
  private func start() async throws(ModelError) -> ModelEvent? {
    phase = .ended
    let encoded = self.encoded.take() ?? encode(runtime.memory[endpoint])
    // Kept apart, so that the body isn't held until the answer comes.
    fields = encoded.fields
    refusal = nil
    sent += 1
    requestID = nil
    hints = WaitHints()
    let response: HTTPResponse
    do {
      response = try await runtime.transport.send(httpRequest(encoded.body))
    } catch {
      return try retry(after: report.error(error), hasContent: false)
    }
    requestID = response.headers.requestID
    hints = WaitHints(headers: response.headers, status: response.status, now: runtime.now())
    guard response.status == 200 else {
      return try await refused(response)
    }
    reader = ReplyBodyReader<Decoder>(
      status: response.status, contentType: response.headers["content-type"])
    body = response.body.makeAsyncIterator()
    phase = .reading
    return nil
  }

  private func encode(_ known: ModelCapabilities) -> EncodedRequest {
    var capabilities = known
    capabilities.refused.formUnion(withheld)
    return switch endpoint.format {
    case .openAI: OpenAIChatRequest.encode(request, to: endpoint, capabilities: capabilities)
    case .anthropic:
      AnthropicMessagesRequest.encode(request, to: endpoint, capabilities: capabilities)
    }
  }

  private func httpRequest(_ body: [UInt8]) -> HTTPRequest {
    HTTPRequest(
      method: .post, url: target.url(endpoint.format.completionPath), headers: endpoint.headers,
      body: body,
      timeouts: runtime.limits.timeouts, limits: HTTPLimits(bodyBytes: ModelLimits.bodyBytes),
      purpose: request.httpPurpose)
  }

  private func refused(
    _ response: HTTPResponse
  ) async throws(ModelError) -> ModelEvent? {
    let body = await response.body.prefix(bytes: runtime.limits.errorBodyBytes)
    let failure = ProviderFailure(status: response.status, body: body)
    if amend(after: failure) { return nil }
    return try retry(
      after: report.error(failure, of: response, requestID: requestID), hasContent: false)
  }

  /// Makes the next request one that the failure does not meet again.
  ///
  /// - Returns: Whether there is one, to be sent at once.
  private func amend(after failure: ProviderFailure) -> Bool {
    let ladder = RequestLadder(sent: fields)
    if failure.isAboutThePath, target == endpoint, let versioned = endpoint.versioned {
      target = versioned
    } else if let window = failure.window {
      // Old messages and the answer's share can give way, and nothing else.
      let before = runtime.memory[endpoint].fitted(request)
      runtime.memory.learn(at: endpoint) { $0.room.window = window }
      guard runtime.memory[endpoint].fitted(request) != before else { return false }
    } else if let dropped = ladder.fieldsToDrop(after: failure) {
      runtime.memory.refuse(dropped, at: endpoint)
    } else if rejects(failure), let trial = nextTrial(ladder, after: failure) {
      withheld = trial
    } else {
      return false
    }
    guard amended < RequestField.allCases.count else { return false }
    amended += 1
    phase = .ready
    return true
  }

  /// Whether the same request would fail again. Servers that render the prompt or the grammar while they
  /// answer report that as their own fault, in the same words each time.
  private func rejects(_ failure: ProviderFailure) -> Bool {
    defer { lastRejection = failure.message }
    switch (failure.kind, failure.status) {
    case (.badRequest, 400), (.badRequest, 405), (.badRequest, 422), (.badRequest, 501),
      (.badRequest, nil):
      return true
    // The model has answered here, so it isn't what's missing.
    case (.modelNotFound, 404):
      return !failure.namesUnknownModel && runtime.memory.hasAnswered(endpoint)
    case (.serverError, nil), (.serverError, 500), (.serverError, 501):
      hasServerFault = true
      return failure.message == lastRejection || runtime.retries == .never
    default: return false
    }
  }

  private func nextTrial(
    _ ladder: RequestLadder, after failure: ProviderFailure
  ) -> Set<RequestField>? {
    hasLostSample = hasLostSample || failure.hasFailedSample
    let known = runtime.memory[endpoint].refused
    if trials == nil {
      // A server's own fault was tried again already.
      trials = ladder.trials.filter { !$0.isEmpty || failure.kind != .serverError }
    } else if known != knownRefused {
      // What another request has found out meanwhile may be all there was.
      (trials, withheld) = (ladder.trials, [])
    }
    knownRefused = known
    return trials?.isEmpty == false ? trials?.removeFirst() : nil
  }

  /// - Returns: The wait to announce.
  private func retry(
    after error: ModelError, hasContent: Bool
  ) throws(ModelError) -> ModelEvent {
    let decision = runtime.retries.decision(
      after: error, hints: hints, hasContent: hasContent,
      isBackground: request.isBackground, attempt: sent - amended, random: runtime.random())
    var error = error
    error.retryAfter = hints.delay
    switch decision {
    case .giveUp: throw finished(error)
    case .tooLongToWait(let delay):
      error.detail += " (the server asks to wait \(delay.components.seconds) s)"
      throw finished(error)
    case .wait(let delay, let reason):
      phase = .sleeping(delay)
      return .waiting(ModelWait(reason: reason, delay: delay, nextAttempt: sent + 1))
    }
  }

  private func finished(_ error: ModelError) -> ModelError {
    phase = .ended
    var error = error
    error.attempts = max(1, sent)
    return error
  }
}

extension HTTPReplySource {
  private enum Ending {
    case whole
    case failed(ModelError)
  }

  /// Reads the next chunk of the body and sets the next phase.
  private func read() async throws(ModelError) -> ModelEvent? {
    phase = .ended
    var text: [UInt8] = []
    let ending: Ending?
    do throws(HTTPError) {
      let chunk = try await body?.next(isolation: #isolation)
      ending = receive(chunk, into: &text)
    } catch {
      let isWhole = reader.decoder.reply.finishReason != nil && error.code != .cancelled
      ending = isWhole ? .whole : .failed(report.error(error, requestID: requestID))
    }
    // Keep a complete reply's body until the caller releases the reply: its last bytes are then on
    // their way, and the connection can be reused.
    if case .whole? = ending {} else if ending != nil { body = nil }
    return try show(text, ending)
  }

  /// - Parameter chunk: Nil at the end of the body.
  /// - Returns: How the reply ended, if it did.
  private func receive(_ chunk: [UInt8]?, into text: inout [UInt8]) -> Ending? {
    do throws(DecodingFailure) {
      if let chunk { try reader.receive(chunk, into: &text) } else { try reader.end(into: &text) }
    } catch {
      if case .provider(let failure) = error { refusal = failure }
      return .failed(report.error(error, requestID: requestID))
    }
    guard chunk == nil || reader.isEnded else { return nil }
    guard !reader.decoder.reply.isWhole else { return .whole }
    return .failed(
      report.error(
        .truncated, "the reply ended without an end marker", requestID: requestID))
  }

  /// Shows the text, then continues or ends.
  private func show(
    _ received: [UInt8], _ receivedEnding: Ending?
  ) throws(ModelError) -> ModelEvent? {
    var (text, ending) = (received, receivedEnding)
    let room = runtime.limits.replyBytes - replyByteCount
    if text.count > room {
      // Show what fits, however the bytes arrived: the same reply always ends at the same place.
      text.removeSubrange(text.startOfCharacter(at: room)...)
      body = nil
      ending = .failed(
        report.error(
          .tooLarge, "the reply is longer than the limit of \(runtime.limits.replyBytes) bytes",
          requestID: requestID))
    }
    replyByteCount += text.count
    filter.filter(&text)
    if ending != nil { text += filter.finish() }
    if reader.decoder.reply.hasContent {
      runtime.memory.answers(target, insteadOf: endpoint.baseURL)
    }
    switch ending {
    case nil: phase = .reading
    case .whole: phase = .completed(completion())
    case .failed(let error):
      let reply = reader.decoder.reply
      if !reply.hasContent, !reply.isRefused, let refusal, amend(after: refusal) { return nil }
      if !reply.hasContent, !reply.isRefused { return try retry(after: error, hasContent: false) }
      phase = .failing(error)
    }
    return text.isEmpty ? nil : .delta(String(decoding: text, as: UTF8.self))
  }

  private func completion() -> ModelCompletion {
    let decoder = reader.decoder
    let usage = decoder.reply.usage
    var completion = ModelCompletion(
      finish: decoder.finish(), usage: usage,
      requestID: (requestID ?? decoder.reply.id).map(report.mask.mask), attempts: sent,
      promptWasCut: truncation.wasCut(
        runtime.memory[endpoint].fitted(request), usage: usage,
        windowsAreSuspect: !endpoint.isVendor))
    completion.hasReasoning = decoder.reply.hasReasoning
    if request.purpose == .validate {
      runtime.memory.learn(at: endpoint) { $0.answersAtOnce = reader.isDocument }
    }
    // What the server has taken before was rejected for the answer that the model gave.
    if !hasLostSample {
      runtime.memory.refuse(
        withheld, unlessTakenBefore: fields,
        isSure: !hasServerFault || withheld.isSubset(of: suspected), at: endpoint)
    }
    return completion
  }

  var holdsStart: Bool { runtime.memory[endpoint].draftsFirst }

  func noteDraftWithoutOpening() {
    runtime.memory.learn(at: endpoint) { $0.draftsFirst = true }
  }
}

extension [UInt8] {
  /// The start of the UTF-8 character that contains this byte.
  fileprivate func startOfCharacter(at index: Int) -> Int {
    var start = index
    while start > 0, self[start] & 0xC0 == 0x80 { start -= 1 }
    return start
  }
}

extension HTTPBody {
  /// The first bytes of the body, as far as they have arrived.
  func prefix(bytes limit: Int) async -> [UInt8] {
    var all: [UInt8] = []
    var iterator = makeAsyncIterator()
    while all.count < limit, let chunk = try? await iterator.next(isolation: #isolation) {
      all.append(contentsOf: chunk.prefix(limit - all.count))
    }
    return all
  }
}

extension ModelRequest {
  /// Recordings have no purpose for background requests.
  fileprivate var httpPurpose: String {
    isBackground ? "background \(purpose.rawValue)" : purpose.rawValue
  }
}
