import Foundation
import IncrementalJSON
import Intake
import NIOHTTP1
import SessionStore
import TestSupport
import Testing

@testable import RapportServer

@Suite(.serialized, .integration) struct ProcessTests {
  /// Somebody who says every line, and comes back whenever the connection breaks.
  private actor Visitor {
    let name: String
    private(set) var view = ClientView()
    private(set) var conversation: String?
    private(set) var said = 0

    init(_ name: String) { self.name = name }

    /// Says the next line, or the same again after a break.
    ///
    /// - Parameter heard: Counts the pieces of answers.
    func turn(_ client: Client, _ heard: Counter = Counter()) async throws {
      let isFirst = said == 0
      var request: JSONValue = [
        "client_message_id": .string("\(name)-\(said)"), "rehearsal": true,
      ]
      request = request.adding(
        isFirst
          ? [("first_message", true)]
          : [("message", .string(lines[(said - 1) % lines.count] + " (\(said))"))])
      if let conversation {
        request = request.adding([("conversation_id", .string(conversation))])
      }
      view.say(isFirst ? nil : request["message"]?.stringValue)
      let body = Array(request.serialized().utf8)
      guard let ended = try? await ask(client, body, heard), let done = ended.first("done") else {
        view.takeBack()
        throw Client.NoReply()
      }
      for event in ended { view.apply(event) }
      conversation = done["conversation_id"]?.stringValue
      said += 1
    }

    private func ask(
      _ client: Client, _ body: [UInt8], _ heard: Counter
    ) async throws -> [Event] {
      try await client.send(
        .POST, "/chat-stream", [("content-type", "application/json")], body: body
      ) { reply in
        guard reply.status == 200 else {
          throw Client.Refused(status: reply.status, text: try await reply.text())
        }
        var reader = EventReader()
        var events: [Event] = []
        while let text = try await reply.next() {
          heard.increment()
          events += reader.events(in: text)
        }
        return events
      }
    }
  }

  /// The server is killed again and again while people talk: every message is stored once, and every
  /// client shows what is stored.
  @Test func killsLoseAndDoubleNothing() async throws {
    let (kills, visitorCount) = (Soak.rounds(5, soak: 200), Soak.rounds(8, soak: 50))
    let folder = try TestFolder()
    var generator = SeededGenerator(seed: 32)
    let visitors = (0..<visitorCount).map { Visitor("v\($0)") }
    for kill in 0...kills {
      let server = try await ServerProcess(folder, ["--offline"])
      let client = server.client
      let (heard, moment) = (Counter(), Int.random(in: 0...200, using: &generator))
      let fall = Task {
        guard kill < kills else { return }
        await heard.reaches(moment)
        await server.kill9()
      }
      await withTaskGroup { group in
        for visitor in visitors {
          group.addTask {
            // The last server lives, so that everybody finishes the turn that was cut.
            if kill == kills {
              _ = try? await visitor.turn(client)
              return
            }
            while (try? await visitor.turn(client, heard)) != nil {}
          }
        }
      }
      // Nobody says anything more.
      for _ in 0..<moment { heard.increment() }
      await fall.value
      if kill == kills { await server.kill9() }
    }
    let store = try SessionStore(path: folder.store)
    for visitor in visitors {
      let id = SessionID(rawValue: try #require(await visitor.conversation))
      let events = try store.events(of: id)
      #expect(events.map(\.position) == Array(1...events.count))
      let stored = events.compactMap { StoredMessage($0) }
      let said = stored.filter { !$0.isFromCoach }.map(\.text)
      #expect(Set(said).count == said.count, "said twice")
      let view = await visitor.view
      #expect(
        view.messages
          == stored.map { .init(role: $0.isFromCoach ? "coach" : "user", text: $0.text) })
    }
  }

