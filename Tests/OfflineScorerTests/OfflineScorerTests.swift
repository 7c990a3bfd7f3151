import TestSupport
import Testing

@testable import ContextQuality
@testable import OfflineScorer

/// What the offline scorer makes of people's ways to say things.
struct OfflineScorerTests {
  @Test func aGoalWithItsFigureAndItsDate() {
    let ledger = scored("coach: What brings you here?", "I want to lose 20 pounds by June")
    #expect(ledger.names.isSuperset(of: ["outcome", "target", "timeframe"]))
  }

  @Test(arguments: ["nope", "nah", "no", "none", "No injuries.", "not that i know of"])
  func aShortNoAnswersTheQuestionAboutInjuries(answer: String) {
    let ledger = scored("coach: Any injuries or conditions I should know about?", answer)
    #expect(ledger.names == ["physical"])
    #expect(ledger.quote("physical")?.isEmpty == false)
  }

  @Test(arguments: ["idk", "rather not say", "why do you ask?", "pass", "lol"])
  func aNonAnswerMakesNothingKnown(answer: String) {
    #expect(scored("coach: Any injuries or conditions I should know about?", answer).names.isEmpty)
  }

  @Test func daysAnswerTheQuestionAboutDays() {
    let ledger = scored("coach: How many days a week could you train?", "3, maybe 4")
    #expect(ledger.names.contains("availability"))
  }

  @Test func aPlainYesTakesTheOfferedFact() {
    let ledger = scored("coach: So you train at home with dumbbells?", "yes")
    #expect(ledger.names.contains("access"))
    #expect(ledger.quote("access") == "yes")
  }

  @Test func thanksTakesNothing() {
    #expect(
      scored("coach: You train at home, three times a week. Shall we start?", "thanks").names
        .isEmpty)
  }

  @Test func theCoachsOwnWordsAreNoEvidence() {
    let ledger = scored(
      "coach: I want to lose 20 pounds by June, I train at home and I have no injuries.", "hi")
    #expect(ledger.names.isEmpty)
  }

  @Test func aTakenBackGoalIsUnknownFromThereOn() throws {
    let transcript = conversation([
      "coach: What's your goal?", "I want to run a marathon in October",
      "coach: Great!", "forget the marathon, they cancelled it",
    ])
    let ledger = OfflineScorer().ledger(of: transcript)
    let target = try #require(Facet("goalClarity.target"))
    #expect(ledger.known(after: 1).contains(target))
    #expect(!ledger.known(after: 2).contains(target))
  }

  @Test func forgettingToEatTakesNothingBack() {
    let ledger = scored(
      "I want to lose 20 pounds by June", "coach: And food?", "I forget the lunch most days")
    #expect(ledger.names.isSuperset(of: ["outcome", "target"]))
  }

  @Test(arguments: [
    "I WANT TO LOSE 20 POUNDS", "i wanna lose 20lbs", "i want to loose 20 lbs!!",
    "want lose 20 pound",
    "I’d like to lose twenty pounds",
  ])
  func spellingAndCaseDoNotHideAGoal(words: String) {
    #expect(scored("coach: What's your goal?", words).names.isSuperset(of: ["outcome", "target"]))
  }

  @Test func quotesStandInTheTurnWordForWord() throws {
    for row in try Fixtures.transcripts() {
      for entry in OfflineScorer().ledger(of: row).entries {
        let turn = try #require(row.userTurn(entry.evidence.turn))
        #expect(turn.contains(entry.evidence.text))
        #expect(!entry.evidence.text.isEmpty)
      }
    }
  }

  @Test func theSameScorerGivesTheSameAgainAndAgain() throws {
    let rows = try Fixtures.transcripts()
    let once = rows.map { OfflineScorer().knownByTurn($0) }
    let again = rows.reversed().map { OfflineScorer().knownByTurn($0) }
    #expect(once == again.reversed())
  }

  @Test(arguments: [
    "", " ", "\n\n", "?", "...", "\u{FFFD}", "🙂", "\u{301}", "é",
    String(repeating: "a", count: 100_000),
    String(repeating: "no ", count: 50_000), "'''''", "3-", "5'", "$", "1,,2", "12:", "\"", "I’",
  ])
  func whatIsQuotedOfAnyTextStandsInIt(text: String) {
    let answer = text + " nope"
    let ledger = scored("coach: \(text)", "hi", "coach: Any injuries?", answer)
    for entry in ledger.entries {
      #expect(!entry.evidence.text.isEmpty && answer.contains(entry.evidence.text))
    }
  }

  /// However a message is cut, what is quoted of it stands in it.
  @Test func everyBeginningOfAMessageIsQuotedWordForWord() {
    let text =
      "I’d like to do 5 pull-ups by 3/14 — my shoulder’s bad 😩 “honest”, 5'10\", 82.5kg £40/month"
    for end in text.unicodeScalars.indices {
      let cut = String(text.unicodeScalars[..<end])
      for entry in scored("coach: Goal?", cut).entries {
        #expect(cut.unicodeScalars.contains(entry.evidence.text.unicodeScalars), "\(cut)")
      }
    }
    #expect(scored("coach: Goal?", text).names.isSuperset(of: ["outcome", "target"]))
  }

  @Test(arguments: [
    "i want to lose 20 lbs by june because my back hurts",
    "i want to lose 20 lbs by june, my doctor scared me",
    "i need to drop weight by june and my back hurts a lot",
  ])
  func aShortMessageFullOfFactsKeepsTheSurestOfThem(words: String) {
    let known = Set(scored("coach: What would you like to change?", words).known.map(\.name))
    #expect(known.isSuperset(of: ["outcome", "timeframe"]), "\(known)")
  }
}
