import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Testing

/// What is asked before something happens, and what was said last: both outlive the process.
struct QuestionTests {
  /// Goes on in a process that was just started, which shows the same.
  private func restarted(_ walk: TestWalk, _ screen: JourneyScreen) async throws -> JourneyEngine {
    let (engine, resumed) = try await walk.opened()
    #expect(resumed == screen)
    return engine
  }

  @Test(arguments: ["yes", "no"])
  func theQuestionBeforeGoingBackIsStillThere(answer: String) async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("plank", engine, choices: ["assessmentPrompt": "now"])
    let asked = try await engine.act(.back)
    #expect(asked.kind == .confirmation && asked.title.hasPrefix("You'd lose the answers"))
    let other = try await restarted(walk, asked)
    let next = try await other.answer(.string(answer))
    #expect(next.step == (answer == "yes" ? "assessmentPrompt" : "plank"))
    #expect(await other.state.question == nil)
    #expect(await other.state.answers["pushups"] == nil || answer == "no")
  }

  @Test func theQuestionBeforeStartingOverIsStillThere() async throws {
    let walk = try TestWalk(shipped: "trainer-structured")
    let (engine, _) = try await walk.opened()
    try await walk.reach("complete", engine)
    let asked = try await engine.answer("over")
    #expect(asked.kind == .confirmation)
    let other = try await restarted(walk, asked)
    let stayed = try await other.answer("no")
    #expect(stayed.step == "complete" && stayed.kind == .choice)
    _ = try await restarted(walk, stayed)
  }

  @Test func whatIsDueIsAskedOnceAndStays() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach(nil, engine, choices: ["assessmentPrompt": "skip"])
    walk.clock.advance(by: 8 * 86_400)
    let (_, asked) = try await walk.opened()
    #expect(asked.kind == .reminder)
    let other = try await restarted(walk, asked)
    let asking = await walk.log.events().filter { $0.envelope.kind == "journeyAsked" }
    #expect(asking.count == 1)
    let later = try await other.answer("later")
    #expect(later.kind == .end)
    _ = try await restarted(walk, later)
  }

  @Test func aComplaintAndATipAreStillThereForAMinute() async throws {
    let walk = try TestWalk(shipped: "matador", pack: "nutrition")
    let (engine, _) = try await walk.opened()
    try await walk.reach("calories", engine)
    let refused = try await engine.answer("12")
    #expect(refused.problem == "Calorie target must be at least 1000")
    let other = try await restarted(walk, refused)
    let tip = try await other.act(.info)
    #expect(tip.info != nil && tip.problem == nil)
    _ = try await restarted(walk, tip)
    walk.clock.advance(by: 120)
    let (third, later) = try await walk.opened()
    #expect(later.info == nil && later.step == "calories")
    _ = try await restarted(walk, try await third.answer("1500"))
  }

  @Test func anAddressToMendIsStillThere() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("signIn", engine)
    let refused = try await engine.answer(["email": "kim@example", "consents": ["terms"]])
    #expect(refused.input == .email(placeholder: placeholder(refused), value: "kim@example"))
    let other = try await restarted(walk, refused)
    let sent = try await other.answer([
      "email": "kim@example.com", "consents": ["terms", "privacy"],
    ])
    #expect(sent.step == "code")
    #expect(await other.state.remark == nil)
    _ = try await other.act(.back)
  }

  private func placeholder(_ screen: JourneyScreen) -> String? {
    if case .email(let placeholder, _) = screen.input { placeholder } else { nil }
  }

  @Test func eachQuestionIsReadAsItWasWritten() throws {
    let events: [JourneyEvent] = [
      .asked(.back), .asked(.reminder(step: "a")), .asked(.startOver(from: "b")),
      .asked(.renewal(.goal)), .questionDropped,
      .remarked(
        try JSONDecoder().decode(
          JourneyEvent.Remark.self, from: Data(#"{"problem": "No.", "showsInfo": false}"#.utf8))),
    ]
    for event in events {
      let data = try JSONEncoder().encode(event)
      #expect(try JSONDecoder().decode(JourneyEvent.self, from: data) == event)
    }
  }

  /// Nobody has read it yet, so a newer version of the journey shows it first as well.
  @Test func careOutlivesAMigration() async throws {
    let walk = try Plan.walk()
    let (engine, _) = try await walk.opened()
    try await engine.answer("Run a 10k by June")
    let care = try await engine.answer("I want to kill myself")
    #expect(care.kind == .care)
    let old = TestWalk(
      walk.journey, pack: walk.pack, drafter: walk.drafter,
      events: try await Plan.aged(walk, isOlderVersion: true))
    let (other, shown) = try await old.opened()
    #expect(shown == care)
    #expect(try await other.answer(true).step == "hurts")
  }
}
