import Foundation
import TestSupport
import Testing

@testable import Terminal

/// One case of the terminal group of the hostile inputs.
struct HostileOutput: Decodable, Sendable, CustomTestStringConvertible {
  let id: String
  let surface: String
  let input: String?
  let pieces: [String]?
  let shown: String?

  var testDescription: String { id }

  static let all: [HostileOutput] = {
    struct File: Decodable { let cases: [HostileOutput] }
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Fixtures/cases/hostile-cases.json")
    guard let data = try? Data(contentsOf: path),
      let file = try? JSONDecoder().decode(File.self, from: data)
    else { return [] }
    return file.cases.filter { $0.surface == "terminal" }
  }()

  static let withText = all.filter { $0.shown != nil && $0.input != nil }
}

private func filtered(_ pieces: [String]) -> String {
  var filter = OutputFilter()
  let shown = pieces.map { filter.filter($0) }.joined()
  filter.finish()
  return shown
}

/// Every scalar in a piece of its own, or the text cut before the `cut`-th scalar.
private func cut(_ text: String, at index: Int) -> [String] {
  let scalars = Array(text.unicodeScalars)
  return [scalars[..<index], scalars[index...]].map { part in
    String(String.UnicodeScalarView(part))
  }
}

private func scalars(of text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

private func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x09, 0x0A: false
  case 0x00...0x1F, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x200B,
    0x2060...0x2064, 0x206A...0x206F, 0xFEFF, 0xAD, 0x180E, 0x2028...0x2029, 0xFFF9...0xFFFB,
    0xE0000...0xE0FFF:
    true
  default: false
  }
}

struct OutputFilterCaseTests {
  @Test func theGroupHasItsFiftyCases() {
    #expect(HostileOutput.all.count == 50)
    #expect(HostileOutput.withText.count == 47)
  }

