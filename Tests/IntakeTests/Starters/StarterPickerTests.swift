import IntakeTestSupport
import Testing

@testable import Intake

struct StarterPickerTests {
  private static let suggestions: [Starters.Suggestion] = [
    .init(.goals, label: "lose fat", text: "I want to lose fat"),
    .init(.goals, label: "run", text: "I want to run"),
    .init(.challenges, label: "no time", text: "I have limited time"),
  ]

  /// A line that is typed into as an editor would.
  private struct Line {
    var picker: StarterPicker
    var text = ""

    init(turn: Int = 0, suggestions: [Starters.Suggestion] = StarterPickerTests.suggestions) {
      picker = StarterPicker(Starters(source: .generic, turn: turn, suggestions: suggestions))
    }

    mutating func type(_ keys: String) {
      for key in keys {
        let replaced: String? =
          switch key {
          case "\t": picker.cycle(line: text)
          case "\u{B}": picker.cycle(forward: false, line: text)
          case "\r": picker.note(text, isWhole: true)
          case "0"..."9": picker.typed(key, line: text)
          default: nil
          }
        text = replaced ?? ("\t\u{B}\r".contains(key) ? text : text + String(key))
        if let instead = picker.note(text) { text = instead }
      }
    }
  }

  private func line(after keys: String, turn: Int = 0) -> String {
    var line = Line(turn: turn)
    line.type(keys)
    return line.text
  }

  @Test(arguments: [
    ("1", "I want to lose fat"), ("3", "I have limited time"),
    ("13", "I want to lose fat but have limited time"),
    ("31", "I want to lose fat but have limited time"),
    ("12", "I want to lose fat and run"),
    ("11", ""), ("131", "I have limited time"),
    ("1 by June", "I want to lose fat by June"),
    ("1 and my knee hurts", "I want to lose fat and my knee hurts"),
    ("1, but I'm lazy", "I want to lose fat, but I'm lazy"),
    ("1. I'm 42", "I want to lose fat. I'm 42"), ("1.\r", "I want to lose fat."),
    ("1 for 2 years", "I want to lose fat for 2 years"),
    ("1 to feel better", "I want to lose fat to feel better"),
    ("13 before June", "I want to lose fat but have limited time before June"),
    ("1!\r", "I want to lose fat!"), ("1\r", "I want to lose fat"), ("1 \r", "I want to lose fat "),
  ])
  func digitsChooseWhileTheLineIsEmpty(keys: String, expected: String) {
    #expect(line(after: keys) == expected)
  }

  @Test(arguments: ["5k in June", "2km", "40 pounds", "12k", "9", "a 1", "run 3"])
  func numbersThatAreMeantAsSuchStay(text: String) {
    #expect(line(after: text) == text)
  }

  private static let nine = (1...9).map {
    Starters.Suggestion(
      $0 < 5 ? .goals : $0 < 8 ? .context : .challenges, label: "no \($0)", text: "I am tale \($0)")
  }

  /// Where every digit chooses.
  @Test(arguments: [
    "3 times a week", "15 kg", "1.5 kg a month", "1,5 kilos", "12 pounds by June", "42, bad knee",
    "42 and overweight", "33 and tired", "55 years old", "33kg to lose", "113 kg", "3-4 days",
    "3 - 4 days", "2 kids", "2 to 3 runs", "2 and a half stone", "2 or 3 kilos", "1 on 1 training",
    "7/10 energy", "5% body fat", "6:30 alarm", "2x a week", "5'11 and heavy", "3 (three) kids",
    "1) sleep 2) food", "1. sleep", "4 10 minute walks", "9+ hours sitting", "8 horas", "3 Kinder",
    "5 m", "6 mo", "12.", "1 \u{2013} lose fat", "2 🏃", "5, maybe 6", "4 a week", "6 \"packs\"",
  ])
  func whatIsNoSentenceBehindADigitIsTakenAsTyped(text: String) {
    var line = Line(suggestions: Self.nine)
    line.type(text + "\r")
    #expect(line.text == text)
    // Further editing is nobody's choice either.
    line.type(" 1\r")
    #expect(line.text.hasSuffix(" 1"))
  }

