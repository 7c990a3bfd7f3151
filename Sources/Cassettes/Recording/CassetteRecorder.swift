public import FoundationEssentials
public import HTTPStreaming
public import Intake
import LanguageModels
import Synchronization

/// Sends requests through another transport and keeps what a replay needs.
///
/// Every chunk is passed on unchanged and at once. The recording holds keys and personal words
/// until ``ConversationRecording/cassette(_:)`` removes them; it is never written unredacted.
public final class CassetteRecorder: HTTPTransport {
  private let inner: any HTTPTransport
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let now: @Sendable () -> Date
  private let state = Mutex(State())

  private struct State {
    var recording = ConversationRecording()
    var start: ContinuousClock.Instant?
    var stepStart = 0

    mutating func interrupt(after shown: String?) {
      if let shown { recording.interrupt(exchangesFrom: stepStart, shown: shown) }
    }
  }

  public init(
    _ inner: any HTTPTransport,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.inner = inner
    self.clock = clock
    self.now = now
  }

  /// What has been recorded so far.
  public var recording: ConversationRecording { state.withLock(\.recording) }

  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    state.withLock { $0.recording.learnSecrets(of: request) }
    guard let purpose = Self.purpose(of: request) else { return try await inner.send(request) }
    let index = state.withLock { state in
      state.recording.exchanges.append(RecordedExchange(purpose: purpose, request: request.body))
      return state.recording.exchanges.count - 1
    }
    let response: HTTPResponse
    do {
      response = try await inner.send(request)
    } catch {
      note(error, at: index)
      throw error
    }
    state.withLock { $0.recording.exchanges[index].head(response) }
    let start = clock()
    let body = RecordingBody(response.body) { [self] event in
      note(event, at: index, milliseconds: Int((clock() - start) / .milliseconds(1)))
    }
    return HTTPResponse(
      status: response.status, headers: response.headers, body: HTTPBody(body))
  }

  /// Model lists and key checks are not part of a conversation.
  private static func purpose(of request: HTTPRequest) -> RequestPurpose? {
    guard request.method == .post else { return nil }
    let purpose = request.purpose.flatMap(RequestPurpose.init(rawValue:))
    return purpose == .validate ? nil : purpose
  }

  private func note(_ event: RecordingBody.Event, at index: Int, milliseconds: Int) {
    switch event {
    case .chunk(let bytes):
      state.withLock {
        $0.recording.exchanges[index].chunks.append(TimedChunk(at: milliseconds, bytes: bytes))
      }
    case .end: state.withLock { $0.recording.exchanges[index].outcome = .whole }
    case .failure(let error): note(error, at: index)
    }
  }

  private func note(_ error: HTTPError, at index: Int) {
    state.withLock { $0.recording.exchanges[index].outcome = .failed(error.code) }
  }
}

// What the user does.
extension CassetteRecorder {
  /// Starts a user action; requests that follow belong to it.
  public func begin(_ act: Cassette.Step.Act) {
    let instant = clock()
    state.withLock { state in
      if state.recording.startedAt == nil { state.recording.startedAt = now() }
      let elapsed = (instant - (state.start ?? instant)) / .seconds(1)
      state.start = state.start ?? instant
      // A replay counts the time that answers take, so leave it out here.
      let pause = max(0, elapsed - state.recording.secondsTold)
      state.recording.steps.append(Cassette.Step(act, wait: (pause * 10).rounded() / 10))
      state.stepStart = state.recording.exchanges.count
    }
  }

  /// Ends a user action: it was answered, or the user stopped the answer.
  ///
  /// - Parameters:
  ///   - shown: What the interrupted reply showed so far; nil if no reply was stopped.
  ///   - health: The health data that the conversation uses by now.
  ///   - events: The log so far; events from outside the intake are recorded.
  /// - Throws: `UnreadableEvent` if an event is not a JSON object.
  public func end(
    interruptedAfter shown: String? = nil, health: HealthNote? = nil,
    events: [RecordedEvent] = []
  ) throws {
    try state.withLock { state in
      guard !state.recording.steps.isEmpty else { return }
      if let health { state.recording.note(health) }
      defer { state.interrupt(after: shown) }
      try state.recording.note(events)
    }
  }
}

/// Passes a body on and reports its chunks.
private final class RecordingBody: HTTPBodySource {
  enum Event {
    case chunk([UInt8])
    case end
    case failure(HTTPError)
  }

  /// Releasing it closes the transfer.
  private let body: Mutex<HTTPBody?>
  private let note: @Sendable (Event) -> Void

  init(_ body: HTTPBody, _ note: @escaping @Sendable (Event) -> Void) {
    self.body = Mutex(body)
    self.note = note
  }

  func next() async throws(HTTPError) -> [UInt8]? {
    // Bodies are single pass: each iterator resumes where the last one stopped.
    guard var iterator = body.withLock({ $0?.makeAsyncIterator() }) else { return nil }
    do throws(HTTPError) {
      let chunk = try await iterator.next(isolation: #isolation)
      note(chunk.map(Event.chunk) ?? .end)
      return chunk
    } catch {
      note(.failure(error))
      throw error
    }
  }

  func close() { body.withLock { $0 = nil } }
}
