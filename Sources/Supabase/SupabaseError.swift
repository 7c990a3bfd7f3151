/// Why a request to the project failed. Contains no token, code, address or row.
public struct SupabaseError: Error, Hashable, Sendable {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    // Signing in.
    case emailInvalid = "email-invalid"
    /// The project sends email only to its own team.
    case emailNotAuthorized = "email-not-authorized"
    case wrongCode = "wrong-code"
    /// A new code was asked for too soon, or the project sent too many emails.
    case emailLimit = "email-limit"
    case tooManyRequests = "too-many-requests"
    case signupsOff = "signups-off"
    case emailSignInOff = "email-sign-in-off"
    case captcha
    case banned
    // The session.
    /// Nobody is signed in here.
    case notSignedIn = "not-signed-in"
    /// The session has ended: it expired, was ended elsewhere, or its token was used by somebody
    /// else.
    case signedOut = "signed-out"
    /// The access token was refused. A refresh may help.
    case tokenRefused = "token-refused"
    case cannotStore = "cannot-store"
    // Rows.
    /// A row policy refused the row.
    case notAllowed = "not-allowed"
    /// The row, or its table, is not what the project expects. Sending it again cannot help.
    case rowRefused = "row-refused"
    // The project.
    case wrongKey = "wrong-key"
    case unreachable
    case insecure
    case timedOut = "timed-out"
    case serverError = "server-error"
    case unexpected
  }

  public var code: Code
  /// Whether a code was sent before that may still be good.
  public var hasEarlierCode = false
  /// How long the project wants to be left alone.
  public var wait: Duration?
  /// The response's status, if there was one.
  public var status: Int?
  /// For engineers: the project's error code and message.
  public var detail: String
  /// The host and port.
  public var host: String

  public init(
    _ code: Code, wait: Duration? = nil, status: Int? = nil, detail: String = "", host: String = ""
  ) {
    self.code = code
    self.wait = wait
    self.status = status
    self.detail = detail
    self.host = host
  }

  /// Whether the same request may succeed later.
  public var isPassing: Bool {
    switch code {
    case .unreachable, .timedOut, .serverError, .tooManyRequests, .emailLimit, .unexpected: true
    default: false
    }
  }
}

extension SupabaseError: CustomStringConvertible {
  public var description: String {
    let answer = [status.map { "\($0)" }, detail.isEmpty ? nil : detail].compactMap(\.self)
    return "\(host): \(code.rawValue)"
      + (answer.isEmpty ? "" : " (\(answer.joined(separator: " ")))")
  }

  /// The message for the person.
  public var userMessage: String {
    switch code {
    case .emailInvalid: "That doesn't look like an email address I can write to. Please check it."
    case .emailNotAuthorized:
      "This project can't write to that address yet: it only sends to its own team until it has its "
        + "own mail server."
    case .wrongCode:
      "That code is wrong or has expired. Check the latest email, or ask me for a new code."
    case .emailLimit:
      limitWords
    case .tooManyRequests:
      "That was too many tries in a row. Please wait \(wait?.inWords ?? "a few minutes"), then try "
        + "again."
    case .signupsOff:
      "This project doesn't take new accounts at the moment. If you have one, use the address you "
        + "signed up with."
    case .emailSignInOff: "This project doesn't sign people in by email."
    case .captcha:
      "This project asks for a captcha, which I can't show. Please sign in with its app."
    case .banned: "This account is blocked. Please contact the people who run \(host)."
    case .notSignedIn: "You aren't signed in. `rapport account sign-in` signs you in."
    case .signedOut:
      "Your sign-in has ended, so please sign in again with `rapport account sign-in`. Everything is "
        + "still here."
    case .tokenRefused:
      "\(host) didn't accept your sign-in. Please sign in again with `rapport account sign-in`."
    case .cannotStore: "I couldn't store your sign-in: \(detail)."
    case .notAllowed:
      "\(host) doesn't allow your account to store this. Its row policies need a change."
    case .rowRefused: "\(host) can't store this as it is (\(detail))."
    case .wrongKey:
      "\(host) doesn't accept this app's key. Check SUPABASE_URL and SUPABASE_ANON_KEY."
    case .unreachable: "I can't reach \(host). Nothing is lost; I'll need a connection for this."
    case .insecure:
      "\(host) doesn't prove who it is (\(detail)), so I sent nothing. Check SUPABASE_URL."
    case .timedOut: "\(host) took too long to answer. Please try again in a moment."
    case .serverError: "\(host) is having trouble right now. Please try again in a while."
    case .unexpected: "\(host) gave an answer that I don't understand (\(detail))."
    }
  }
}

extension SupabaseError {
  private var limitWords: String {
    let isFirst = !hasEarlierCode
    guard let wait else {
      let advice = isFirst ? "Please" : "The one you have may still work; please"
      return "Too many codes were sent from here for now. \(advice) try again in an hour."
    }
    return isFirst
      ? "Too many codes were asked for here, so I couldn't send you one. Please try again in "
        + "\(wait.inWords)."
      : "I can send the next code in \(wait.inWords). The one you have still works."
  }
}

extension Duration {
  /// Rounded up, such as "41 seconds" or "2 minutes".
  package var inWords: String {
    let seconds = max(1, Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0))
    guard seconds > 90 else { return seconds == 1 ? "1 second" : "\(seconds) seconds" }
    let minutes = (seconds + 59) / 60
    guard minutes > 90 else { return "\(minutes) minutes" }
    return "\((minutes + 59) / 60) hours"
  }
}
