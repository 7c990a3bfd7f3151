import ContextQuality
import Intake
import IntakeTestSupport
import Testing

@testable import Rehearsal

/// People who say that it isn't so.
struct DeniedWordsTests {
  private func quotes(_ lines: [String], pack: String) async throws -> [Facet: String] {
    let session = try await OfflineRehearsal(pack: pack)
    try await session.open()
    for line in lines { try await session.say(line) }
    let ledger = await session.state.ledger
    return ledger.known.reduce(into: [:]) { $0[$1] = ledger.evidence(for: $1)?.text }
  }

  @Test(arguments: ["fitness", "nutrition"])
  func whatIsDeniedIsReplacedByWhatItIs(pack: String) async throws {
    let quotes = try await quotes(
      [
        "I want to cook dinner at home four nights a week by June",
        "what stops me is the heat of the oven in my kitchen, it gets too hot",
        "it's not the oven heat that stops me, it's the washing up afterwards",
      ], pack: pack)
    #expect(quotes.values.allSatisfy { !$0.contains("oven") }, "\(quotes)")
    #expect(quotes.values.contains { $0.contains("washing up") }, "\(quotes)")
  }

  @Test func whatWasDeniedIsSo() async throws {
    let quotes = try await quotes(
      [
        "I want to lose 10 kg for my wedding in June", "I have no time, I work 60 hours a week",
        "no, that's wrong, I have plenty of time. What stops me is boredom",
      ], pack: "fitness")
    let obstacles = quotes.filter { $0.key.component == "obstacles" }.values
    #expect(obstacles.contains("What stops me is boredom"), "\(quotes)")
    #expect(obstacles.allSatisfy { !$0.contains("no time") }, "\(quotes)")
  }

  @Test func anAnswerThatHasTheWordsIsNoDenial() async throws {
    let quotes = try await quotes(
      [
        "I want to lose 10 kg for my wedding in June", "I have no time, I work 60 hours a week",
        "I have time on Sundays",
      ], pack: "fitness")
    #expect(quotes.values.contains { $0.contains("no time") }, "\(quotes)")
  }
}
