import Synchronization

/// A request that passed every check and can go to libcurl unchanged.
struct PreparedRequest: Sendable {
  let method: HTTPMethod
  let url: HTTPURL
  /// Header lines in libcurl's notation.
  let headerLines: [String]
  /// Released once libcurl has its copy.
  private(set) var body: [UInt8]
  let timeouts: HTTPTimeouts
  let limits: HTTPLimits

  init(_ request: HTTPRequest, _ urls: CheckedURLs) throws(HTTPError) {
    do throws(HTTPURLError) {
      url = try urls.check(request.url)
    } catch {
      throw HTTPError(.refusedURL, error.description, host: error.host)
    }
    method = request.method
    headerLines = try Self.lines(for: request)
    body = request.body
    timeouts = request.timeouts
    limits = request.limits
  }

  /// The request without its body, for as long as its response lasts.
  var sent: PreparedRequest {
    var sent = self
    sent.body = []
    return sent
  }

  private static func lines(for request: HTTPRequest) throws(HTTPError) -> [String] {
    var lines: [String] = []
    for (index, field) in request.headers.fields.enumerated() {
      try check(field, position: index + 1)
      // libcurl reads "Name:" as "leave the header out" and "Name;" as "send it empty".
      lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    guard request.method == .post else { return lines }
    // Without these, libcurl claims a form and waits for "100 Continue" before a long body.
    if request.headers["content-type"] == nil { lines.append("Content-Type:") }
    if request.headers["expect"] == nil { lines.append("Expect:") }
    return lines
  }

  /// libcurl sends names and values verbatim, including line ends.
  private static func check(
    _ field: HTTPHeaders.Field, position: Int
  ) throws(HTTPError) {
    let allowed: (UInt8) -> Bool = {
      $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0)
    }
    guard !field.name.isEmpty, field.name.utf8.allSatisfy(allowed) else {
      throw HTTPError(.refusedHeader, "the name of header \(position) is not a valid header name")
    }
    for (offset, scalar) in field.value.unicodeScalars.enumerated() {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      guard !isControl || scalar == "\t" else {
        throw HTTPError(
          .refusedHeader,
          "header \(field.name) has a control character at position \(offset + 1) of its value")
      }
    }
  }
}

/// Remembers the last URL that passed the checks: most requests of a client go to the same one.
final class CheckedURLs: Sendable {
  private let last = Mutex<(text: String, url: HTTPURL)?>(nil)

  func check(_ text: String) throws(HTTPURLError) -> HTTPURL {
    if let last = last.withLock(\.self), last.text.utf8.elementsEqual(text.utf8) {
      return last.url
    }
    let url = try HTTPURL(validating: text)
    last.withLock { $0 = (text, url) }
    return url
  }
}