  @Test(arguments: [true, false])
  func aSignalEndsEveryStreamAndStoresWhatWasSaid(repliesCome: Bool) async throws {
    let count = Soak.rounds(30, soak: 100)
    let folder = try TestFolder()
    let model = try await MockModel()
    let server = try await ServerProcess(
      folder, model.arguments + ["--grace", repliesCome ? "120" : "1"])
    let client = server.client
    model.gate.close()
    let replies = Task {
      try await withThrowingTaskGroup(of: [Event].self) { group in
        for _ in 0..<count {
          group.addTask { try await client.chat(["message": .string(lines[0])]) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    await model.gate.holds(count)
    server.signal(SIGTERM)
    if repliesCome { model.gate.open() }
    let ended = try await replies.value
    #expect(ended.count == count)
    for events in ended {
      #expect(events.filter { $0.name == "done" }.count == 1)
      #expect(events.first("done")?["failed"] == .bool(!repliesCome))
    }
    #expect(await server.wait() == 0)
    model.gate.open()
    let store = try SessionStore(path: folder.store)
    for events in ended {
      let stored = try store.events(of: SessionID(rawValue: events.conversation))
      #expect(stored.compactMap { StoredMessage($0) }.first?.text == lines[0])
    }
  }

  /// Neither the stream of somebody who takes nothing nor another of their answers keeps the server.
  @Test func aSignalEndsAServerWhoseClientsTakeNothing() async throws {
    let folder = try TestFolder()
    let server = try await ServerProcess(folder, ["--offline", "--grace", "1"])
    let client = server.client
    let id = try await client.chat(["first_message": true]).conversation
    let stream = try await Stalled(
      server.port, reading: id, of: try SessionStore(path: folder.store))
    let export = try await Stalled(
      server.port,
      "GET /conversations/\(id)/export?format=json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
    try await client.waitForStreams(1)
    server.signal(SIGTERM)
    #expect(await server.wait() == 0)
    withExtendedLifetime((stream, export)) {}
  }

  @Test func aBrokenJourneyKeepsTheServerFromStarting() async throws {
    let folder = try TestFolder()
    let pack = folder.path + "/mine"
    let prompts = URL(filePath: #filePath).appending(path: "../../../../Prompts").standardized
    try FileManager.default.copyItem(
      at: prompts.appending(path: "fitness"), to: URL(filePath: pack))
    try Data(#"{"name": "a", "version": 1, "title": "A", "steps": []}"#.utf8).write(
      to: URL(filePath: pack + "/journeys/a.json"))
    await #expect(throws: ServerProcess.DidNotStart.self) {
      _ = try await ServerProcess(folder, ["--offline", "--prompts", pack])
    }
    let log = try String(contentsOfFile: folder.path + "/log", encoding: .utf8)
    #expect(log.contains("a.json:1: steps: expected at least one step, found []"), "\(log)")
  }

  @Test func theHelpNamesValuesForWhatTheyAre() throws {
    let process = Process()
    process.executableURL = ServerProcess.program
    process.arguments = ["--help"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let help = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    for option in ["--base-url <url>", "--ca-file <file>", "--max-turns <n>", "--store <file>"] {
      #expect(help.contains("  \(option) "), "\(option)")
    }
    #expect(!help.contains(#/<[a-z]+-[a-z-]+>/#))
  }

  @Test func theLogHoldsNobodysWords() async throws {
    let folder = try TestFolder()
    let server = try await ServerProcess(folder, ["--offline", "--log-level", "debug"])
    let canary = "xylophone-canary"
    let id = try await server.client.chat(["message": .string("I want \(canary)")]).conversation
    _ = try await server.client.json(.GET, "/conversations/\(canary)/stream?\(canary)")
    _ = try await server.client.json(
      .POST, "/chat-stream", .object(JSONObject([(canary, .string(canary))])),
      [("authorization", "Bearer \(canary)")])
    server.signal(SIGTERM)
    #expect(await server.wait() == 0)
    let log = try String(contentsOfFile: server.log, encoding: .utf8)
    #expect(!log.contains(canary))
    #expect(!id.isEmpty)
    let lines = try log.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    #expect(lines.count >= 3)
    #expect(lines.allSatisfy { $0["time"] != nil && $0["level"] != nil })
  }
}
