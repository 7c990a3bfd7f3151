import Foundation
import LanguageModels
import SessionStore
import Startup
import Synchronization
import Terminal
import TerminalTestSupport
import TestSupport
import Testing

@testable import HealthRecords
@testable import Intake
@testable import Rehearsal
@testable import rapport

/// Health data that come in beside the conversation.
struct HealthFeedTests {
  private let terminal = ScriptedTerminal()
  private let clock = HandClock()

  private let model = ScriptedModel { request in
    request.purpose == .greet ? .text("Hey, what would you like to change?") : nil
  }

  private func engine() async throws -> IntakeEngine {
    try await IntakeEngine(
      log: InMemorySessionLog(), models: ModelRoles(all: model), pack: PromptPack.embedded(),
      entitlements: InMemoryEntitlement(), now: { Date(timeIntervalSince1970: 1_800_000_000) })
  }

  private static func snapshot() throws -> HealthSnapshot {
    let json =
      #"{"version": 1, "from": "2026-10-20", "through": "2027-01-17", "days": 90, "series": {"#
      + #""steps": {"unit": "steps", "days": 80, "mean": 7412}}}"#
    return try HealthSnapshot.reading(
      Array(json.utf8), name: "s", today: Day(number: 1_800_000_000 / 86_400 + 10))
  }

  private func link(_ engine: IntakeEngine) -> HealthFeed {
    HealthFeed(engine: engine, today: Day(number: 1_800_000_000 / 86_400), clock: clock)
  }

  @Test func whatTellsMostIsSaidFirst() throws {
    let json =
      #"{"version": 1, "from": "2026-10-20", "through": "2027-01-17", "days": 90, "series": {"#
      + #""steps": {"unit": "steps", "days": 80, "mean": 7412, "change": {"first": 9000, "last": 6000, "#
      + #""firstDays": 28, "lastDays": 28, "effect": -4}}}, "workouts": {"count": 45, "minutes": 900, "measured": 45, "#
      + #""types": [], "parts": [], "firstMonth": 15, "lastMonth": 15, "lastOn": "2027-01-15", "weekly": []}}"#
    let snapshot = try HealthSnapshot.reading(
      Array(json.utf8), name: "s", today: Day(number: 1_800_000_000 / 86_400 + 10))
    #expect(snapshot.findings.map(\.kind) == [.activityLevel, .activityFell, .workoutHabit])
    let note = HealthNote(
      snapshot, rubric: try PromptPack.embedded().rubric,
      today: Day(number: 1_800_000_000 / 86_400 + 10))
    #expect(note.findings.map(\.about) == ["activityFell", "workoutHabit", "activityLevel"])
  }

  @Test func everyFigureOfTheBankIsOneThatASnapshotHas() throws {
    let names = try PromptPack.embedded().questionBank().all(.figure).map(\.name)
    let known = Set(Quantity.allCases.map(\.rawValue) + ["workouts"])
    #expect(!names.isEmpty && names.allSatisfy(known.contains))
  }

  @Test func theGreetingWaitsTwoSecondsAndNoLonger() async throws {
    let engine = try await engine()
    let (link, gate) = (link(engine), Gate())
    let snapshot = try Self.snapshot()
    link.read(try PromptPack.embedded().rubric, remember: { _ in }) { _ in
      gate.wait()
      return snapshot
    }
    async let settled: Void = link.settle(terminal)
    #expect(await clock.nextSleep() == .seconds(2))
    clock.wake()
    await settled
    try await engine.open { _ in }
    #expect(model.requests.first?.system.contains("7,400") == false)
    // It is there later, and enters with the next pass; nobody waits a second time.
    gate.open()
    await link.finished()
    await link.settle(terminal)
    try? await engine.say("I want to run") { _ in }
    #expect(await engine.state.health?.findings.first?.text.contains("7,400 steps") == true)
    #expect(await link.page(terminal).contains("7,400 steps"))
  }

