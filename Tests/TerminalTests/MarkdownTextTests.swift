import TestSupport
import Testing

@testable import Terminal

struct MarkdownTextTests {
  private func marked(_ markdown: String, width: Int? = nil) -> String {
    MarkdownText(markdown).pieces(width: width).map { piece in
      switch piece.role {
      case .bold: "[b:\(piece.text)]"
      case .dim: "[d:\(piece.text)]"
      case .accent: "[c:\(piece.text)]"
      default: piece.text
      }
    }.joined()
  }

  @Test(arguments: [
    ("**Coach:** hello", "[b:Coach:] hello"),
    ("a *small* step", "a [d:small] step"),
    ("run `make help` now", "run [c:make help] now"),
    ("`a *b* c`", "[c:a *b* c]"),
    ("*(cut off: **now**)*", "[d:(cut off: ][b:now][d:)]"),
    ("2*3*4 and 5 * 6 * 7", "2*3*4 and 5 * 6 * 7"),
    ("* one\n* two", "* one\n* two"),
    ("an open ** mark and *another", "an open ** mark and *another"),
    ("snake__case__name", "snake__case__name"),
    ("# Plan\nfirst **this**\n\nthen that", "[b:Plan\n]first [b:this]\n\nthen that"),
    ("#hashtag", "#hashtag"), ("", ""), ("****", "****"),
    ("---", "[b:────────────────────────────────────────]"),
  ])
  func marksBecomeStyles(markdown: String, expected: String) {
    #expect(marked(markdown) == expected)
  }

  @Test func longLinesAreWrappedAndNothingIsLost() {
    let text = "some **bold words here** and then some more of them"
    let plain = MarkdownText(text).pieces(width: 20).map(\.text).joined()
    #expect(plain.split(separator: "\n").allSatisfy { $0.count <= 20 })
    let words = plain.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words == text.replacing("**", with: ""))
  }

  @Test func manyMarksAreReadQuickly() {
    func seconds(_ count: Int) -> Double {
      let text = String(repeating: "*a **b _c ", count: count)
      return (0..<3).map { _ in secondsOfWork { MarkdownText(text).pieces(width: 80) }.0 }.min()
        ?? 0
    }
    // Work that grew with the square would be 64 times as much.
    #expect(seconds(4_000) < 32 * seconds(500))
  }
}
