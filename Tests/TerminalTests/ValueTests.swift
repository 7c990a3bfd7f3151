import TerminalTestSupport
import Testing

@testable import Terminal

struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("👍", 2), ("👍🏽", 2), ("👨‍👩‍👧", 2),
    ("🇫🇷", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("1\u{FE0F}\u{20E3}", 2), ("한글", 4), ("می‌خواهم", 7),
    ("ｆｕｌｌ", 8), ("\u{1112}\u{1161}\u{11AB}", 2), ("…", 1),
  ])
  func countsTerminalColumns(text: String, width: Int) {
    #expect(displayWidth(of: text) == width)
  }

  @Test func shortensToColumnsAndNotToCharacters() {
    #expect(shortened("漢字漢字", to: 8) == "漢字漢字")
    #expect(shortened("漢字漢字", to: 7) == "漢字漢…")
    #expect(shortened("漢字漢字", to: 6) == "漢字…")
  }
}

struct LineBoardTests {
  private func drawn(columns: Int) -> [Substring] {
    let board = LineBoard()
    board.lines = [
      .init("Goals  ", as: .accent, items: ["lose fat", "run farther", "漢字"], separator: " · "),
      .init("+ sleep", as: .dim, isAtRight: true),
    ]
    return board.drawn(columns: columns, style: TerminalStyle(.none)).split(separator: "\n")
  }

  @Test func whatDoesNotFitGoesOnBelowInOnePiece() {
    #expect(drawn(columns: 40)[0] == "Goals  lose fat · run farther · 漢字")
    #expect(
      drawn(columns: 30) == [
        "Goals  lose fat · run farther", "       漢字", "                      + sleep",
      ])
    #expect(drawn(columns: 22)[...1] == ["Goals  lose fat", "       run farther"])
  }

  @Test func atNoWidthIsALineLongerThanTheTerminal() {
    for columns in 1...45 {
      #expect(drawn(columns: columns).allSatisfy { displayWidth(of: String($0)) < max(columns, 2) })
    }
  }
}

struct TerminalStyleTests {
  private let plain = ["TERM": "xterm-256color"]

  @Test func stylesARoleOnATerminalWithColour() {
    let style = TerminalStyle(isTerminal: true, environment: plain)
    #expect(style("oh", as: .error) == "\u{1B}[31moh\u{1B}[0m")
    #expect(style("a\n\nb\n", as: .dim) == "\u{1B}[2ma\u{1B}[0m\n\n\u{1B}[2mb\u{1B}[0m\n")
  }

  @Test func leavesTheCoachInTheTerminalsOwnColour() {
    #expect(TerminalStyle(.basic)("Hello", as: .coach) == "Hello")
  }

  @Test(arguments: [
    (false, ["TERM": "xterm"], false), (true, ["TERM": "xterm"], true),
    (true, ["TERM": "dumb"], false), (true, [:], false),
    (true, ["TERM": "xterm", "NO_COLOR": "1"], false),
  ])
  func writesNothingOfItsOwn(isTerminal: Bool, environment: [String: String], noColor: Bool) {
    let style = TerminalStyle(isTerminal: isTerminal, environment: environment, noColor: noColor)
    #expect(style.support == .none)
    #expect(TextRole.allCases.allSatisfy { style("text", as: $0) == "text" })
  }

  @Test func anEmptyNoColorCountsAsUnset() {
    let environment = ["TERM": "xterm", "NO_COLOR": ""]
    #expect(TerminalStyle(isTerminal: true, environment: environment).support == .basic)
  }

  @Test func colortermVouchesForATerminalWithoutAName() {
    #expect(TerminalStyle(isTerminal: true, environment: ["COLORTERM": "truecolor"]).allowsEscapes)
  }
}

struct TerminalSizeTests {
  @Test func believesTheTerminalFirst() {
    let size = TerminalSize(reported: (120, 40), environment: ["COLUMNS": "60"])
    #expect(size == TerminalSize(columns: 120, rows: 40))
  }

  @Test func fallsBackToTheEnvironmentAndThenTo80By24() {
    let set = TerminalSize(reported: (0, 0), environment: ["COLUMNS": "60", "LINES": "10"])
    #expect(set == TerminalSize(columns: 60, rows: 10))
    for odd in ["", "0", "-3", "wide", "99999999999999999999"] {
      let size = TerminalSize(reported: nil, environment: ["COLUMNS": odd])
      #expect(size == TerminalSize(columns: 80, rows: 24))
    }
  }