  @Test func aNumberIsThereBeforeItIsSent() {
    for text in ["3 times", "15 kg", "42, ", "1.5", "2 kids"] {
      var line = Line(suggestions: Self.nine)
      line.type(text)
      #expect(line.text == text)
    }
  }

  @Test func whatWasClearedOrMovedIsNoNumberAnyMore() {
    var line = Line()
    line.type("1")
    line.text = ""
    line.type("my knee hurts")
    #expect(line.text == "my knee hurts")
    line = Line()
    line.type("1")
    line.text = "Well, I want to lose fat"
    line.type(" kg")
    #expect(line.text == "Well, I want to lose fat kg")
  }

  @Test func onlyWhatIsOnShowIsWithinReachOfTab() {
    let many = Starters.Category.allCases.flatMap { category in
      (1...4).map { Starters.Suggestion(category, label: "no \($0)", text: "I \(category) \($0)") }
    }
    var line = Line(suggestions: many)
    var seen: Set<String> = []
    for _ in 0..<30 {
      line.type("\t")
      seen.insert(line.text)
    }
    #expect(seen == Set(line.picker.starters.numbered.map(\.text) + [""]))
  }

  @Test(arguments: ["/he", "/", " /quit"])
  func aCommandIsLeftAlone(text: String) {
    var line = Line()
    line.text = text
    line.type("\t\u{B}")
    #expect(line.text == text)
  }

  @Test func aQuestionIsAnsweredWithANumber() {
    #expect(line(after: "3", turn: 1) == "3")
    #expect(line(after: "\t", turn: 1) == "I want to lose fat")
  }

  @Test(arguments: [
    ("\t", "I want to lose fat"), ("\t\t", "I want to run"), ("\t\t\t\t", ""),
    ("\t\t\t\t\t", "I want to lose fat"), ("\u{B}", "I have limited time"),
    ("\t\t\u{B}", "I want to lose fat"),
    ("1\t\t", "I want to lose fat but have limited time"),
    ("\t \t\t", "I want to lose fat but have limited time"),
    ("I'm 42\t", "I'm 42 and I want to lose fat"),
    ("I'm 42\t\t\t\t", "I'm 42"),
    ("I'm 42, \t", "I'm 42, I want to lose fat"),
  ])
  func tabGoesThroughAllOfThem(keys: String, expected: String) {
    #expect(line(after: keys) == expected)
  }

  @Test func whatWasEditedIsTheirOwnAndStays() {
    var line = Line()
    line.type("1")
    line.text = "I want to lose belly fat"
    line.type("\t")
    #expect(line.text == "I want to lose belly fat and I want to lose fat")
    line.type("7")
    #expect(line.text.hasSuffix("7"))
  }

  @Test(arguments: [("", 40), ("1", 40), ("13", 40), ("\t", 40)])
  func theyAreGoneAfterFortyCharactersOfOnesOwn(first: String, count: Int) {
    var line = Line()
    line.type(first)
    line.type(" by ")
    line.type(String(repeating: "é", count: count - (first.isEmpty ? 4 : 5)))
    #expect(!line.picker.isGone, "\(line.text)")
    line.type("éé")
    #expect(line.picker.isGone)
    let text = line.text
    line.type("\t")
    #expect(line.text == text)
  }

  @Test func goneTheyDoNotComeBack() {
    var line = Line()
    line.picker.note(String(repeating: "x", count: 40))
    line.type("1")
    #expect(line.text == "1")
  }

  @Test func theNumbersAreSharedOutFairly() {
    let many = Starters.Category.allCases.flatMap { category in
      (1...4).map { Starters.Suggestion(category, label: "\($0)", text: "I am \(category) \($0)") }
    }
    let all = Starters(source: .model, turn: 0, suggestions: many + many)
    #expect(all.suggestions.count == 16)
    let counts = Starters.Category.allCases.map { category in
      all.numbered.count { $0.category == category }
    }
    #expect(counts == [3, 2, 2, 2])
    let three = Starters(
      source: .model, turn: 0, suggestions: many.filter { $0.category != .preferences })
    #expect(three.numbered.count == 9)
    #expect(three[.challenges].count == 4)
  }
}
