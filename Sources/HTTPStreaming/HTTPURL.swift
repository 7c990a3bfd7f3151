import Glibc

/// An `https` URL, or an `http` one on this machine, that is safe to send a key to.
///
/// The check is stricter than RFC 3986 wherever leniency hides the real host: no user information,
/// backslash, fragment, or character outside printable ASCII, and no address notation that only
/// some parsers understand.
public struct HTTPURL: Hashable, Sendable {
  public enum Scheme: String, Hashable, Sendable {
    case https, http
  }

  public let scheme: Scheme
  /// In lower case; an IPv6 address has no brackets.
  public let host: String
  /// The port to connect to, whether it was written or not.
  public let port: Int
  /// The path as written; may be empty.
  public let path: String
  /// What follows the `?`, or nil. May contain a secret.
  public let query: String?
  /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or ::1.
  public let isLoopback: Bool
  private let isPortWritten: Bool

  /// - Throws: ``HTTPURLError``, whose description says what to change and omits anything written
  ///   before an `@`.
  public init(validating text: String) throws(HTTPURLError) {
    try Self.checkCharacters(text)
    let (scheme, afterScheme) = try Self.splitScheme(text)
    let end = afterScheme.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? afterScheme.endIndex
    let authority = try Authority(afterScheme[..<end])
    let tail = afterScheme[end...]
    guard !tail.contains("#") else { throw HTTPURLError(.fragment) }

    self.scheme = scheme
    host = authority.host
    isLoopback = Self.isLoopback(host)
    isPortWritten = authority.port != nil
    port = authority.port ?? (scheme == .https ? 443 : 80)
    let mark = tail.firstIndex(of: "?")
    path = String(tail[..<(mark ?? tail.endIndex)])
    query = mark.map { String(tail[tail.index(after: $0)...]) }
    guard scheme == .https || isLoopback else { throw HTTPURLError(.insecure, host: host) }
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" { return true }
    if let octets = dottedOctets(host) { return octets[0] == 127 }
    return IPv6Address(host)?.isLoopback ?? false
  }

  /// Host and port as they appear in a URL and in messages, such as `[::1]:8080`.
  public var authority: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return isPortWritten ? "\(name):\(port)" : name
  }

  /// The URL up to its path, which is safe to show and log.
  public var withoutQuery: String { "\(scheme.rawValue)://\(authority)\(path)" }
}

extension HTTPURL: CustomStringConvertible {
  /// The URL to request, including its query.
  public var description: String { withoutQuery + (query.map { "?\($0)" } ?? "") }
}

extension HTTPURL {
  private static func checkCharacters(_ text: String) throws(HTTPURLError) {
    guard !text.isEmpty else { throw HTTPURLError(.empty) }
    for (offset, scalar) in text.unicodeScalars.enumerated() {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      if isControl { throw HTTPURLError(.control(position: offset + 1)) }
      if scalar == " " { throw HTTPURLError(.space(position: offset + 1)) }
      if scalar == "\\" { throw HTTPURLError(.backslash(position: offset + 1)) }
      if !scalar.isASCII { throw HTTPURLError(.notASCII(position: offset + 1)) }
    }
  }

  private static func splitScheme(_ text: String) throws(HTTPURLError) -> (Scheme, Substring) {
    // A host and port, `localhost:8080`, has a colon but no scheme.
    let isSchemeByte: (UInt8) -> Bool = { $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }
    let name = text.utf8.prefix(while: isSchemeByte)
    let rest = text.utf8[name.endIndex...]
    guard rest.starts(with: "://".utf8) else {
      let other = String(Substring(name)).lowercased()
      let isKnownOther = rest.first == UInt8(ascii: ":") && knownOtherSchemes.contains(other)
      throw HTTPURLError(isKnownOther ? .scheme(other) : .noScheme)
    }
    let lowered = String(Substring(name)).lowercased()
    guard let scheme = Scheme(rawValue: lowered) else { throw HTTPURLError(.scheme(lowered)) }
    return (scheme, Substring(rest.dropFirst(3)))
  }

  private static let knownOtherSchemes: Set = [
    "https", "http", "file", "data", "javascript", "mailto", "ftp",
  ]

  /// The four numbers of an address in the only notation all parsers agree on.
  fileprivate static func dottedOctets(_ host: String) -> [UInt8]? {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    let octets = parts.compactMap { part -> UInt8? in
      guard part.utf8.allSatisfy(\.isASCIIDigit), part == "0" || part.first != "0" else {
        return nil
      }
      return UInt8(part)
    }
    return octets.count == 4 ? octets : nil
  }
}

/// Host and port, as written between `//` and the path.
private struct Authority {
  let host: String
  let port: Int?

  init(_ text: Substring) throws(HTTPURLError) {
    if let at = text.lastIndex(of: "@") {
      let real = try? Authority(text[text.index(after: at)...])
      throw HTTPURLError(.userInformation, host: real?.host)
    }
    let (name, portText) = try Self.split(text)
    guard !name.isEmpty else { throw HTTPURLError(.noHost) }
    host = name.lowercased()
    port = try portText.map { digits throws(HTTPURLError) in try Self.port(digits, host: name) }
  }

  private static func split(_ text: Substring) throws(HTTPURLError) -> (String, Substring?) {
    guard text.first == "[" else {
      let colon = text.firstIndex(of: ":") ?? text.endIndex
      let name = String(text[..<colon])
      try checkName(name)
      return (name, colon < text.endIndex ? text[text.index(after: colon)...] : nil)
    }
    guard let close = text.firstIndex(of: "]") else { throw HTTPURLError(.host) }
    let address = String(text[text.index(after: text.startIndex)..<close])
    let rest = text[text.index(after: close)...]
    guard IPv6Address(address) != nil, rest.isEmpty || rest.first == ":" else {
      throw HTTPURLError(.host)
    }
    return (address, rest.isEmpty ? nil : rest.dropFirst())
  }

  private static func checkName(_ name: String) throws(HTTPURLError) {
    let allowed: (UInt8) -> Bool = { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
    guard name.utf8.count <= 253, name.utf8.allSatisfy(allowed), !name.hasPrefix("."),
      !name.contains("..")
    else { throw HTTPURLError(.host) }
    // 127.1, 0x7f.1 and 2130706433 are addresses to some parsers and names to others.
    let last = name.split(separator: ".").last.map(String.init) ?? ""
    let looksNumeric = last.utf8.allSatisfy(\.isASCIIDigit) || last.lowercased().hasPrefix("0x")
    guard name.isEmpty || !looksNumeric || HTTPURL.dottedOctets(name) != nil else {
      throw HTTPURLError(.ambiguousAddress, host: name)
    }
  }

  private static func port(_ digits: Substring, host: String) throws(HTTPURLError) -> Int {
    guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isASCIIDigit),
      let port = Int(digits), (1...65535).contains(port)
    else { throw HTTPURLError(.port, host: host) }
    return port
  }
}

private struct IPv6Address {
  let bytes: [UInt8]

  init?(_ text: String) {
    var address = in6_addr()
    guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    bytes = withUnsafeBytes(of: &address) { Array($0) }
  }

  var isLoopback: Bool { bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 }
}

extension UInt8 {
  var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
  var isASCIILetterOrDigit: Bool {
    isASCIIDigit || (0x61...0x7A).contains(asciiLowercased)
  }
}

extension String {
  /// With everything escaped but RFC 3986's unreserved characters.
  package var percentEncoded: String {
    utf8.map { byte -> String in
      if byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte) {
        return String(Unicode.Scalar(byte))
      }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
