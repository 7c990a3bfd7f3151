import HTTPTypes
import Hummingbird
import IncrementalJSON
import NIOCore
import SessionStore

/// Talking: `POST /chat-stream`, and coming back to a reply.
struct ChatRoutes: Sendable {
  let conversations: Conversations
  let readers: OpenReaders

  /// The largest body: a message of the most bytes, with every byte escaped, and what is around it.
  static let mostBytes = 128 * 1024

  func add(to router: RouterGroup<AppContext>) {
    router.post("chat-stream") { request, context in
      let chat = try ChatRequest(try await request.json(upTo: Self.mostBytes))
      let format = try StreamFormat(accepting: request)
      let seat = try readers.enter(context)
      let run = try await conversations.reply(to: chat, by: context.caller)
      return try await seat.response(run, from: 0, format, context)
    }
    router.post("conversations/:id/stop") { _, context in
      let isStopped = try await conversations.stop(context.conversation, by: context.caller)
      return Response(["stopped": .bool(isStopped)])
    }
    router.get("conversations/:id/stream") { request, context in
      let format = try StreamFormat(accepting: request)
      let last = try request.headers[.lastEventID].map { text in
        guard let id = EventID(text) else { throw Problem.unknownEventID }
        return id
      }
      let id = try context.conversation
      let seat = try readers.enter(context)
      let (run, number) = try await conversations.resume(id, after: last, by: context.caller)
      return try await seat.response(run, from: number, format, context)
    }
  }
}

/// Writes a reply's events in some protocol.
protocol EventEncoder: Sendable {
  var contentType: String { get }
  /// What keeps a quiet connection open.
  var keepAlive: ByteBuffer { get }
  mutating func write(_ data: String, name: String, id: String, to buffer: inout ByteBuffer)
  /// What ends the stream.
  mutating func finish(_ buffer: inout ByteBuffer)
}

extension EventEncoder {
  func finish(_ buffer: inout ByteBuffer) {}
}

extension ReaderSeat {
  /// The reply's events as a response that lasts as long as the reply.
  func response(
    _ run: Run, from number: Int, _ encoder: some EventEncoder, _ context: AppContext,
    headers: HTTPFields = [:]
  ) async throws -> Response {
    let reader = StreamReader(
      run: run, idPrefix: try await run.idPrefix,
      seesAll: context.caller.isEngineer)
    var fields: HTTPFields = [
      .contentType: encoder.contentType, .cacheControl: "no-store", .accelBuffering: "no",
    ]
    fields.append(contentsOf: headers)
    return Response(
      status: .ok, headers: fields,
      body: ResponseBody { writer in
        let place = run.enter(at: number)
        defer {
          run.leave(place, isStalled: self.isDismissed)
          self.leave()
        }
        // An event goes from the reply's task to the connection without waking a third thread.
        try await withTaskExecutorPreference(ConnectionExecutor(context.channel.eventLoop)) {
          try await reader.write(from: number, as: place, to: &writer, self, encoder)
        }
        try await writer.finish(nil)
        if self.isConnected { run.deliver() }
      })
  }
}

/// Writes a reply's events to one connection.
struct StreamReader: Sendable {
  let run: Run
  let idPrefix: String
  let seesAll: Bool

  private static let mostAtOnce = 16 * 1024

  func write(
    from first: Int, as place: Int, to writer: inout any ResponseBodyWriter, _ seat: ReaderSeat,
    _ encoder: some EventEncoder
  ) async throws {
    var encoder = encoder
    var number = first
    // Headers alone would wait in some proxies until the first event.
    var isQuiet = true
    while true {
      let (events, isOver) = run.events(from: number)
      if events.isEmpty {
        if isOver { break }
        if isQuiet { try await seat.write(encoder.keepAlive, to: &writer) }
        await run.wait(past: number)
        if Task.isCancelled { return }
        isQuiet = run.count == number
        continue
      }
      var buffer = ByteBuffer()
      for event in events {
        if let data = seesAll ? event.full : event.plain {
          encoder.write(data, name: event.name, id: "\(idPrefix)\(number)", to: &buffer)
        }
        number += 1
        // A connection takes a write of any size, so only small ones bound what it holds.
        if buffer.readableBytes >= Self.mostAtOnce {
          try await seat.write(buffer, to: &writer)
          run.advance(place, to: number)
          buffer.clear()
        }
      }
      let hasRest = buffer.readableBytes > 0
      if hasRest { try await seat.write(buffer, to: &writer) }
      run.advance(place, to: number, wrote: hasRest)
      isQuiet = false
    }
    var end = ByteBuffer()
    encoder.finish(&end)
    if end.readableBytes > 0 { try await seat.write(end, to: &writer) }
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
  /// - Throws: ``Problem`` if it is too large, is not declared as JSON, or is not JSON. Browsers send
  ///   other types across origins without asking first, so they are refused.
  func json(upTo bytes: Int) async throws -> JSONValue {
    let type = headers[.contentType]?.lowercased().prefix { $0 != ";" && $0 != " " }
    guard type == "application/json" else {
      throw Problem(
        .unsupportedMediaType, "not-json", "Send the body with content-type: application/json.",
        field: "Content-Type")
    }
    let buffer = try await body.collect(upTo: bytes)
    guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
      throw Problem.badRequest("The body isn't valid UTF-8.")
    }
    do throws(JSONError) {
      return try JSONValue(parsing: text)
    } catch {
      throw Problem.badRequest(
        "The body isn't valid JSON (line \(error.line), column \(error.column)).")
    }
  }
}

/// Runs a task on the thread of a connection.
private final class ConnectionExecutor: TaskExecutor {
  private let eventLoop: any EventLoop

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
