import Commands
import FoundationEssentials
import Glibc
import IncrementalJSON
import Intake
import LanguageModels
import Startup
import Synchronization

/// What goes to the models and comes back, for somebody who looks into a slow or failing conversation:
/// `chat --log` writes it to a file, and `chat --verbose` shows a line for each request.
///
/// It never holds a key, and words only if they are asked for.
final class RequestLog: Sendable {
  private struct State {
    var next = 1
    /// Lines to show once the current reply is complete.
    var lines: [String] = []
    var hasFailed = false
  }

  private let file: Int32?
  private let path: String
  private let includesContent: Bool
  private let showsLines: Bool
  private let mask: SecretMask
  private let now: @Sendable () -> Date
  private let state = Mutex(State())

  /// - Parameters:
  ///   - path: The file to append to; nil for none.
  ///   - includesContent: Whether the file holds what is sent and answered.
  ///   - showsLines: Whether to keep a line for each request; see ``newLines()``.
  /// - Throws: ``CommandFailure`` if the file cannot be written.
  init(
    path: String?, includesContent: Bool, showsLines: Bool, mask: SecretMask,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    file = path.map { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }
    self.path = path ?? ""
    (self.includesContent, self.showsLines) = (includesContent, showsLines)
    (self.mask, self.now) = (mask, now)
    if let file, file < 0 {
      throw CommandFailure(
        .cannotWrite,
        "I can't write the log to \(self.path): \(String(cString: strerror(errno))). Nothing has been "
          + "said or sent yet.")
    }
  }

  deinit { if let file, file >= 0 { close(file) } }

  /// The coach, with every request logged.
  func logging(_ coach: CoachChoice) -> CoachChoice {
    guard let roles = coach.models else { return coach }
    return .models(
      ModelRoles(
        fast: LoggedModel(roles.fast, in: self), coach: LoggedModel(roles.coach, in: self),
        deep: LoggedModel(roles.deep, in: self)))
  }

  /// The lines since the last call.
  func newLines() -> [String] {
    state.withLock { state in
      defer { state.lines = [] }
      return state.lines
    }
  }

  /// Whether something is missing from the file.
  var hasFailed: Bool { state.withLock(\.hasFailed) }

  fileprivate func nextID() -> Int {
    state.withLock { state in
      defer { state.next += 1 }
      return state.next
    }
  }

  fileprivate func write(_ event: String, _ id: Int, _ members: [(String, JSONValue?)]) {
    guard let file else { return }
    let time = now().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let record = JSONValue.members(
      [("time", .string(time)), ("event", .string(event)), ("request", JSONValue(id))]
        + members.filter { $0.1 != nil })
    var line = record.serialized() + "\n"
    state.withLock { state in
      let isWritten = line.withUTF8 { Glibc.write(file, $0.baseAddress, $0.count) == $0.count }
      if !isWritten { state.hasFailed = true }
    }
  }

  fileprivate func keep(_ line: String) {
    if showsLines { state.withLock { $0.lines.append(line) } }
  }

  /// Text without keys; nil if the log holds no words.
  fileprivate func content(_ text: String) -> JSONValue? {
    guard includesContent else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return .string(lines.map { mask.mask(String($0), limit: .max) }.joined(separator: "\n"))
  }

  fileprivate func masked(_ text: String) -> JSONValue { .string(mask.mask(text)) }
}

/// A model whose requests are logged.
private struct LoggedModel: LanguageModel {
  let model: any LanguageModel
  let log: RequestLog

  init(_ model: any LanguageModel, in log: RequestLog) { (self.model, self.log) = (model, log) }

  var identity: ModelIdentity { model.identity }
  var room: ServerRoom { model.room }

  func reply(to request: ModelRequest) -> ModelReply {
    let reply = model.reply(to: request)
    return ModelReply { LoggedReply(reply.makeAsyncIterator(), of: request, identity, log) }
  }
}

