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

    init(turn: Int = 0, suggestions: [Starters.Suggestion] = StarterPickerTests.suggestions) throws
    {
      picker = StarterPicker(
        Starters(source: .generic, turn: turn, suggestions: suggestions),
        pack: try PromptPack.embedded())
    }

    mutating func type(_ keys: String) {
      for key in keys {
        switch key {
        case "\t": text = picker.cycle(line: text) ?? text
        case "\u{B}": text = picker.cycle(forward: false, line: text) ?? text
        default: text.append(key)
        }
        picker.note(text)
      }
    }
  }

  private func line(after keys: String, turn: Int = 0) throws -> String {
    var line = try Line(turn: turn)
    line.type(keys)
    return line.text
  }

  @Test(arguments: ["1", "13", "5k in June", "3 times a week", "42, bad knee"])
  func digitsAreTyped(text: String) throws {
    #expect(try line(after: text) == text)
  }

  @Test func onlyWhatIsOnShowIsWithinReachOfTab() throws {
    let many = Starters.Category.allCases.flatMap { category in
      (1...4).map { Starters.Suggestion(category, label: "no \($0)", text: "I \(category) \($0)") }
    }
    var line = try Line(suggestions: many)
    var seen: Set<String> = []
    for _ in 0..<30 {
      line.type("\t")
      seen.insert(line.text)
    }
    #expect(seen == Set(line.picker.starters.shown.map(\.text) + [""]))
  }

  @Test(arguments: ["/he", "/", " /quit"])
  func aCommandIsLeftAlone(text: String) throws {
    var line = try Line()
    line.text = text
    line.type("\t\u{B}")
    #expect(line.text == text)
  }

  @Test(arguments: [
    ("\t", "I want to lose fat"), ("\t\t", "I want to run"), ("\t\t\t\t", ""),
    ("\t\t\t\t\t", "I want to lose fat"), ("\u{B}", "I have limited time"),
    ("\t\t\u{B}", "I want to lose fat"),
    ("\t \t\t", "I want to lose fat but have limited time"),
    ("I'm 42\t", "I'm 42 and I want to lose fat"),
    ("I'm 42\t\t\t\t", "I'm 42"),
    ("I'm 42, \t", "I'm 42, I want to lose fat"),
  ])
  func tabGoesThroughAllOfThem(keys: String, expected: String) throws {
    #expect(try line(after: keys) == expected)
  }

  @Test func whatWasEditedIsTheirOwnAndStays() throws {
    var line = try Line()
    line.type("\t")
    line.text = "I want to lose belly fat"
    line.type("\t")
    #expect(line.text == "I want to lose belly fat and I want to lose fat")
  }

  @Test(arguments: [("", 40), ("\t", 40), ("\t \t\t", 40)])
  func theyAreGoneAfterFortyCharactersOfOnesOwn(first: String, count: Int) throws {
    var line = try Line()
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

  @Test func goneTheyDoNotComeBack() throws {
    var line = try Line()
    line.picker.note(String(repeating: "x", count: 40))
    line.type("\t")
    #expect(line.text == "")
  }

  @Test func theRoomIsSharedOutFairly() throws {
    let many = Starters.Category.allCases.flatMap { category in
      (1...4).map { Starters.Suggestion(category, label: "\($0)", text: "I am \(category) \($0)") }
    }
    let all = Starters(source: .model, turn: 0, suggestions: many + many)
    #expect(all.suggestions.count == 16)
    let counts = Starters.Category.allCases.map { category in
      all.shown.count { $0.category == category }
    }
    #expect(counts == [3, 2, 2, 2])
    let three = Starters(
      source: .model, turn: 0, suggestions: many.filter { $0.category != .preferences })
    #expect(three.shown.count == 9)
    #expect(three[.challenges].count == 4)
  }
}
