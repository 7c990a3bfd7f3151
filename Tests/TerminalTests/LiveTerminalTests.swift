import Foundation
import Glibc
import TestSupport
import Testing

@testable import Terminal

private let controlC = "\u{3}"
private let controlD = "\u{4}"
private let pasteBegins = "\u{1B}[200~"
private let pasteEnds = "\u{1B}[201~"

/// How the probe tells a secret's value without writing it.
private func fingerprint(_ secret: String) -> String {
  "«value:\(secret.utf8.count):\(secret.utf8.reduce(0) { $0 &* 31 &+ Int($1) })»"
}

extension LiveTerminalTests {
  @Suite(.serialized) struct HiddenInputTests {
    private func atPrompt() throws -> PseudoTerminal {
      let terminal = try PseudoTerminal(["hidden"])
      try terminal.expect("key: ")
      return terminal
    }

    @Test func nothingTypedIsShown() throws {
      let terminal = try atPrompt()
      #expect(!terminal.echoes)
      terminal.type("sk-hidden-1234\r")
      try terminal.expect(fingerprint("sk-hidden-1234"))
      _ = try terminal.expectExit()
      #expect(!terminal.screen.contains("hidden"))
      #expect(terminal.hasItsModesBack)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalEndsItAndTheModesAreBack(number: Int32) throws {
      let terminal = try atPrompt()
      terminal.type("sk-half")
      terminal.signal(number)
      try terminal.expect("«interrupted»")
      _ = try terminal.expectExit()
      #expect(terminal.hasItsModesBack)
      #expect(!terminal.screen.contains("half"))
    }

    @Test(arguments: [(controlC, "«interrupted»"), (controlD, "«end»")])
    func aKeyEndsItAndTheModesAreBack(key: String, outcome: String) throws {
      let terminal = try atPrompt()
      terminal.type(key)
      try terminal.expect(outcome)
      _ = try terminal.expectExit()
      #expect(terminal.hasItsModesBack)
    }

    @Test(arguments: [SIGQUIT, SIGHUP, SIGABRT, SIGSEGV])
    func theModesAreBackWhenTheProgramDies(number: Int32) throws {
      let terminal = try atPrompt()
      terminal.signal(number)
      let status = try terminal.expectExit()
      #expect(status & 0x7F == number)
      #expect(terminal.hasItsModesBack)
      #expect(terminal.screen.contains("\u{1B}[?2004l"))
    }

    @Test func aPasteLosesItsMarksAndItsNewline() throws {
      let terminal = try atPrompt()
      terminal.type("\(pasteBegins) sk-pasted\r\n\(pasteEnds)\r")
      try terminal.expect(fingerprint("sk-pasted"))
    }

    @Test func aNewlineInAPasteEndsItAndTheEndOfAKeyIsShown() throws {
      let terminal = try atPrompt()
      terminal.type("\(pasteBegins)\nsk-pasted-0123456789\nand the next line\(pasteEnds)")
      try terminal.expect("(20 characters, ending in 6789)")
      try terminal.expect(fingerprint("sk-pasted-0123456789"))
      _ = try terminal.expectExit()
      #expect(!terminal.screen.contains("sk-pasted") && !terminal.screen.contains("next"))
      #expect(terminal.hasItsModesBack)
    }

    @Test func aPastedKeyIsDescribedBeforeEnterAndAShortOneKeepsItsEnd() throws {
      let terminal = try atPrompt()
      terminal.type("\(pasteBegins)short-key\(pasteEnds)")
      try terminal.expect("(9 characters)")
      terminal.type("\u{15}\(pasteBegins)sk-longer-9876\(pasteEnds)")
      try terminal.expect("(14 characters, ending in 9876)")
      terminal.type("\r")
      try terminal.expect(fingerprint("sk-longer-9876"))
    }

    @Test func keysThatEditDoEdit() throws {
      let terminal = try atPrompt()
      terminal.type("wrong\u{15}sk-é\u{7F}\u{1B}[Dx\u{1B}OA\r")
      try terminal.expect(fingerprint("sk-x"))
    }

    @Test(arguments: [4096, 4097])
    func theLimitHoldsToTheByte(count: Int) throws {
      let terminal = try atPrompt()
      let secret = String(repeating: "k", count: count)
      terminal.type(secret + "\r")
      try terminal.expect(count > 4096 ? "«too-long:4096»" : fingerprint(secret))
    }
  }
}

