import ContextQuality
import IntakeTestSupport
import Signals
import Testing

@testable import Intake
@testable import Rehearsal

/// A pack's question bank is checked when the pack is read.
struct QuestionBankTests {
  private func pack(
    _ change: (inout [String: String]) -> Void
  ) throws -> PromptPack {
    var files = try PromptPack.embeddedFiles("fitness")
    change(&files)
    return try PromptPack(files: files, folder: "mine")
  }

  private func error(_ change: (inout [String: String]) -> Void) throws -> String {
    let error = #expect(throws: PackError.self) { try pack(change).checkRehearsal() }
    return try #require(error).description
  }

  @Test(arguments: [
    ("[ask goalClarity.nothing]", "goalClarity.nothing: expected a facet of the rubric"),
    ("[asks goalClarity.outcome]", "asks: expected one of disclosure, greet, ask"),
    ("[ask]", "[ask] expects a facet, such as goalClarity.outcome"),
    ("[ask goalClarity.outcome", "expected ] at the end of"),
    ("[greet]\nHello {goalClarity.outcom}", "goalClarity.outcom: expected a facet"),
    ("[greet]\nHello {me goalClarity.outcome}", "expected {facet}, {to facet}"),
    ("[greet]\nHello {goalClarity.outcome", "expected } behind"),
    ("[ask goalClarity.outcome]\nTell me more.", "expected a question with a question mark"),
    ("[ask goalClarity.outcome]\nWhy?\nWhy?", "the same words stand twice"),
    ("[ask goalClarity.outcome unless rain]\nWhy so?", "rain: expected one of emergency"),
    ("[reply]\nHello.", "[reply]: expected a line with when:"),
    ("[reply]\nwhen: ~99 a\nHello.", "expected a gap from ~1 to ~12"),
    ("[greet]", "[greet]: expected a text"),
  ])
  func whatIsWrongIsNamedWithItsFileAndLine(text: String, reason: String) throws {
    let lines = "# a bank of my own\n\n" + text
    let message = try error { $0["rehearsal/mine.txt"] = lines }
    #expect(message.hasPrefix("mine/rehearsal/mine.txt:"), "\(message)")
    #expect(message.contains(reason), "\(message)")
    let line = text.contains("\n") && !text.hasPrefix("[reply]\nHello") ? 3...5 : 3...3
    let number = message.split(separator: ":").dropFirst().first.flatMap { Int($0) }
    #expect(line.contains(try #require(number)), "\(message)")
  }

  @Test func everyFacetNeedsItsPhrasings() throws {
    let message = try error {
      $0["rehearsal/questions.txt"]?.replace(
        "[ask supportSystem.people]", with: "[ask obstacles.detail]")
    }
    #expect(message.contains("at least 2 phrasings in [ask supportSystem.people]"), "\(message)")
    let plain = try error { $0["rehearsal/questions.txt"]?.replace("explicit: ", with: "again: ") }
    #expect(plain.contains("explicit: in [ask goalClarity.outcome]"), "\(plain)")
  }

  @Test func aPackWithoutABankTalksWithModelsAndCannotRehearse() throws {
    let pack = try pack { files in
      files = files.filter { !$0.key.hasPrefix("rehearsal/") }
    }
    let error = #expect(throws: PackError.self) { _ = try RehearsalCoach(pack: pack) }
    #expect(
      error?.description
        == "mine/rehearsal/questions.txt: the file is missing: without a question bank this pack cannot rehearse"
    )
  }

  @Test func severalPhrasingsForEachFacetAndBridgesBetweenComponents() throws {
    let bank = try PromptPack.embedded().questionBank()
    let bridges = bank.all(.ask).filter { Set($0.facets.map(\.component)).count > 1 }
    #expect(bridges.count > 40)
    #expect(bank.all(.ask).flatMap(\.lines).count > 250)
  }
}

struct NoLimitTests {
  @Test(arguments: [
    "no injuries", "nope", "no", "nothing really", "joints are fine, nothing diagnosed",
    "I'm open to anything", "nothing hurts", "no, all good", "nothing gets in the way",
  ])
  func thatThereIsNoLimitIsNone(said: String) throws {
    #expect(try PromptPack.embedded().questionBank().saysThereIsNone(said))
  }

  @Test(arguments: [
    "no time for sport", "nothing in front of people", "no running, my doctor said", "no money",
    "no injuries except my knee", "my shoulder is not good", "I can't do push-ups",
  ])
  func aLimitIsNotTakenForNone(said: String) throws {
    #expect(try !PromptPack.embedded().questionBank().saysThereIsNone(said))
  }
}

struct UserWordsTests {
  private let rules: RuleSet

  init() throws { rules = try PromptPack.embedded().signals[.quoting] }

  @Test(arguments: [
    ("I want to lose 25 pounds", "lose 25 pounds"), ("lose weight", "lose weight"),
    ("I'd like to keep up with the kids", "keep up with the kids"),
    ("well i wanna get strong lol", "get strong"), ("I want be more strong", "be more strong"),
  ])
  func aWishIsWhatFollowsYouWantTo(said: String, wish: String) {
    #expect(UserWords(said, rules).wish == wish)
  }

  @Test(arguments: [
    "less pain", "my back hurts", "to you, coach", "weight", "I want to keep up with my kids",
    "lose weight for her (my wife)",
  ])
  func whatIsNoWishIsQuoted(said: String) {
    #expect(UserWords(said, rules).wish == nil)
  }

  @Test func aQuoteIsTakenToWhereItReadsWell() {
    let turn = "drop 20 lbs by june so i can keep up with my kids. and my right knee is shot"
    #expect(UserWords("my kids", in: turn, rules).text == "i can keep up with my kids")
    #expect(
      UserWords("drop 20 lbs by june so i can keep up with", in: turn, rules).text
        == "drop 20 lbs by june so i can keep up with my kids")
    #expect(UserWords("and my right knee is shot", in: turn, rules).text == "my right knee is shot")
    #expect(
      UserWords("my right knee is shot.", in: turn, rules).quoted
        == "\u{201C}my right knee is shot\u{201D}")
  }

  @Test func whatPointsBackIsTakenWithWhatItPointsTo() {
    let turn = "Well. I used to swim every morning and I miss it. My knees, though"
    #expect(
      UserWords("I miss it", in: turn, rules).text == "I used to swim every morning and I miss it")
    #expect(
      UserWords("my wife and, frankly", in: "it's my wife and, frankly, me", rules).text
        == "it's my wife")
  }

  @Test func oneWordIsNotQuotedAndAStoryIsCutAtAPause() {
    #expect(UserWords("work", rules).quoted == nil)
    #expect(UserWords("60h", rules).quoted == "\u{201C}60h\u{201D}")
    let story =
      "I get up at five, feed the cows and the kids and then I drive to town for the second job there"
    #expect(UserWords(story, rules).quoted == "\u{201C}I get up at five\u{2026}\u{201D}")
  }
}
