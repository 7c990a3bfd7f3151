/// The status and headers.
struct ResponseHead: Sendable, Equatable {
  var status: Int
  var headers: HTTPHeaders
}

/// Reads header lines as libcurl delivers them: one line per call, an empty one at the end, and the
/// same for each interim (1xx) response before the final one.
struct ResponseHeadReader {
  enum Progress: Equatable {
    case reading
    case complete(ResponseHead)
    case failed(HTTPError.Code, String)
  }

  private let limit: Int
  private var received = 0
  private var status = 0
  private var headers = HTTPHeaders()
  private var isComplete = false

  init(limit: Int) {
    self.limit = limit
  }

  mutating func receive(line: UnsafeRawBufferPointer) -> Progress {
    received += line.count
    guard received <= limit else {
      return .failed(.tooLarge(.headerBytes), "the headers are longer than \(limit) bytes")
    }
    // Trailers follow the body; nothing here needs them.
    guard !isComplete else { return .reading }
    let text = Self.trimmed(line)
    if text.isEmpty { return finish() }
    if text.starts(with: "HTTP/".utf8) {
      startResponse(text)
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      headers.append(
        String(decoding: text[..<colon], as: UTF8.self),
        String(decoding: Self.trimmed(text[(colon + 1)...]), as: UTF8.self))
    }
    return .reading
  }

  private mutating func startResponse(_ line: Slice<UnsafeRawBufferPointer>) {
    headers = HTTPHeaders()
    let afterVersion = line.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }
    let digits = afterVersion.prefix { $0.isASCIIDigit }
    status = Int(String(decoding: digits.prefix(3), as: UTF8.self)) ?? 0
  }

  private mutating func finish() -> Progress {
    guard status >= 200 else { return .reading }
    isComplete = true
    let codings = headers.values(for: "content-encoding").filter {
      !$0.isEmpty && !$0.equalsIgnoringASCIICase("identity")
    }
    guard codings.isEmpty else {
      return .failed(
        .unsupportedEncoding, "the body is compressed, although no compression was requested")
    }
    return .complete(ResponseHead(status: status, headers: headers))
  }

  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
    trimmed(bytes[...])
  }

  private static func trimmed(
    _ bytes: Slice<UnsafeRawBufferPointer>
  ) -> Slice<UnsafeRawBufferPointer> {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
    var end = bytes.endIndex
    while end > bytes.startIndex, isSpace(bytes[end - 1]) { end -= 1 }
    return bytes[..<end].drop(while: isSpace)
  }
}
