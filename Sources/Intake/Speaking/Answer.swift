import ContextQuality
public import LanguageModels

/// The part of a model's answer that arrived, and how it ended.
struct Answer: Sendable {
  var text = ""
  var completion: ModelCompletion?
  var error: ModelError?

  /// Reads a reply until it ends.
  static func collect(
    from model: any LanguageModel, _ request: ModelRequest, _ show: IntakeEngine.Show,
    onText: (String) -> Void = { _ in }
  ) async -> Answer {
    var answer = Answer()
    do throws(ModelError) {
      for try await event in model.reply(to: request) {
        switch event {
        case .delta(let text):
          answer.text += text
          onText(text)
        case .waiting(let wait): show(.waiting(.retry(wait)))
        case .completed(let completion): answer.completion = completion
        }
      }
      if answer.completion == nil {
        answer.error = ModelError(.truncated, detail: "the reply ended without an outcome")
      }
    } catch {
      answer.error = error
    }
    return answer
  }

  func reply(from identity: ModelIdentity) -> CoachReply {
    CoachReply(text: text, cut: cut, model: identity.model, usage: completion?.usage)
  }

  /// Whether thinking used up the token limit.
  var ranOutBeforeAWord: Bool {
    error == nil && completion?.finish == .length && PlainText.isBlank(text)
  }

  private var cut: CutReason? {
    if let error { return CutReason(error.kind) }
    switch completion?.finish {
    case .length: return .length
    case .refusal: return .refusal
    case .stop, .other, nil: return nil
    }
  }
}

extension Answer {
  /// Says what went wrong, for the user and for an engineer.
  func notice(saved: Bool) -> SessionOutput.Notice {
    if let error { return .init(error, hadText: !text.isEmpty, saved: saved) }
    if completion?.finish == .refusal {
      let words = saved ? " Your words are saved; you could try putting it another way." : ""
      return .init(
        code: "model-declined", level: .warning,
        text: "The model wouldn't answer that.\(words)", canBeAskedAgain: true,
        detail: "the model or its provider refused, or filtered the answer")
    }
    let wasCut = completion?.finish == .length
    return .init(
      code: "reply-incomplete", level: .warning,
      text: wasCut ? "My reply was cut off at the length limit." : "My reply came back empty.",
      canBeAskedAgain: true,
      detail: "the reply is incomplete: \(wasCut ? "its length limit was reached" : "it was empty")"
    )
  }
}

extension SessionOutput.Notice {
  /// What a failed request means for the user.
  ///
  /// - Parameters:
  ///   - hadText: Whether part of a reply was shown.
  ///   - saved: Whether any of the user's words are saved.
  public init(_ error: ModelError, hadText: Bool, saved: Bool) {
    let words = saved ? " Your words are saved." : ""
    let (code, text): (String, String) =
      switch error.kind {
      case .cancelled:
        ("cancelled", "Okay, I stopped.")
      case .truncated where hadText, .unreachable where hadText, .overloaded where hadText,
        .rateLimited where hadText, .protocolViolation where hadText:
        ("reply-cut", "My reply was cut off.\(words)")
      case .tooLarge where hadText:
        ("reply-endless", "My reply had no end, so I stopped it.\(words)")
      case .unreachable:
        ("model-unreachable", "I couldn't reach the model just now.\(words)")
      case .insecure:
        (
          "model-insecure",
          "I couldn't verify that this is the right server, so I sent nothing.\(words)"
        )
      case .notEncrypted:
        (
          "model-no-https",
          "The model's server doesn't speak https, so I sent nothing.\(words) If it is on this "
            + "machine, try http:// instead."
        )
      case .unauthorized:
        (
          "key-refused",
          "The model's provider refused the key.\(words) Set a new one with `rapport setup`."
        )
      case .outOfCredit:
        ("out-of-credit", "Your account with the model's provider is out of credit.\(words)")
      case .rateLimited, .overloaded:
        (
          "model-busy",
          "The model is overloaded.\(words) Try again \(Self.time(after: error.retryAfter))."
        )
      case .modelNotFound:
        (
          "model-not-found",
          "The provider doesn't know this model, or has no chat API at this address.\(words) "
            + "`rapport setup` lists the available models."
        )
      case .promptTooLong:
        ("conversation-too-long", "This conversation is longer than the model can read.\(words)")
      case .timedOut:
        ("model-slow", "The model stopped answering.\(words)")
      case .truncated, .badRequest, .tooLarge, .protocolViolation:
        ("model-failed", "The model's answer didn't make sense to me.\(words)")
      }
    self.init(
      code: code, level: error.kind == .cancelled ? .info : .error, text: text,
      canBeAskedAgain: error.canPass, detail: error.description)
  }

  /// Why a text was rejected as a turn.
  init(_ refusal: TurnRefusal) {
    switch refusal {
    case .empty:
      self.init(code: "empty-turn", level: .info, text: "I didn't see any words there.")
    case .tooLong(let bytes, let limit):
      self.init(
        code: "turn-too-long", level: .warning,
        text: "That's more than I can take in at once, so I didn't read it. Could you say it in "
          + "parts, or shorter?",
        detail: "the message has \(bytes) bytes, the limit is \(limit)")
    }
  }
}

extension ModelError {
  /// Whether the same request may succeed later without changes.
  fileprivate var canPass: Bool {
    switch kind {
    case .insecure, .notEncrypted, .unauthorized, .modelNotFound, .promptTooLong: false
    case .cancelled, .truncated, .unreachable, .outOfCredit, .rateLimited, .overloaded, .timedOut,
      .badRequest, .tooLarge, .protocolViolation:
      true
    }
  }
}
