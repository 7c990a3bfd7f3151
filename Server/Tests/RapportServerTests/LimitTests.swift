import Foundation
import IncrementalJSON
import NIOHTTP1
import Testing

@testable import RapportServer

/// What one person, and everybody at one address, may use.
@Suite struct LimitTests {
  private let clock = TokenTests.Clock()

  private func options(_ change: (inout LimitOptions) -> Void) -> ServerOptions {
    var options = ServerOptions.forTests
    options.authentication = Authentication(deviceKey: Array(repeating: 7, count: 32))
    options.trustedProxies = ["127.0.0.1"]
    let clock = clock
    options.clock = { clock.now }
    change(&options.limits)
    return options
  }

  /// Somebody with a token of their own at an address.
  private func person(_ server: TestServer, at address: String) async throws -> Client {
    let hop = ("x-forwarded-for", address)
    let token = try await server.client.json(.POST, "/tokens", nil, [hop]).json["token"]
    return Client(
      port: server.client.port,
      headers: [hop, ("authorization", "Bearer \(token?.stringValue ?? "")")])
  }

  private func statuses(
    _ people: [Client], each: Int, _ method: HTTPMethod, _ path: String, _ body: JSONValue
  ) async throws -> [Int] {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for client in people {
        for _ in 0..<each {
          group.addTask {
            let answer = try await client.json(method, path, body)
            let wait = answer.headers["retry-after"].first.flatMap { Int($0) } ?? 0
            #expect((answer.status == 429) == (1...3_600).contains(wait))
            return answer.status
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Everybody sends at once: exactly as many are answered as may be.
  @Test func turnsAreLimitedPerPersonAndPerAddress() async throws {
    let server = try await TestServer(
      TestFolder(),
      options: options {
        ($0.turnsPerMinute, $0.peoplePerAddress) = (3, 2)
      })
    var people: [Client] = []
    for _ in 0..<4 { people.append(try await person(server, at: "203.0.113.1")) }
    let elsewhere = try await person(server, at: "203.0.113.2")
    let hello: JSONValue = ["message": "hello"]
    let each = Soak.rounds(5, soak: 100)
    let crowd = try await statuses(people, each: each, .POST, "/chat-stream", hello)
    #expect(crowd.count { $0 == 200 } == 6)
    #expect(crowd.count { $0 == 429 } == 4 * each - 6)
    let alone = try await statuses([elsewhere], each: each, .POST, "/chat-stream", hello)
    #expect(alone.count { $0 == 200 } == 3)
    clock.advance(.seconds(61))
    let later = try await statuses([people[0]], each: each, .POST, "/chat-stream", hello)
    #expect(later.count { $0 == 200 } == 3)
  }

  @Test func uploadsAreLimitedPerPersonAndPerAddress() async throws {
    let server = try await TestServer(
      TestFolder(),
      options: options {
        ($0.uploadsPerHour, $0.peoplePerAddress) = (2, 2)
      })
    var people: [Client] = []
    for _ in 0..<3 { people.append(try await person(server, at: "203.0.113.1")) }
    let crowd = try await statuses(people, each: 4, .PUT, "/health", [:])
    #expect(crowd.count { $0 == 422 } == 4)
    #expect(crowd.count { $0 == 429 } == 8)
    clock.advance(.seconds(3_601))
    #expect(try await statuses([people[0]], each: 4, .PUT, "/health", [:]).count { $0 == 422 } == 2)
  }

  @Test func streamsAreLimitedPerAddress() async throws {
    let model = try await MockModel()
    let server = try await TestServer(
      TestFolder(), models: model.roles,
      options: options {
        ($0.streamsPerPerson, $0.peoplePerAddress) = (1, 2)
      })
    var people: [Client] = []
    for _ in 0..<3 { people.append(try await person(server, at: "2001:db8:1:2::\(people.count)")) }
    let (anna, ben, cleo) = (people[0], people[1], people[2])
    model.gate.close()
    async let one = anna.chat(["message": "hello"])
    async let two = ben.chat(["message": "hello"])
    await model.gate.holds(2)
    let refused = try await cleo.json(.POST, "/chat-stream", ["message": "hello"])
    #expect(refused.status == 429 && refused.code == "too-many-streams")
    #expect(refused.headers["retry-after"] == ["10"])
    model.gate.open()
    _ = try await (one, two)
    #expect(try await cleo.chat(["message": "hello"]).first("done")?["failed"] == false)
  }

  @Test func tokensOfAnAddressSurviveARestart() async throws {
    let (folder, model) = (try TestFolder(), try await MockModel())
    let options = options { ($0.tokensPerDay, $0.peoplePerAddress) = (10, 1) }
    var server = try await TestServer(folder, models: model.roles, options: options)
    let anna = try await person(server, at: "203.0.113.1")
    _ = try await anna.chat(["message": .string(lines[0])])
    await server.stop()
    server = try await TestServer(folder, models: model.roles, options: options)
    let ben = try await person(server, at: "203.0.113.1")
    let refused = try await ben.json(.POST, "/chat-stream", ["message": "hello"])
    #expect(refused.status == 429 && refused.code == "tokens-used-up")
    #expect(refused.headers["retry-after"].first.flatMap { Int($0) } ?? 0 > 0)
    let elsewhere = try await person(server, at: "203.0.113.2")
    _ = try await elsewhere.chat(["message": "hello"])
    let bytes = try Data(contentsOf: URL(filePath: folder.store))
    #expect(bytes.range(of: Data("203.0.113".utf8)) == nil)
  }

  @Test(arguments: [
    ("203.0.113.7", "203.0.113.7"), ("::ffff:203.0.113.7", "203.0.113.7"),
    ("2001:db8:1:2:3:4:5:6", "20:1:d:b8:0:1:0:2::/64"), ("", ""), ("unix", "unix"),
  ])
  func anAddressIsOneCustomers(address: String, network: String) {
    #expect(Limits.network(of: address) == network)
  }
}