  @Test func isNeverTooNarrowForText() {
    #expect(TerminalSize(reported: (3, 1), environment: [:]).columns == 20)
  }
}

struct StatusLineTests {
  private let start = ContinuousClock.now
  private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
    start + .milliseconds(milliseconds)
  }

  @Test func aShortWaitIsNeverSeen() {
    var line = StatusLine()
    #expect(line.set("thinking", now: at(0)) == nil)
    #expect(line.tick(now: at(499)) == nil)
    #expect(line.clear() == nil)
    #expect(line.tick(now: at(600)) == nil)
  }

  @Test func aLongWaitIsShownOnceAndErased() {
    var line = StatusLine()
    _ = line.set("thinking", now: at(0))
    #expect(line.deadline == at(500))
    #expect(line.tick(now: at(500)) == .show("thinking"))
    #expect(line.tick(now: at(900)) == nil)
    #expect(line.clear() == .erase)
    #expect(line.clear() == nil)
  }

  @Test func anotherReasonDoesNotStartTheWaitAnew() {
    var line = StatusLine()
    _ = line.set("thinking", now: at(0))
    #expect(line.set("trying again in 4 s", now: at(300)) == nil)
    #expect(line.tick(now: at(500)) == .show("trying again in 4 s"))
    #expect(line.set("trying again in 3 s", now: at(600)) == .show("trying again in 3 s"))
    #expect(line.set("trying again in 3 s", now: at(700)) == nil)
  }

  /// A server's pause passes, and then it's asked again.
  @Test func aReasonCanPass() {
    var line = StatusLine()
    _ = line.set("writing", now: at(0))
    _ = line.tick(now: at(500))
    let pause = StatusLine.Beginning("trying again in 2 s", lasts: .seconds(2))
    #expect(line.set("writing", beginning: pause, now: at(600)) == .show("trying again in 2 s"))
    #expect(line.deadline == at(2_600))
    #expect(line.tick(now: at(2_600)) == .show("writing"))
    #expect(line.set("writing", beginning: pause, now: at(4_500)) == .show("trying again in 2 s"))
    #expect(line.tick(now: at(5_000)) == .show("trying again in 2 s (5 s)"))
    #expect(line.tick(now: at(7_000)) == .show("writing (7 s)"))
  }

  @Test func aLongWaitSaysForHowLong() {
    var line = StatusLine()
    _ = line.set("thinking", now: at(0))
    _ = line.tick(now: at(500))
    #expect(line.deadline == at(5_000))
    #expect(line.tick(now: at(4_999)) == nil)
    #expect(line.tick(now: at(5_000)) == .show("thinking (5 s)"))
    #expect(line.tick(now: at(5_999)) == nil)
    #expect(line.tick(now: at(6_000)) == .show("thinking (6 s)"))
    #expect(line.set("writing", now: at(6_500)) == .show("writing (6 s)"))
  }

  @Test func aLineThatCannotBeReplacedIsWrittenTwiceAtMost() {
    var line = StatusLine(isLive: false)
    _ = line.set("thinking", now: at(0))
    #expect(line.tick(now: at(500)) == .show("thinking"))
    #expect(line.set("writing", now: at(600)) == nil)
    #expect(line.tick(now: at(5_000)) == .show("writing (5 s)"))
    #expect(line.deadline == nil)
    #expect(line.tick(now: at(9_000)) == nil)
  }

  /// After a very long wait, the status says what you can do. On output that can't be overwritten, it
  /// says so on a new line.
  @Test func aVeryLongWaitSaysWhatCanBeDone() {
    for isLive in [true, false] {
      var line = StatusLine(isLive: isLive)
      _ = line.set("reading", hint: "Ctrl-C skips it", now: at(0))
      _ = line.tick(now: at(500))
      #expect(line.tick(now: at(5_000)) == .show("reading (5 s)"))
      if isLive { #expect(line.tick(now: at(9_000)) == .show("reading (9 s)")) }
      #expect(line.deadline == at(10_000))
      #expect(line.tick(now: at(10_000)) == .show("reading (10 s) Ctrl-C skips it"))
      #expect(line.deadline == (isLive ? at(11_000) : nil))
      _ = line.set("writing", now: at(10_100))
      #expect(line.tick(now: at(11_000)) == (isLive ? .show("writing (11 s)") : nil))
    }
  }

  /// What came before doesn't count: nothing could be done about that.
  @Test func whatCanBeDoneIsSaidOnceItHasBeenPossibleForLong() {
    var line = StatusLine()
    _ = line.set("opening a file", now: at(0))
    _ = line.tick(now: at(6_000))
    #expect(line.set("reading", hint: "skip it", now: at(6_500)) == .show("reading (6 s)"))
    #expect(line.tick(now: at(16_000)) == .show("reading (16 s)"))
    #expect(line.set("busy", hint: "skip it", now: at(16_200)) == .show("busy (16 s)"))
    #expect(line.tick(now: at(17_000)) == .show("busy (17 s) skip it"))
  }

  @Test func aPauseInAReplyIsReportedOnceItIsLong() {
    var line = StatusLine()
    _ = line.set("waiting for the rest", after: StatusLine.longWait, now: at(0))
    #expect(line.tick(now: at(4_000)) == nil)
    #expect(line.tick(now: at(5_000)) == .show("waiting for the rest (5 s)"))
  }

  @Test func theNextWaitWaitsAgain() {
    var line = StatusLine()
    _ = line.set("one", now: at(0))
    _ = line.tick(now: at(600))
    _ = line.clear()
    #expect(line.set("two", now: at(700)) == nil)
    #expect(line.tick(now: at(1_100)) == nil)
    #expect(line.tick(now: at(1_200)) == .show("two"))
  }
}