extension LiveTerminalTests {
  @Suite(.serialized) struct LineEditingTests {
    private func atPrompt(_ environment: [String: String] = ["TERM": "xterm"]) throws
      -> PseudoTerminal
    {
      let terminal = try PseudoTerminal(["lines"], environment: environment)
      try terminal.expect("you>")
      return terminal
    }

    @Test func aBackspaceTakesAWholeCharacter() throws {
      let terminal = try atPrompt()
      terminal.type("é漢👍\u{7F}\u{7F}字\r")
      try terminal.expect("«line:é字»")
    }

    @Test func theCursorMovesByCharacters() throws {
      let terminal = try atPrompt()
      terminal.type("漢é\u{1B}[D\u{1B}[DX\u{5}Y\r")
      try terminal.expect("«line:X漢éY»")
    }

    @Test(arguments: [
      ("👨‍👩‍👧\u{7F}", ""), ("a👩🏽‍💻\u{7F}b", "ab"), ("🇫🇷🇩🇪\u{7F}", "🇫🇷"), ("ae\u{301}\u{7F}", "a"),
      ("👨‍👩‍👧x\u{1B}[D\u{1B}[Dy", "y👨‍👩‍👧x"), ("👨‍👩‍👧x\u{1}\u{1B}[3~", "x"),
      ("👨‍👩‍👧x\u{1}\u{1B}[Cy", "👨‍👩‍👧yx"), ("👨‍👩‍👧x\u{1}\u{4}", "x"), ("🇫🇷🇩🇪\u{8}", "🇫🇷"),
    ])
    func aCharacterIsWhatAPersonTakesForOne(keys: String, line: String) throws {
      let terminal = try atPrompt()
      terminal.type(keys + "\r")
      try terminal.expect("«line:\(line)»")
    }

    /// The library that edits the line would draw an emoji's parts side by side.
    @Test(arguments: [
      ("\u{7F}", "hi 👨‍👩‍👧 y"), ("\u{1B}[D\u{1B}[D!", "hi 👨‍👩‍👧 !yo"),
      ("\u{1}\u{1B}[3~", "i 👨‍👩‍👧 yo"), ("\u{1}\u{1B}[C\u{1B}[C\u{1B}[C\u{1B}[3~", "hi  yo"),
    ])
    func aLineWithJoinedEmojiIsDrawnWhole(keys: String, line: String) throws {
      for pasted in [false, true] {
        let terminal = try atPrompt()
        terminal.type("hi 👨‍👩‍👧 yo" + (pasted ? keys : ""))
        if !pasted {
          try terminal.expect("hi 👨‍👩‍👧 yo")
          terminal.type(keys)
        }
        try terminal.expect("\r\u{1B}[J\u{1B}[1;36myou>\u{1B}[0m \(line)")
        terminal.type("\r")
        try terminal.expect("«line:\(line)»")
      }
    }

    @Test func aLongLineIsWrappedBetweenWords() throws {
      let terminal = try PseudoTerminal(["lines"], columns: 20)
      try terminal.expect("you>")
      terminal.type("one two three fourteen fif")
      try terminal.expect("fif")
      let before = terminal.output.count
      terminal.resize(columns: 21, rows: 24)
      try terminal.expect("you>")
      try terminal.expect("fif")
      let rows = String(decoding: terminal.output[before...], as: UTF8.self)
        .replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "")
        .split(whereSeparator: \.isNewline).map(String.init)
      #expect(rows.contains("you> one two three") && rows.contains("fourteen fif"), "\(rows)")
      terminal.type("\u{17}teen, \u{1}zero \u{5}end\r")
      try terminal.expect("«line:zero one two three fourteen teen, end»")
    }

    @Test func controlCClearsALineAndTheHistoryKeepsIt() throws {
      let terminal = try atPrompt()
      terminal.type("half a line\(controlC)")
      try terminal.expect("\u{1B}[J")
      terminal.type("whole\r")
      try terminal.expect("«line:whole»")
      try terminal.expect("you>")
      terminal.type("\u{1B}[A\u{1B}[A\r")
      try terminal.expect("«line:half a line»")
      // Between two lines, a Ctrl-C would be a signal to a program that listens to none.
      try terminal.expect("you>")
      terminal.type(controlC)
      try terminal.expect("«interrupted»")
    }

