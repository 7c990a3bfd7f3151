import CoachServer
import Foundation
import IncrementalJSON
import Intake
import SessionStore
import TestSupport
import Testing

/// The program as a process: its outputs, exit codes and manners.
@Suite(.integration)
struct CommandLineTests {
  private func chatting(
    _ household: Household, _ model: CoachServer, _ lines: [String], _ more: String...
  ) throws -> RunResult {
    let child = try ChildProcess(
      ["chat", "--base-url", model.baseURL, "--model", CoachServer.modelName] + more,
      environment: household.environment, folder: household.folder)
    child.write(lines.map { $0 + "\n" }.joined())
    child.closeInput()
    let output = child.readRest()
    return RunResult(output: output, errors: child.readErrors(), status: child.wait())
  }

  private func records(_ output: String) throws -> [JSONValue] {
    try output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }

  @Test func aWholeConversationAsRecords() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let result = try chatting(household, model, Walkthrough.lines, "--json")
    #expect(result.status == 0, "\(result.errors)")
    let records = try records(result.output)
    let done = records.filter { $0["type"]?.stringValue == "done" }
    #expect(done.compactMap { $0["discovery_complete"]?.boolValue }.filter { $0 }.count == 1)
    #expect(done.last?["phase"]?.stringValue == "coaching")
    #expect(records.contains { $0["type"]?.stringValue == "paywall" })
    let profile = records.first { $0["type"]?.stringValue == "profile" }
    #expect(profile?["system"]?["userGoals"]?["primary"]?.stringValue == "drop about 20 lbs")
    let last = records.last { $0["type"]?.stringValue == "message" }
    #expect(last?["text"]?.stringValue?.contains("Twenty pounds by June") == true)
  }

  @Test func withoutATerminalRepliesGoToOutputAndNothingElseDoes() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let result = try chatting(household, model, ["hello there, what is this?"])
    #expect(result.status == 0)
    #expect(
      result.output == """
        Hey, good to meet you. What would you like to change?
        Tell me more: what would you like to be able to do, and by when?

        """)
    #expect(!(result.output + result.errors).contains("\u{1B}"))
  }

  @Test func withoutAKeyAndATerminalItSaysHowToSetOne() throws {
    let household = try Household()
    let result = try household.run("chat", typing: "hi\n")
    #expect(result.status == 78)
    #expect(result.output.isEmpty)
    for way in ["1. Run `rapport setup`", "2. Set OPENAI_API_KEY", ".env"] {
      #expect(result.errors.contains(way))
    }
  }

  @Test func anUnreachableModelEndsWithItsCodeAndKeepsTheWords() throws {
    let household = try Household()
    let result = try household.run(
      "chat", "--base-url", "http://127.0.0.1:9/v1", "--model", "x", "--message", "I want to run")
    #expect(result.status == 69)
    #expect(result.errors.lowercased().contains("your words are saved"))
    #expect(try household.run("sessions").output.contains("I want to run"))
  }

  @Test func aProgramIsToldOnItsOwnChannelWhyNothingBegan() throws {
    let household = try Household()
    let result = try household.run("chat", "--json", "--message", "hi")
    #expect(result.status == 78)
    let records = try records(result.output)
    #expect(records.compactMap { $0["type"]?.stringValue } == ["notice", "done"])
    #expect(records.last?["failed"]?.boolValue == true)
    #expect(!result.errors.isEmpty)
  }

  @Test(arguments: [("", "empty-turn"), (String(repeating: "a ", count: 9_000), "turn-too-long")])
  func aMessageThatIsNoTurnIsBadData(message: String, code: String) async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let result = try household.run(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName, "--message", message,
      "--json")
    #expect(result.status == 65)
    let records = try records(result.output)
    #expect(records.compactMap { $0["type"]?.stringValue } == ["notice", "done"])
    #expect(records.first?["code"]?.stringValue == code)
  }

  @Test func atThePaywallOneMessageShowsItOnceAndANotNowComesBeforeItsDone() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    _ = try chatting(household, model, Array(Walkthrough.lines.prefix(5)), "--json")
    func types(_ message: String) throws -> [String] {
      try records(
        household.run(
          "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName, "--json",
          "--message", message
        ).output
      ).compactMap { $0["type"]?.stringValue }
    }
    #expect(try types("and now?") == ["waiting", "scored", "paywall", "done"])
    #expect(try types("notNow") == ["notice", "done"])
  }

  @Test(arguments: [["--version"], ["--help"], ["sessions"], ["config"]])
  func aFullDiskBehindStandardOutputIsNoSuccess(arguments: [String]) async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    _ = try chatting(household, model, ["hello there"])
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments =
      ["-c", "exec \"$0\" \"$@\" > /dev/full 2>/dev/null", ChildProcess.program.path] + arguments
    shell.environment = household.environment
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 73)
  }

  @Test func whatIsSaidIsStoredThoughAnEarlierStepStillWaitsForTheModel() throws {
    let household = try Household()
    let away = ["chat", "--base-url", "http://127.0.0.1:9/v1", "--model", "x"]
    for (said, more) in [("first words", ["--message", "first words"]), ("then these", [])] {
      let result = try household.run(away + more, typing: more.isEmpty ? said + "\n" : "")
      #expect(result.status == 69)
    }
    let third = try household.run(away + ["--json", "--message", "and these"])
    #expect(try records(third.output).filter { $0["type"]?.stringValue == "done" }.count == 1)
    let shown = try household.run("sessions", "show").output
    for said in ["first words", "then these", "and these"] { #expect(shown.contains(said)) }
  }

  @Test func whereTheReaderHasGoneTheConversationStopsAndTheEndIsSaidNextTime() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let lines = Walkthrough.lines.prefix(5).map { $0 + "\n" }.joined()
    let arguments = [
      "chat", "--json", "--base-url", model.baseURL, "--model", CoachServer.modelName,
    ]
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments =
      ["-c", "exec \"$0\" \"$@\" > /dev/full 2>/dev/null", ChildProcess.program.path] + arguments
    shell.environment = household.environment
    let input = Pipe()
    shell.standardInput = input
    try shell.run()
    try? input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
    try? input.fileHandleForWriting.close()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 73)
    #expect(try Walkthrough.events(household).allSatisfy { $0.event?.kind != .scored })
    let next = try household.run(arguments, typing: lines)
    #expect(next.output.contains(#""discovery_complete":true"#))
  }

  @Test func forgettingTheFinishedOneGivesNoSecondFreeDiscovery() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    _ = try chatting(household, model, ["something else first"])
    _ = try chatting(household, model, Array(Walkthrough.lines.prefix(5)), "--new")
    let list = try household.run("sessions").output.split(separator: "\n")
    let finished = try #require(
      list.first { $0.contains("first part done") }?.split(separator: " ").first)
    #expect(try household.run("sessions", "forget", String(finished), "--yes").status == 0)
    #expect(try chatting(household, model, ["and now?"]).status == 64)
  }

  @Test func thereIsNoOptionForAKey() throws {
    let household = try Household()
    let result = try household.run("chat", "--api-key", "sk-test-abc")
    #expect(result.status == 64)
  }

  @Test func theVersionNamesTheLibraries() throws {
    let result = try Household().run("--version")
    #expect(result.status == 0)
    #expect(result.output.contains("libcurl") && result.output.contains("SQLite"))
  }

  @Test(arguments: ["chat", "setup", "config", "profile", "sessions", "subscribe"])
  func everyHelpShowsAnExample(command: String) throws {
    let result = try Household().run(command, "--help")
    #expect(result.status == 0)
    #expect(result.output.contains("rapport \(command)") && result.output.contains("Example"))
  }

  @Test func aSecondChatOnTheSameSessionIsToldWhoHasIt() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let first = try household.start(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName)
    #expect(first.readLine() != nil)
    let second = try chatting(household, model, [])
    #expect(second.status == 73)
    #expect(second.errors.contains("process \(first.pid)"))
    first.closeInput()
    #expect(first.wait() == 0)
  }

  @Test func aSessionOnATerminalIsNamedByItAndNotForgottenUnderIt() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let terminal = try household.startOnTerminal(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName)
    try terminal.expect("You")
    let second = try chatting(household, model, [])
    #expect(second.status == 73)
    #expect(second.errors.contains("process \(terminal.process) on /dev/pts/"), "\(second.errors)")
    let id = try #require(try SessionStore(path: household.store).latestSession())
    #expect(try household.run("sessions", "forget", id.rawValue, "--yes").status == 73)
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
    #expect(try chatting(household, model, []).status == 0)
  }

  @Test(arguments: [
    ("RAPPORT_IDLE_TIMEOUT", "soon"), ("RAPPORT_MAX_TURNS", "0"), ("RAPPORT_THRESHOLD", "nan"),
    ("RAPPORT_PROVIDER", "acme"),
  ])
  func aSettingThatCannotBeUsedIsNamedWithItsSource(name: String, value: String) throws {
    let household = try Household()
    household.environment[name] = value
    let result = try household.run(
      "chat", "--base-url", "http://127.0.0.1:9/v1", "--model", "x", "--message", "hi")
    #expect(result.status == 78, "\(result.errors)")
    for part in [name, "the environment", "\"\(value)\""] { #expect(result.errors.contains(part)) }
  }

  @Test func aFlagThatCannotBeUsedIsAMatterOfUsage() throws {
    let result = try Household().run(
      "chat", "--max-turns", "many", "--base-url", "http://127.0.0.1:9/v1", "--model", "x")
    #expect(result.status == 64, "\(result.errors)")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionsAreGeneratedForEveryShell(shell: String) throws {
    let result = try Household().run("--generate-completion-script", shell)
    #expect(result.status == 0)
    for word in ["rapport", "setup", "sessions", "base-url"] {
      #expect(result.output.contains(word))
    }
    #expect(result.errors.isEmpty)
  }

  @Test func aShellWithoutCompletionsIsAMatterOfUsage() throws {
    #expect(try Household().run("--generate-completion-script", "tcl").status == 64)
  }

  @Test func exportsAndForgetting() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    _ = try chatting(household, model, [Walkthrough.lines[0]])
    let id = try #require(try household.run("sessions").output.split(separator: " ").first)
    let transcript = try household.run("sessions", "export", String(id), "--format", "jsonl")
    let line = try JSONValue(parsing: transcript.output.trimmingCharacters(in: .newlines))
    #expect(line["facets"]?["goalClarity.outcome"]?["quote"]?.stringValue == "drop about 20 lbs")
    #expect(
      try household.run("sessions", "show", String(id)).output.contains("keep up with my kids"))
    #expect(try household.run("sessions", "forget", String(id), "--yes").status == 0)
    #expect(try household.run("sessions").output.isEmpty)
    let files = try FileManager.default.contentsOfDirectory(
      atPath: household.folder + "/.local/state/rapport")
    for file in files {
      let bytes = try Data(
        contentsOf: URL(filePath: household.folder + "/.local/state/rapport/" + file))
      #expect(bytes.firstRange(of: Data("keep up with my kids".utf8)) == nil, "\(file)")
    }
  }
}
