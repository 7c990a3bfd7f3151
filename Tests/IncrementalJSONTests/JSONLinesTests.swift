import Testing

@testable import IncrementalJSON

@Suite struct JSONLinesTests {
  private static let document = """
    {
      "title": "a \\"brace\\" {",
      "expect": {
        "turns": [{"turn": 1, "overall": 0.5},
          {
            "turn": 2,
            "overall": [0.1, 0.2]
          }],
        "facets": {"goalClarity.motive": {"turn": 1},
          "lifestyle.recovery": {"turn": 2}}
      }, "last": -1.5e3}
    """

  private func line(_ steps: JSONLines.Step...) -> Int? {
    JSONLines(Array(Self.document.utf8)).line(of: steps)
  }

  @Test func everyValueHasItsLine() {
    #expect(line(.member("title")) == 2)
    #expect(line(.member("expect"), .member("turns"), .element(0), .member("overall")) == 4)
    #expect(line(.member("expect"), .member("turns"), .element(1)) == 5)
    #expect(line(.member("expect"), .member("turns"), .element(1), .member("overall")) == 7)
    #expect(line(.member("expect"), .member("facets"), .member("lifestyle.recovery")) == 10)
    #expect(line(.member("last")) == 11)
  }

  @Test func whatIsMissingHasTheLineOfWhatItShouldBeIn() {
    #expect(line(.member("expect"), .member("turns"), .element(7), .member("overall")) == 4)
    #expect(line(.member("expect"), .member("turns"), .element(1), .member("asks")) == 5)
    #expect(line(.member("nothing")) == nil)
    let lines = JSONLines(Array(Self.document.utf8))
    #expect(lines.line(of: [.member("expect"), .member("no")], atLeast: 2) == nil)
  }

  @Test func anyPrefixOfADocumentIsRead() {
    let bytes = Array(Self.document.utf8)
    for count in 0...bytes.count {
      _ = JSONLines(Array(bytes[..<count])).line(of: [.member("last"), .element(2)])
    }
  }
}
