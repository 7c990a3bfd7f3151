import HTTPStreaming

/// Turns the bytes of a reply's body into text, in any form: events, one JSON document, or one JSON
/// document per line. A value: no I/O.
struct ReplyBodyReader<Decoder: ReplyDecoder> {
  private enum Form {
    case undecided([UInt8])
    case events
    case json(JSONLines)
  }

  private(set) var decoder = Decoder()
  private let detector: AnswerFormatDetector
  private var form = Form.undecided([])
  private var parser = ServerSentEventParser()

  init(status: Int, contentType: String?) {
    detector = AnswerFormatDetector(status: status, contentType: contentType)
  }

  /// Whether the body is JSON instead of events.
  var isDocument: Bool { if case .json = form { true } else { false } }

  /// Whether anything that follows is ignored.
  var isEnded: Bool { decoder.reply.isEnded }

  mutating func receive(
    _ bytes: [UInt8], into text: inout [UInt8]
  ) throws(DecodingFailure) {
    switch form {
    case .events: try receiveEvents(bytes, into: &text)
    case .json: try receiveJSON(bytes, into: &text)
    case .undecided(let before): try decide(before + bytes, into: &text)
    }
  }

  /// The body has ended.
  mutating func end(into text: inout [UInt8]) throws(DecodingFailure) {
    switch form {
    case .json(var lines):
      form = .json(JSONLines())
      try read(lines.takeRest(), isLast: true, into: &text)
    case .undecided(let bytes) where detector.format(of: bytes) != nil: throw Self.unreadable(bytes)
    case .undecided, .events: break
    }
  }

  private mutating func decide(
    _ bytes: [UInt8], into text: inout [UInt8]
  ) throws(DecodingFailure) {
    switch detector.format(of: bytes) {
    case nil where bytes.count < 4096: form = .undecided(bytes)
    // A web page tells itself by its first words.
    case .unknown? where bytes.count < 1024 && Self.beginsLikeAPage(bytes): form = .undecided(bytes)
    case .eventStream?:
      form = .events
      try receiveEvents(bytes, into: &text)
    case .json?:
      form = .json(JSONLines())
      try receiveJSON(bytes, into: &text)
    case .unknown?, nil:
      throw Self.unreadable(bytes)
    }
  }

  private static func beginsLikeAPage(_ bytes: [UInt8]) -> Bool {
    bytes.first { $0 > 0x20 && $0 < 0x80 } == UInt8(ascii: "<")
  }

  private static func unreadable(_ bytes: [UInt8]) -> DecodingFailure {
    if let page = ProviderFailure(page: bytes) { return .provider(page) }
    let start = ProviderFailure(status: 200, body: Array(bytes.prefix(2_000))).message
    return .format("the answer is neither events nor JSON: \(start)")
  }

  private mutating func receiveEvents(
    _ bytes: [UInt8], into text: inout [UInt8]
  ) throws(DecodingFailure) {
    do {
      try bytes.withUnsafeBytes { bytes in
        try parser.receive(bytes) { event in
          switch event.field {
          case .error: throw decoder.failure(inErrorLine: event.bytes)
          case .data: try decoder.receive(event.bytes, type: event.namedType, into: &text)
          }
        }
      }
    } catch let failure as DecodingFailure {
      throw failure
    } catch {
      throw .format("\(error)")
    }
  }

  private mutating func receiveJSON(
    _ bytes: [UInt8], into text: inout [UInt8]
  ) throws(DecodingFailure) {
    guard case .json(var lines) = form else { return }
    form = .events
    let ready = lines.receive(bytes)
    let limit = parser.eventByteLimit
    guard lines.heldCount <= limit else {
      throw .format("a JSON document of the reply is longer than the limit of \(limit) bytes")
    }
    form = .json(lines)
    for line in ready { try read(line, isLast: false, into: &text) }
  }

  private mutating func read(
    _ line: [UInt8], isLast: Bool, into text: inout [UInt8]
  ) throws(DecodingFailure) {
    let result = line.withUnsafeBytes { bytes in
      Result { () throws(DecodingFailure) in
        // A cut last line is no violation: other code decides whether the answer is complete.
        guard !isLast || JSONLines.isDocument(bytes) else { return }
        try JSONLines.forEachDocument(in: bytes) { document throws(DecodingFailure) in
          try decoder.receive(document, type: nil, into: &text)
        }
      }
    }
    try result.get()
  }
}

extension ServerSentEvent {
  /// The type, unless it is the default.
  fileprivate var namedType: String? {
    let type = type
    return type == "message" ? nil : type
  }
}
