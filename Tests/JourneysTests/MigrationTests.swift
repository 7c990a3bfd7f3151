import ContextQuality
import Foundation
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Testing

/// What somebody finds who goes on after the app has renamed the steps of a journey.
struct MigrationTests {
  private static func journey(_ version: Int) throws -> Journey {
    let (ask, talk, one, two) =
      version == 1 ? ("ask", "talk", "one", "two") : ("askTest", "chat", "first", "second")
    let migrations =
      version == 1
      ? ""
      : #", "migrations": [{"from": 1, "steps": {"ask": "askTest", "talk": "chat", "one": "first"}}, "#
        + #"{"from": 2, "steps": {"two": "second"}}]"#
    return try Journey(
      json: """
        {"name": "try", "version": \(version), "title": "Try", "steps": [
          {"id": "\(talk)", "kind": "conversation", "title": "Talk", "ends": "ready", "turns": 1},
          {"id": "\(ask)", "kind": "choice", "title": "Test?", "options": [
            {"id": "yes", "label": "Yes"},
            {"id": "skip", "label": "Skip", "next": "bye", "remind":
              {"after": 7, "from": "\(one)", "to": "\(two)", "text": "Now?"}}]},
          {"id": "\(one)", "kind": "text", "field": "one", "title": "One?"},
          {"id": "\(two)", "kind": "text", "field": "two", "title": "Two?"},
          {"id": "bye", "kind": "success", "title": "Bye", "next": "end"}]\(migrations)}
        """, file: "try.json", rubric: try PromptPack.embeddedRubric())
  }

  /// Somebody who skipped the test in the first version, and finished.
  private static func skipped() async throws -> TestWalk {
    let walk = TestWalk(try journey(1), pack: try PromptPack.embedded())
    let (engine, _) = try await walk.opened()
    #expect(try await walk.talk(engine).step == "ask")
    try await engine.answer("skip")
    #expect(try await engine.answer(true).kind == .end)
    return walk
  }

  /// The same person after the update.
  private static func updated(_ walk: TestWalk, after days: Double) async throws -> TestWalk {
    let clock = walk.clock
    clock.advance(by: days * 86_400)
    return TestWalk(
      try journey(3), pack: walk.pack, clock: clock, events: await walk.log.events())
  }

  @Test func aReminderIsKept() async throws {
    let later = try await Self.updated(Self.skipped(), after: 8)
    let (engine, due) = try await later.opened()
    #expect(due.kind == .reminder && due.title == "Now?")
    #expect(try await engine.answer("now").step == "first")
  }

  @Test func aDetourAfterTheEndLeadsBackToTheEnd() async throws {
    let walk = try await Self.skipped()
    walk.clock.advance(by: 8 * 86_400)
    let (engine, _) = try await walk.opened()
    try await engine.answer("now")
    try await engine.answer("a")
    let later = try await Self.updated(walk, after: 0)
    let (again, screen) = try await later.opened()
    #expect(screen.step == "second")
    #expect(try await again.answer("b").kind == .end)
    #expect(await again.state.answers["one"]?.step == "first")
  }

  @Test func aConversationThatIsOverStaysOver() async throws {
    let walk = TestWalk(try Self.journey(1), pack: try PromptPack.embedded())
    let (engine, _) = try await walk.opened()
    #expect(try await walk.talk(engine).step == "ask")
    let later = try await Self.updated(walk, after: 0)
    let (again, screen) = try await later.opened()
    #expect(screen.step == "askTest")
    #expect(await again.state.talked == ["chat"])
    #expect(try await again.take(.back).step == "chat")
    #expect(await again.conversation == nil)
  }
}