/// Logs an answer while it is read.
private struct LoggedReply: ModelReplySource {
  private var reply: ModelReply.Iterator
  private let request: ModelRequest
  private let identity: ModelIdentity
  private let log: RequestLog
  private let id: Int
  private let start = ContinuousClock.now
  private var firstText: Duration?
  private var text = ""
  private var hasBegun = false

  init(
    _ reply: ModelReply.Iterator, of request: ModelRequest, _ identity: ModelIdentity,
    _ log: RequestLog
  ) {
    (self.reply, self.request, self.identity, self.log) = (reply, request, identity, log)
    id = log.nextID()
  }

  mutating func next() async throws(ModelError) -> ModelEvent? {
    begin()
    do throws(ModelError) {
      let event = try await reply.next()
      note(event)
      return event
    } catch {
      fail(error)
      throw error
    }
  }

  private mutating func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    let messages = request.messages.compactMap { message in
      log.content(message.text).map { text -> JSONValue in
        ["author": .string(message.author.rawValue), "text": text]
      }
    }
    log.write(
      "sent", id,
      [
        ("purpose", .string(request.purpose.rawValue)), ("model", log.masked(identity.model)),
        ("server", log.masked(identity.endpoint)), ("background", .bool(request.isBackground)),
        ("messages", JSONValue(request.messages.count)),
        ("system", log.content(request.system)),
        ("content", messages.isEmpty ? nil : .array(messages)),
      ])
  }

  private mutating func note(_ event: ModelEvent?) {
    switch event {
    case .delta(let piece):
      firstText = firstText ?? start.duration(to: .now)
      text += piece
    case .waiting(let wait):
      log.write(
        "waiting", id,
        [
          ("reason", .string(wait.reason.rawValue)), ("milliseconds", Self.json(wait.delay)),
          ("nextAttempt", JSONValue(wait.nextAttempt)),
        ])
    case .completed(let completion): complete(completion)
    case nil: break
    }
  }

  private func complete(_ completion: ModelCompletion) {
    log.write(
      "answered", id,
      [
        ("status", 200), ("requestID", completion.requestID.map(log.masked)),
        ("milliseconds", Self.json(start.duration(to: .now))),
        ("firstTextMilliseconds", firstText.map(Self.json)),
        ("inputTokens", completion.usage.map { JSONValue($0.input) }),
        ("outputTokens", completion.usage.map { JSONValue($0.output) }),
        ("attempts", JSONValue(completion.attempts)), ("finish", .string(finish(completion))),
        ("text", log.content(text)),
      ])
    let tokens = completion.usage.map { "\($0.input) tokens in, \($0.output) out" }
    keep(["200", tokens, completion.requestID])
  }

  private func fail(_ error: ModelError) {
    log.write(
      "failed", id,
      [
        ("kind", .string("\(error.kind)")), ("status", error.status.map { JSONValue($0) }),
        ("type", error.type.map(log.masked)), ("requestID", error.requestID.map(log.masked)),
        ("milliseconds", Self.json(start.duration(to: .now))),
        ("attempts", JSONValue(error.attempts)),
        // A server's message may repeat what it was sent.
        ("detail", log.content(error.detail)), ("text", log.content(text)),
      ])
    keep([error.status.map { "\($0)" }, "\(error.kind)", error.requestID])
  }

  private func keep(_ parts: [String?]) {
    let seconds = start.duration(to: .now) / .seconds(1)
    let time = "\((seconds * 10).rounded() / 10) s"
    let line = [request.purpose.rawValue, identity.model, time] + parts.compactMap(\.self)
    log.keep("[" + line.joined(separator: ", ") + "]")
  }

  private func finish(_ completion: ModelCompletion) -> String {
    switch completion.finish {
    case .stop: "stop"
    case .length: "length"
    case .refusal: "refusal"
    case .other(let reason): reason
    }
  }

  private static func json(_ duration: Duration) -> JSONValue {
    JSONValue(Int(duration / .milliseconds(1)))
  }
}
