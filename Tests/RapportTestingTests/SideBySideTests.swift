import RapportTesting
import TestSupport
import Testing

@Suite struct SideBySideTests {
  @Test func whatDiffersStandsInOneRow() {
    let both = SideBySide("a\nb\nc", "a\nx\nc")
    #expect(both.rows == [.same("a"), .different("b", "x"), .same("c")])
  }

  @Test func farAwayLinesThatAreTheSameAreLeftOut() {
    let left = (1...9).map(String.init).joined(separator: "\n")
    let both = SideBySide(left, left.replacing("5", with: "five"), context: 1)
    #expect(both.rows == [.gap(3), .same("4"), .different("5", "five"), .same("6"), .gap(3)])
  }

  @Test func bothTextsCanBeReadOffItsRows() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let left = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        ["a", "b", "c"].randomElement(using: &random) ?? ""
      }
      let right = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        ["a", "b", "c"].randomElement(using: &random) ?? ""
      }
      let rows = SideBySide(
        left.joined(separator: "\n"), right.joined(separator: "\n"), context: 100
      ).rows
      let ofLeft = rows.compactMap { row -> String? in
        switch row {
        case .same(let text): text
        case .different(let text, _): text
        case .gap: "gap"
        }
      }
      let ofRight = rows.compactMap { row -> String? in
        switch row {
        case .same(let text): text
        case .different(_, let text): text
        case .gap: "gap"
        }
      }
      // No line is one empty line.
      guard left != right, !left.isEmpty, !right.isEmpty else { continue }
      #expect(ofLeft == left)
      #expect(ofRight == right)
    }
  }
}

@Suite struct WordDifferenceTests {
  private func marked(_ pieces: [WordDifference.Piece]?) -> String? {
    pieces?.map { $0.isChanged ? "«\($0.text)»" : $0.text }.joined()
  }

  @Test(arguments: [
    ("I want to run 10 km by June", "I want to run 12 km by June", "I want to run «10» km by June"),
    (
      "coach: Hi. What gets in the way?", "coach: Hi. What's in the way?",
      "coach: Hi. «What gets» in the way?"
    ),
    ("usage input 0.5, output 2", "usage input 0.5, output 3", "usage input 0.5, output «2»"),
    ("one two three", "one two three four", "one two three"),
  ])
  func wordsThatDifferAreMarked(left: String, right: String, marks: String) {
    #expect(marked(WordDifference(left, right)?.left) == marks)
  }

  @Test func linesWithLittleInCommonAreNot() {
    #expect(WordDifference("0.7", "0.565") == nil)
    #expect(WordDifference("Hello there, you", "What is a good time?") == nil)
    #expect(WordDifference("", "word") == nil)
  }

  @Test func thePiecesAreTheLine() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<300 {
      func line() -> String {
        (0..<Int.random(in: 1...9, using: &random)).map { _ in
          ["run", "10", "0.5", "don't", "—", "é", "  ", "(a)"].randomElement(using: &random) ?? ""
        }.joined(separator: " ")
      }
      let (left, right) = (line(), line())
      guard let words = WordDifference(left, right) else { continue }
      #expect(words.left.map(\.text).joined() == left)
      #expect(words.right.map(\.text).joined() == right)
    }
  }
}
