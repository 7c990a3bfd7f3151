import Testing

@testable import Terminal

private func wrapped(_ text: String, to width: Int?) -> String {
  var wrapper = WordWrapper(width: width)
  return wrapper.feed(text) + wrapper.finish()
}

private func wrapped(_ pieces: [String], to width: Int?) -> String {
  var wrapper = WordWrapper(width: width)
  return pieces.map { wrapper.feed($0) }.joined() + wrapper.finish()
}

struct WordWrapperTests {
  @Test func breaksBetweenWords() {
    #expect(wrapped("What would you like to change?", to: 20) == "What would you like\nto change?")
  }

  @Test func fillsALineToItsLastColumn() {
    #expect(wrapped("12345 7890 abcdefghi x", to: 20) == "12345 7890 abcdefghi\nx")
  }

  @Test func leavesRoomForALabelOnTheFirstLine() {
    var wrapper = WordWrapper(width: 20, column: 7)
    let text = wrapper.feed("What would you like to change?") + wrapper.finish()
    #expect(text == "What would\nyou like to change?")
  }

  @Test func keepsTheLinesThatAreThere() {
    #expect(wrapped("one\n\ntwo\n", to: 20) == "one\n\ntwo\n")
  }

  @Test(arguments: [
    ("- a list item that is too long", "- a list item that\n  is too long"),
    ("* a list item that is too long", "* a list item that\n  is too long"),
    ("12. a numbered item, too long", "12. a numbered item,\n    too long"),
    ("> quoted words that go on", "> quoted words that\n> go on"),
    ("> - a quoted item that goes on", "> - a quoted item\n>   that goes on"),
    ("    indented text goes on", "    indented text\n    goes on"),
    ("- one\nand then plain text here", "- one\nand then plain text\nhere"),
    ("a - dash is not a list mark", "a - dash is not a\nlist mark"),
  ])
  func continuesUnderTheTextOfALine(text: String, expected: String) {
    #expect(wrapped(text, to: 20) == expected)
  }

  @Test func breaksAWordThatNoLineCanHold() {
    #expect(
      wrapped("see abcdefghijklmnopqrstuvwxyz now", to: 20)
        == "see\nabcdefghijklmnopqrst\nuvwxyz now")
  }

  @Test func countsWideCharactersTwice() {
    #expect(wrapped("漢字漢字漢字漢字漢字漢字", to: 20) == "漢字漢字漢字漢字漢字\n漢字")
    #expect(wrapped("👍👍👍 👍👍👍 👍👍👍 👍", to: 20) == "👍👍👍 👍👍👍 👍👍👍\n👍")
  }

  @Test func keepsPunctuationWithItsIdeograph() {
    #expect(wrapped("漢字漢字漢字漢字漢字。漢", to: 20) == "漢字漢字漢字漢字漢\n字。漢")
    #expect(wrapped("漢字漢字漢字漢字漢「字」", to: 20) == "漢字漢字漢字漢字漢\n「字」")
  }

  @Test func countsATabToTheNextStop() {
    #expect(wrapped("ab\tcd\tefgh ijkl", to: 20) == "ab\tcd\tefgh\nijkl")
  }

  @Test func passesTextThroughWithoutAWidth() {
    let text = String(repeating: "word ", count: 100) + "\n  x  "
    #expect(wrapped(text, to: nil) == text)
    var wrapper = WordWrapper(width: nil)
    #expect(wrapper.feed("half a wo") == "half a wo")
  }

  @Test func holdsBackOnlyTheWordThatMayStillGrow() {
    var wrapper = WordWrapper(width: 20)
    #expect(wrapper.feed("Hello") == "")
    #expect(wrapper.feed(" ") == "Hello")
    #expect(wrapper.feed("there,") == "")
    #expect(wrapper.feed(" you\n") == " there, you\n")
    #expect(wrapper.feed("漢字です") == "漢字")
    #expect(wrapper.finish() == "です")
  }

  @Test func followsAWindowThatChanges() {
    var wrapper = WordWrapper(width: 40)
    var out = wrapper.feed("one two three four five ")
    wrapper.width = 20
    out += wrapper.feed("six seven eight nine ten eleven") + wrapper.finish()
    #expect(out == "one two three four five\nsix seven eight nine\nten eleven")
  }

  @Test func breaksAHeldWordWhenTheWindowNarrows() {
    var wrapper = WordWrapper(width: 60)
    var out = wrapper.feed("abcdefghijklmnopqrstuvwxyz")
    wrapper.width = 20
    out += wrapper.feed(" x") + wrapper.finish()
    #expect(out == "abcdefghijklmnopqrst\nuvwxyz x")
  }
}

struct WordWrapperPropertyTests {
  private static let alphabet = Array(
    "aaabcde     \n\t-->12.)漢字。「é\u{301}👍👨‍👩‍👧🇫🇷\u{200D}\u{FE0F}❤".unicodeScalars)

  private func text(_ random: inout SeededGenerator) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0..<160, using: &random) {
      text.append(Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &random)])
    }
    return String(text)
  }

  @Test func theCutsOfTheStreamDoNotShow() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<4_000 {
      let text = text(&random)
      let width = Int.random(in: 20...50, using: &random)
      let pieces = randomPieces(of: text, &random)
      let (whole, streamed) = (wrapped(text, to: width), wrapped(pieces, to: width))
      #expect(Array(whole.unicodeScalars) == Array(streamed.unicodeScalars), "\(pieces)")
    }
  }

  @Test func onlySpaceIsAddedOrLost() {
    var random = SeededGenerator(seed: 12)
    func ink(_ text: String) -> [Unicode.Scalar] {
      // Quotation marks are repeated where a quotation's line breaks, and what joins a space goes with it.
      text.unicodeScalars.filter { !" \t\n>\u{301}\u{200D}\u{FE0F}".unicodeScalars.contains($0) }
    }
    for _ in 0..<4_000 {
      let text = text(&random)
      var wrapper = WordWrapper(width: Int.random(in: 20...50, using: &random))
      var output = ""
      for piece in randomPieces(of: text, &random) {
        output += wrapper.feed(piece)
        wrapper.width = Int.random(in: 20...50, using: &random)
      }
      output += wrapper.finish()
      #expect(ink(output) == ink(text))
    }
  }

  @Test func noLineIsWiderThanTheWindow() {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<4_000 {
      let text = text(&random)
      let width = Int.random(in: 20...50, using: &random)
      for line in wrapped(text, to: width).split(separator: "\n") {
        let columns = line.reduce(0) { column, character in
          character == "\t" ? (column / 8 + 1) * 8 : column + displayWidth(of: character)
        }
        #expect(columns <= width, "\(line.debugDescription)")
      }
    }
  }
}