    @Test func controlCLeavesASearch() throws {
      let terminal = try PseudoTerminal(["history"])
      try terminal.expect("you>")
      terminal.type("\u{12}oldex\u{7F}")
      try terminal.expect("older")
      terminal.type("\(controlC)new\r")
      try terminal.expect("«line:new»")
      try terminal.expect("you>")
      terminal.type("\u{12}oldex\u{7F}r\r")
      try terminal.expect("«line:an older line»")
    }

    @Test func controlCThatCameTooLateDoesNothing() throws {
      let terminal = try PseudoTerminal(["grace"])
      try terminal.expect("you>")
      terminal.type("\(controlC)still here\r")
      try terminal.expect("«line:still here»")
    }

    @Test func controlCThatCameTooLateLeavesADraftAlone() throws {
      let terminal = try PseudoTerminal(["grace"])
      try terminal.expect("you>")
      terminal.type("still\(controlC) here\r")
      try terminal.expect("«line:still here»")
    }

    @Test func aSignalThatCameTooLateDoesNothing() throws {
      let terminal = try PseudoTerminal(["grace"])
      try terminal.expect("you>")
      terminal.signal(SIGINT)
      terminal.type("still here\r")
      try terminal.expect("«line:still here»")
    }

    @Test func aPasteIsOneLineWithItsNewlines() throws {
      let terminal = try atPrompt()
      #expect(terminal.screen.contains("\u{1B}[?2004h"))
      terminal.type("say: \(pasteBegins)one\rtwo\r\nthree\n\u{7}é\(pasteEnds)")
      try terminal.expect("é")
      terminal.type(" end\r")
      try terminal.expect("«line:say: one<10>two<10>three<10>é end»")
    }

    @Test func aLongPasteArrivesWhole() throws {
      let terminal = try atPrompt()
      let text = (0..<2_000).map { "word\($0)" }.joined(separator: " ")
      terminal.type("\(pasteBegins)\(text)\(pasteEnds)\r")
      try terminal.expect("«line:\(text)»")
    }

    @Test func aPasteThatNeverEndsCanBeLeft() throws {
      let terminal = try atPrompt()
      terminal.type("\(pasteBegins)text\r\(controlC)")
      try terminal.expect("«interrupted»")
      #expect(terminal.hasItsModesBack)
    }

