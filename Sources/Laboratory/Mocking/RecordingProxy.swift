import FoundationEssentials
import HTTPStreaming
import Intake
import LanguageModels
import MockServer
import Startup
import Synchronization
import Terminal
import WireFormats

/// Forwards requests to a real server and records its answers, one cassette per conversation.
///
/// A request belongs to the conversation whose user messages it continues; a request without any
/// starts a new conversation.
final class RecordingProxy: Sendable {
  private let upstream: String
  private let folder: String
  private let pack: PromptPack
  private let script: AnswerScript
  private let client = HTTPClient()
  private let terminal: TTY
  private let tells: Bool
  private let state = Mutex(State())

  private struct State {
    var conversations: [ProxiedConversation] = []
    var readings: [Int: Task<Void, Never>] = [:]
    var count = 0
  }

  /// - Parameter upstream: The server's URL, with or without `/v1`.
  init(upstream: String, folder: String, terminal: TTY, tells: Bool) throws {
    var base = upstream
    while base.hasSuffix("/") { base.removeLast() }
    if base.hasSuffix("/v1") { base.removeLast(3) }
    do { _ = try HTTPURL(validating: base) } catch {
      throw CommandFailure(.usage, "--upstream \(upstream): \(error).")
    }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch { throw CommandFailure(.cannotWrite, "I can't create the folder \(folder).") }
    self.upstream = base
    self.folder = folder
    self.terminal = terminal
    self.tells = tells
    pack = try PromptPack.embedded()
    script = try BuiltInCoach.script()
  }

  func answer(_ request: MockRequest) async -> MockAnswer {
    let asked = content(of: request)
    let outgoing = HTTPRequest(
      method: request.method == "GET" ? .get : .post,
      url: upstream + versioned(request.path) + (request.query.isEmpty ? "" : "?" + request.query),
      headers: passedOn(request.headers), body: request.body,
      purpose: asked.map { purpose(of: $0.content).rawValue })
    let conversation = asked.map { self.conversation($0.content, $0.format) }
    do {
      let response =
        if let conversation { try await keeping(conversation.send(outgoing)) } else {
          try await client.send(outgoing)
        }
      note(request, "\(response.status)")
      return .stream(
        status: response.status, headers: response.headers, body: response.body)
    } catch {
      note(request, "unreachable: \(error)")
      let format: WireFormat = request.path.hasSuffix("/messages") ? .anthropic : .openAI
      let failure = VendorError(
        status: 502, format: format, message: "The upstream server is unreachable.")
      return .delivery(Delivery(failure.response(format), format: format, model: ""))
    }
  }

  private func keeping(
    _ sent: (response: HTTPResponse, reading: Task<Void, Never>)
  ) -> HTTPResponse {
    state.withLock { state in
      state.count += 1
      let number = state.count
      state.readings[number] = sent.reading
      Task {
        await sent.reading.value
        self.state.withLock { _ = $0.readings.removeValue(forKey: number) }
      }
    }
    return sent.response
  }

  /// How long an answer may continue after Ctrl-C.
  private static let lastMoment = Duration.seconds(1)

  /// Gives answers in progress a moment to finish, and records them in any case.
  func finish() async {
    let readings = state.withLock { Array($0.readings.values) }
    // No test waits this long: only a person stops the proxy during an answer.
    let patience = Task {
      try await Task.sleep(for: Self.lastMoment)
      for reading in readings { reading.cancel() }
    }
    for reading in readings { await reading.value }
    patience.cancel()
  }

  private func versioned(_ path: String) -> String {
    path.hasPrefix("/v1/") ? path : "/v1" + path
  }

  private func note(_ request: MockRequest, _ text: String) {
    if tells { terminal.writeNote("\(request.method) \(request.path) \(text)", as: .dim) }
  }
}

extension RecordingProxy {
  /// Headers that belong to one connection. The client's own header carries the key.
  private static let ownFields: Set = [
    "host", "connection", "keep-alive", "content-length", "transfer-encoding", "accept-encoding",
    "expect", "te", "trailer", "upgrade", "proxy-connection", "proxy-authorization",
  ]

  private func passedOn(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(headers.fields.filter { !Self.ownFields.contains($0.name.lowercased()) })
  }

  /// Nil if it does not call a model.
  private func content(
    of request: MockRequest
  ) -> (content: RequestContent, format: WireFormat)? {
    let format: WireFormat = request.path.hasSuffix("/messages") ? .anthropic : .openAI
    guard format == .anthropic || request.path.hasSuffix("/chat/completions"),
      let content = try? RequestContent(parsing: request.body, format: format)
    else { return nil }
    return (content, format)
  }

  /// The built-in coach's rules recognize the built-in prompts.
  private func purpose(of content: RequestContent) -> RequestPurpose {
    script.answer(content)?.exchange.purpose ?? .ask
  }

  /// Finds the conversation that a request belongs to.
  private func conversation(_ content: RequestContent, _ format: WireFormat) -> ProxiedConversation
  {
    let words = content.userWords
    return state.withLock { state in
      let candidates = state.conversations.filter { $0.goesOn(with: words, format) }
      // Of two without any messages yet, the newer one.
      if let found = candidates.reversed().max(by: { $0.wordCount < $1.wordCount }) {
        found.take(words, content)
        return found
      }
      let file = "\(folder)/\(stamp)-\(state.conversations.count + 1).json"
      let begun = ProxiedConversation(
        client, file: file, format: format, pack: pack
      ) { [terminal] reason in
        terminal.writeNote("I couldn't write \(file): \(reason).", as: .error)
      }
      begun.take(words, content)
      state.conversations.append(begun)
      return begun
    }
  }

  private var stamp: String {
    Date().formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: false)
        .timeSeparator(.omitted))
  }
}
