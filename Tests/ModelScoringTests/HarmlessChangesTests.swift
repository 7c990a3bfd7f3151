import ContextQuality
import Intake
import LanguageModels
import Testing

@testable import ModelScoring

/// Changes that shouldn't matter change what they say they do, and nothing else.
struct HarmlessChangesTests {
  private static let pack = try? PromptPack.embedded()

  private func changed(_ change: HarmlessChange, _ messages: Transcript.Message...) throws
    -> [String]?
  {
    let changes = try HarmlessChanges(try #require(Self.pack))
    return changes.transcript(change, of: Transcript(messages))?.messages.map(\.text)
  }

  @Test(arguments: [
    ("I'm 34 and I don't run. Don’t ask!", "I am 34 and I do not run. Do not ask!"),
    ("Quiero empezar hoy, porque no puedo más", "Quiero comenzar hoy, ya que no puedo más"),
    ("Ich bin oft müde, weil ich viel arbeite", "Ich bin häufig müde, da ich viel arbeite"),
  ])
  func wordsOfTheUserAreRewordedInTheirLanguage(words: String, reworded: String) throws {
    #expect(
      try changed(.wording, .init(.coach, "I'm here"), .init(.user, words))
        == ["I'm here", reworded])
  }

  @Test func partsOfWordsAreLeftAlone() throws {
    #expect(try changed(.wording, .init(.user, "restarted the jobs at 80kg")) == nil)
  }

  @Test func aCoachTurnMoreStandsAfterTheMiddleAnswer() throws {
    let said = try changed(
      .coachTurn, .init(.coach, "Goal?"), .init(.user, "run"), .init(.coach, "When?"),
      .init(.user, "june"), .init(.coach, "Why?"), .init(.user, "fun"))
    #expect(said?.count == 7 && said?[3] == "june" && said?[5] == "Why?")
    #expect(try changed(.coachTurn, .init(.coach, "Goal?")) == nil)
  }

  @Test func theReversedPromptHoldsTheSameLinesInAnotherOrder() throws {
    let pack = try #require(Self.pack)
    let transcript = Transcript([.init(.user, "I want to run")])
    let given = try #require(try TranscriptScorer.request(transcript, pack: pack))
    let reversed = try #require(
      try TranscriptScorer.request(transcript, pack: pack, listing: .reversed))
    #expect(given.system != reversed.system && given.messages == reversed.messages)
    func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "\n" }.sorted() }
    #expect(given.system.utf8.count == reversed.system.utf8.count)
    let examples = #""lose weight", "run a 10k", "get stronger", "less back pain""#
    let other = #""less back pain", "get stronger", "run a 10k", "lose weight""#
    #expect(given.system.contains(examples) && reversed.system.contains(other))
    let first = try #require(reversed.system.firstRange(of: "supportSystem.people"))
    let last = try #require(reversed.system.firstRange(of: "- goalClarity.outcome"))
    #expect(first.lowerBound < last.lowerBound)
    #expect(words(given.system).count == words(reversed.system).count)
  }
}
