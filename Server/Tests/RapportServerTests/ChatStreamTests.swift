import Foundation
import IncrementalJSON
import Intake
import Logging
import NIOHTTP1
import SessionStore
import TestSupport
import Testing

@testable import RapportServer

/// What the user says in these tests, from the first line to the last.
let lines = [
  "I want to lose 20 lbs by June because my kids want me to play with them",
  "I sit at a desk all day, I'm 41, 180 cm and 92 kg, and I sleep about 6 hours",
  "I get home late and I'm tired, and then I order food",
  "I like swimming and walking, and I hate running; I have three evenings a week",
  "I tried keto twice and stopped after a month; be direct with me, my wife helps me",
  "go with what you have",
]

@Suite(.integration) struct ChatStreamTests {
  @Test func theCoachSpeaksFirstAndTheStreamEnds() async throws {
    let server = try await TestServer(TestFolder())
    let events = try await server.client.chat(["first_message": true])
    #expect(events.names == ["notice", "message", "done", "starters"])
    #expect(events.first("message")?["purpose"] == "greeting")
    #expect(events.first("done")?["failed"] == false)
    #expect(Set(events.map(\.id)).count == events.count)
    let ids = events.compactMap { EventID($0.id) }
    #expect(ids.map(\.number) == Array(0..<events.count))
    #expect(ids.allSatisfy { $0.conversation.rawValue == events.conversation })
  }

  @Test func linesCarryTheSameEvents() async throws {
    let server = try await TestServer(TestFolder())
    let answer = try await server.client.json(
      .POST, "/chat-stream", ["first_message": true], [("accept", "application/x-ndjson")])
    #expect(answer.headers["content-type"] == ["application/x-ndjson; charset=utf-8"])
    let objects = try answer.text.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    #expect(objects.map { $0["type"] } == ["notice", "message", "done", "starters"])
    #expect(objects.allSatisfy { EventID($0["id"]?.stringValue ?? "") != nil })
  }

  @Test func aWholeConversationEndsAtThePaywallAndGoesOnAfterIt() async throws {
    let server = try await TestServer(TestFolder())
    var events = try await server.client.chat(["first_message": true])
    let id = JSONValue.string(events.conversation)
    for line in lines where events.first("choices") == nil {
      events = try await server.client.chat(["conversation_id": id, "message": .string(line)])
      #expect(events.first("understanding") != nil)
    }
    while events.first("done")?["phase"] != "paywall" {
      let choice = try #require(events.first("choices")?["options"]?[0]?["id"])
      events = try await server.client.chat(["conversation_id": id, "choice": choice])
      try #require(events.first("done")?["failed"] == false)
    }
    let done = try #require(events.first("done"))
    #expect(done["discovery_complete"] == true)
    #expect(done["discovery_context_profile"]?["userGoals"]?["primary"]?.stringValue != nil)
    #expect(events.first("paywall")?["options"]?.arrayValue?.count == 2)

    events = try await server.client.chat(["conversation_id": id, "choice": "notNow"])
    #expect(
      events.first("notice")?["code"] == "paywall-declined" || events.names.contains("notice"))
    events = try await server.client.chat([
      "conversation_id": id, "message": "I did my walk this morning",
    ])
    #expect(events.first("paywall")?["held"] == 1)
    events = try await server.client.chat(["conversation_id": id, "choice": "continue"])
    #expect(events.first("done")?["phase"] == "coaching")
    #expect(try server.stored(events.conversation).last?.role == "coach")
  }

  @Test(
    arguments: [
      (["message": "a", "first_message": true], "message"),
      (["conversation_id": 3, "message": "a"], "conversation_id"),
      (["mesage": "a"], "mesage"), ([:], "message"), (["message": 4], "message"),
      (["message": "  "], "message"),
      (["message": "a", "client_message_id": ""], "client_message_id"),
      (["message": "a", "client_message_id": "a b"], "client_message_id"),
      (["first_message": "yes"], "first_message"),
    ] as [(JSONValue, String)])
  func requestsThatMakeNoSenseNameTheMember(body: JSONValue, field: String) async throws {
    let server = try await TestServer(TestFolder())
    let answer = try await server.client.json(.POST, "/chat-stream", body)
    #expect(answer.status == 400)
    #expect(answer.code == "bad-request")
    #expect(answer.json["error"]?["field"] == .string(field))
    #expect(try server.store.sessions().allSatisfy { $0.turns == 0 })
  }

  @Test func refusalsComeByName() async throws {
    let server = try await TestServer(TestFolder())
    let client = server.client
    let id = JSONValue.string(try await client.chat(["first_message": true]).conversation)
    func code(_ json: JSONValue) async throws -> String? {
      try await client.json(.POST, "/chat-stream", json).code
    }
    #expect(try await code(["conversation_id": "nobody", "message": "a"]) == "not-found")
    #expect(try await code(["conversation_id": id, "choice": "continue"]) == "choice-not-offered")
    let long = String(repeating: "a", count: 20_000)
    #expect(try await code(["conversation_id": id, "message": .string(long)]) == "too-large")
    let huge = String(repeating: "a", count: 200_000)
    #expect(try await code(["conversation_id": id, "message": .string(huge)]) == "too-large")
    let text = try await client.send(
      .POST, "/chat-stream", [("content-type", "text/plain")], body: Array("{}".utf8)
    ) { try await $0.text() }
    #expect(text.contains("not-json"))
    for (token, status) in [("local", 200), ("somebody", 401), ("", 401)] {
      let answer = try await client.json(
        .GET, "/conversations", nil, [("authorization", "Bearer \(token)")])
      #expect(answer.status == status)
    }
    let other = try await client.send(.GET, "/status", [("host", "evil.example")]) { $0.status }
    #expect(other == 421)
    let disguised = "127.0.0.1:80@evil.example"
    #expect(try await client.send(.GET, "/status", [("host", disguised)]) { $0.status } == 421)
    let both = [("host", "127.0.0.1"), ("host", "evil.example")]
    #expect(try await client.send(.GET, "/status", both) { $0.status } == 400)
    #expect(
      try await client.json(.GET, "/conversations/\(id.stringValue ?? "")/none").status == 404)
  }

  @Test func sendingTwiceSaysItOnce() async throws {
    let server = try await TestServer(TestFolder())
    let first = try await server.client.chat(
      ["message": .string(lines[0]), "client_message_id": "one"])
    let again = try await server.client.chat(
      ["message": .string(lines[0]), "client_message_id": "one"])
    #expect(again.conversation == first.conversation)
    #expect(again.first?.name == "restart")
    var view = ClientView()
    view.say(lines[0])
    for event in again { view.apply(event) }
    #expect(try view.messages == server.stored(first.conversation))
    #expect(view.messages.count == 2)
    #expect(try server.store.sessions().count == 1)
  }

  @Test func othersMustNotConnectWithoutAuthentication() throws {
    let store = try SessionStore(path: TestFolder().store)
    let desk = CoachDesk(
      store: store, pack: try TestServer.pack.get(), settings: IntakeSettings(), models: nil)
    for host in ["0.0.0.0", "192.168.1.2", "::", "example.com", "127.0.0.1.example.com"] {
      #expect(throws: RapportServer.Refusal.self) {
        try RapportServer(ServerOptions(host: host), desk: desk, logger: .init(label: "test"))
      }
    }
    for host in ["127.0.0.1", "localhost", "::1", "127.9.9.9"] {
      _ = try RapportServer(ServerOptions(host: host), desk: desk, logger: .init(label: "test"))
    }
  }
}
