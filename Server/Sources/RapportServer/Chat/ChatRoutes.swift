import HTTPTypes
import Hummingbird
import IncrementalJSON
import SessionStore

/// Talking: `POST /chat-stream`, and coming back to a reply.
struct ChatRoutes: Sendable {
  let conversations: Conversations

  /// The largest body: a message of the most bytes, with every byte escaped, and what is around it.
  static let mostBytes = 128 * 1024

  func add(to router: Router<AppContext>) {
    router.post("chat-stream") { request, context in
      let chat = try ChatRequest(try await request.json(upTo: Self.mostBytes))
      let format = try StreamFormat(accepting: request)
      let run = try await conversations.reply(to: chat)
      return try await stream(run, from: 0, format, context)
    }
    router.get("conversations/:id/stream") { request, context in
      let format = try StreamFormat(accepting: request)
      let last = try request.headers[.lastEventID].map { text in
        guard let id = EventID(text) else { throw Problem.unknownEventID }
        return id
      }
      let id = SessionID(rawValue: try context.parameters.require("id"))
      let (run, number) = try await conversations.resume(id, after: last)
      return try await stream(run, from: number, format, context)
    }
  }

  /// The reply's events as a response that lasts as long as the reply.
  private func stream(
    _ run: Run, from number: Int, _ format: StreamFormat, _ context: AppContext
  ) async throws -> Response {
    let reader = StreamReader(
      run: run, idPrefix: try await run.idPrefix, format: format,
      seesAll: context.caller.isEngineer)
    return Response(
      status: .ok,
      headers: [
        .contentType: format.contentType, .cacheControl: "no-store", .accelBuffering: "no",
      ],
      body: ResponseBody { writer in
        try await reader.write(from: number, to: &writer)
        try await writer.finish(nil)
      })
  }
}

/// Writes a reply's events to one connection.
struct StreamReader: Sendable {
  let run: Run
  let idPrefix: String
  let format: StreamFormat
  let seesAll: Bool

  func write(from first: Int, to writer: inout any ResponseBodyWriter) async throws {
    var number = first
    // Headers alone would wait in some proxies until the first event.
    var isQuiet = true
    while true {
      let (events, isOver) = run.events(from: number)
      if events.isEmpty {
        if isOver { return }
        if isQuiet { try await writer.write(format.keepAlive) }
        await run.wait(past: number)
        if Task.isCancelled { return }
        isQuiet = run.count == number
        continue
      }
      var buffer = ByteBuffer()
      for event in events {
        if let data = seesAll ? event.full : event.plain {
          format.write(data, name: event.name, id: "\(idPrefix)\(number)", to: &buffer)
        }
        number += 1
      }
      if buffer.readableBytes > 0 { try await writer.write(buffer) }
      isQuiet = false
    }
  }
}

extension StreamFormat {
  /// The format that the request accepts.
  init(accepting request: Request) throws(Problem) {
    let accepted = request.headers[values: .accept].joined(separator: ",").lowercased()
    if accepted.contains("application/x-ndjson") {
      self = .lines
    } else if accepted.isEmpty || accepted.contains("*/*") || accepted.contains("text/event-stream")
    {
      self = .serverSentEvents
    } else {
      throw Problem(
        .notAcceptable, "not-acceptable",
        "This stream comes as text/event-stream or application/x-ndjson.", field: "Accept")
    }
  }
}

extension Request {
  /// The body as JSON.
  ///
  /// - Throws: ``Problem`` if it's too large, isn't declared as JSON, or isn't JSON. Browsers send
  ///   other types across origins without asking first, so they're refused.
  func json(upTo bytes: Int) async throws -> JSONValue {
    let type = headers[.contentType]?.lowercased().prefix { $0 != ";" && $0 != " " }
    guard type == "application/json" else {
      throw Problem(
        .unsupportedMediaType, "not-json", "Send the body with content-type: application/json.",
        field: "Content-Type")
    }
    let buffer = try await body.collect(upTo: bytes)
    do throws(JSONError) {
      return try JSONValue(parsing: String(buffer: buffer))
    } catch {
      throw Problem.badRequest(
        "The body isn't valid JSON (line \(error.line), column \(error.column)).")
    }
  }
}
