import Dispatch
import Glibc
import Synchronization
import Terminal

// A program for the tests to run on a terminal of its own: it does one thing with the terminal
// and says what came of it.

func report(_ text: String) {
  var line = "«\(text)»\n"
  line.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
}

func quoted(_ text: String) -> String {
  text.unicodeScalars.map { $0.value < 0x20 ? "<\($0.value)>" : String($0) }.joined()
}

func describe(_ input: LineInput) -> String {
  switch input {
  case .line(let line): "line:\(quoted(line))"
  case .interrupted: "interrupted"
  case .endOfInput: "end"
  }
}

func describe(_ input: HiddenInput) -> String {
  switch input {
  case .value(let value):
    "value:\(value.utf8.count):\(value.utf8.reduce(0) { $0 &* 31 &+ Int($1) })"
  case .interrupted: "interrupted"
  case .endOfInput: "end"
  case .tooLong(let limit): "too-long:\(limit)"
  }
}

func environment() -> [String: String] {
  var result: [String: String] = [:]
  for name in ["TERM", "NO_COLOR", "COLORTERM", "COLUMNS", "LINES"] {
    if let value = getenv(name) { result[name] = String(cString: value) }
  }
  return result
}

func converse(_ terminal: TTY) async {
  while true {
    let input = await terminal.readLine(prompt: "you> ")
    report(describe(input))
    guard case .line = input else { return }
  }
}

/// Streams words until it is interrupted, then asks for a line.
func stream(_ terminal: TTY, perWord: Duration) async throws {
  terminal.setEcho(false)
  let outcome = try await InterruptMonitor.process.cancelling {
    var reply = ReplyText(width: terminal.wrappingWidth)
    for number in 0... {
      reply.width = terminal.wrappingWidth
      terminal.write(reply.feed("word\(number) and 漢字 "))
      try await ContinuousClock().sleep(for: perWord)
    }
  }
  terminal.setEcho(true)
  if case .interrupted(let interrupt) = outcome { report("reply \(interrupt)") }
  await converse(terminal)
}

/// A task of a hundred steps, one a second by a clock that takes no time.
func progress(_ unit: ProgressBar.Unit, sharing: Bool) {
  let begun = ContinuousClock.now
  let seconds = Atomic(0)
  let line = ProgressLine(unit, environment: environment()) {
    begun + .seconds(seconds.load(ordering: .relaxed))
  }
  for step in 1...40 {
    seconds.store(step, ordering: .relaxed)
    line.show(.init(count: step * 30_000, share: sharing ? Double(step) / 100 : nil))
  }
  line.clear()
  report("done")
}

/// What suspends until the test sends SIGUSR1.
func signalled() -> () async -> Void {
  let (signals, signal) = AsyncStream.makeStream(of: Void.self)
  Glibc.signal(SIGUSR1, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
  source.setEventHandler { signal.yield() }
  source.activate()
  return {
    for await _ in signals { break }
    source.cancel()
  }
}

@main
struct Probe {
  static func main() async throws {
    let terminal = TTY(program: "terminal-probe", environment: environment())
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "lines": await converse(terminal)
    case "prefill": report(describe(await terminal.readLine(prompt: "you> ", prefill: "run a 10k")))
    case "hidden": report(describe(await terminal.readHidden(prompt: "key: ")))
    case "stream": try await stream(terminal, perWord: .milliseconds(20))
    case "status":
      terminal.showStatus("thinking about your answer…")
      report(describe(await terminal.readLine(prompt: "")))
    case "status-then-text":
      let wanted = signalled()
      terminal.showStatus("thinking about your answer…")
      await wanted()
      terminal.write("Here I am.\n")
    case "pause":
      let wanted = signalled()
      terminal.write("Half a ")
      terminal.expectMore("waiting for the rest", hint: "")
      await wanted()
      terminal.write("sentence.\n")
    case "grace":
      // As in the command line: a signal that arrives after the line must not end the process.
      _ = InterruptMonitor.process
      let assist = LineAssist(ignoresInterrupt: { true })
      report(describe(await terminal.readLine(prompt: "you> ", prefill: "", assist: assist)))
    case "progress": progress(.things("conversations"), sharing: true)
    case "progress-bytes": progress(.bytes, sharing: false)
    case "write": terminal.write("red \u{1B}[2J\u{1B}]0;x\u{7}text\n", as: .error)
    case "history":
      terminal.recall(["an older line", "gæt\nup"])
      await converse(terminal)
    case "die":
      terminal.setEcho(false)
      report("dying")
      abort()
    default:
      report("unknown mode")
      exit(64)
    }
  }
}
