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
