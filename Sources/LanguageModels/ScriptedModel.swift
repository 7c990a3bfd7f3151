import Synchronization

/// A model whose answers are given beforehand, and which keeps the requests it was given.
///
/// A request that nothing was scripted for fails with ``ModelError/Kind/badRequest``, so that a
/// missing answer is never mistaken for an empty one.
public final class ScriptedModel: LanguageModel {
  /// One answer: the events to send, then a failure if there is one.
  public struct Answer: Hashable, Sendable {
    public var events: [ModelEvent]
    public var failure: ModelError?

    public init(events: [ModelEvent], failure: ModelError? = nil) {
      self.events = events
      self.failure = failure
    }

    /// A whole answer, cut into pieces of at most `pieceLength` characters.
    public static func text(
      _ text: String, pieceLength: Int = .max, finish: ModelCompletion.FinishReason = .stop,
      usage: TokenUsage? = nil, promptWasCut: Bool = false
    ) -> Answer {
      let completion = ModelCompletion(finish: finish, usage: usage, promptWasCut: promptWasCut)
      return Answer(events: pieces(text, pieceLength) + [.completed(completion)])
    }

    /// An answer that fails, after the text before it was shown.
    public static func failure(_ error: ModelError, after text: String = "") -> Answer {
      Answer(events: text.isEmpty ? [] : [.delta(text)], failure: error)
    }

    private static func pieces(_ text: String, _ length: Int) -> [ModelEvent] {
      var rest = text[...]
      var pieces: [ModelEvent] = []
      while !rest.isEmpty {
        let piece = rest.prefix(max(1, length))
        pieces.append(.delta(String(piece)))
        rest = rest[piece.endIndex...]
      }
      return pieces
    }
  }

  public let identity: ModelIdentity
  public let room: ServerRoom
  private let answer: @Sendable (ModelRequest) -> Answer?
  private let received = Mutex<[ModelRequest]>([])

  /// - Parameter answer: nil if nothing is scripted for the request.
  public init(
    identity: ModelIdentity = ModelIdentity(provider: "scripted", model: "scripted"),
    room: ServerRoom = ServerRoom(), answer: @escaping @Sendable (ModelRequest) -> Answer?
  ) {
    (self.identity, self.room) = (identity, room)
    self.answer = answer
  }

  /// Answers each purpose with its list, in order, each once.
  public convenience init(
    identity: ModelIdentity = ModelIdentity(provider: "scripted", model: "scripted"),
    answers: [RequestPurpose: [Answer]]
  ) {
    let queue = AnswerQueue(answers)
    self.init(identity: identity) { queue.next(for: $0.purpose) }
  }

  /// The requests answered so far, oldest first.
  public var requests: [ModelRequest] { received.withLock { $0 } }

  public func reply(to request: ModelRequest) -> ModelReply {
    ModelReply { ScriptedSource { self.events(for: request) } }
  }

  private func events(for request: ModelRequest) -> Answer {
    let count = received.withLock {
      $0.append(request)
      return $0.count
    }
    if let answer = answer(request) { return answer }
    return .failure(
      ModelError(
        .badRequest,
        detail: "request \(count), for \(request.purpose.rawValue), has no scripted answer"))
  }
}

private final class AnswerQueue: Sendable {
  private let answers: Mutex<[RequestPurpose: [ScriptedModel.Answer]]>

  init(_ answers: [RequestPurpose: [ScriptedModel.Answer]]) {
    self.answers = Mutex(answers)
  }

  func next(for purpose: RequestPurpose) -> ScriptedModel.Answer? {
    answers.withLock { answers in
      guard let first = answers[purpose]?.first else { return nil }
      answers[purpose]?.removeFirst()
      return first
    }
  }
}

/// Asks for the answer at the first step: nothing is sent before a reply is iterated.
private struct ScriptedSource: ModelReplySource {
  let answer: @Sendable () -> ScriptedModel.Answer
  var remaining: ScriptedModel.Answer?

  init(_ answer: @escaping @Sendable () -> ScriptedModel.Answer) { self.answer = answer }

  mutating func next() async throws(ModelError) -> ModelEvent? {
    var rest = remaining ?? answer()
    defer { remaining = rest }
    if !rest.events.isEmpty { return rest.events.removeFirst() }
    if let failure = rest.failure {
      rest.failure = nil
      throw failure
    }
    return nil
  }
}