    @Test(arguments: [
      ("I want \u{1B}[1;31mto run\u{1B}[0m a 10k", "I want to run a 10k"),
      ("\u{1B}]0;title\u{7}a \u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\", "a link"),
      ("\u{1B}[38;2;1;2;3mred\u{9B}0m, \u{1B}(Bplain", "red, plain"),
      ("[1;31m is a color", "[1;31m is a color"), ("a\u{1B}[1\rb", "a<10>b"),
    ])
    func escapeSequencesInAPasteAreDropped(text: String, line: String) throws {
      let terminal = try atPrompt()
      terminal.type("\(pasteBegins)\(text)\(pasteEnds)\r")
      try terminal.expect("«line:\(line)»")
    }

    /// PageUp, F-keys, arrows with Shift, clicks, focus and what a terminal answers.
    @Test(arguments: [
      "\u{1B}[5~", "\u{1B}[6~", "\u{1B}[2~", "\u{1B}[15~", "\u{1B}OP", "\u{1B}[11~", "\u{1B}[[A",
      "\u{1B}[1;2D", "\u{1B}[1;2C", "\u{1B}[1;2A", "\u{1B}[1;2B", "\u{1B}[1;2H", "\u{1B}[1;2F",
      "\u{1B}[3;5~", "\u{1B}[27u", "\u{1B}[57358u", "\u{1B}[97;1:3u", "\u{1B}[M !!",
      "\u{1B}[<0;10;5M", "\u{1B}[<0;10;5m", "\u{1B}[I", "\u{1B}[O", "\u{1B}[24;80R", "\u{1B}[?1;2c",
      "\u{1B}[9991~", "\u{1B}[6$", "\u{1B}[?1;2$y", "\u{1B}]11;rgb:0/0/0\u{1B}\\",
      "\u{1B}]11;rgb:0/0/0\u{7}", "\u{1B}P>|xterm(390)\u{1B}\\", "\u{1B}]", "\u{1B}P",
      "\u{1B}5", "\u{1B}-", "\u{16}\u{1B}[5~", "\u{11}\u{1B}OP", "\u{18}\u{1B}[6~",
      "\u{18}\u{1B}[A", "\u{16}",
    ])
    func aKeyWithoutAMeaningDoesNothing(key: String) throws {
      let terminal = try atPrompt()
      terminal.type("I sleep\(key) badly\r")
      try terminal.expect("«line:I sleep badly»")
    }

    @Test(arguments: [
      ("a\u{1B}[13;2ub", "a<10>b"), ("a\u{1B}[27;2;13~b", "a<10>b"), ("a\u{1B}[13;2:1ub", "a<10>b"),
      ("a\u{1B}[13;3ub", "a<10>b"), ("b\u{1B}[7~a", "ab"), ("b\u{1B}[1~a\u{1B}[8~c", "abc"),
      ("one two\u{1B}[1;5Dx ", "one x two"), ("ab\u{1B}[127u", "a"), ("a\u{1B}[98u", "ab"),
      ("ab\u{1B}[97;5ux", "xab"), ("ac\u{1B}[Db", "abc"),
    ])
    func keysInTheLongFormMeanWhatTheyMean(keys: String, line: String) throws {
      let terminal = try atPrompt()
      terminal.type("\(keys)\r")
      try terminal.expect("«line:\(line)»")
    }

    @Test func altXDoesNotLeaveTheLine() throws {
      let terminal = try atPrompt()
      terminal.type("half a \u{1B}xline")
      try terminal.expect("line")
      terminal.type("\r")
      try terminal.expect("«line:half a line»")
    }

    @Test(arguments: [
      ("one\\\rtwo\r", "one<10>two"), ("one\u{1B}\rtwo\r", "one<10>two"),
      ("a\\\\\r", "a\\\\"), ("a\\\\\\\rb\r", "a\\\\<10>b"), ("\\\r\r", "<10>"),
    ])
    func aBackslashBeforeEnterGoesOnOnANewLine(keys: String, line: String) throws {
      let terminal = try atPrompt()
      terminal.type(keys)
      try terminal.expect("«line:\(line)»")
    }

    @Test func bytesThatAreNoUTF8BecomeReplacementCharacters() throws {
      let terminal = try atPrompt()
      terminal.type(bytes: [0xFF, 0x61, 0xC3, 0x28, 0xED, 0xA0, 0x80, 0xF4, 0x90, 0x80, 0x80])
      terminal.type("z\r")
      try terminal.expect("«line:\u{FFFD}a\u{FFFD}(\u{FFFD}\u{FFFD}z»")
    }

    @Test(arguments: [(controlC, "«interrupted»"), (controlD, "«end»")])
    func aKeyLeavesThePromptAndTheModesAreBack(key: String, outcome: String) throws {
      let terminal = try atPrompt()
      terminal.type(key)
      try terminal.expect(outcome)
      #expect(terminal.hasItsModesBack)
      #expect(try terminal.expectExit() == 0)
      #expect(terminal.screen.contains("\u{1B}[?2004l"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalLeavesThePromptAndTheModesAreBack(number: Int32) throws {
      let terminal = try atPrompt()
      terminal.type("half a line")
      try terminal.expect("line")
      terminal.signal(number)
      try terminal.expect("«interrupted»")
      #expect(terminal.hasItsModesBack)
    }

    @Test func controlSDoesNotFreezeTheScreen() throws {
      let terminal = try atPrompt()
      terminal.type("\u{13}ab\r")
      try terminal.expect("ab»")
    }

    @Test func controlDDeletesWhereThereIsText() throws {
      let terminal = try atPrompt()
      terminal.type("ab\u{1}\(controlD)\r")
      try terminal.expect("«line:b»")
    }

    @Test func theLineSurvivesANewWindowSize() throws {
      let terminal = try atPrompt()
      terminal.type("before the change")
      try terminal.expect("change")
      terminal.resize(columns: 30, rows: 10)
      try terminal.expect("before")
      terminal.type(" and after\r")
      try terminal.expect("«line:before the change and after»")
    }

    @Test func aSuggestionStandsInTheLineAndCanBeEdited() throws {
      let terminal = try PseudoTerminal(["prefill"])
      try terminal.expect("run a 10k")
      terminal.type("\u{7F}\u{7F}\u{7F}5k\r")
      try terminal.expect("«line:run a 5k»")
    }

    @Test(arguments: [["TERM": "dumb"], ["TERM": "xterm", "NO_COLOR": "1"], [:]])
    func noEscapeIsWrittenWhereNoneIsWanted(environment: [String: String]) throws {
      let terminal = try atPrompt(environment)
      terminal.type("some wörds\u{1}X\u{5}\u{7F}\u{1B}[A\r")
      try terminal.expect("»")
      terminal.type(controlD)
      _ = try terminal.expectExit()
      #expect(!terminal.output.contains(0x1B))
      #expect(terminal.screen.contains("«line:Xsome wörd»"))
    }

    @Test func linesOfAnEarlierTimeAreWithinReachOfTheArrowKeys() throws {
      let terminal = try PseudoTerminal(["history"])
      try terminal.expect("you>")
      terminal.type("\u{1B}[A\r")
      try terminal.expect("«line:gæt<10>up»")
      terminal.type("\u{1B}[A\u{1B}[A\r")
      try terminal.expect("«line:an older line»")
    }
  }
}

