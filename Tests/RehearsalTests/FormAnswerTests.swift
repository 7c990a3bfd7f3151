import ContextQuality
import Foundation
import IncrementalJSON
import IntakeTestSupport
import Testing

@testable import Intake
@testable import Rehearsal

/// A profile whose goals and limits were told in a form.
struct FormAnswerTests {
  private func answer(_ step: String, _ facet: String, _ text: String, isOwn: Bool = true)
    throws -> IntakeEvent
  {
    let evidence = Evidence(
      facet: try #require(Facet(facet)),
      basis: .answer(.init(step: step, text: text, wording: "\(step)?", turn: 0)))
    return .answered(
      FormAnswer(
        step: step, evidence: isOwn ? [evidence] : [],
        words: isOwn ? AnswerSupport(step: step, answer: text, wording: "\(step)?") : nil))
  }

  private func system(_ events: [IntakeEvent]) async throws -> CoachingSystem {
    let pack = try PromptPack.embedded("fitness")
    let recorded = events.enumerated().map {
      RecordedEvent(
        position: $0.offset + 1, at: Date(timeIntervalSince1970: 1_800_000_000),
        event: $0.element)
    }
    let coach = try RehearsalCoach(pack: pack, encodes: false)
    let result = await coach.synthesise(
      pack.state(after: recorded), minimal: false, today: "2027-01-15"
    ) { _ in }
    return try result.get().system
  }

  @Test func eachAnswerAboutTheBodyIsALimitThatRestsOnIt() async throws {
    let system = try await system([
      try answer("injuries", "obstacles.physical", "my left knee hurts when I squat"),
      try answer("healthNuances", "obstacles.physical", "I have asthma"),
      try answer("goals", "goalClarity.outcome", "I want to get stronger"),
    ])
    #expect(
      Set(system.constraints.physical.map(\.detail)) == [
        "my left knee hurts when I squat", "I have asthma",
      ])
    #expect(
      Set((system.restsOnAnswers ?? [:]).values.flatMap { $0.map(\.step) }) == [
        "injuries", "healthNuances", "goals",
      ])
    #expect(system.unsupported.isEmpty)
    #expect(system.json.serialized().contains("restsOnAnswers"))
  }

  /// Another wish that comes up while talking of what gets in the way isn't a new goal.
  @Test(
    arguments: [
      ("obstacles", false, "I want to squat 100 kg"),
      ("goalClarity", false, "I want to sleep more"),
      ("obstacles", true, "I want to sleep more"),
    ])
  func theGoalStandsUntilItIsAskedAboutOrTakenBack(asked: String, takesBack: Bool, goal: String)
    async throws
  {
    let outcome = try #require(Facet("goalClarity.outcome"))
    let system = try await system([
      try answer("goals", "goalClarity.outcome", "I want to squat 100 kg"),
      .asked(
        Question(components: [asked], facets: [], explicit: false, reply: CoachReply(text: "What?"))
      ),
      .userSaid(UserTurn(turn: 1, text: "work gets in the way, I want to sleep more")),
      .scored(
        Scoring(
          turns: [1], evidence: [Evidence(facet: outcome, quote: "I want to sleep more", turn: 1)],
          retracted: takesBack
            ? [Retraction(facet: outcome, quote: "work gets in the way", turn: 1)] : [])),
    ])
    #expect(system.userGoals.primary == goal)
  }

  @Test func whatIsNoLimitAndWhatWasNotTouchedIsNone() async throws {
    let system = try await system([
      try answer("injuries", "obstacles.physical", "no injuries"),
      try answer("healthNuances", "obstacles.physical", "asthma", isOwn: false),
    ])
    #expect(system.constraints.physical.isEmpty)
    #expect(system.restsOnAnswers == nil)
  }

  @Test func aNewAnswerReplacesTheStepsLastOne() async throws {
    let system = try await system([
      try answer("injuries", "obstacles.physical", "my left knee hurts"),
      try answer("injuries", "obstacles.physical", "my right shoulder hurts"),
    ])
    #expect(system.constraints.physical.map(\.detail) == ["my right shoulder hurts"])
  }

  /// Nothing was said before it that "it" could mean.
  @Test(arguments: [
    ("fitness", "obstacles.detail", "When you want to train and it doesn't happen"),
    ("nutrition", "goalClarity.motive", "your goal"),
    ("life", "hurdles.story", "When you try to change something"),
  ])
  func aTalkAfterAFormBeginsWithWhatItIsAbout(
    _ pack: String, _ name: String, _ referent: String
  ) async throws {
    let (pack, facet) = (try PromptPack.embedded(pack), try #require(Facet(name)))
    let coach = try RehearsalCoach(pack: pack, encodes: false)
    let plan = QuestionPlan(
      component: facet.component, companion: nil, missing: [facet], companionMissing: [],
      explicit: false)
    let scene = Scene(today: "2027-01-15")
    let spoken = await coach.say(.question(plan), pack.state(), scene) { _ in }
    #expect(spoken.reply.text.localizedCaseInsensitiveContains(referent), "\(spoken.reply.text)")
  }
}
