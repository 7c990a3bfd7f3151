import ContextQuality
import FoundationEssentials
import IncrementalJSON
import LanguageModels
import Testing

@testable import Intake

/// What a reading costs before anybody has said a word.
struct ReadingSizeTests {
  private static let transcript = Transcript([.init(.coach, "?"), .init(.user, "!")])

  private func characters(_ moment: ReadingMoment, _ pack: String) throws -> Int {
    let scorer = ModelScorer(
      pack: try PromptPack.embedded(pack), person: PersonReading(), moment: moment)
    let request = try scorer.request(
      transcript: Self.transcript, ledger: Ledger(), newTurns: [1])
    return request.system.count + (request.schema?.json.count ?? 0)
  }

  @Test func amendmentsAddLittleToAShortReading() async throws {
    let pack = try PromptPack.embedded()
    var state = IntakeState(rubric: pack.rubric)
    let events: [IntakeEvent] = [
      .userSaid(UserTurn(turn: 1, text: "hi")), .scored(Scoring(turns: [1])),
      .synthesised(Synthesis(system: CoachingSystem(), throughTurn: 1, isMinimal: true)),
    ]
    for (index, event) in events.enumerated() {
      state.apply(
        RecordedEvent(position: index + 1, at: Date(timeIntervalSince1970: 0), event: event))
    }
    let amends = try #require(pack.amends(state))
    let schema = amends.schema.serialized().count
    #expect(amends.instructions.count + schema <= 1_500)
  }

  @Test func aReadingInTheDiscoveryIsNoLongerThanBeforeActs() throws {
    let count = try characters(.question, "fitness")
    #expect(count <= 16_300, "\(count)")
  }

  /// About four characters make a token; llama.cpp's tokenizers count up to 3.4 in such a text.
  @Test(arguments: PromptPack.embeddedNames, [ReadingMoment.offer, .body, .summary, .paywall])
  func aShortReadingTakesAtMostTwoThousandTokens(pack: String, moment: ReadingMoment) throws {
    #expect(try characters(moment, pack) <= 6_800)
  }
}
