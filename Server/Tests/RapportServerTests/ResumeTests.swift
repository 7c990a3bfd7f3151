import Foundation
import IncrementalJSON
import Intake
import NIOHTTP1
import SessionStore
import TestSupport
import Testing

@testable import RapportServer

@Suite(.integration) struct ResumeTests {
  /// A conversation up to its last reply, and that reply.
  private struct Talk {
    var conversation: String
    var view: ClientView
    var reply: [Event]
    var message: String
    /// The position before the reply.
    var base: Int
  }

  private func talk(_ server: TestServer, turns: Int) async throws -> Talk {
    var view = ClientView()
    var events = try await server.client.chat(["first_message": true])
    let id = events.conversation
    for event in events { view.apply(event) }
    for line in lines.prefix(turns - 1) {
      events = try await server.client.chat(
        ["conversation_id": .string(id), "message": .string(line)])
      view.say(line)
      for event in events { view.apply(event) }
    }
    let base = try server.store.events(of: SessionID(rawValue: id)).last?.position ?? 0
    let line = lines[turns - 1]
    let reply = try await server.client.chat(
      ["conversation_id": .string(id), "message": .string(line)])
    return Talk(conversation: id, view: view, reply: reply, message: line, base: base)
  }

  @Test func aReaderThatComesBackGetsTheRestExactlyOnce() async throws {
    let server = try await TestServer(TestFolder())
    let talk = try await talk(server, turns: 2)
    for (number, event) in talk.reply.enumerated() {
      let rest = try await server.client.resume(talk.conversation, after: event.id)
      #expect(rest == Array(talk.reply[(number + 1)...]))
    }
  }

  /// The server was killed when the log had only some of the reply's events and the client only some
  /// of its outputs: every such pair.
  @Test(arguments: Soak.isOn ? [1, 2, 3, 4] : [1])
  func afterAKillTheClientShowsWhatIsStored(turns: Int) async throws {
    let whole = try await TestServer(TestFolder())
    let talk = try await talk(whole, turns: turns)
    let id = SessionID(rawValue: talk.conversation)
    let log = try whole.store.events(of: id)
    for stored in talk.base...log.count {
      let folder = try TestFolder()
      do {
        let store = try SessionStore(path: folder.store)
        _ = try store.createSession(id, at: Date())
        for recorded in log.prefix(stored) {
          _ = try store.log(for: id).append([recorded.envelope], at: recorded.at)
        }
      }
      for number in talk.reply.indices {
        let server = try await TestServer(folder)
        var view = talk.view
        view.say(talk.message)
        for event in talk.reply[...number] { view.apply(event) }
        let rest = try await server.client.resume(
          talk.conversation, after: talk.reply[number].id)
        #expect(rest.first?.name == "restart")
        #expect(rest.filter { $0.name == "done" }.count == 1)
        for event in rest { view.apply(event) }
        #expect(try view.messages == server.stored(talk.conversation), "\(stored) \(number)")
        await server.stop()
      }
    }
  }

  /// Connections break at any event, and servers are killed at any event of the log in between: the
  /// client gets every event once, and shows what is stored.
  @Test func anyCutsAndKillsGiveEveryEventExactlyOnce() async throws {
    let whole = try await TestServer(TestFolder())
    let talks = [try await talk(whole, turns: 1), try await talk(whole, turns: 3)]
    for seed in 0..<Soak.rounds(8, soak: 1_000) {
      var generator = SeededGenerator(seed: UInt64(seed))
      let talk = talks[seed % talks.count]
      let id = SessionID(rawValue: talk.conversation)
      var log = try whole.store.events(of: id)
      // The talk's own reply is the last thing that is stored of it.
      let first = Int.random(in: talk.reply.indices, using: &generator)
      var (view, seen, last) = (talk.view, Set<String>(), talk.reply[first].id)
      view.say(talk.message)
      for event in talk.reply[...first] {
        seen.insert(event.id)
        view.apply(event)
      }
      let kills = Int.random(in: 1...3, using: &generator)
      for kill in 1...kills {
        let folder = try TestFolder()
        try write(
          log.prefix(Int.random(in: talk.base...log.count, using: &generator)), of: id, to: folder)
        let server = try await TestServer(folder)
        let cuts = Int.random(in: 0...3, using: &generator)
        for cut in 0...cuts {
          let isLast = kill == kills && cut == cuts
          let most = isLast ? Int.max : Int.random(in: 1...6, using: &generator)
          for event in try await server.client.resume(talk.conversation, after: last, upTo: most) {
            #expect(seen.insert(event.id).inserted, "\(seed): \(event.id) came twice")
            view.apply(event)
            last = event.id
          }
        }
        await server.stop()
        log = try server.store.events(of: id)
        if kill == kills {
          #expect(try view.messages == server.stored(talk.conversation), "seed \(seed)")
        }
      }
    }
  }

