public import HTTPStreaming
import IncrementalJSON
public import LanguageModels

/// What a server sends for one request: the status line, the headers, then bytes at set times.
///
/// The in-process player and the mock server both follow it exactly.
public struct Delivery: Hashable, Sendable {
  public struct Part: Hashable, Sendable {
    /// Milliseconds since the head.
    public var at: Int
    public var bytes: [UInt8]

    public init(at: Int, _ bytes: [UInt8]) {
      self.at = at
      self.bytes = bytes
    }
  }

  public var status: Int
  public var headers: HTTPHeaders
  public var parts: [Part]
  public var ending: RecordedResponse.Ending
  /// Not even the head is sent.
  public var isSilent = false
  /// Sends each part in a separate write, even without a pause between them.
  public var keepsParts = false

  public init(
    status: Int, headers: HTTPHeaders, parts: [Part],
    ending: RecordedResponse.Ending = .whole
  ) {
    self.status = status
    self.headers = headers
    self.parts = parts
    self.ending = ending
  }

  /// How many bytes the body has.
  public var byteCount: Int { parts.reduce(0) { $0 + $1.bytes.count } }

  /// - Parameters:
  ///   - format: The server's wire format.
  ///   - isStreaming: Whether the request asked for a stream. If not, recorded frames that form a
  ///     whole answer become one document; other frames are sent as they are.
  ///   - fault: The fault to apply.
  ///   - seed: The random seed for faults.
  ///   - now: Seconds since 1970, for faults that name a time.
  public init(
    _ response: RecordedResponse, format: WireFormat, model: String, isStreaming: Bool = true,
    fault: Fault? = nil, seed: UInt64 = 0, now: Int = Self.recordedNow
  ) {
    let scene = FaultScene(format: format, model: model, isStreaming: isStreaming, now: now)
    var response = response
    if !isStreaming, let answer = response.answer(format) { response.content = .answer(answer) }
    let broken = fault?.breaking(response, scene) ?? response
    let type: String
    switch broken.content {
    case .answer(let answer) where !isStreaming:
      parts = [
        Part(at: ReplyFrames.firstPiece, scene.writer.document(answer).serializedBytes())
      ]
      type = "application/json"
    case .answer(let answer):
      parts = scene.writer.frames(answer).map { Part(at: $0.at, $0.wireBytes) }
      type = "text/event-stream"
    case .frames(let frames):
      parts = frames.map { Part(at: $0.at, $0.wireBytes) }
      type = "text/event-stream"
    case .body(let body):
      parts = body.isEmpty ? [] : [Part(at: 0, Array(body.utf8))]
      type = broken.documentType
    }
    status = broken.status
    headers = broken.headers
    ending = broken.ending
    headers.addIfMissing("content-type", type)
    fault?.disturb(&self, seed: seed)
  }

  /// The server's time if none is given: 2026-01-05T08:00:00Z.
  public static let recordedNow = 1_767_600_000
}

extension HTTPHeaders {
  package mutating func addIfMissing(_ name: String, _ value: String) {
    if self[name] == nil { append(name, value) }
  }
}

extension RecordedResponse {
  /// The content type of a body that is not a stream.
  var documentType: String {
    guard case .body(let body) = content, body.utf8.first == UInt8(ascii: "<") else {
      return "application/json"
    }
    return "text/html"
  }
}