extension LiveTerminalTests {
  @Suite(.serialized) struct ReplyTests {
    @Test func controlCStopsAReplyAndTheConversationStays() throws {
      let terminal = try PseudoTerminal(["stream"])
      try terminal.expect("word3")
      terminal.type(controlC)
      try terminal.expect("«reply interrupt»")
      try terminal.expect("you>")
      terminal.type("still here\r")
      try terminal.expect("«line:still here»")
      terminal.type(controlD)
      #expect(try terminal.expectExit() == 0)
      #expect(terminal.hasItsModesBack)
    }

    @Test func whatIsTypedDuringAReplyWaitsForThePrompt() throws {
      let terminal = try PseudoTerminal(["stream"])
      try terminal.expect("word1")
      #expect(!terminal.echoes)
      terminal.type("typed ahead")
      try terminal.expect("word5")
      #expect(!terminal.screen.contains("typed"))
      terminal.signal(SIGINT)
      try terminal.expect("typed ahead")
      terminal.type("!\r")
      try terminal.expect("«line:typed ahead!»")
    }

    @Test func controlCKeepsWhatWasTypedDuringAReply() throws {
      let terminal = try PseudoTerminal(["stream"])
      try terminal.expect("word1")
      terminal.type("typed ahead\(controlC)")
      try terminal.expect("«reply interrupt»")
      try terminal.expect("typed ahead")
      terminal.type("!\r")
      try terminal.expect("«line:typed ahead!»")
      terminal.type(controlD)
      _ = try terminal.expectExit()
      #expect(terminal.hasItsModesBack)
    }

    @Test func aPauseInTheMiddleOfALineIsReportedBelowItAndTheLineGoesOn() throws {
      let terminal = try PseudoTerminal(["pause"])
      try terminal.expect("Half a \r\n".replacing("\r", with: ""))
      try terminal.expect("waiting for the rest (5 s)")
      terminal.signal(SIGUSR1)
      try terminal.expect("\r\u{1B}[K\u{1B}[A\u{1B}[7Csentence.")
    }

    @Test func aRequestToEndIsToldFromAnInterrupt() throws {
      let terminal = try PseudoTerminal(["stream"])
      try terminal.expect("word1")
      terminal.signal(SIGTERM)
      try terminal.expect("«reply terminate»")
    }

    @Test func theStatusGoesBeforeTextComes() throws {
      let terminal = try PseudoTerminal(["status-then-text"])
      try terminal.expect("thinking about your answer…")
      terminal.signal(SIGUSR1)
      try terminal.expect("\r\u{1B}[K")
      try terminal.expect("Here I am.")
    }

    @Test func aStatusOfAMomentIsNotShown() throws {
      let terminal = try PseudoTerminal(["status"])
      terminal.type("hello\r")
      try terminal.expect("«line:hello»")
      _ = try terminal.expectExit()
      #expect(!terminal.screen.contains("thinking"))
    }

    @Test func outsideTextIsWrittenWithoutItsControls() throws {
      let terminal = try PseudoTerminal(["write"])
      try terminal.expect("\u{1B}[31mred text\u{1B}[0m")
      _ = try terminal.expectExit()
      #expect(!terminal.screen.contains("\u{1B}[2J"))
      #expect(!terminal.screen.contains("\u{1B}]"))
    }

    @Test func theModesAreBackWhenTheProgramAborts() throws {
      let terminal = try PseudoTerminal(["die"])
      try terminal.expect("«dying»")
      #expect(try terminal.expectExit() & 0x7F == SIGABRT)
      #expect(terminal.hasItsModesBack)
    }
  }
}

/// Tests with a real terminal, pipe or signal. One at a time: a process has one terminal.
@Suite(.serialized, .integration)
enum LiveTerminalTests {}
