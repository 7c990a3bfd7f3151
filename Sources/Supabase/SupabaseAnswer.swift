import FoundationEssentials
import HTTPStreaming
import IncrementalJSON
import LanguageModels

/// Reads the error documents of the project's three servers: GoTrue, in both of its forms,
/// PostgREST, and the gateway in front of them.
struct SupabaseAnswer {
  var status: Int
  var headers: HTTPHeaders
  var body: [UInt8]

  var json: JSONValue? { try? JSONValue(parsing: body, invalidText: .replaced) }

  /// - Parameter now: For waits given as a time of day.
  func error(host: String, now: Date) -> SupabaseError {
    let json = json
    let names = [json?["code"]?.stringValue, json?["error_code"]?.stringValue]
    let name = names.compactMap(\.self).first ?? json?["error"]?.stringValue ?? ""
    let texts = ["message", "msg", "error_description"].lazy.compactMap { json?[$0]?.stringValue }
    let message = texts.first ?? ""
    return SupabaseError(
      code(name, message), wait: wait(message, now: now), status: status,
      detail: Self.shown(name.isEmpty ? message : name), host: host)
  }

  private func code(_ name: String, _ message: String) -> SupabaseError.Code {
    if let known = Self.names[name] { return known }
    switch name {
    case "validation_failed": return message.contains("email") ? .emailInvalid : .unexpected
    case "invalid_grant": return .signedOut
    // Missing, malformed or expired tokens; the digits differ between versions of PostgREST.
    case "PGRST300", "PGRST301", "PGRST302", "PGRST303": return .tokenRefused
    // If no role is named, a refused row means that nobody is signed in.
    case "42501": return status == 401 ? .tokenRefused : .notAllowed
    default: return byStatus(message)
    }
  }

  private func isAboutKey(_ message: String) -> Bool {
    message.lowercased().contains("api key")
  }

  private func byStatus(_ message: String) -> SupabaseError.Code {
    switch status {
    case 401 where isAboutKey(message), 403 where isAboutKey(message): .wrongKey
    case 401: .tokenRefused
    case 403: .notAllowed
    case 408, 500...: .serverError
    case 429: .tooManyRequests
    case 400...499: .rowRefused
    default: .unexpected
    }
  }

  /// Error codes of GoTrue.
  private static let names: [String: SupabaseError.Code] = [
    "otp_expired": .wrongCode, "over_email_send_rate_limit": .emailLimit,
    "over_request_rate_limit": .tooManyRequests, "email_address_invalid": .emailInvalid,
    "email_address_not_authorized": .emailNotAuthorized, "signup_disabled": .signupsOff,
    "otp_disabled": .signupsOff, "email_provider_disabled": .emailSignInOff,
    "captcha_failed": .captcha, "user_banned": .banned, "session_not_found": .signedOut,
    "session_expired": .signedOut, "refresh_token_not_found": .signedOut,
    "refresh_token_already_used": .signedOut, "user_not_found": .signedOut,
    "bad_jwt": .tokenRefused, "no_authorization": .tokenRefused,
    "unexpected_failure": .serverError, "request_timeout": .serverError,
    "hook_timeout": .serverError, "conflict": .serverError,
  ]

  /// In the headers, or in GoTrue's sentence "… only request this after 41 seconds."
  private func wait(_ message: String, now: Date) -> Duration? {
    if let wait = WaitHints(headers: headers, status: status, now: now).delay { return wait }
    guard let range = message.firstRange(of: " after "), status == 429 else { return nil }
    let digits = message[range.upperBound...].prefix { $0.isASCII && $0.isNumber }
    return Int(digits).map { .seconds(min($0, 86_400)) }
  }

  /// A project's words are text for an engineer: short, and on one line.
  private static func shown(_ text: String) -> String {
    let plain = text.unicodeScalars.map { scalar -> Character in
      scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? " " : Character(scalar)
    }
    return String(String(plain).prefix(120))
  }
}

extension SupabaseError {
  init(_ error: HTTPError, host: String) {
    let code: Code =
      switch error.code {
      case .tls, .notTLS: .insecure
      case let code where code.isTimeout: .timedOut
      case .unsupportedProtocol, .unsupportedEncoding: .unexpected
      case let code where code.isTooLarge: .unexpected
      default: .unreachable
      }
    self.init(code, detail: error.detail, host: host)
  }
}
