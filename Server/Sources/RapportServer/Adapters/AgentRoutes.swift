import HTTPTypes
import Hummingbird
import IncrementalJSON
import SessionStore

/// AG-UI: `POST /ag-ui` takes a run's input and answers with AG-UI events.
///
/// A thread is a conversation: its own id, or a name of the client's. Only the last user message
/// counts; earlier ones are in the store.
struct AgentRoutes: Sendable {
  let conversations: Conversations
  let readers: OpenReaders

  func add(to router: RouterGroup<AppContext>) {
    router.post("ag-ui") { request, context in
      let input = try AgentInput(try await request.json(upTo: 1 << 20))
      let seat = try readers.enter(context)
      let desk = conversations.desk.serving(context.caller.person)
      let id = try await conversation(input, desk)
      let chat = ChatRequest(
        input.act, conversation: id, clientMessageID: input.clientMessageID, beginsIfMissing: true)
      let run = try await conversations.reply(to: chat, by: context.caller)
      return try await seat.response(
        run, from: 0, AgentEncoder(thread: input.thread, run: input.run), context)
    }
  }

  private func conversation(_ input: AgentInput, _ desk: CoachDesk) async throws -> SessionID {
    let named = SessionID(rawValue: input.thread)
    if try await desk.store.contains(named) { return named }
    return try await desk.store.session(begunBy: "ag-ui/\(input.thread)")
  }
}

/// What a run gets, as far as it matters to a coach.
private struct AgentInput {
  var thread: String
  var run: String
  var act: ChatRequest.Act
  var clientMessageID: String?

  init(_ json: JSONValue) throws(Problem) {
    func text(_ name: String) throws(Problem) -> String {
      guard let text = json[name]?.stringValue, (1...256).contains(text.utf8.count) else {
        throw .badRequest("\(name) takes 1 to 256 bytes of text.", field: name)
      }
      return text
    }
    thread = try text("threadId")
    run = try text("runId")
    if let choice = json["forwardedProps"]?["choice"]?.stringValue {
      act = .choice(choice)
      return
    }
    guard let messages = json["messages"]?.arrayValue else {
      throw .badRequest("messages must be a list.", field: "messages")
    }
    let last = messages.last { $0["role"] == "user" }
    act =
      try last.map { message throws(Problem) in .message(try Self.text(of: message)) }
      ?? .firstMessage
    if let id = last?["id"]?.stringValue {
      clientMessageID = "ag-ui-" + SessionID(derivedFrom: id).rawValue
    }
  }

  /// Text, or the text parts of a message.
  static func text(of message: JSONValue) throws(Problem) -> String {
    if let text = message["content"]?.stringValue { return text }
    let parts = message["content"]?.arrayValue?.compactMap { part -> String? in
      part["type"] == "text" ? part["text"]?.stringValue : nil
    }
    guard let parts, !parts.isEmpty else {
      throw .badRequest("A message's content must have text.", field: "messages")
    }
    return parts.joined(separator: "\n")
  }
}

/// Turns the events of a reply into AG-UI's.
struct AgentEncoder: EventEncoder {
  let thread: String
  let run: String
  private var hasBegun = false
  private var message: String?
  /// What came while the message was open: clients let nothing come between its beginning and its end.
  private var held: [[(String, JSONValue)]] = []
  private var count = 0
  private var failure: JSONValue?
  private var notice: String?
  private var hasState = false

  init(thread: String, run: String) { (self.thread, self.run) = (thread, run) }

  var contentType: String { "text/event-stream; charset=utf-8" }
  var keepAlive: ByteBuffer { ByteBuffer(string: ": keep-alive\n\n") }

  mutating func write(_ data: String, name: String, id: String, to buffer: inout ByteBuffer) {
    guard let event = try? JSONValue(parsing: data) else { return }
    begin(&buffer)
    switch name {
    case "delta":
      start(&buffer)
      let piece = event["text"]?.stringValue ?? ""
      streamed.add(piece)
      content(piece, &buffer)
    case "message": finish(event, &buffer)
    case "understanding", "scored": state(name, event, &buffer)
    case "done": end(event, &buffer)
    case "notice":
      if event["level"] == "error" { failure = event } else { notice = event["text"]?.stringValue }
      custom(name, event, &buffer)
    case "paywall":
      custom(name, event, &buffer)
      say(CompletionEncoder.words(ofPaywall: event), &buffer)
    // Whoever sees a message being written knows that it isn't complete.
    case "waiting" where message != nil: break
    case "choices", "starters", "profile", "waiting", "restart", "resumed":
      if name == "restart" { stop(&buffer) }
      custom(name, event, &buffer)
    default: break
    }
  }

