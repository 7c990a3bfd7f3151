public import Cassettes
import HTTPStreaming
import IncrementalJSON
import LanguageModels
import MockServer
import Synchronization
import WireFormats

/// Plays cassettes over a loopback socket: a mock server answers from them, and requests go through
/// libcurl as in production.
public final class WireStage: Sendable {
  private let server: MockServer
  private let client = HTTPClient()
  private let runner: ConversationRunner
  private let worlds: Worlds

  /// Starts the server.
  ///
  /// - Throws: An error if the kernel refuses a socket.
  public init(_ runner: ConversationRunner) async throws {
    let worlds = Worlds()
    self.worlds = worlds
    self.runner = runner
    server = try await MockServer(pace: runner.pace) { request in worlds.answer(request) }
  }

  /// Stops the server.
  public func close() async { await server.shutdown() }

  public func run(_ cassette: Cassette) async -> ConversationRun {
    let world = World(cassette, runner.matching)
    let name = worlds.add(world)
    defer { worlds.remove(name) }
    let isPatient = runner.pace != .none || !cassette.exchanges.contains(where: \.fallsSilent)
    return await runner.run(
      world, over: isPatient ? client : ImpatientTransport(client: client, player: world.player),
      baseURL: "http://127.0.0.1:\(server.port)/\(name)/v1")
  }
}

/// Skips recorded silences; everything else takes its usual time.
private struct ImpatientTransport: HTTPTransport {
  let client: HTTPClient
  let player: CassettePlayer

  private static let longestSilence = Duration.seconds(1)

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    var request = request
    if let content = try? RequestContent(parsing: request.body, format: player.cassette.wireFormat),
      player.upcoming(content)?.fallsSilent == true
    {
      request.timeouts.firstByte = Self.longestSilence
      request.timeouts.idle = Self.longestSilence
    }
    return try await client.send(request)
  }
}

extension Exchange {
  fileprivate var fallsSilent: Bool {
    response.ending == .held || [.mute, .silence, .doneHeld].contains(fault?.name)
  }
}

/// The conversations being played, by the first component of their paths.
private final class Worlds: Sendable {
  private let state = Mutex((next: 1, worlds: [String: World]()))

  func add(_ world: World) -> String {
    state.withLock { state in
      defer { state.next += 1 }
      let name = "\(state.next)"
      state.worlds[name] = world
      return name
    }
  }

  func remove(_ name: String) { state.withLock { _ = $0.worlds.removeValue(forKey: name) } }

  func answer(_ request: MockRequest) -> MockAnswer {
    let name = String(request.path.split(separator: "/").first ?? "")
    guard let world = state.withLock({ $0.worlds[name] }) else {
      return Self.refusal("no such conversation")
    }
    let format = world.cassette.wireFormat
    guard let content = try? RequestContent(parsing: request.body, format: format) else {
      return Self.refusal("the request is not in the recording's wire format")
    }
    guard let match = try? world.player.take(content) else {
      return Self.refusal("no recorded answer matches this request")
    }
    let delivery = Delivery(
      match.exchange.response, format: format, model: content.model,
      isStreaming: content.isStreaming, fault: match.exchange.fault)
    world.clock.advance(milliseconds: delivery.parts.last?.at ?? 0)
    world.player.note(unread: delivery.parts.count, of: match.index)
    return .delivery(delivery) { [player = world.player] written in
      player.note(unread: delivery.parts.count - written, of: match.index)
    }
  }

  private static func refusal(_ reason: String) -> MockAnswer {
    let body: JSONValue = ["error": ["message": .string(reason), "type": "no_recording"]]
    return .delivery(
      Delivery(
        RecordedResponse(status: 400, content: .body(body.serialized())), format: .openAI,
        model: ""))
  }
}
