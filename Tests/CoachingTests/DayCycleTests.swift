import Coaching
import FoundationEssentials
import HealthRecords
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Signals
import Testing

/// What coaching knows of days that take turns since a journey.
struct DayCycleTests {
  private func walked(_ caring: CareKind? = nil) async throws -> [RecordedEvent] {
    let pack = try PromptPack.embedded("nutrition")
    let log = InMemorySessionLog([])
    let start = Date(timeIntervalSince1970: Double(monday.number) * 86_400 + 43_200)
    let engine = try await JourneyEngine(
      try #require(try pack.journey("matador")), pack: pack, log: log,
      providers: JourneyProviders(now: { start }, timeZone: .gmt))
    _ = try await engine.open()
    for answer in ["loseWeight", true, "12-8", true, true] as [JSONValue] {
      _ = try await engine.take(.answer(answer))
    }
    if let caring {
      let told = FormAnswer(step: "goal", evidence: [], care: caring)
      _ = try await log.append([EventEnvelope(IntakeEvent.answered(told))], at: start)
    }
    return await log.events()
  }

  private func noon(_ days: Int) -> Date {
    Date(timeIntervalSince1970: Double(monday.number + days) * 86_400 + 43_200)
  }

  @Test func theCoachIsToldTodayAndWhatComesNext() async throws {
    let pack = try PromptPack.embedded("nutrition")
    var module = try CoachingModule(
      pack, CoachingPack(pack, cycle: pack.dayCycle), secondsFromGMT: { _ in 0 })
    for event in try await walked() { module.apply(event) }
    let lines = module.facts(on: noon(3)).programme
    #expect(
      lines == [
        "2026-02-05, today: Feeding, day 4 of 5. Daily target: 1800 kcal. "
          + "Eating window: 12:00 to 20:00 (8 hours).",
        "2026-02-07: Fasting, day 1 of 2. "
          + "Daily target: much less than 1800 kcal, but not nothing.",
      ])
  }

  @Test func theGoalsHaveTheDaysUnlessCareRulesThemOut() async throws {
    let pack = try PromptPack.embedded("nutrition")
    func goals(_ events: [RecordedEvent]) throws -> JSONValue {
      try CoachingBook(
        pack, CoachingPack(pack, cycle: pack.dayCycle), events: events, for: .init(), at: noon(5)
      ).goals
    }
    let cycle = try goals(try await walked())["cycle"]
    #expect(cycle?["start"] == "2026-02-02" && cycle?["days"]?[0]?["kind"] == "Fasting")
    #expect(try goals(try await walked(CareKind(rawValue: "eating-disorder")))["cycle"] == nil)
  }
}
