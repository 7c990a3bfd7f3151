import Glibc
import TerminalTestSupport
import TestSupport
import Testing

@testable import Terminal

/// A pipe whose ends are closed with it.
private final class Pipe {
  let reading: Int32
  private var writing: Int32

  init() throws {
    (reading, writing) = try makePipe()
  }

  var writer: Int32 { writing }

  func send(_ bytes: [UInt8]) { _ = write(writing, bytes, bytes.count) }

  func end() {
    if writing >= 0 { close(writing) }
    writing = -1
  }

  /// Ends the pipe and returns all that was written to it.
  func contents() -> String {
    end()
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while case let count = read(reading, &bytes, bytes.count), count > 0 { all += bytes[..<count] }
    return String(decoding: all, as: UTF8.self)
  }

  deinit {
    end()
    close(reading)
  }
}

extension LiveTerminalTests {
  @Suite(.serialized) struct LineReaderTests {
    private func lines(of bytes: [UInt8]) async throws -> [LineInput] {
      let pipe = try Pipe()
      pipe.send(bytes)
      pipe.end()
      let reader = LineReader(descriptor: pipe.reading)
      var inputs: [LineInput] = []
      repeat { inputs.append(await reader.readLine()) } while inputs.last != .endOfInput
      return inputs
    }

    @Test func eachLineIsOneAnswer() async throws {
      #expect(
        try await lines(of: Array("one\r\n\ntwo é\nlast".utf8))
          == [.line("one"), .line(""), .line("two é"), .line("last"), .endOfInput])
    }

    @Test func aFinalNewlineMakesNoEmptyLine() async throws {
      #expect(try await lines(of: Array("one\n".utf8)) == [.line("one"), .endOfInput])
      #expect(try await lines(of: []) == [.endOfInput])
    }

    @Test func escapeSequencesAreNoPartOfALine() async throws {
      let pipe = try Pipe()
      pipe.send(Array("I want \u{1B}[1;31mto run\u{1B}[0m a 10k\n[1m stays\n".utf8))
      let reader = LineReader(descriptor: pipe.reading)
      #expect(await reader.readLine() == .line("I want to run a 10k"))
      #expect(await reader.readLine() == .line("[1m stays"))
    }

    @Test func bytesThatAreNoUTF8AreReplaced() async throws {
      #expect(try await lines(of: [0x61, 0xFF, 0x0A]) == [.line("a\u{FFFD}"), .endOfInput])
    }

    @Test func aCancelledTaskStopsWaiting() async throws {
      let pipe = try Pipe()
      let reader = LineReader(descriptor: pipe.reading)
      pipe.send(Array("half".utf8))
      let task = Task { await reader.readLine() }
      task.cancel()
      #expect(await task.value == .interrupted)
      pipe.send(Array(" and half\n".utf8))
      #expect(await reader.readLine() == .line("half and half"))
    }
  }

  @Suite(.serialized) struct PipedTTYTests {
    private let environment = ["TERM": "xterm-256color", "COLORTERM": "truecolor"]

    @Test func theConversationGoesToOutputAndAllElseToErrors() async throws {
      let (input, output, errors) = (try Pipe(), try Pipe(), try Pipe())
      input.send(Array("hello\n".utf8))
      let terminal = TTY(
        program: "test", environment: environment, input: input.reading, output: output.writer,
        errors: errors.writer)
      #expect(!terminal.isInteractive)
      #expect(terminal.wrappingWidth == nil)
      #expect(await terminal.readLine(prompt: "you> ") == .line("hello"))
      terminal.write("re\u{1B}[31mply\n", as: .bold)
      terminal.writeAside("notice\n", as: .error)
      terminal.writeRecord(#"{"text":"\#u{9B}1m"}"#)
      #expect(output.contents() == "reply\n" + #"{"text":"\u009b1m"}"# + "\n")
      #expect(errors.contents() == "notice\n")
    }

    @Test func aSecretCanComeFromAPipe() async throws {
      let (input, output) = (try Pipe(), try Pipe())
      input.send(Array("  sk-piped \n".utf8))
      let terminal = TTY(
        program: "test", environment: environment, input: input.reading, output: output.writer,
        errors: output.writer)
      #expect(await terminal.readHidden(prompt: "key: ") == .value("sk-piped"))
      #expect(output.contents() == "")
    }
  }
}

struct InterruptMonitorTests {
  @Test func workThatEndsGivesItsValue() async throws {
    let outcome = try await InterruptMonitor().cancelling { 7 }
    guard case .finished(7) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test func anInterruptCancelsTheWork() async throws {
    let monitor = InterruptMonitor()
    let outcome = try await monitor.cancelling {
      monitor.deliver(.terminate)
      monitor.deliver(.interrupt)
      try await untilCancelled()
    }
    guard case .interrupted(.terminate) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  /// However soon it comes: what the work's first step is told must not be lost.
  @Test func anInterruptAtTheVeryBeginningIsHeard() async throws {
    for _ in 0..<200 {
      let monitor = InterruptMonitor()
      let outcome = try await monitor.cancelling { monitor.deliver(.interrupt) }
      guard case .interrupted(.interrupt) = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }
  }

  @Test func workThatFailsOfItselfThrows() async throws {
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) {
      _ = try await InterruptMonitor().cancelling { throw Refusal() }
    }
  }

  @Test func everyReaderHearsEveryInterrupt() async throws {
    let monitor = InterruptMonitor()
    var (one, other) = (
      monitor.interrupts().makeAsyncIterator(), monitor.interrupts().makeAsyncIterator()
    )
    monitor.deliver(.interrupt)
    monitor.deliver(.terminate)
    #expect(await [one.next(), one.next()] == [.interrupt, .terminate])
    #expect(await [other.next(), other.next()] == [.interrupt, .terminate])
  }
}

struct ScriptedTerminalTests {
  @Test func answersInOrderAndThenEnds() async throws {
    let terminal = ScriptedTerminal(typing: ["one", "two"])
    #expect(await terminal.readLine(prompt: "you> ") == .line("one"))
    #expect(await terminal.readLine(prompt: "you> ", prefill: "x") == .line("two"))
    #expect(await terminal.readLine(prompt: "you> ") == .endOfInput)
    #expect(terminal.entries.dropFirst().first == .prompt("you> ", prefill: "x"))
  }

  @Test func keepsWhatWasWrittenAsAPersonWouldSeeIt() {
    let terminal = ScriptedTerminal()
    terminal.write("a\u{1B}[2Jb")
    terminal.writeAside("!", as: .notice)
    #expect(terminal.transcript == "ab!")
    #expect(terminal.output == "ab")
  }
}
