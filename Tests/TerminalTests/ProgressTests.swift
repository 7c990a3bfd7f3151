import TestSupport
import Testing

@testable import Terminal

struct ProgressBarTests {
  private let start = ContinuousClock.now

  private func bar(_ unit: ProgressBar.Unit = .things("conversations")) -> ProgressBar {
    ProgressBar(unit, alphabet: .ascii, start: start)
  }

  private func line(
    _ count: Int, _ share: Double?, after seconds: Double, columns: Int = 100,
    unit: ProgressBar.Unit = .things("conversations")
  ) -> String? {
    var bar = bar(unit)
    return bar.line(
      .init(count: count, share: share), now: start + .seconds(seconds), columns: columns)
  }

  @Test func aShortTaskShowsNothing() {
    #expect(line(10, 0.5, after: 1.9) == nil)
  }

  @Test func aLongOneShowsShareCountRateAndTimeLeft() {
    #expect(
      line(12_300, 0.4, after: 3)
        == "##########..............   40%  12,300 conversations  4,100/s  5 s left")
    #expect(
      line(3, 0.01, after: 10)?.hasSuffix("  1%  3 conversations  0.3/s  17 min left") == true)
    #expect(line(9, 0.5, after: 40_000)?.hasSuffix("0.0/s  11 h 6 min left") == true)
  }

  @Test func withoutASizeThereIsNoShare() {
    #expect(
      line(1_250_000_000, nil, after: 5, unit: .bytes) == "1.2 GB  250.0 MB/s")
    #expect(line(40, nil, after: 4) == "40 conversations  10/s")
  }

  @Test func itIsDrawnFiveTimesASecondAndAtOnceWhereItWasErased() {
    var bar = bar()
    func line(_ milliseconds: Int) -> String? {
      bar.line(
        .init(count: milliseconds, share: nil), now: start + .milliseconds(milliseconds),
        columns: 80)
    }
    #expect(line(2_000) != nil && line(2_199) == nil && line(2_200) != nil && line(2_300) == nil)
    bar.wasErased()
    #expect(line(2_301) != nil)
  }

  @Test(arguments: 20...120)
  func itNeverFillsTheLine(columns: Int) throws {
    for (count, share) in [(0, 0.0), (12_345_678, 0.999), (1_000_000_000, nil), (5, .nan), (1, 7)] {
      let text = try #require(line(count, share, after: 7, columns: columns))
      #expect(displayWidth(of: text) < columns && !text.isEmpty, "\(text)")
    }
  }
}

extension LiveTerminalTests {
  @Suite struct ProgressLineTests {
    private func shown(
      _ mode: String, _ environment: [String: String], columns: UInt16 = 80,
      shell: String = "exec \"$@\""
    ) throws -> String {
      let terminal = try PseudoTerminal(
        [mode], environment: environment, folder: "/", columns: columns, shell: shell)
      try terminal.expect("«done»")
      #expect(try terminal.expectExit() == 0)
      return terminal.screen
    }

    @Test func aTerminalShowsItAndNothingIsLeft() throws {
      let screen = try shown("progress", ["TERM": "xterm"])
      #expect(screen.contains("  40%  1,200,000 conversations  30,000/s  60 s left"))
      #expect(screen.contains("█"))
      #expect(screen.hasSuffix("\r\u{1B}[K«done»\r\n"))
    }

    @Test(arguments: [["TERM": "dumb"], ["TERM": "xterm", "NO_COLOR": "1"]])
    func withoutEscapesItIsASCIIAndBlankedOut(environment: [String: String]) throws {
      let screen = try shown("progress", environment)
      let before = screen.split(separator: "«")[0]
      #expect(before.utf8.allSatisfy { $0 < 0x80 && $0 != 0x1B } && before.contains("#"))
      let line = try #require(before.split(separator: "\r").last { $0.contains("left") })
      let blank = try #require(before.split(separator: "\r").last)
      #expect(blank.allSatisfy { $0 == " " } && blank.count == line.count)
    }

    @Test func aNarrowWindowShowsLess() throws {
      let screen = try shown("progress-bytes", ["TERM": "xterm"], columns: 20)
      #expect(screen.contains("1.2 MB  30 kB/s"))
    }

    @Test func aPipeGetsNothing() throws {
      let screen = try shown(
        "progress", ["TERM": "xterm"], shell: "\"$@\" 2> /dev/null | cat; exec true")
      #expect(screen == "«done»\r\n")
    }
  }
}