struct BarChartTests {
  private let bars = [
    BarChart.Bar(label: "goalClarity", value: 0.5), BarChart.Bar(label: "name", value: 0.799_99),
  ]

  @Test func drawsInASCII() {
    #expect(
      BarChart.render(bars, width: 39, alphabet: .ascii) == """
        goalClarity  ##########..........   50%
        name         ################....   79%
        """)
  }

  @Test func drawsEighthsOfAColumn() {
    let bar = BarChart.Bar(label: "x", value: 0.53125)
    #expect(BarChart.render([bar], width: 13, alphabet: .unicode) == "x  ██▏·   53%")
  }

  @Test(arguments: [-1, 0, 0.001, 0.5, 0.999, 1, 7, .nan, .infinity, -.infinity])
  func everyBarIsEquallyWideWhateverTheValue(value: Double) {
    for alphabet in [BarChart.Alphabet.ascii, .unicode] {
      let line = BarChart.render([.init(label: "漢", value: value)], width: 30, alphabet: alphabet)
      #expect(displayWidth(of: line) == 30)
    }
  }

  @Test func speaksTheCharacterSetOfTheLocale() {
    typealias Alphabet = BarChart.Alphabet
    #expect(Alphabet(environment: [:]) == .unicode)
    #expect(Alphabet(environment: ["LANG": "de_DE.UTF-8"]) == .unicode)
    #expect(Alphabet(environment: ["LANG": "de_DE.UTF-8", "LC_ALL": "C"]) == .ascii)
    #expect(Alphabet(environment: ["LC_CTYPE": "en_US.ISO-8859-1"]) == .ascii)
  }
}

struct ReplyTextTests {
  @Test func filtersBeforeItWraps() {
    var reply = ReplyText(width: 20)
    let shown = reply.feed("some words \u{1B}[3") + reply.feed("1mand more of") + reply.finish()
    #expect(shown == "some words and more\nof")
  }

  @Test func aCutReplyDoesNotSwallowTheNextOne() {
    var reply = ReplyText(width: 20)
    #expect(reply.feed("cut \u{1B}]0;") + reply.finish() == "cut ")
    #expect(reply.feed("fine\n") == "fine\n")
  }
}

struct WrappedListTests {
  private static let list = "  /insight  what I know about you\n\n  Up, Down  your earlier lines"

  @Test func anExplanationIsWrappedBelowItself() {
    let terminal = ScriptedTerminal(size: TerminalSize(columns: 32, rows: 24))
    #expect(
      terminal.wrappedList(Self.list) == """
          /insight  what I know about
                    you

          Up, Down  your earlier lines
        """)
  }

  @Test func withoutRoomForItALineIsWrappedAsAWhole() {
    let terminal = ScriptedTerminal(size: TerminalSize(columns: 24, rows: 24))
    #expect(terminal.wrappedList(Self.list).hasPrefix("  /insight  what I"))
    #expect(
      ScriptedTerminal(isInteractive: false).wrappedList(Self.list) == Self.list)
  }
}
