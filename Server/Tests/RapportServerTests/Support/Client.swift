import IncrementalJSON
import NIOCore
import NIOHTTP1
import NIOPosix

/// A small HTTP client that sends what it's told and reads at the test's pace.
struct Client: Sendable {
  var port: Int
  var headers: [(String, String)] = []

  /// A response whose headers have arrived.
  struct Reply {
    var status: Int
    var headers: HTTPHeaders
    fileprivate var parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
    fileprivate var channel: any Channel

    /// The next bytes; nil at the end.
    mutating func next() async throws -> String? {
      while let part = try await parts.next() {
        switch part {
        case .head: continue
        case .body(let buffer): return String(buffer: buffer)
        case .end: return nil
        }
      }
      return nil
    }

    mutating func text() async throws -> String {
      var text = ""
      while let more = try await next() { text += more }
      return text
    }

    /// Breaks the connection.
    func hangUp() async { try? await channel.close().get() }
  }

  /// Sends a request and gives the reply to the body; closes the connection after it.
  func send<Value: Sendable>(
    _ method: HTTPMethod, _ path: String, _ extra: [(String, String)] = [], body: [UInt8]? = nil,
    _ read: @Sendable (inout Reply) async throws -> Value
  ) async throws -> Value {
    let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
            wrappingChannelSynchronously: channel)
        }
      }
    return try await connection.executeThenClose { inbound, outbound in
      var fields = HTTPHeaders(headers + extra)
      if !fields.contains(name: "host") { fields.add(name: "host", value: "127.0.0.1:\(port)") }
      if let body { fields.add(name: "content-length", value: "\(body.count)") }
      try await outbound.write(
        .head(.init(version: .http1_1, method: method, uri: path, headers: fields)))
      if let body { try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
      try await outbound.write(.end(nil))
      var parts = inbound.makeAsyncIterator()
      guard case .head(let head) = try await parts.next() else { throw NoReply() }
      var reply = Reply(
        status: Int(head.status.code), headers: head.headers, parts: parts,
        channel: connection.channel)
      return try await read(&reply)
    }
  }

  struct NoReply: Error {}

  /// Sends JSON and reads the whole answer.
  func json(
    _ method: HTTPMethod, _ path: String, _ json: JSONValue? = nil,
    _ extra: [(String, String)] = []
  ) async throws -> Answer {
    let type = json == nil ? [] : [("content-type", "application/json")]
    return try await send(
      method, path, type + extra, body: json.map { Array($0.serialized().utf8) }
    ) { reply in
      let text = try await reply.text()
      return Answer(status: reply.status, headers: reply.headers, text: text)
    }
  }

  struct Answer: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var text: String
    var json: JSONValue { (try? JSONValue(parsing: text)) ?? .null }
    var code: String? { json["error"]?["code"]?.stringValue }
  }
}

/// One event of a stream.
struct Event: Hashable, Sendable {
  var id: String
  var name: String
  var data: JSONValue

  subscript(name: String) -> JSONValue? { data[name] }
}

/// Reads server-sent events.
struct EventReader: Sendable {
  private var rest = ""
  private(set) var comments = 0

  mutating func events(in text: String) -> [Event] {
    rest += text
    var events: [Event] = []
    while let end = rest.firstRange(of: "\n\n") {
      let block = rest[..<end.lowerBound]
      rest = String(rest[end.upperBound...])
      if block.hasPrefix(":") {
        comments += 1
        continue
      }
      var event = Event(id: "", name: "", data: .null)
      for line in block.split(separator: "\n") {
        let (field, value) = (line.prefix { $0 != ":" }, line.drop { $0 != ":" }.dropFirst(2))
        switch field {
        case "id": event.id = String(value)
        case "event": event.name = String(value)
        case "data": event.data = (try? JSONValue(parsing: String(value))) ?? .null
        default: break
        }
      }
      events.append(event)
    }
    return events
  }
}

extension Client {
  /// Talks, and reads the reply to its end.
  func chat(_ json: JSONValue) async throws -> [Event] {
    let (status, text) = try await send(
      .POST, "/chat-stream", [("content-type", "application/json")],
      body: Array(json.serialized().utf8)
    ) { reply in (reply.status, try await reply.text()) }
    guard status == 200 else { throw Refused(status: status, text: text) }
    var reader = EventReader()
    return reader.events(in: text)
  }

  /// Comes back to a conversation, and reads to the end.
  func resume(_ conversation: String, after id: String? = nil) async throws -> [Event] {
    let (status, text) = try await send(
      .GET, "/conversations/\(conversation)/stream", id.map { [("last-event-id", $0)] } ?? []
    ) { reply in (reply.status, try await reply.text()) }
    guard status == 200 else { throw Refused(status: status, text: text) }
    var reader = EventReader()
    return reader.events(in: text)
  }

  /// Comes back to a conversation, and hangs up after so many events.
  func resume(_ conversation: String, after id: String, upTo most: Int) async throws -> [Event] {
    try await send(.GET, "/conversations/\(conversation)/stream", [("last-event-id", id)]) {
      reply in
      guard reply.status == 200 else {
        throw Refused(status: reply.status, text: try await reply.text())
      }
      var reader = EventReader()
      var events: [Event] = []
      while events.count < most, let text = try await reply.next() {
        events += reader.events(in: text)
      }
      return Array(events.prefix(most))
    }
  }

  struct Refused: Error {
    var status: Int
    var text: String
  }
}

extension [Event] {
  var names: [String] { map(\.name) }
  var last: Event? { self[Swift.max(0, count - 1)...].first }
  func first(_ name: String) -> Event? { first { $0.name == name } }
  var conversation: String { first("done")?["conversation_id"]?.stringValue ?? "" }
}

/// What a client shows, as the documentation tells it to.
struct ClientView: Hashable, Sendable {
  struct Message: Hashable, Sendable {
    var role: String
    var text: String
  }

  private(set) var messages: [Message] = []
  private var start = 0
  private var partial: String?

  /// The user sends something.
  mutating func say(_ text: String?) {
    start = messages.count
    partial = nil
    if let text { messages.append(Message(role: "user", text: text)) }
  }

  /// The connection broke; the same request will be sent again.
  mutating func takeBack() {
    partial = nil
    messages.removeSubrange(start...)
  }

  mutating func apply(_ event: Event) {
    switch event.name {
    case "delta": partial = (partial ?? "") + (event["text"]?.stringValue ?? "")
    case "message":
      partial = nil
      // Asked again whenever the conversation is resumed, and not part of what is stored.
      guard event["purpose"]?.stringValue != "confirmation" else { return }
      messages.append(
        Message(role: event["role"]?.stringValue ?? "", text: event["text"]?.stringValue ?? ""))
    case "restart":
      partial = nil
      messages.removeSubrange(start...)
    default: break
    }
  }
}
