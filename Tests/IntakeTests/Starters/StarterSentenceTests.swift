import IntakeTestSupport
import Testing

@testable import Intake

private typealias Category = Starters.Category

/// `goals: I want to lose fat`
private func suggestion(_ text: String) -> Starters.Suggestion {
  let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
  return .init(Category(rawValue: parts[0]) ?? .goals, label: "x", text: parts[1])
}

private func sentence(_ texts: [String], after words: String = "") throws -> String {
  try StarterSentence(PromptPack.embedded().signals).combine(texts.map(suggestion), after: words)
}

struct StarterSentenceTests {
  @Test(arguments: [
    (["goals: I want to lose fat"], "I want to lose fat"),
    (
      ["goals: I want to lose fat", "challenges: I have limited time"],
      "I want to lose fat but have limited time"
    ),
    (
      ["challenges: I have limited time", "goals: I want to lose fat"],
      "I want to lose fat but have limited time"
    ),
    (
      ["goals: I want to lose fat", "context: I sit at a desk all day"],
      "I sit at a desk all day and want to lose fat"
    ),
    (
      ["goals: I want to lose fat", "challenges: my knee hurts"],
      "I want to lose fat but my knee hurts"
    ),
    (["challenges: My knee hurts", "goals: I want to run"], "I want to run but my knee hurts"),
    (["context: my job is new", "goals: I want to run"], "My job is new and I want to run"),
    (
      ["goals: I want to run", "challenges: I'm always tired"], "I want to run but I'm always tired"
    ),
    (
      ["context: I'm 45", "goals: I want to run", "challenges: I'm always tired"],
      "I'm 45 and I want to run but I'm always tired"
    ),
  ])
  func differentThingsBecomeOneSentence(texts: [String], expected: String) throws {
    #expect(try sentence(texts) == expected)
  }

  @Test(arguments: [
    (["I want to lose fat", "I want to run a 10k"], "I want to lose fat and run a 10k"),
    (
      ["I want to lose fat", "I want to get stronger", "I want to run"],
      "I want to lose fat, get stronger and run"
    ),
    (["I want to lose fat", "I want more energy"], "I want to lose fat and want more energy"),
    (["I have to travel", "I have a bad back"], "I have to travel and have a bad back"),
    (["I don't like gyms", "I don't have time"], "I don't like gyms and don't have time"),
    (["I\u{2019}m tired", "I'm busy"], "I'm tired and busy"),
    (["I'm tired", "I work nights"], "I'm tired and I work nights"),
    (["my knee hurts", "My back hurts"], "My knee hurts and my back hurts"),
    (["I run", "I run a lot"], "I run and run a lot"),
  ])
  func whatIsAlikeIsSaidOnce(texts: [String], expected: String) throws {
    #expect(try sentence(texts.map { "goals: " + $0 }) == expected)
  }

  @Test(arguments: [
    ("I'm 42", "I'm 42 but I have limited time"),
    ("I'm 42.", "I'm 42. I have limited time"),
    ("I'm 42, ", "I'm 42, I have limited time"),
    ("thing is that I try but", "thing is that I try but I have limited time"),
    ("", "I have limited time"), ("  ", "I have limited time"),
  ])
  func itJoinsWhatWasTyped(words: String, expected: String) throws {
    #expect(try sentence(["challenges: I have limited time"], after: words) == expected)
  }

  @Test func anotherLanguageStandsInSentencesOfItsOwn() throws {
    let spanish = ["goals: quiero perder grasa", "challenges: Tengo poco tiempo"]
    #expect(try sentence(spanish) == "Quiero perder grasa. Tengo poco tiempo")
    #expect(try sentence(spanish + ["goals: I want to run"]).contains("grasa. I want to run. "))
  }

  @Test(arguments: [
    ("quiero perder 10 kilos", "quiero perder 10 kilos. I have limited time"),
    ("quiero perder peso,", "quiero perder peso. I have limited time"),
    ("Ich will abnehmen!", "Ich will abnehmen! I have limited time"),
    ("Je voudrais perdre du poids", "Je voudrais perdre du poids. I have limited time"),
    ("хочу похудеть", "хочу похудеть. I have limited time"),
    ("想减肥。", "想减肥。 I have limited time"),
    ("I'm 42", "I'm 42 but I have limited time"), ("abs", "abs but I have limited time"),
  ])
  func wordsInAnotherLanguageAreNotJoined(words: String, expected: String) throws {
    #expect(try sentence(["challenges: I have limited time"], after: words) == expected)
  }

  @Test func aSuggestionInAnotherLanguageIsNotJoinedEither() throws {
    let joined = try sentence(["challenges: tengo poco tiempo"], after: "I'm 42")
    #expect(joined == "I'm 42. Tengo poco tiempo")
  }

  @Test func nothingChosenIsNothingSaid() throws {
    #expect(try sentence([]) == "")
    #expect(try sentence([], after: "I'm 42 ") == "I'm 42")
  }
}
