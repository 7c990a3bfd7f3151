import FoundationEssentials
import HTTPTypes
import Hummingbird
import IncrementalJSON
import Intake
import SessionStore

/// OpenAI's chat completions, so that any chat client can be pointed at the coach.
///
/// The conversation is named by the header `X-Conversation-Id`. Without it, the history that the client
/// sends is compared with what is stored; it is never taken as something that was said. One that nobody knows
/// begins a conversation.
struct CompletionRoutes: Sendable {
  let conversations: Conversations
  let readers: OpenReaders

  static let model = "rapport-coach"

  func add(to router: RouterGroup<AppContext>) {
    // The coach is as old as this server.
    let coach: JSONValue = [
      "id": .string(Self.model), "object": "model",
      "created": JSONValue(Int(conversations.desk.now().timeIntervalSince1970)),
      "owned_by": "rapport",
    ]
    router.get("v1/models") { _, _ in Response(["object": "list", "data": [coach]]) }
    router.get("v1/models/:model") { _, context in
      guard try context.parameters.require("model") == Self.model else {
        throw Problem.noSuchModel
      }
      return Response(coach)
    }
    router.post("v1/chat/completions") { request, context in
      let input = try CompletionInput(try await request.json(upTo: 4 << 20))
      let seat = try readers.enter(context)
      defer { withExtendedLifetime(seat) {} }
      let finder = ConversationFinder(
        conversations: conversations, caller: context.caller, input: input,
        isRetry: Self.isRetry(request))
      let asked = try await finder.find(
        named: request.headers[.conversationID], id: request.headers[.idempotencyKey])
      return switch asked {
      case .task(let task): try response(to: task, input, finder.meter.count)
      case .message(let chat): try await reply(to: chat, input, seat, context)
      }
    }
  }

  private func reply(
    to chat: ChatRequest, _ input: CompletionInput, _ seat: ReaderSeat, _ context: AppContext
  ) async throws -> Response {
    let run = try await conversations.reply(to: chat, by: context.caller)
    _ = try await run.base
    var encoder = CompletionEncoder(
      run: run.name, includesUsage: input.includesUsage, at: conversations.desk.now())
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
    if seat.isConnected { run.deliver() }
    return response
  }

  /// Whether the client's library says that it sends the request again.
  private static func isRetry(_ request: Request) -> Bool {
    (request.headers[.stainlessRetryCount].flatMap { Int($0) } ?? 0) > 0
  }

  /// The answer to what a client asks for itself. Nothing is stored.
  ///
  /// - Parameter count: What finding out that it is a task took.
  private func response(
    to task: ClientTask, _ input: CompletionInput, _ count: TokenMeter.Count
  ) throws -> Response {
    var encoder = CompletionEncoder(
      run: "task", includesUsage: input.includesUsage, at: conversations.desk.now())
    var buffer = ByteBuffer()
    let message: JSONValue = ["role": "coach", "text": .string(task.answer)]
    encoder.write(message.serialized(), name: "message", id: "", to: &buffer)
    let done: JSONValue = ["usage": count.json]
    encoder.write(done.serialized(), name: "done", id: "", to: &buffer)
    guard input.streams else { return try encoder.response() }
    encoder.finish(&buffer)
    return Response(
      status: .ok, headers: [.contentType: encoder.contentType, .cacheControl: "no-store"],
      body: .init(byteBuffer: buffer))
  }
}

extension HTTPField.Name {
  static let conversationID = name("X-Conversation-Id")
  static let idempotencyKey = name("Idempotency-Key")
  /// Of OpenAI's own libraries.
  static let stainlessRetryCount = name("X-Stainless-Retry-Count")
}

extension Problem {
  fileprivate static let noSuchModel = Problem(
    .notFound, "model_not_found",
    "The only model here is \(CompletionRoutes.model).", field: "model"
  ).with("type", "invalid_request_error").with("param", "model")
}

struct CompletionInput: Sendable {
  struct Message: Hashable, Sendable {
    var isCoach: Bool
    /// Without the blanks around it, which clients trim.
    var text: String
  }

  /// What the user says now; nil if the coach should speak first.
  var line: String?
  /// What was said before, as the client has it, without messages that hold no words.
  var history: [Message]
  /// Whether instructions come after everything that was said.
  var endsWithInstructions: Bool
  var includesUsage: Bool
  var user: String?
  var manner: ChatRequest.Manner
  /// Whether the client has an answer to a task among the messages.
  var keepsAnswers: Bool
  /// The members of the JSON that the answer must be; nil if it may be words.
  var form: [AnswerForm.Member]?
  /// Whether the answer must be JSON or a call of a tool, or the client says itself that it is a task.
  var isForClient: Bool

