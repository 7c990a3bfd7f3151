import Terminal
import Testing

@testable import rapport

/// What is typed at a question, among its suggestions.
struct OwnWordsTests {
  @Test func ownWordsComeBackBehindTheSuggestions() {
    let own = OwnWords("")
    let lines = ["my words", "One", "Two", "my words"]
    for (line, next) in zip(lines, lines.dropFirst()) {
      #expect(own.next(after: line, among: ["One", "Two"], isBackward: false) == next)
    }
    #expect(own.next(after: "One", among: ["One", "Two"], isBackward: true) == "my words")
  }

  @Test func anEmptyLineIsNoneOfThem() {
    let own = OwnWords("")
    #expect(own.next(after: "", among: ["One", "Two"], isBackward: false) == "One")
    #expect(own.next(after: "Two", among: ["One", "Two"], isBackward: false) == "One")
  }

  @Test(
    arguments: [("My knee", "My knee"), ("", nil), ("known", nil), ("<", nil)]
      as [(String, String?)])
  func whatWasTypedStaysAsADraft(line: String, draft: String?) {
    let own = OwnWords("known")
    own.note(line)
    #expect(own.draft == draft)
  }

  @Test func whatALineComesToStandsAboveIt() {
    let own = OwnWords("", remark: { $0.isEmpty ? nil : "\($0.count)" })
    own.note("12-8")
    #expect(own.board.lines.map(\.text) == ["4"])
    own.note("")
    #expect(own.board.lines.isEmpty)
  }
}
