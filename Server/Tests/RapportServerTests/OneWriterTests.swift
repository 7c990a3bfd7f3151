import IncrementalJSON
import Intake
import NIOHTTP1
import SessionStore
import TestSupport
import Testing

@testable import RapportServer

@Suite(.integration) struct OneWriterTests {
  @Test func aSecondMessageIsRefusedWhileAReplyIsWritten() async throws {
    let model = try await MockModel()
    let server = try await TestServer(TestFolder(), models: model.roles)
    let client = server.client
    let id = JSONValue.string(try await client.chat(["first_message": true]).conversation)
    model.gate.close()
    async let first = client.chat(
      ["conversation_id": id, "message": .string(lines[0]), "client_message_id": "one"])
    await model.gate.holds(1)
    let other = try await client.json(
      .POST, "/chat-stream", ["conversation_id": id, "message": "and another"])
    #expect(other.status == 409)
    #expect(other.code == "conversation-busy")
    // The same request again, and a reader without an id, follow the reply instead.
    async let again = client.chat(
      ["conversation_id": id, "message": .string(lines[0]), "client_message_id": "one"])
    async let follower = client.resume(id.stringValue ?? "")
    model.gate.open()
    let replies = try await [first, again, follower]
    #expect(replies[0].first("done")?["failed"] == false)
    #expect(replies[0].names.contains("delta"))
    #expect(replies[1] == replies[0])
    #expect(replies[2] == replies[0] || replies[2].first("resumed") != nil)
    #expect(try server.stored(replies[0].conversation).count == 3)
  }

  @Test func aReplyIsStopped() async throws {
    let model = try await MockModel()
    let server = try await TestServer(TestFolder(), models: model.roles)
    let client = server.client
    let id = try await client.chat(["first_message": true]).conversation
    let path = "/conversations/\(id)/stop"
    #expect(try await client.json(.POST, path).json == ["stopped": false])
    model.gate.close()
    async let reply = client.chat(["conversation_id": .string(id), "message": .string(lines[0])])
    await model.gate.holds(1)
    let stopped = try await client.json(.POST, path)
    #expect(stopped.status == 200 && stopped.json == ["stopped": true])
    #expect(try await reply.names.last == "done")
    model.gate.open()
    // What was said is kept, and the conversation goes on.
    let next = try await client.chat(["conversation_id": .string(id), "message": .string(lines[1])])
    #expect(next.first("done")?["failed"] == false)
    #expect(try await client.json(.POST, "/conversations/none/stop").status == 404)
  }

  @Test func whatCameOfAStoppedReplyCountsAsSent() async throws {
    let model = try await MockModel(faultyOnce: ("ask", "silence:after=8"))
    let server = try await TestServer(TestFolder(), models: model.roles)
    let client = server.client
    let id = try await client.chat(["first_message": true]).conversation
    let said: JSONValue = ["conversation_id": .string(id), "message": .string(lines[0])]
    let events = try await client.send(
      .POST, "/chat-stream", [("content-type", "application/json")],
      body: Array(said.serialized().utf8)
    ) { reply in
      var reader = EventReader()
      var events: [Event] = []
      while events.first("delta") == nil, let text = try await reply.next() {
        events += reader.events(in: text)
      }
      let stopped = try await client.json(.POST, "/conversations/\(id)/stop")
      #expect(stopped.json == ["stopped": true])
      return try await events + reader.events(in: reply.text())
    }
    let cut = try #require(events.last { $0.name == "message" })
    #expect(cut["cut"] == "cancelled" && cut["complete"] == false)
    let requests = model.requests
    let resumed = try await client.resume(id)
    #expect(resumed.first("resumed")?["lastMessage"] == cut["text"])
    #expect(resumed.first("delta") == nil && model.requests == requests)
    let next = try await client.chat(["conversation_id": .string(id), "message": .string(lines[1])])
    #expect(next.first("done")?["failed"] == false)
  }

  @Test func anEntryWaitsForTheReply() async throws {
    let model = try await MockModel()
    let server = try await TestServer(TestFolder(), models: model.roles)
    let client = server.client
    let id = try await client.chat(["first_message": true]).conversation
    model.gate.close()
    async let reply = client.chat(["conversation_id": .string(id), "message": .string(lines[0])])
    await model.gate.holds(1)
    async let noted = client.json(
      .POST, "/conversations/\(id)/log", ["words": "ran 5k in 31 min"])
    async let again = client.json(
      .POST, "/conversations/\(id)/log", ["words": "weight 75 kg"])
    model.gate.open()
    let statuses = try await [noted.status, again.status]
    #expect(statuses == [201, 201])
    #expect(try await reply.first("done")?["failed"] == false)
    #expect(try await client.json(.GET, "/conversations/\(id)/log").json["count"] == 2)
  }

  @Test func usageIsCounted() async throws {
    let model = try await MockModel()
    let server = try await TestServer(TestFolder(), models: model.roles)
    let events = try await server.client.chat(["message": .string(lines[0])])
    let usage = try #require(events.first("done")?["usage"])
    #expect(usage["requests"]?.intValue ?? 0 >= 2)
    #expect(usage["input_tokens"]?.intValue ?? 0 > 0)
  }

  @Test func aConversationThatAnotherProgramHasIsRefusedAndFollowed() async throws {
    let server = try await TestServer(TestFolder())
    let client = server.client
    let events = try await client.chat(["first_message": true])
    let id = SessionID(rawValue: events.conversation)
    var writer: SessionWriter? = try server.store.acquireWriter(of: id)
    let refused = try await client.json(
      .POST, "/chat-stream", ["conversation_id": .string(id.rawValue), "message": "hello"])
    #expect(refused.code == "conversation-held")
    let followed = try await client.send(.GET, "/conversations/\(id)/stream") { reply in
      var reader = EventReader()
      var events: [Event] = []
      while events.isEmpty, let text = try await reply.next() { events += reader.events(in: text) }
      return (events, reply.status)
    }
    #expect(followed.1 == 200)
    #expect(followed.0.first?["for"] == "writer")
    withExtendedLifetime(writer) {}
    writer = nil
    #expect(try await client.resume(id.rawValue).names.contains("done"))
  }

  @Test func aQuietStreamGetsASignOfLife() async throws {
    let model = try await MockModel()
    var options = ServerOptions.forTests
    options.keepAlive = .milliseconds(20)
    let server = try await TestServer(TestFolder(), models: model.roles, options: options)
    model.gate.close()
    let comments = try await server.client.send(
      .POST, "/chat-stream", [("content-type", "application/json")],
      body: Array(#"{"first_message":true}"#.utf8)
    ) { reply in
      var reader = EventReader()
      while reader.comments < 4, let text = try await reply.next() { _ = reader.events(in: text) }
      return reader.comments
    }
    #expect(comments >= 4)
    model.gate.open()
  }

  @Test func withoutAModelOnlyRehearsalsBegin() async throws {
    let folder = try TestFolder()
    let store = try SessionStore(path: folder.store)
    let desk = CoachDesk(
      store: store, pack: try TestServer.pack.get(), settings: .init(), models: nil)
    await #expect(throws: Problem.noModel) {
      _ = try await desk.begin(ChatRequest(.firstMessage))
    }
    _ = try await desk.begin(ChatRequest(.firstMessage, isRehearsal: true))
  }
}