  var streams: Bool { manner.streams }

  init(_ json: JSONValue) throws(Problem) {
    guard let list = json["messages"]?.arrayValue else {
      throw .badRequest("messages must be a list.", field: "messages")
    }
    // The coach has its own instructions and no tools, so other roles don't matter.
    let all = list.compactMap { item -> Message? in
      switch item["role"]?.stringValue {
      case "user": Message(isCoach: false, text: Self.text(item))
      case "assistant": Message(isCoach: true, text: Self.text(item))
      default: nil
      }
    }
    // A client that keeps the answer to a task asked for something else: it was said.
    let title = all.first { !$0.isCoach }.map { Self.title(of: $0.text) }
    let messages = all.filter { !$0.isCoach || $0.text != title }
    // An answer can be without words: it was stopped, or called tools.
    let last = messages.lastIndex { !$0.isCoach || !$0.text.isEmpty }
    let isUsers = last.map { !messages[$0].isCoach } ?? false
    line = last.flatMap { isUsers ? messages[$0].text : nil }
    history = messages.prefix(last.map { isUsers ? $0 : $0 + 1 } ?? 0).filter { !$0.text.isEmpty }
    let instructions = list.filter { ["system", "developer"].contains($0["role"]?.stringValue) }
    endsWithInstructions = instructions.last != nil && instructions.last == list.last
    includesUsage = json["stream_options"]?["include_usage"]?.boolValue ?? false
    user = json["user"]?.stringValue
    manner = ChatRequest.Manner(
      streams: json["stream"]?.boolValue ?? false,
      limitsTokens: ["max_tokens", "max_completion_tokens"].contains { json[$0]?.intValue != nil },
      instructions: instructions.map(Self.text))
    form = AnswerForm.members(demandedBy: json["response_format"])
    let demandsTool = json["tool_choice"] == "required" || json["tool_choice"]?.objectValue != nil
    isForClient = form != nil || demandsTool || json["metadata"]?["task"]?.stringValue != nil
    keepsAnswers = messages.count < all.count
  }

  /// What the user says now and what came before it, in the ways in which they can be read: messages
  /// behind the last answer can have failed, and are said now.
  var readings: [(history: [Message], line: String?)] {
    var readings = [(history, line)]
    guard var line else { return readings }
    var history = history
    while let last = history.last, !last.isCoach {
      history.removeLast()
      line = last.text + CompletionEncoder.gap + line
      readings.append((history, line))
    }
    return readings
  }

  private static func text(_ message: JSONValue) -> String {
    let parts = message["content"]?.arrayValue?.compactMap { $0["text"]?.stringValue }
    let text = message["content"]?.stringValue ?? parts?.joined(separator: "\n") ?? ""
    return text.withoutOuterBlanks
  }
}

extension String {
  /// Without blanks and line breaks around it.
  var withoutOuterBlanks: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}

