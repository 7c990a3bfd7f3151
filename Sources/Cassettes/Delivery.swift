import IncrementalJSON
public import LanguageModels

/// What a server does with one request: the status line, the headers, then bytes at their times.
///
/// The player in the process and the mock server both follow it to the letter.
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
  public var headers: [RecordedResponse.Header]
  public var parts: [Part]
  public var ending: RecordedResponse.Ending
  /// Not even the head is sent.
  public var isSilent = false
  /// Each part is a write of its own, even where nothing is waited for between two.
  public var keepsParts = false

  public init(
    status: Int, headers: [RecordedResponse.Header], parts: [Part],
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
  ///   - format: How the server speaks.
  ///   - isStreaming: What the request asked for; recorded frames come as they are all the same.
  ///   - fault: What goes wrong on the way.
  ///   - seed: Decides what chance decides in a fault.
  public init(
    _ response: RecordedResponse, format: WireFormat, model: String, isStreaming: Bool = true,
    fault: Fault? = nil, seed: UInt64 = 0
  ) {
    let broken = fault?.breaking(response, format: format, model: model) ?? response
    let writer = ReplyFrames(format: format, model: model)
    var type = "text/event-stream"
    switch broken.content {
    case .answer(let answer) where !isStreaming:
      parts = [Part(at: ReplyFrames.firstPiece, writer.document(answer).serializedBytes())]
      type = "application/json"
    case .answer(let answer):
      parts = writer.frames(answer).map { Part(at: $0.at, $0.wireBytes) }
    case .frames(let frames): parts = frames.map { Part(at: $0.at, $0.wireBytes) }
    case .body(let body):
      parts = body.isEmpty ? [] : [Part(at: 0, Array(body.utf8))]
      type = body.utf8.first == UInt8(ascii: "<") ? "text/html" : "application/json"
    }
    status = broken.status
    headers = broken.headers
    ending = broken.ending
    if !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
      headers.insert(RecordedResponse.Header("content-type", type), at: 0)
    }
    fault?.disturb(&self, seed: seed)
  }
}