  @Test(arguments: HostileOutput.withText)
  func showsWhatTheCaseAllowsAtEveryCut(hostile: HostileOutput) throws {
    let input = try #require(hostile.input)
    let shown = scalars(of: try #require(hostile.shown))
    #expect(scalars(of: OutputFilter.clean(input)) == shown)
    #expect(scalars(of: filtered(input.unicodeScalars.map { String($0) })) == shown)
    if let pieces = hostile.pieces { #expect(scalars(of: filtered(pieces)) == shown) }
    for index in 0...min(input.unicodeScalars.count, 400) {
      #expect(scalars(of: filtered(cut(input, at: index))) == shown, "cut at \(index)")
    }
  }

  @Test func writesNoStylesOfOthersIntoAPipe() throws {
    let hostile = try #require(HostileOutput.all.first { $0.id == "term-not-a-tty" })
    #expect(OutputFilter.clean(try #require(hostile.input)) == "red")
  }

  @Test(arguments: [
    ["NO_COLOR": "1", "TERM": "xterm-256color"], ["TERM": "dumb"],
    ["TERM": "dumb", "COLORTERM": "1"],
  ])
  func writesNoEscapeOfItsOwnWhereNoneIsWanted(environment: [String: String]) {
    let style = TerminalStyle(isTerminal: true, environment: environment)
    for role in TextRole.allCases {
      #expect(style("text\nmore", as: role) == "text\nmore")
    }
  }

  @Test func keepsJSONValidAndItsTextWhole() throws {
    let hostile = try #require(HostileOutput.all.first { $0.id == "term-insight-json" })
    let input = try #require(hostile.input)
    #expect(OutputFilter.escaped(json: input) == input)
    let quote = try JSONDecoder().decode([String: String].self, from: Data(input.utf8))["quote"]
    #expect(quote == "\u{1B}[2J")
  }
}

struct OutputFilterTests {
  @Test func aTextWithAControlStringThatNeverEndsComesBackAfterTheLimit() {
    var filter = OutputFilter()
    #expect(filter.filter("a\u{1B}]52;c;") == "a")
    let swallowed = String(repeating: "x", count: OutputFilter.controlStringLimit - 6)
    #expect(filter.filter(swallowed) == "")
    #expect(filter.filter("!" + "\u{1B}[2Jstill \u{9B}31mhere\u{7}") == "still here")
  }

  @Test func aControlStringAtTheLimitIsDroppedWhole() {
    let body = String(repeating: "x", count: OutputFilter.controlStringLimit - 1)
    #expect(OutputFilter.clean("a\u{1B}]\(body)\u{7}b") == "ab")
    #expect(OutputFilter.clean("a\u{1B}]\(body)xxx\u{1B}\\b") == "axxb")
  }

  @Test func theEndOfATextEndsWhatItLeftUnfinished() {
    for beginning in ["\u{1B}", "\u{1B}[3", "\u{1B}]0;title", "\u{9B}", "\u{90}", "\u{1B}("] {
      var filter = OutputFilter()
      #expect(filter.filter("a" + beginning) == "a")
      filter.finish()
      #expect(filter.filter("next") == "next")
    }
  }

  @Test(arguments: [
    ("a\u{1B}[3\n1mb", "a\n1mb"),
    ("a\u{1B}]0;title\nb\nc", "a\nb\nc"),
    ("a\u{1B}P\u{1B}[1\nb\u{9D}x\ny", "a\nb\ny"),
    ("a\u{1B}[31é", "aé"),
    ("a\u{1B}é", "aé"),
    ("a\u{1B}[12\u{18}mb", "amb"),
    ("a\u{1B}]0;x\u{1A}b", "ab"),
    ("a\u{1B}Pq#0;2\u{7}still\u{1B}\\b", "ab"),
    ("a\u{90}x\u{9D}y\u{7}b", "ab"),
    ("a\u{1B} Fb\u{1B}#8c\u{1B}%Gd", "abcd"),
    ("a\u{1B}[?1;2cb\u{1B}[>0qc\u{1B}[1 qd", "abcd"),
    ("e\u{301}\u{1B}[m\u{302}", "e\u{301}\u{302}"),
  ])
  func followsTheStatesOfATerminal(input: String, shown: String) {
    #expect(scalars(of: OutputFilter.clean(input)) == scalars(of: shown))
  }

  @Test func noTextIsHarmfulHoweverItIsCut() {
    let rounds = Soak.rounds(8_000, soak: 1_000_000)
    var random = SeededGenerator(seed: 20_26)
    for _ in 0..<rounds {
      let input = hostileText(&random)
      let whole = OutputFilter.clean(input)
      let pieces = randomPieces(of: input, &random)
      let isSame = scalars(of: filtered(pieces)) == scalars(of: whole)
      let isStable = scalars(of: OutputFilter.clean(whole)) == scalars(of: whole)
      let isClean = !whole.unicodeScalars.contains(where: isForbidden)
      guard isSame, isStable, isClean else {
        Issue.record("\(pieces.map(\.debugDescription)): \(isSame) \(isStable) \(isClean)")
        return
      }
    }
  }

  @Test func anEscapedRecordHasTheSameValueAndNothingForbidden() throws {
    let text = "a\u{7F}\u{9B}31m\u{202E}é\u{FEFF}\u{E0041}👍\u{200D}"
    let escaped = OutputFilter.escaped(json: "[\"\(text)\"]")
    #expect(!escaped.unicodeScalars.contains(where: isForbidden))
    let decoded = try JSONDecoder().decode([String].self, from: Data(escaped.utf8))
    #expect(decoded.map(scalars) == [scalars(of: text)])
  }

  @Test func ordinaryTextIsNeverTouched() {
    var random = SeededGenerator(seed: 7)
    let alphabet = Array("aé漢👍🏽شך ‌\u{200D}\n\t…—“”👨‍👩‍👧🇫🇷".unicodeScalars)
    for _ in 0..<2_000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0..<40, using: &random) {
        text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
      }
      #expect(scalars(of: OutputFilter.clean(String(text))) == text.map(\.value))
    }
  }
}

private let hostileParts: [Unicode.Scalar] = Array(
  "\u{1B}\u{1B}\u{1B}[]PX^_\\();?0123mHJABcab é漢\u{7}\u{18}\u{1A}\r\n\t\u{0}\u{7F}\u{85}\u{90}\u{9B}\u{9C}\u{9D}\u{9F}\u{AD}\u{200B}\u{200D}\u{202E}\u{2066}\u{FEFF}\u{E0041}\u{1F44D}"
    .unicodeScalars)

private func hostileText(_ random: inout SeededGenerator) -> String {
  var text = String.UnicodeScalarView()
  for _ in 0..<Int.random(in: 0..<48, using: &random) {
    if Int.random(in: 0..<16, using: &random) == 0,
      let any = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random))
    {
      text.append(any)
    } else {
      text.append(hostileParts[Int.random(in: 0..<hostileParts.count, using: &random)])
    }
  }
  return String(text)
}
