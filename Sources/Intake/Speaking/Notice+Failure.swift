public import LanguageModels

extension SessionOutput.Notice {
  /// What a failed request means for the user, and what to do.
  ///
  /// - Parameters:
  ///   - hadText: Whether part of a reply was shown.
  ///   - saved: Whether any of the user's words are saved.
  public init(_ error: ModelError, hadText: Bool, saved: Bool) {
    let failure = hadText ? Failure(midReply: error) ?? Failure(error) : Failure(error)
    let texts = [failure.text, saved ? "Your words are saved." : "", failure.remedy ?? ""]
    self.init(
      code: failure.code, level: error.kind == .cancelled ? .info : .error,
      text: texts.filter { !$0.isEmpty }.joined(separator: " "),
      canBeAskedAgain: failure.canPass, detail: error.description)
    if failure.remedy != nil { personal = Self.away(saved: saved) }
    values = [
      "saved": saved ? "yes" : "", "clue": error.clue ?? "",
      "isDenied": error.isDenied ? "yes" : "",
    ]
    if failure.code == Failure.busy {
      values["wait"] = error.retryAfter.map { "\($0 / .seconds(1))" } ?? ""
    }
  }

  /// - Parameter saved: Whether any of the person's words are saved.
  static func away(saved: Bool = true) -> Personal {
    let words = saved ? "Your words are saved. " : ""
    return Personal(
      code: "model-away",
      text:
        "Something on our side keeps me from answering just now. \(words)Please try again later.")
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

/// A failed request in the user's words.
private struct Failure {
  static let busy = "model-busy"

  var code: String
  var text: String
  /// What to do; nil if it can only be retried.
  var remedy: String?
  /// Whether the same request may succeed later without changes.
  var canPass = true

  init(_ code: String, _ text: String, remedy: String? = nil, canPass: Bool = true) {
    (self.code, self.text, self.remedy, self.canPass) = (code, text, remedy, canPass)
  }
}

extension Failure {
  /// Part of the reply was shown; nil if that makes no difference.
  init?(midReply error: ModelError) {
    switch error.kind {
    case .overloaded, .rateLimited, .serverError, .gatewayError:
      self.init("reply-failed", "The model's server reported an error in the middle of my reply.")
    case .truncated, .unreachable, .protocolViolation:
      self.init("reply-cut", "My reply was cut off.")
    case .tooLarge:
      self.init("reply-endless", "My reply had no end, so I stopped it.")
    default: return nil
    }
  }

  init(_ error: ModelError) {
    switch error.kind {
    case .cancelled:
      self.init("cancelled", "Okay, I stopped.")
    case .unreachable:
      self.init("model-unreachable", "I couldn't reach the model just now.")
    case .insecure:
      self.init(
        "model-insecure", "I couldn't verify that this is the right server, so I sent nothing.",
        canPass: false)
    case .notEncrypted:
      self.init(
        "model-no-https", "The model's server doesn't speak https, so I sent nothing.",
        remedy: "If it is on this machine, try http:// instead.", canPass: false)
    case .unauthorized, .keyMissing, .outOfCredit: self = Failure(ofAccount: error)
    case .rateLimited, .overloaded:
      let time = SessionOutput.Notice.time(after: error.retryAfter)
      self.init(Self.busy, "The model is overloaded.", remedy: "Try again \(time).")
    case .serverError:
      self.init("model-server-error", "The model's server had an internal error.")
    case .gatewayError:
      self.init("gateway-failed", "A gateway or proxy in front of the model's server failed.")
    case .webPage, .redirected, .modelNotFound: self = Failure(ofAddress: error)
    case .promptTooLong:
      self.init(
        "conversation-too-long", "This conversation is longer than the model can read.",
        remedy: "Raise its server's context size, or choose another model with `rapport setup`.",
        canPass: false)
    case .timedOut:
      self.init("model-slow", "The model stopped answering.")
    case .badRequest:
      let reason = error.clue.map { ": \"\($0)\"" } ?? "."
      self.init(
        "request-rejected", "The model's server rejected my request\(reason)",
        remedy: "Another model may accept it: `rapport setup`.", canPass: false)
    case .truncated:
      self.init("model-failed", "The model's answer ended before it began.")
    case .tooLarge:
      self.init("model-failed", "The model's answer was far too long, so I stopped reading it.")
    case .protocolViolation:
      self.init("model-failed", "The model's answer didn't make sense to me.")
    }
  }

  private init(ofAccount error: ModelError) {
    switch error.kind {
    case .keyMissing where error.isDenied:
      self.init(
        "key-missing", "The model's server denied access, and no key is set.",
        remedy: "If it needs one, add it with `rapport setup`.", canPass: false)
    case .keyMissing:
      self.init(
        "key-missing", "The model's server needs a key, and none is set.",
        remedy: "Add one with `rapport setup`.", canPass: false)
    case .outOfCredit:
      self.init(
        "out-of-credit", "Your account with the model's provider is out of credit.",
        remedy: "Add credit there, or choose another provider with `rapport setup`.",
        canPass: false)
    default:
      self.init(
        "key-refused", "The model's provider refused the key.",
        remedy: "Set a new one with `rapport setup`.", canPass: false)
    }
  }

  private init(ofAddress error: ModelError) {
    switch error.kind {
    case .webPage:
      let title = error.clue.map { " (\"\($0)\")" } ?? ""
      self.init(
        "web-page", "A web page\(title) answered instead of the model.",
        remedy: "If your network has a sign-in page, sign in there first. Otherwise check the "
          + "address with `rapport setup`.")
    case .redirected:
      self.init(
        "model-redirected",
        "The model's address redirects to \(error.clue ?? "another one"). I don't follow "
          + "redirects, because they would get your key.",
        remedy: "If that's where your model is, set that address with `rapport setup`.",
        canPass: false)
    default:
      let model = error.clue.map { "the model \"\($0)\"" } ?? "this model"
      self.init(
        "model-not-found",
        "The provider doesn't know \(model), or has no chat API at this address.",
        remedy: "`rapport models` lists the available models.", canPass: false)
    }
  }
}

extension ModelError {
  /// The server denied access, for want of a key or for another reason.
  fileprivate var isDenied: Bool { status == 403 }
}
