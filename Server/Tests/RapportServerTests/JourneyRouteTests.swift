import Foundation
import IncrementalJSON
import Intake
import NIOHTTP1
import SessionStore
import TestSupport
import Testing

@testable import RapportServer

@Suite(.integration) struct JourneyRouteTests {
  @Test func journeysAreListedWithWhereThePersonIs() async throws {
    let server = try await TestServer(TestFolder())
    let before = try await server.client.json(.GET, "/journeys").json["journeys"]?.arrayValue
    let german = try await server.client.json(
      .GET, "/journeys", nil, [("accept-language", "de-AT,en;q=0.5")])
    #expect(german.json["journeys"]?[1]?["title"] == "Trainer und Programm")
    #expect(
      before?.compactMap { $0["name"]?.stringValue } == [
        "discovery", "trainer", "trainer-structured",
      ])
    #expect(before?.allSatisfy { $0["conversation_id"] == nil } == true)
    let walker = Walker(server.client)
    try await walker.start("trainer-structured")
    let id = await walker.id
    let after = try await server.client.json(.GET, "/journeys").json["journeys"]?[2]
    #expect(after?["conversation_id"] == .string(id) && after?["completed"] == false)
  }

  @Test func anAnswerMovesOnAndBackReturns() async throws {
    let server = try await TestServer(TestFolder())
    let walker = Walker(server.client)
    #expect(try await walker.start("trainer-structured")["step"] == "intro1")
    try await walker.reach("age")
    #expect(try await walker.act(["units": "metric"])["step"] == "age")
    #expect(try await walker.act(["info": true])["info"]?.stringValue != nil)
    #expect(try await walker.read()["info"]?.stringValue != nil)
    #expect(try await walker.act(["answer": 120])["problem"]?.stringValue != nil)
    #expect(try await walker.act(["answer": 40])["step"] == "gender")
    let back = try await walker.act(["back": true])
    #expect(back["step"] == "age" && back["input"]?["value"] == 40)
    // Started again, it's the same one.
    let again = Walker(server.client)
    #expect(try await again.start("trainer-structured")["step"] == "age")
    #expect(await again.id == walker.id)
    #expect(try await again.start("trainer-structured", ["new": true])["step"] == "intro1")
    #expect(await again.id != walker.id)
  }

  /// Somebody reloads the page, or opens the journey from the menu, before the coach has finished.
  @Test func aJourneyIsResumedWhileTheCoachReplies() async throws {
    let model = try await MockModel()
    let server = try await TestServer(TestFolder(), models: model.roles)
    let walker = Walker(server.client)
    try await walker.start("discovery")
    try await walker.reach("talk")
    let id = JSONValue.string(await walker.id)
    model.gate.close()
    async let reply = server.client.chat(["conversation_id": id, "message": .string(lines[0])])
    await model.gate.holds(1)
    let again = try await server.client.json(.POST, "/journeys/discovery", [:])
    #expect(again.status == 200 && again.json["conversation_id"] == id)
    #expect(again.json["screen"]?["step"] == "talk")
    model.gate.open()
    #expect(try await reply.first("done")?["failed"] == false)
  }

  /// A request that is sent twice, or from a second tab, answers nothing that isn't on its screen.
  @Test func anAnswerToAnotherScreenIsRefusedWithThePresentOne() async throws {
    let server = try await TestServer(TestFolder())
    let walker = Walker(server.client)
    try await walker.start("trainer-structured")
    try await walker.reach("name")
    let at = await walker.screen["at"] ?? .null
    try await walker.act(["answer": "Kim", "at": at])
    let path = "/conversations/\(await walker.id)/journey"
    let repeated = try await server.client.json(.POST, path, ["answer": "Kim", "at": at])
    #expect(repeated.status == 409 && repeated.code == "moved-on")
    #expect(repeated.json["error"]?["screen"]?["step"] == "age")
    #expect(try await walker.read()["step"] == "age")
  }

  /// What lies over a step isn't in the log, and still stays between requests.
  @Test func aQuestionBeforeALossStaysUntilItIsAnswered() async throws {
    let server = try await TestServer(TestFolder())
    let walker = Walker(server.client)
    try await walker.start("trainer")
    try await walker.reach("squat", choices: ["assessmentPrompt": "now"])
    #expect(try await walker.act(["back": true])["kind"] == "confirmation")
    #expect(try await walker.read()["kind"] == "confirmation")
    #expect(try await walker.act(["answer": "no"])["step"] == "squat")
    try await walker.act(["back": true])
    #expect(try await walker.act(["answer": "yes"])["step"] == "assessmentPrompt")
  }

  @Test func aRestartShowsTheSameScreen() async throws {
    let folder = try TestFolder()
    var server = try await TestServer(folder)
    let walker = Walker(server.client)
    try await walker.start("trainer-structured")
    try await walker.reach("goals")
    let before = try await walker.read()
    await server.stop()
    server = try await TestServer(folder)
    let path = "/conversations/\(await walker.id)/journey"
    #expect(try await server.client.json(.GET, path).json["screen"] == before)
  }

  @Test func theConversationRunsOverTheChatStream() async throws {
    let server = try await TestServer(TestFolder())
    let walker = Walker(server.client)
    #expect(try await walker.start("discovery")["step"] == "welcome")
    let early = try await server.client.json(
      .POST, "/chat-stream", ["conversation_id": .string(await walker.id), "message": "hi"])
    #expect(early.status == 409 && early.code == "not-talking")
    #expect(try await walker.act(["answer": true])["input"]?["kind"] == "message")
    try await walker.reach()
    #expect(await walker.kind == "end")
    let id = await walker.id
    let stored = try await server.client.json(.GET, "/conversations/\(id)").json
    #expect(stored["phase"] == "coaching")
    #expect(stored["journey"] == ["name": "discovery", "completed": true])
    // Coaching goes on in the same session.
    let events = try await server.client.chat(
      ["conversation_id": .string(id), "message": "did 3x5 squats at 60 kg"])
    #expect(events.first("message")?["role"] != "user" && events.first("screen") == nil)
    #expect(events.notice("noted") != nil, "what was done is noted")
  }

  @Test func aWholeJourneyWithDocumentsAndPermissions() async throws {
    let server = try await TestServer(TestFolder())
    let walker = Walker(server.client, can: "notifications")
    try await walker.start("trainer")
    try await walker.reach("voice")
    #expect(
      await walker.screen["options"]?.arrayValue?.isEmpty != false,
      "no microphone was offered, so nothing is asked")
    try await walker.reach("firstName", choices: ["assessmentPrompt": "skip"])
    #expect(await walker.screen["waiting"]?.stringValue != nil)
    try await walker.act(["answer": "Kim"])
    try await walker.reach("notifications")
    #expect(await walker.screen["options"]?.arrayValue?.count == 2)
    try await walker.reach()
    let seen = await walker.seen
    #expect(
      Set(["goalDraft", "goalReview", "programReview", "success", "tour"]).isSubset(of: seen))
    let path = "/conversations/\(await walker.id)"
    let goals = try await server.client.json(.GET, path + "/goals").json
    #expect(goals["original"] != nil && goals["sessionsPerWeek"]?.intValue ?? 0 > 0, "\(goals)")
    let all = try await server.client.json(.GET, path + "/program?span=all").json
    let week = try await server.client.json(.GET, path + "/program").json
    #expect(all["title"]?.stringValue?.isEmpty == false)
    #expect(week["sessions"]?.arrayValue?.count == goals["sessionsPerWeek"]?.intValue)
    let calendar = try await server.client.json(.GET, path + "/program.ics")
    #expect(calendar.headers["content-type"] == ["text/calendar; charset=utf-8"])
    #expect(
      calendar.text.split(separator: "BEGIN:VEVENT").count
        == (all["sessions"]?.arrayValue?.count ?? 0) + 1)
  }

  @Test func aModelWritesTheDocumentsWhileTheClientFollows() async throws {
    let model = try await MockModel()
    let server = try await TestServer(TestFolder(), models: model.roles)
    let walker = Walker(server.client)
    try await walker.start("trainer-structured")
    try await walker.reach("goalReview")
    let document = await walker.screen["document"]
    #expect(document?["source"]?.stringValue == "mock-coach", "\(document ?? .null)")
    #expect(document?["state"] == "draft")
    let written = await walker.written
    #expect(written.first?["busy"] == true && written.last?["document"]?["state"] == "draft")
    let changed = try await walker.act(["answer": "make it shorter"])
    #expect(changed["diff"]?.arrayValue?.isEmpty == false || changed["problem"] != nil)
  }

  @Test func theProjectionIsWrittenForThePerson() async throws {
    let folder = try TestFolder()
    let server = try await TestServer(folder, pack: try PromptPack.embedded("nutrition"))
    let walker = Walker(server.client)
    try await walker.start("matador")
    try await walker.reach()
    #expect(await walker.seen == ["goal", "calories", "window", "matador", "reveal", "end"])
    let file = try String(decoding: Data(contentsOf: URL(filePath: folder.store)), as: UTF8.self)
    let log = (try? Data(contentsOf: URL(filePath: folder.store + "-wal"))) ?? Data()
    #expect((file + String(decoding: log, as: UTF8.self)).contains("calorie_target"))
  }

  @Test(
    arguments: [
      (["answr": 3], "answer"), (["answer": 1, "back": true], "answer"),
      (["back": false], "answer"),
      (["answer": true, "at": 3], "at"), ([:], "answer"), ([], "answer"),
    ] as [(JSONValue, String)])
  func actionsThatMakeNoSenseNameTheMember(action: JSONValue, field: String) async throws {
    let server = try await TestServer(TestFolder())
    let walker = Walker(server.client)
    try await walker.start("discovery")
    let path = "/conversations/\(await walker.id)/journey"
    let answer = try await server.client.json(.POST, path, action)
    #expect(answer.status == 400)
    #expect(answer.json["error"]?["field"] == .string(field))
  }

  @Test func whatDoesNotExistIsRefusedByName() async throws {
    let server = try await TestServer(TestFolder())
    let client = server.client
    #expect(try await client.json(.POST, "/journeys/nothing", [:]).code == "no-journey")
    #expect(try await client.json(.POST, "/journeys/discovery", ["new": 1]).status == 400)
    #expect(try await client.json(.POST, "/journeys/discovery?can=camera", [:]).status == 400)
    let chat = try await client.chat(["first_message": true]).conversation
    #expect(try await client.json(.GET, "/conversations/\(chat)/journey").code == "no-journey")
    #expect(try await client.json(.GET, "/conversations/nobody/journey").code == "not-found")
  }
}