  private mutating func begin(_ buffer: inout ByteBuffer) {
    guard !hasBegun else { return }
    hasBegun = true
    put([("type", "RUN_STARTED"), ("threadId", .string(thread)), ("runId", .string(run))], &buffer)
  }

  private mutating func start(_ buffer: inout ByteBuffer) {
    guard message == nil else { return }
    count += 1
    let id = "\(run)-\(count)"
    message = id
    put(
      [("type", "TEXT_MESSAGE_START"), ("messageId", .string(id)), ("role", "assistant")], &buffer)
  }

  /// Sends the text as a separate message.
  private mutating func say(_ text: String, _ buffer: inout ByteBuffer) {
    stop(&buffer)
    start(&buffer)
    content(text, &buffer)
    stop(&buffer)
  }

  private func content(_ text: String, _ buffer: inout ByteBuffer) {
    // AG-UI allows no empty piece.
    guard let message, !text.isEmpty else { return }
    put(
      [
        ("type", "TEXT_MESSAGE_CONTENT"), ("messageId", .string(message)), ("delta", .string(text)),
      ], &buffer)
  }

  private mutating func stop(_ buffer: inout ByteBuffer) {
    guard let id = message else { return }
    message = nil
    put([("type", "TEXT_MESSAGE_END"), ("messageId", .string(id))], &buffer)
    for event in held { put(event, &buffer) }
    held = []
  }

  private mutating func finish(_ event: JSONValue, _ buffer: inout ByteBuffer) {
    guard event["role"] == "coach" else { return }
    let text = event["text"]?.stringValue ?? ""
    if message == nil {
      say(text, &buffer)
    } else {
      switch streamed.rest(of: text) {
      case .nothing: stop(&buffer)
      case .more(let rest):
        content(rest, &buffer)
        stop(&buffer)
      case .instead(let text): say(text, &buffer)
      }
    }
  }

  /// A snapshot first, then what changed.
  private mutating func state(_ name: String, _ event: JSONValue, _ buffer: inout ByteBuffer) {
    let value = name == "scored" ? event["components"] ?? .null : event["value"] ?? .null
    change([(name == "scored" ? "components" : "understanding", value)], &buffer)
  }

  private mutating func change(_ members: [(String, JSONValue)], _ buffer: inout ByteBuffer) {
    if !hasState {
      hasState = true
      var all: [(String, JSONValue)] = [("phase", .null), ("understanding", .null)]
      all.removeAll { old in members.contains { $0.0 == old.0 } }
      putAside(
        [("type", "STATE_SNAPSHOT"), ("snapshot", .object(JSONObject(all + members)))], &buffer)
      return
    }
    let patches = members.map { name, value -> JSONValue in
      ["op": "add", "path": .string("/" + name), "value": value]
    }
    putAside([("type", "STATE_DELTA"), ("delta", .array(patches))], &buffer)
  }

  private mutating func end(_ event: JSONValue, _ buffer: inout ByteBuffer) {
    stop(&buffer)
    // At the paywall, a notice can be the whole answer.
    if count == 0, event["failed"] != true, let notice { say(notice, &buffer) }
    change(
      [
        ("phase", event["phase"] ?? .null),
        ("conversation_id", event["conversation_id"] ?? .null),
      ], &buffer)
    isFailed = event["failed"] == true
  }

  private var isFailed = false
  private var streamed = StreamedMessage()

  private mutating func custom(_ name: String, _ event: JSONValue, _ buffer: inout ByteBuffer) {
    putAside([("type", "CUSTOM"), ("name", .string("rapport.\(name)")), ("value", event)], &buffer)
  }

  private mutating func putAside(_ event: [(String, JSONValue)], _ buffer: inout ByteBuffer) {
    if message == nil { put(event, &buffer) } else { held.append(event) }
  }

  mutating func finish(_ buffer: inout ByteBuffer) {
    begin(&buffer)
    stop(&buffer)
    guard isFailed else {
      put(
        [("type", "RUN_FINISHED"), ("threadId", .string(thread)), ("runId", .string(run))], &buffer)
      return
    }
    put(
      [
        ("type", "RUN_ERROR"),
        ("message", failure?["text"] ?? "The reply couldn't be finished. What you said is saved."),
        ("code", failure?["code"] ?? "failed"),
      ], &buffer)
  }

  private func put(_ members: [(String, JSONValue)], _ buffer: inout ByteBuffer) {
    buffer.writeString("data: \(JSONValue.object(JSONObject(members)).serialized())\n\n")
  }
}
