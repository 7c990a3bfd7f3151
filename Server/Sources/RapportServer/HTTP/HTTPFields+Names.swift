import HTTPTypes

extension HTTPField.Name {
  /// A literal that is a valid name; anything else would be a bug here, so it falls back to one that
  /// no client sends.
  static func name(_ text: String) -> HTTPField.Name {
    HTTPField.Name(text) ?? .upgrade
  }

  static let referrerPolicy = name("Referrer-Policy")
  static let crossOriginOpenerPolicy = name("Cross-Origin-Opener-Policy")
  static let secFetchSite = name("Sec-Fetch-Site")
  static let lastEventID = name("Last-Event-ID")
  static let forwardedFor = name("X-Forwarded-For")
  static let forwardedProto = name("X-Forwarded-Proto")
  static let accelBuffering = name("X-Accel-Buffering")
}