  @Test func whereItIsRecordedDataEnterOnlyAsAStepBegins() async throws {
    let engine = try await engine()
    let link = HealthFeed(
      engine: engine, entersBetweenSteps: true, today: Day(number: 1_800_000_000 / 86_400),
      clock: clock)
    let snapshot = try Self.snapshot()
    link.read(try PromptPack.embedded().rubric, remember: { _ in }) { _ in snapshot }
    await link.finished()
    try await engine.open { _ in }
    #expect(await engine.state.health == nil)
    #expect(await link.page(terminal).contains("7,400 steps"))
    await link.settle(terminal)
    try? await engine.say("I want to run") { _ in }
    #expect(await engine.state.health != nil)
  }

  @Test func aNoWhileTheDataAreReadIsRespected() async throws {
    let engine = try await engine()
    let (link, gate) = (link(engine), Gate())
    let remembered = Mutex(0)
    let snapshot = try Self.snapshot()
    link.read(
      try PromptPack.embedded().rubric, fallback: snapshot,
      remember: { _ in remembered.withLock { $0 += 1 } }
    ) { _ in
      gate.wait()
      return snapshot
    }
    try await engine.open { _ in }
    let codes = Mutex<[String]>([])
    try? await engine.say("Please don't use my health data.") { output in
      if case .notice(let notice) = output { codes.withLock { $0.append(notice.code) } }
    }
    #expect(codes.withLock(\.self).contains("health-withdrawn"))
    try link.drop(isRefused: true)
    gate.open()
    await link.finished()
    try? await engine.say("I want to run") { _ in }
    #expect(await engine.state.health == nil)
    #expect(remembered.withLock(\.self) == 0)
    #expect(await link.page(terminal).contains("You opted out"))
  }

  @Test func dataThatAreThereAtOnceAreInTheGreeting() async throws {
    let engine = try await engine()
    let link = link(engine)
    let snapshot = try Self.snapshot()
    let remembered = Mutex(0)
    link.read(
      try PromptPack.embedded().rubric, remember: { _ in remembered.withLock { $0 += 1 } }
    ) { _ in snapshot }
    await link.settle(terminal)
    try await engine.open { _ in }
    #expect(model.requests.first?.system.contains("You walk about 7,400 steps a day") == true)
    #expect(remembered.withLock { $0 } == 1)
    #expect(link.newNotice() == nil)
  }

  @Test func aFileThatCannotBeReadIsSaidOnceAndTheConversationGoesOn() async throws {
    let engine = try await engine()
    let link = link(engine)
    link.read(try PromptPack.embedded().rubric, remember: { _ in }) {
      _ throws(HealthReadError) in
      try HealthExport("/nowhere/export.zip").snapshot(HealthReadOptions(now: 0))
    }
    await link.settle(terminal)
    let notice = try #require(link.newNotice())
    #expect(notice.code == "health-unread" && notice.text.contains("/nowhere/export.zip"))
    #expect(link.newNotice() == nil)
    try await engine.open { _ in }
    #expect(await engine.state.health == nil)
    let page = await link.page(terminal).replacing("\n", with: " ")
    #expect(page.contains("type /health and the path"))
  }

  @Test(.integration) func aPipeIsNotReadAgain() throws {
    let household = try Household()
    #expect(mkfifo(household.folder + "/pipe", 0o600) == 0)
    #expect(HealthFile.changed(household.folder + "/pipe") == nil)
    #expect(HealthFile.changed(household.folder) != nil)
  }

  @Test(arguments: [
    ("  ~/My\\ Data/export.zip ", "/home/ana/My Data/export.zip"),
    ("'/a b/export.xml'", "/a b/export.xml"), ("\"x.zip\"", "x.zip"),
    ("file:///a%20b/export.zip", "/a b/export.zip"), ("~", "/home/ana"),
  ])
  func pathsAreReadAsPeopleTypeThem(typed: String, path: String) {
    #expect(HealthFile.path(typed: typed, home: "/home/ana") == path)
  }
}

/// A clock that stands until it is told to wake its sleepers.
private final class HandClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let asked = AsyncStream.makeStream(of: Duration.self)
  private let woken = AsyncStream.makeStream(of: Never.self)

  var now: Instant { Instant() }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    asked.continuation.yield(deadline.offset)
    for await _ in woken.stream {}
    try Task.checkCancellation()
  }

  /// What the next sleeper wants.
  func nextSleep() async -> Duration? {
    var iterator = asked.stream.makeAsyncIterator()
    return await iterator.next()
  }

  func wake() { woken.continuation.finish() }
}