  private func write(
    _ log: some Sequence<RecordedEvent>, of id: SessionID, to folder: TestFolder
  ) throws {
    let store = try SessionStore(path: folder.store)
    _ = try store.createSession(id, at: Date())
    for recorded in log { _ = try store.log(for: id).append([recorded.envelope], at: recorded.at) }
  }

  @Test func afterAFailedReplyTheLastIDAsksForAnother() async throws {
    let model = try await MockModel(brokenOnce: "ask")
    let server = try await TestServer(TestFolder(), models: model.roles)
    let first = try await server.client.chat(["first_message": true])
    let id = first.conversation
    let failed = try await server.client.chat(
      ["conversation_id": .string(id), "message": .string(lines[0])])
    #expect(failed.last?["failed"] == true)
    // Before the end, the rest of the failed reply comes.
    let before = try #require(failed.dropLast().last).id
    #expect(try await server.client.resume(id, after: before) == failed.suffix(1))
    let rest = try await server.client.resume(id, after: #require(failed.last).id)
    #expect(rest.first?.name == "restart")
    #expect(rest.last { $0.name == "done" }?["failed"] == false)
    var view = ClientView()
    for event in first { view.apply(event) }
    view.say(lines[0])
    for event in failed + rest { view.apply(event) }
    #expect(try view.messages == server.stored(id))
    #expect(view.messages.map(\.role) == ["coach", "user", "coach"])
    // A reply that didn't fail has nothing more to say.
    #expect(try await server.client.resume(id, after: #require(rest.last).id).isEmpty)
  }

  /// Whoever missed the end of the discovery, or the profile, gets it after a restart, too.
  @Test func theEndOfTheDiscoveryIsRepeated() async throws {
    let folder = try TestFolder()
    var server = try await TestServer(folder)
    var events = try await server.client.chat(["first_message": true])
    let id = events.conversation
    var summary: [Event] = []
    var request = JSONValue.null
    for number in 0..<12 where events.first("done")?["phase"] != "paywall" {
      let choice = events.first("choices")?["options"]?[0]?["id"]
      request = [
        "conversation_id": .string(id), "client_message_id": .string("m\(number)"),
        (choice == nil ? "message" : "choice"): choice ?? .string(lines[number % lines.count]),
      ]
      events = try await server.client.chat(request)
      if events.first("profile") != nil { summary = events }
    }
    let done = try #require(events.first("done"))
    #expect(done["discovery_complete"] == true)
    let first = try (summary: #require(summary.first).id, end: #require(events.first).id)
    await server.stop()
    server = try await TestServer(folder)
    for back in [
      try await server.client.resume(id, after: first.end), try await server.client.chat(request),
    ] {
      #expect(back.first?.name == "restart")
      #expect(back.first("done")?["discovery_complete"] == true)
      #expect(
        back.first("done")?["discovery_context_profile"] == done["discovery_context_profile"])
      #expect(back.first("profile") == nil)
    }
    let back = try await server.client.resume(id, after: first.summary)
    #expect(back.first("profile")?.data == summary.first("profile")?.data)
    let names = back.map { $0["purpose"]?.stringValue ?? $0.name }
    #expect(names.firstIndex(of: "profile") == names.firstIndex(of: "summary").map { $0 - 1 })
    // Without an id, nothing is repeated.
    let resumed = try await server.client.resume(id)
    #expect(resumed.first("done")?["discovery_complete"] == false)
  }

  /// What is stored in a moment isn't a reply that could be followed.
  @Test func comingBackWaitsForWhatIsBeingStored() async throws {
    let person = try await CoachedPerson()
    try await withThrowingTaskGroup { group in
      group.addTask {
        for _ in 0..<60 {
          let path = "/conversations/\(person.id)/log"
          _ = try await person.client.json(.POST, path, ["words": "ran 5k in 31 min"])
        }
      }
      for _ in 0..<60 { _ = try await person.visit() }
      try await group.waitForAll()
    }
  }

  @Test func unknownIDsAreRefused() async throws {
    let server = try await TestServer(TestFolder())
    let talk = try await talk(server, turns: 1)
    let other = try await server.client.chat(["first_message": true])
    let last = try #require(talk.reply.last.flatMap { EventID($0.id) })
    var (late, elsewhere, another) = (last, last, last)
    late.number += 1
    elsewhere.base.position += 100
    another.base.stamp += 1
    another.run = "zzzzzz"
    elsewhere.run = "zzzzzz"
    let ids = [
      "\(late)", "\(elsewhere)", "\(another)", other[0].id, "", "1", "a.b.c.d.e",
      "\(talk.conversation).0.0.x.-1", "\(last) ",
    ]
    for id in ids {
      let answer = try await server.client.json(
        .GET, "/conversations/\(talk.conversation)/stream", nil, [("last-event-id", id)])
      #expect(answer.status == 400 || id.hasSuffix(" "), "\(id)")
    }
  }
}
