import Foundation
import IncrementalJSON
import Intake
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import RapportServer

/// No client chooses an address that the server fetches, or a path that it writes.
@Suite(.integration) struct AddressTests {
  /// Where a server would connect to if it believed a client.
  private final class Trap: Sendable {
    let channel: any Channel
    private let visits: Counter

    final class Counter: Sendable {
      private let state = Mutex(0)
      var count: Int { state.withLock(\.self) }
      func add() { state.withLock { $0 += 1 } }
    }

    init() async throws {
      let visits = Counter()
      self.visits = visits
      channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          visits.add()
          return channel.close()
        }
        .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    var count: Int { visits.count }
  }

  /// What the document says about a body's members, and what clients of other servers may send.
  private func members(_ path: String, _ method: HTTPMethod) throws -> Set<String> {
    let document = try OpenAPI.document
    var schema = document["paths"]?[path]?[method.rawValue.lowercased()]?["requestBody"]?[
      "content"]?[
        "application/json"]?["schema"]
    if let name = schema?["$ref"]?.stringValue?.split(separator: "/").last {
      schema = document["components"]?["schemas"]?[String(name)]
    }
    return Set(schema?["properties"]?.objectValue?.names ?? []).union([
      "base_url", "url", "callback", "file", "model", "state", "threadId", "user", "tools",
    ])
  }

  private func base(_ path: String) -> [(String, JSONValue)] {
    switch path {
    case "/chat-stream": [("message", "hello")]
    case "/v1/chat/completions":
      [("model", "rapport-coach"), ("messages", [["role": "user", "content": "hello"]])]
    case "/ag-ui":
      [("runId", "r"), ("messages", [["id": "1", "role": "user", "content": "hello"]])]
    default: []
    }
  }

  @Test func noStringOfAClientIsFetchedOrWrittenTo() async throws {
    let (folder, trap, model) = (try TestFolder(), try await Trap(), try await MockModel())
    var options = ServerOptions.forTests
    options.authentication = Authentication(deviceKey: Array(repeating: 7, count: 32))
    options.limits.turnsPerMinute = 10_000
    options.limits.uploadsPerHour = 10_000
    let server = try await TestServer(folder, models: model.roles, options: options)
    let token = try await server.client.json(.POST, "/tokens").json["token"]?.stringValue ?? ""
    let client = Client(
      port: server.client.port, headers: [("authorization", "Bearer \(token)")])
    let id = try await client.chat(["first_message": true]).conversation
    func files() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }
    let before = try files()
    let targets = ["http://127.0.0.1:\(trap.port)/x", "\(folder.path)/planted"]
    var tried = 0
    for (path, method) in try OpenAPI.operations where [.POST, .PUT, .PATCH].contains(method) {
      let concrete = path.replacing("{id}", with: id).replacing("{name}", with: "trainer")
        .replacing("{number}", with: "1")
      for member in try members(path, method) {
        for target in targets {
          let body = JSONObject(
            base(path).filter { $0.0 != member } + [(member, JSONValue.string(target))])
          let answer = try await client.json(method, concrete, .object(body))
          #expect(answer.status < 500, "\(method) \(path) \(member)")
          tried += 1
        }
      }
    }
    // What is in paths and headers.
    for target in targets + ["../planted", "..%2F..%2Fetc%2Fpasswd"] {
      let escaped =
        target.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? target
      for path in ["/conversations/\(escaped)", "/journeys/\(escaped)", "/\(escaped)"] {
        let method: HTTPMethod = path.hasPrefix("/journeys") ? .POST : .GET
        #expect(try await [404, 405].contains(client.json(method, path, [:]).status), "\(path)")
        tried += 1
      }
      let headers = ["referer", "x-forwarded-for", "x-conversation-id", "last-event-id"]
        .map { ($0, target) }
      #expect(try await client.json(.GET, "/me", nil, headers).status == 200)
    }
    #expect(tried > 100)
    #expect(trap.count == 0)
    #expect(try files() == before)
  }

  /// nginx inherits headers only into a place that sets none.
  @Test(arguments: ["packaging/nginx.conf", "docs/postgres.md"])
  func aProxySaysWhoAsksWhateverIsAsked(file: String) throws {
    let url = URL(filePath: #filePath).appending(path: "../../../../\(file)").standardized
    let text = try String(contentsOf: url, encoding: .utf8)
    let places = text.split(separator: "location ").dropFirst()
    #expect(!places.isEmpty)
    for place in places {
      let settings = place.prefix { $0 != "}" }
      for header in ["X-Forwarded-For $proxy_add_x_forwarded_for;", "X-Forwarded-Proto $scheme;"] {
        #expect(settings.contains("proxy_set_header \(header)"), "\(place.prefix(30))")
      }
    }
    #expect(file != "docs/postgres.md" || text.contains("--trusted-proxy"))
  }

  /// What can connect or create a file, and the only places that may.
  @Test func onlyKnownPlacesConnectOrWrite() throws {
    let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
    let allowed = [
      "HTTPClient(": ["KeyDirectory.swift"], "mkstemp(": ["HealthRoutes.swift"], "URLSession": [],
      "Bootstrap(": [], "FileHandle(": [], "createFile(": [], ".write(to:": [], "fopen(": [],
    ]
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
    var read = 0
    for case let name as String in files where name.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
      read += 1
      for (call, places) in allowed where text.contains(call) {
        #expect(places.contains { name.hasSuffix("/" + $0) }, "\(name) calls \(call)")
      }
    }
    #expect(read > 30)
  }
}