/// What is stored of a conversation, for comparing it with what a client has.
///
/// To a client, what the coach says in a row is one message. The client also has what is not stored: the
/// paywall, choices and questions about them, and what was answered to the paywall. Of an answer that was
/// stopped, it has the beginning or nothing.
struct StoredHistory: Sendable {
  private var messages: [CompletionInput.Message] = []
  private var positions: [Int] = []
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
      guard let message = StoredMessage(event) else { continue }
      let text = message.text.withoutOuterBlanks
      guard !text.isEmpty else { continue }
      messages.append(.init(isCoach: message.isFromCoach, text: text))
      positions.append(message.position)
      isAtPaywall.append(wasOpen)
      wasOpen = isOpen
    }
    isAtPaywall.append(wasOpen)
  }

  /// The last thing that the user said, and where it is stored.
  var lastUser: (text: String, position: Int)? {
    messages.lastIndex { !$0.isCoach }.map { (messages[$0].text, positions[$0]) }
  }

  /// What both sides said, in order.
  var texts: [String] { messages.map(\.text) }

  /// What the user said, in order.
  var userTexts: [String] { messages.filter { !$0.isCoach }.map(\.text) }

  /// Whose words a text holds.
  enum Retold: Hashable, Sendable {
    case byUser, asQuotation, byBoth
  }

  /// Whether a text holds a message of the user's, word for word among others, and the beginning of the
  /// answer to it.
  func retold(in text: String) -> Retold? {
    let places = messages.indices.filter { place in
      let message = messages[place]
      return !message.isCoach && message.text.utf8.count >= Self.leastRetold
        && message.text.utf8.count < text.utf8.count && text.contains(message.text)
    }
    guard !places.isEmpty else { return nil }
    let isAnswered = places.contains { place in
      guard place + 1 < messages.count, messages[place + 1].isCoach else { return false }
      return text.contains(messages[place + 1].text.prefix(Self.leastAnswer))
    }
    if isAnswered { return .byBoth }
    return places.contains { isQuotation(messages[$0].text, in: text) } ? .asQuotation : .byUser
  }

  /// Whether marks set words apart from what a text says around them.
  private func isQuotation(_ words: String, in text: String) -> Bool {
    guard let range = text.firstRange(of: words) else { return false }
    let before = text[..<range.lowerBound].last { $0 != " " }
    let after = text[range.upperBound...].first { $0 != " " }
    return [before, after].allSatisfy {
      $0.map { !$0.isLetter && !$0.isNumber && $0 != "," } ?? true
    }
      && before.map { !".!?".contains($0) } == true
  }

  /// How many messages of a history are stored here, in order; 0 if the user said anything else in it since
  /// the first of them.
  func share(of history: [CompletionInput.Message]) -> Int {
    var (place, count) = (0, 0)
    for message in history {
      if let next = messages[place...].firstIndex(of: message) {
        (place, count) = (next + 1, count + 1)
      } else if count > 0, !message.isCoach {
        return 0
      }
    }
    return count
  }

  /// The fewest bytes of a message that somebody else would not happen to write.
  private static let leastRetold = 12
  /// The fewest messages that tell a conversation by its end.
  private static let leastTail = 2
  private static let leastAnswer = 24

  /// How a client's next message follows on what is stored.
  enum Continuation: Hashable, Sendable {
    case isNew
    /// It was stored at a position and is the last thing that the user said.
    case isRepeated(at: Int)
  }

  /// Nil if the client's history does not tell every stored message, or every one from some place on, in order.
  ///
  /// - Parameter line: What the user says now; nil for nothing.
  func continuation(
    of history: [CompletionInput.Message], with line: String?
  ) -> Continuation? {
    // Some clients send only the last messages.
    var told = history.count < Self.leastTail ? [0] : Set(messages.indices)
    var last: CompletionInput.Message?
    // Messages that were said together, after the first of them had failed.
    var together: [(text: String, from: Set<Int>)] = []
    for message in history {
      let before = told
      told = Set(told.flatMap { places(after: message, from: $0, behind: last) })
      if message.isCoach {
        together = []
      } else {
        together = together.map { ($0.text + CompletionEncoder.gap + message.text, $0.from) }
        for said in together {
          let joined = CompletionInput.Message(isCoach: false, text: said.text)
          told.formUnion(said.from.flatMap { places(after: joined, from: $0, behind: nil) })
        }
        together.append((message.text, before))
      }
      if told.isEmpty, together.isEmpty { return nil }
      last = message
    }
    guard !messages.isEmpty else { return nil }
    let ends = told.map { last?.isCoach == true ? $0 : endOfReply(from: $0) }
    if ends.contains(messages.count) { return .isNew }
    guard let line else { return nil }
    let again = ends.first {
      messages[$0] == .init(isCoach: false, text: line)
        && endOfReply(from: $0 + 1) == messages.count
    }
    return again.map { .isRepeated(at: positions[$0]) }
  }

  /// The place behind the coach's messages that begin at this place.
  private func endOfReply(from place: Int) -> Int {
    messages[place...].firstIndex { !$0.isCoach } ?? messages.count
  }

  /// How many stored messages the history may cover after one more, if it was `place` before.
  private func places(
    after message: CompletionInput.Message, from place: Int,
    behind last: CompletionInput.Message?
  ) -> [Int] {
    guard message.isCoach else {
      var places = isAtPaywall[place] ? [place] : []
      // A reply that the client has nothing of was stopped before its first word.
      let next = last?.isCoach == true ? place : endOfReply(from: place)
      if next < messages.count, messages[next] == message { places.append(next + 1) }
      return places
    }
    var (place, rest) = (place, message.text[...])
    while place < messages.count, messages[place].isCoach,
      let after = Self.text(after: messages[place].text, in: rest)
    {
      (place, rest) = (place + 1, after)
    }
    // A stopped reply ends in one of its messages, and nothing came after that.
    let beginning = rest.drop { $0.isWhitespace }
    let isStopped =
      place < messages.count && messages[place].isCoach
      && (beginning.isEmpty || messages[place].text.hasPrefix(beginning))
    return isStopped ? [place, endOfReply(from: place)] : [place]
  }

  /// What follows one of several messages; nil if it is not among them.
  private static func text(after message: String, in text: Substring) -> Substring? {
    var rest = text
    while true {
      rest = rest.drop { $0.isWhitespace }
      if rest.utf8.starts(with: message.utf8) {
        let after = rest[rest.utf8.index(rest.startIndex, offsetBy: message.utf8.count)...]
        if after.isEmpty || after.hasPrefix(CompletionEncoder.gap) { return after }
        // More of it was streamed than was kept.
        let next = after.firstRange(of: CompletionEncoder.gap)
        return next.map { after[$0.lowerBound...] } ?? after[after.endIndex...]
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
  /// In seconds since 1970.
  private let created: Int
  private var text = ""
  /// The messages as they were written in full, for an answer in one piece.
  private var whole = ""
  private var streamed = StreamedMessage()
  private var isStreaming = false
  private var failure: JSONValue?
  private var notice = ""
  private var usage: JSONValue = .null
  private var hasFailed = false

  init(run: String, includesUsage: Bool, at date: Date) {
    (id, self.includesUsage) = ("chatcmpl-" + run, includesUsage)
    created = Int(date.timeIntervalSince1970)
  }

  var contentType: String { "text/event-stream; charset=utf-8" }
  var keepAlive: ByteBuffer { ByteBuffer(string: ": keep-alive\n\n") }

  mutating func write(_ data: String, name: String, id _: String, to buffer: inout ByteBuffer) {
    guard let event = try? JSONValue(parsing: data) else { return }
    switch name {
    case "delta":
      let piece = event["text"]?.stringValue ?? ""
      streamed.add(piece)
      say(piece, continues: isStreaming, &buffer)
    case "message":
      defer { isStreaming = false }
      guard event["role"] == "coach" else { return }
      let message = event["text"]?.stringValue ?? ""
      if isStreaming { settle(message, &buffer) } else { sayAll([message], &buffer) }
    case "choices": sayAll([Self.list(event["options"])], &buffer)
    case "paywall": sayAll([Self.words(ofPaywall: event)], &buffer)
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

  /// The paywall for clients that show words only.
  static func words(ofPaywall event: JSONValue) -> String {
    [event["title"]?.stringValue ?? "", event["note"]?.stringValue ?? "", list(event["options"])]
      .filter { !$0.isEmpty }.joined(separator: gap)
  }

  /// The choices that the user can answer with.
  private static func list(_ options: JSONValue?) -> String {
    (options?.arrayValue ?? [])
      .filter { $0["id"]?.stringValue != SessionOutput.Choice.inOwnWords }
      .compactMap { $0["label"]?.stringValue }.map { "- " + $0 }.joined(separator: "\n")
  }

  private mutating func sayAll(_ texts: [String?], _ buffer: inout ByteBuffer) {
    for text in texts {
      if let text, !text.isEmpty {
        say(text, continues: false, &buffer)
        keep(text)
      }
    }
    isStreaming = false
  }

  private mutating func keep(_ message: String) {
    whole += (whole.isEmpty ? "" : Self.gap) + message
  }

  /// Ends a message that was streamed.
  private mutating func settle(_ message: String, _ buffer: inout ByteBuffer) {
    switch streamed.rest(of: message) {
    case .nothing: break
    case .more(let rest): say(rest, continues: true, &buffer)
    case .instead(let message): say(message, continues: false, &buffer)
    }
    keep(message)
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
      "id": .string(id), "object": "chat.completion", "created": JSONValue(created),
      "model": .string(CompletionRoutes.model),
      "choices": [
        [
          "index": 0,
          "message": ["role": "assistant", "content": .string(isStreaming ? text : whole)],
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
      "id": .string(id), "object": "chat.completion.chunk", "created": JSONValue(created),
      "model": .string(CompletionRoutes.model), "choices": .array(choices),
    ]
  }

  private func put(_ json: JSONValue, _ buffer: inout ByteBuffer) {
    buffer.writeString("data: \(json.serialized())\n\n")
  }
}
