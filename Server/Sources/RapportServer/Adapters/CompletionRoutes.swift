import HTTPTypes
import Hummingbird
import IncrementalJSON
import Intake
import SessionStore

/// OpenAI's chat completions, so that any chat client can be pointed at the coach.
///
/// The conversation is named by the header `X-Conversation-Id` or the `user` member. Without them, the
/// history that the client sends is compared with what is stored; it's never taken as something that
/// was said.
struct CompletionRoutes: Sendable {
  let conversations: Conversations
  let readers: OpenReaders

  static let model = "rapport-coach"

  func add(to router: RouterGroup<AppContext>) {
    router.get("v1/models") { _, _ in
      Response([
        "object": "list",
        "data": [
          ["id": .string(Self.model), "object": "model", "created": 0, "owned_by": "rapport"]
        ],
      ])
    }
    router.post("v1/chat/completions") { request, context in
      let input = try CompletionInput(try await request.json(upTo: 4 << 20))
      let seat = try readers.enter(context)
      defer { withExtendedLifetime(seat) {} }
      let desk = conversations.desk.serving(context.caller.person)
      let id = try await Problem.translating {
        try await conversation(input, named: request.headers[.conversationID], desk)
      }
      let run = try await conversations.reply(
        to: ChatRequest(
          input.line.map { .message($0) } ?? .firstMessage, conversation: id, beginsIfMissing: true),
        by: context.caller)
      _ = try await run.base
      var encoder = CompletionEncoder(run: run.name, includesUsage: input.includesUsage)
      let headers: HTTPFields = [.conversationID: run.conversation.rawValue]
      if input.streams {
        return try await seat.response(run, from: 0, encoder, context, headers: headers)
      }
      await run.replied()
      var ignored = ByteBuffer()
      for event in run.events(from: 0).events {
        if let data = event.plain { encoder.write(data, name: event.name, id: "", to: &ignored) }
      }
      var response = try encoder.response()
      response.headers[.conversationID] = run.conversation.rawValue
      return response
    }
  }

  /// - Returns: Nil for a new one.
  private func conversation(
    _ input: CompletionInput, named: String?, _ desk: CoachDesk
  ) async throws -> SessionID? {
    if let named {
      let id = SessionID(rawValue: named)
      guard try await desk.store.contains(id) else { throw Problem.notFound }
      return id
    }
    if let user = input.user {
      return try await desk.store.session(begunBy: "openai/\(user)")
    }
    if input.history.isEmpty { return nil }
    for session in try await desk.store.sessions().prefix(50) {
      let events = try await desk.store.events(of: session.id)
      if StoredHistory(events).isTold(by: input.history) { return session.id }
    }
    throw Problem.badRequest(
      "I don't know this history. Name the conversation with the header X-Conversation-Id or the "
        + "member user, or begin with one message.", field: "messages")
  }
}

extension HTTPField.Name {
  static let conversationID = name("X-Conversation-Id")
}

struct CompletionInput: Sendable {
  struct Message: Hashable, Sendable {
    var isCoach: Bool
    var text: String
  }

  /// What the user says now; nil if the coach should speak first.
  var line: String?
  /// What was said before, as the client has it, without answers that held no words.
  var history: [Message]
  var streams: Bool
  var includesUsage: Bool
  var user: String?

  init(_ json: JSONValue) throws(Problem) {
    guard let list = json["messages"]?.arrayValue else {
      throw .badRequest("messages must be a list.", field: "messages")
    }
    var messages: [Message] = []
    for item in list {
      switch item["role"]?.stringValue {
      case "user": messages.append(Message(isCoach: false, text: try Self.text(item)))
      case "assistant": messages.append(Message(isCoach: true, text: try Self.text(item)))
      // The coach has its own instructions.
      case "system", "developer": break
      default: throw .badRequest("A message's role is user or assistant.", field: "messages")
      }
    }
    line = messages.last.flatMap { $0.isCoach ? nil : $0.text }
    history = (line == nil ? messages[...] : messages.dropLast())
      .filter { !$0.isCoach || !$0.text.isEmpty }
    streams = json["stream"]?.boolValue ?? false
    includesUsage = json["stream_options"]?["include_usage"]?.boolValue ?? false
    user = json["user"]?.stringValue
  }

