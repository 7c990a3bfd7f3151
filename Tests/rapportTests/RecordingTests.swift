import CoachServer
import Foundation
import Glibc
import IncrementalJSON
import SessionStore
import TestSupport
import Testing

/// `rapport chat --record`, with the built program against a server on a socket.
@Suite(.serialized, .integration)
struct RecordingTests {
  private static let key = "sk-proj-Canary7Q2mZ9xL4vT8bN3kW6rJ1hF5cD"
  private let household: Household
  private let model: CoachServer

  init() async throws {
    household = try Household()
    model = try await CoachServer()
    household.environment["OPENAI_API_KEY"] = Self.key
  }

  private var file: String { household.folder + "/tape.json" }

  private func arguments(_ more: String...) -> [String] {
    [
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName, "--record",
      "tape.json",
    ] + more
  }

  private func tape() throws -> JSONValue {
    try JSONValue(parsing: Array(try Data(contentsOf: URL(filePath: file))))
  }

  private func said(_ tape: JSONValue) -> [String] {
    (tape["script"]?.arrayValue ?? []).compactMap { $0["user"]?.stringValue }
  }

  @Test func aWholeConversationIsRecordedAsItWasSaidAndPlaysAgain() throws {
    defer { model.stop() }
    let result = try household.run(
      arguments("--json"), typing: Walkthrough.lines.joined(separator: "\n") + "\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("Recorded in "))
    let tape = try tape()
    #expect(said(tape) == Walkthrough.lines, "a choice at a menu is what was typed")
    #expect(tape["source"]?["model"]?.stringValue == CoachServer.modelName)
    #expect(tape["exchanges"]?.arrayValue?.count == model.requests.count)
    #expect(tape["transcript"]?.arrayValue?.isEmpty == false)
    #expect(
      !String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self).contains("Canary")
    )
    let replay = try household.run("test", "tape.json", "--update")
    #expect(replay.errors.isEmpty, "\(replay)")
    let again = try household.run("test", "tape.json", "--strict")
    #expect(again.status == 0, "\(again)")
    let names = try FileManager.default.contentsOfDirectory(atPath: household.folder)
    #expect(!names.contains { $0.hasPrefix(".tape") }, "\(names)")
  }

  @Test func oneMessageIsRecordedFromTheGreetingOn() throws {
    defer { model.stop() }
    household.environment["ANTHROPIC_API_KEY"] = Self.key
    let result = try household.run(
      arguments(
        "--provider", "anthropic", "--message", "I'm Marta, marta@example.com; drop 20 lbs",
        "--redact", "marta"))
    #expect(result.status == 0, "\(result.errors)")
    let tape = try tape()
    #expect(said(tape) == ["I'm [name-1], [email-1]; drop 20 lbs"])
    #expect(tape["script"]?[0]?["open"]?.boolValue == true)
    #expect(tape["exchanges"]?[0]?["purpose"]?.stringValue == "greet")
    #expect(tape["wireFormat"]?.stringValue == "anthropic")
    #expect(!tape.serialized().lowercased().contains("marta"))
  }

  @Test func onATerminalCommandsAreNotPartOfItAndForgettingTakesItAlong() throws {
    defer { model.stop() }
    let terminal = try household.startOnTerminal(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName, "--record",
      "tape.json")
    for (question, answer) in [
      ("You", "/help"), ("You", Walkthrough.lines[0]), ("What gets in the way", "/insight"),
    ] {
      try terminal.expect(question)
      terminal.type(answer + "\r")
    }
    try terminal.expect("overall")
    try terminal.expect("You")
    #expect(said(try tape()) == [Walkthrough.lines[0]], "it is written after each answer")
    terminal.type("/forget\r")
    try terminal.expect("Delete it?")
    terminal.type("yes\r")
    try terminal.expect("It's gone")
    #expect(try terminal.expectExit() == 0)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func whatCannotBeRecordedIsSaidBeforeTheModelIsAsked() throws {
    defer { model.stop() }
    try household.write("x", to: "taken.json")
    try household.write("x", to: "sealed/old.json")
    chmod(household.folder + "/sealed", 0o500)
    defer { chmod(household.folder + "/sealed", 0o700) }
    let base = ["chat", "--base-url", model.baseURL, "--json"]
    for (path, status) in [
      ("none/a.json", 73), ("/proc/a.json", 73), (household.folder, 73), ("taken.json", 73),
    ] + (geteuid() == 0 ? [] : [("sealed/a.json", 73)]) {
      let result = try household.run(base + ["--record", path], typing: "hello\n")
      #expect(result.status == Int32(status), "\(path): \(result)")
      #expect(result.errors.contains("I can't record there"), "\(path): \(result.errors)")
    }
    #expect(model.requests.isEmpty, "not even for a list of models")
    #expect(try String(contentsOfFile: household.folder + "/taken.json", encoding: .utf8) == "x")
    for options in [
      ["--record", "a.json", "--offline"], ["--record", "a.json", "--session", "3f"],
      ["--redact", "Marta"], ["--overwrite"], ["--record", "a.json", "--redact", "42"],
    ] {
      let result = try household.run(["chat"] + options)
      #expect(result.status == 64, "\(options): \(result)")
    }
  }

  @Test func anEarlierConversationIsNotGoneOnWith() throws {
    defer { model.stop() }
    let first = try household.run(
      Array(arguments().dropLast(2)) + ["--message", Walkthrough.lines[0]])
    #expect(first.status == 0, "\(first.errors)")
    let result = try household.run(arguments("--message", Walkthrough.lines[1]))
    #expect(result.status == 0, "\(result.errors)")
    #expect(try SessionStore(path: household.store).sessions().count == 2)
    #expect(said(try tape()) == [Walkthrough.lines[1]])
    let again = try household.run(arguments("--message", "x"))
    #expect(again.status == 73)
    #expect(again.errors.contains("--overwrite"))
    #expect(try household.run(arguments("--overwrite", "--message", "hello")).status == 0)
    #expect(said(try tape()) == ["hello"])
  }

  /// The folder goes away in the middle: the conversation does not.
  @Test func aRecordingThatFailsDoesNotStopTheConversation() throws {
    defer { model.stop() }
    try household.write("", to: "tapes/x")
    var command = arguments("--json")
    command[command.count - 2] = "tapes/tape.json"
    let child = try household.start(command)
    func answer() -> Bool {
      while let line = child.readLine() { if line.contains(#""type":"done""#) { return true } }
      return false
    }
    #expect(answer())
    try FileManager.default.removeItem(atPath: household.folder + "/tapes")
    for line in Walkthrough.lines.prefix(3) {
      child.write(line + "\n")
      #expect(answer(), "it goes on")
    }
    child.closeInput()
    let rest = child.readRest()
    let errors = child.readErrors()
    #expect(child.wait() == 73, "\(rest)")
    #expect(errors.contains("I couldn't write the recording just now"))
    #expect(errors.components(separatedBy: "just now").count == 2, "it is said once")
    #expect(try Walkthrough.inputs(household) == 3, "nothing said is lost")
  }

  /// Whenever it is killed, the file is the old one or a whole new one.
  @Test func afterAKillTheFileIsWhole() throws {
    defer { model.stop() }
    var random = SeededGenerator(seed: 19)
    let old = #"{"version":1,"title":"old","rubricVersion":1}"#
    var written = 0
    for _ in 0..<12 {
      let household = try Household()
      household.environment["OPENAI_API_KEY"] = Self.key
      try household.write(old, to: "tape.json")
      let child = try household.start(arguments("--json", "--overwrite"))
      child.writeAside(Array((Walkthrough.lines.joined(separator: "\n") + "\n").utf8))
      let outputs = Int.random(in: 0...40, using: &random)
      for _ in 0..<outputs { _ = child.readLine() }
      kill(child.pid, SIGKILL)
      _ = child.wait()
      let bytes = try Data(contentsOf: URL(filePath: household.folder + "/tape.json"))
      if String(decoding: bytes, as: UTF8.self) == old { continue }
      written += 1
      let tape = try JSONValue(parsing: Array(bytes))
      #expect(said(tape) == Array(Walkthrough.lines.prefix(said(tape).count)))
    }
    #expect(written > 0)
  }

  /// Ctrl-C stops a reply; what had come is held in the recording, and plays again like that.
  @Test func aReplyThatIsStoppedIsRecordedAsStopped() throws {
    model.stop()
    let gate = Gate()
    let server = try LoopbackServer { exchange in
      try exchange.startChunks()
      try exchange.sendEvent(#"{"choices":[{"index":0,"delta":{"content":"Hello there, "}}]}"#)
      gate.wait()
    }
    defer {
      gate.open()
      server.stop()
    }
    let terminal = try household.startOnTerminal(
      "chat", "--base-url", server.url("/v1"), "--model", "m", "--record", "tape.json")
    try terminal.expect("Hello there")
    terminal.type("\u{3}")
    try terminal.expect("You")
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
    let tape = try tape()
    #expect(tape["script"]?[0]?["interrupt"]?["afterText"]?.stringValue == "Hello there, ")
    #expect(tape["exchanges"]?[0]?["response"]?["ending"]?.stringValue == "held")
    let update = try household.run("test", "tape.json", "--update")
    #expect(try household.run("test", "tape.json", "--strict").status == 0, "\(update)")
  }
}
