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

    init(turn: Int = 0) {
      picker = StarterPicker(
        Starters(source: .generic, turn: turn, suggestions: StarterPickerTests.suggestions))
    }

    mutating func type(_ keys: String) {
      for key in keys {
        let replaced =
          switch key {
          case "\t": picker.cycle(line: text)
          case "\u{B}": picker.cycle(forward: false, line: text)
          default: picker.typed(key, line: text)
          }
        text = replaced ?? (key == "\t" ? text : text + String(key))
        picker.note(text)
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
  ])
  func digitsChooseWhileTheLineIsEmpty(keys: String, expected: String) {
    #expect(line(after: keys) == expected)
  }

  @Test(arguments: ["5k in June", "2km", "40 pounds", "12k", "9", "a 1", "run 3"])
  func numbersThatAreMeantAsSuchStay(text: String) {
    #expect(line(after: text) == text)
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
    line.type(" ")
    line.type(String(repeating: "é", count: count - (first.isEmpty ? 1 : 2)))
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
