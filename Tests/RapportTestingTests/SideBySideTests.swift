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