  private static func text(_ message: JSONValue) throws(Problem) -> String {
    if let text = message["content"]?.stringValue { return text }
    guard let parts = message["content"]?.arrayValue else {
      throw .badRequest("A message's content must be text.", field: "messages")
    }
    return parts.compactMap { $0["text"]?.stringValue }.joined(separator: "\n")
  }
}

/// What is stored of a conversation, for comparing it with what a client has.
///
/// To a client, what the coach says in a row is one message. The client also has what isn't stored: the
/// paywall, choices and questions about them, and what was answered to the paywall.
struct StoredHistory: Sendable {
  private var messages: [CompletionInput.Message] = []
  /// Whether the paywall was open somewhere between the messages before and after each place.
  private var isAtPaywall: [Bool] = []

  init(_ events: [RecordedEvent]) {
    var (isOpen, wasOpen) = (false, false)
    for event in events {
      switch event.event {
      case .paywallShown: (isOpen, wasOpen) = (true, true)
      case .entitled: isOpen = false
      default: break
      }
      guard let message = StoredMessage(event), !message.text.isEmpty else { continue }
      messages.append(.init(isCoach: message.isFromCoach, text: message.text))
      isAtPaywall.append(wasOpen)
      wasOpen = isOpen
    }
    isAtPaywall.append(wasOpen)
  }

  /// Whether a client's history tells every stored message, in order.
  func isTold(by history: [CompletionInput.Message]) -> Bool {
    var told: Set<Int> = [0]
    for message in history {
      told = Set(told.flatMap { places(after: message, from: $0) })
      if told.isEmpty { return false }
    }
    return !messages.isEmpty && told.contains(messages.count)
  }

  /// How many stored messages can have been told after one more, if it was `place` before.
  private func places(after message: CompletionInput.Message, from place: Int) -> [Int] {
    guard message.isCoach else {
      var places = isAtPaywall[place] ? [place] : []
      if place < messages.count, messages[place] == message { places.append(place + 1) }
      return places
    }
    var (place, rest) = (place, message.text[...])
    while place < messages.count, messages[place].isCoach,
      let after = Self.text(after: messages[place].text, in: rest)
    {
      (place, rest) = (place + 1, after)
    }
    return [place]
  }

  /// What follows one of several messages; nil if it isn't among them.
  private static func text(after message: String, in text: Substring) -> Substring? {
    var rest = text
    while true {
      if rest.utf8.starts(with: message.utf8) {
        let after = rest[rest.utf8.index(rest.startIndex, offsetBy: message.utf8.count)...]
        if after.isEmpty || after.hasPrefix(CompletionEncoder.gap) { return after }
      }
      guard let next = rest.firstRange(of: CompletionEncoder.gap) else { return nil }
      rest = rest[next.upperBound...]
    }
  }
}

/// Turns the events of a reply into completion chunks, or one completion.
struct CompletionEncoder: EventEncoder {
  /// Between two messages of one reply.
  static let gap = "\n\n"

  private let id: String
  private let includesUsage: Bool
  private var text = ""
  private var isStreaming = false
  private var failure: JSONValue?
  private var notice = ""
  private var usage: JSONValue = .null
  private var hasFailed = false

  init(run: String, includesUsage: Bool) {
    (id, self.includesUsage) = ("chatcmpl-" + run, includesUsage)
  }

  var contentType: String { "text/event-stream; charset=utf-8" }
  var keepAlive: ByteBuffer { ByteBuffer(string: ": keep-alive\n\n") }

