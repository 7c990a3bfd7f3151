import ContextQuality
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Testing

/// What the criteria of the discovery journey ask for (`Fixtures/journeys/criteria.md`).
struct DiscoveryJourneyTests {
  @Test func oneWarmScreenWithOneButton() async throws {
    let screen = try await TestWalk(shipped: "discovery").opened().1
    #expect(screen.kind == .intro && screen.button?.label == "Let's begin")
    #expect(screen.input == nil && screen.options.isEmpty && screen.back == .none)
    #expect(!screen.body.isEmpty)
  }

  @Test func theCoachSpeaksFirstAndNothingLooksLikeAnIntake() async throws {
    let walk = try TestWalk(shipped: "discovery")
    let (engine, _) = try await walk.opened()
    let screen = try await engine.answer(true)
    #expect(screen.kind == .conversation && screen.input == .message)
    #expect(screen.segments.isEmpty && screen.place == nil && screen.section == nil)
    let messages = try await walk.coach(engine).state.transcript.messages
    #expect(messages.map(\.speaker) == [.coach])
  }

  @Test func theJourneyEndsOnlyBehindThePaywall() async throws {
    let walk = try TestWalk(shipped: "discovery")
    let (engine, _) = try await walk.opened()
    try await engine.answer(true)
    // An answer isn't lost without a word: the coach takes what is said here.
    let unheard = try await engine.answer("I want to run 5 km")
    #expect(unheard.step == "talk" && unheard.problem?.contains("conversation") == true)
    let entitlement = InMemoryEntitlement()
    let end = try await walk.talk(engine, entitlement: entitlement)
    #expect(end.kind == .end && end.title.contains("I'm your coach"))
    #expect(await entitlement.current()?.source == "stub")
    let state = walk.pack.state(after: await walk.log.events())
    #expect(state.shownPhase != .paywall)
    #expect(try await walk.opened().1.kind == .end)
  }
}