  mutating func write(_ data: String, name: String, id _: String, to buffer: inout ByteBuffer) {
    guard let event = try? JSONValue(parsing: data) else { return }
    switch name {
    case "delta": say(event["text"]?.stringValue ?? "", continues: isStreaming, &buffer)
    case "message":
      defer { isStreaming = false }
      guard event["role"] == "coach", !isStreaming else { return }
      sayAll([event["text"]?.stringValue], &buffer)
    case "choices": sayAll([Self.list(event["options"])], &buffer)
    case "paywall":
      sayAll(
        [event["title"]?.stringValue, event["note"]?.stringValue, Self.list(event["options"])],
        &buffer)
    case "notice":
      if event["level"] == "error" {
        failure = event
      } else {
        notice = event["text"]?.stringValue ?? ""
      }
    case "done":
      hasFailed = event["failed"] == true
      // At the paywall, a notice can be the whole answer.
      if text.isEmpty, !hasFailed, !notice.isEmpty { sayAll([notice], &buffer) }
      let input = event["usage"]?["input_tokens"]?.intValue ?? 0
      let output = event["usage"]?["output_tokens"]?.intValue ?? 0
      usage = [
        "prompt_tokens": JSONValue(input), "completion_tokens": JSONValue(output),
        "total_tokens": JSONValue(input + output),
      ]
    default: break
    }
  }

  /// The choices that can be said back.
  private static func list(_ options: JSONValue?) -> String {
    (options?.arrayValue ?? [])
      .filter { $0["id"]?.stringValue != SessionOutput.Choice.inOwnWords }
      .compactMap { $0["label"]?.stringValue }.map { "- " + $0 }.joined(separator: "\n")
  }

  private mutating func sayAll(_ texts: [String?], _ buffer: inout ByteBuffer) {
    for text in texts {
      if let text, !text.isEmpty { say(text, continues: false, &buffer) }
    }
    isStreaming = false
  }

  private mutating func say(_ piece: String, continues: Bool, _ buffer: inout ByteBuffer) {
    let piece = (text.isEmpty || continues ? "" : Self.gap) + piece
    let isFirst = text.isEmpty
    text += piece
    isStreaming = true
    var delta: [(String, JSONValue)] = isFirst ? [("role", "assistant")] : []
    delta.append(("content", .string(piece)))
    put(
      chunk([["index": 0, "delta": .object(JSONObject(delta)), "finish_reason": .null]]), &buffer)
  }

  mutating func finish(_ buffer: inout ByteBuffer) {
    if hasFailed, text.isEmpty {
      put(["error": error], &buffer)
    } else {
      let reason: JSONValue = hasFailed ? "length" : "stop"
      put(chunk([["index": 0, "delta": [:], "finish_reason": reason]]), &buffer)
      if includesUsage { put(chunk([]).adding([("usage", usage)]), &buffer) }
    }
    buffer.writeString("data: [DONE]\n\n")
  }

  /// The whole completion.
  func response() throws -> Response {
    if hasFailed, text.isEmpty {
      throw Problem(
        .badGateway, failure?["code"]?.stringValue ?? "failed",
        failure?["text"]?.stringValue ?? "The reply couldn't be finished. What you said is saved.")
    }
    return Response([
      "id": .string(id), "object": "chat.completion", "created": 0,
      "model": .string(CompletionRoutes.model),
      "choices": [
        [
          "index": 0, "message": ["role": "assistant", "content": .string(text)],
          "finish_reason": hasFailed ? "length" : "stop",
        ]
      ],
      "usage": usage,
    ])
  }

  private var error: JSONValue {
    [
      "message": failure?["text"] ?? "The reply couldn't be finished. What you said is saved.",
      "code": failure?["code"] ?? "failed", "type": "server_error",
    ]
  }

  private func chunk(_ choices: [JSONValue]) -> JSONValue {
    [
      "id": .string(id), "object": "chat.completion.chunk", "created": 0,
      "model": .string(CompletionRoutes.model), "choices": .array(choices),
    ]
  }

  private func put(_ json: JSONValue, _ buffer: inout ByteBuffer) {
    buffer.writeString("data: \(json.serialized())\n\n")
  }
}
