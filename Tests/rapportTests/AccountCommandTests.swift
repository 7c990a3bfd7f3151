import CoachServer
import Foundation
import Glibc
import IncrementalJSON
import MockServer
import SessionStore
import Supabase
import SupabaseMock
import SupabaseTestSupport
import TestSupport
import Testing

/// `rapport account` and `rapport sync` through the built program.
@Suite(.serialized, .integration)
struct AccountCommandTests {
  private static let email = "marta@example.com"

  private func household(at project: MockProject) throws -> Household {
    let household = try Household()
    household.environment.merge([
      "SUPABASE_URL": project.url, "SUPABASE_ANON_KEY": SupabaseAPI.anonKey,
    ]) { $1 }
    return household
  }

  private func project(
    _ faults: SupabaseFaultPlan.Planned...
  ) async throws -> MockProject {
    try await MockProject(faults: faults) { $0.code = "123456" }
  }

  private func records(_ result: RunResult) throws -> [JSONValue] {
    try result.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }

  /// A conversation that the coach has finished.
  private func talk(_ household: Household, _ coach: CoachServer) throws {
    let lines = Walkthrough.lines.map { $0 + "\n" }.joined()
    let arguments = [
      "chat", "--new", "--base-url", coach.baseURL, "--model", CoachServer.modelName,
    ]
    #expect(try household.run(arguments, typing: lines).status == 0)
  }

  /// The project's authority is one that this machine doesn't know.
  @Test(.enabled(if: TLSPeer.isAvailable, "needs the openssl command to make certificates"))
  func theAuthorityInTheSettingsIsTrustedForTheProject() throws {
    let peer = try TLSPeer(.none)
    let household = try Household()
    household.environment.merge([
      "SUPABASE_URL": String(peer.url.dropLast()), "SUPABASE_ANON_KEY": SupabaseAPI.anonKey,
      "RAPPORT_CA_FILE": "missing.pem",
    ]) { $1 }
    let missing = try household.run("account", "sign-in", Self.email)
    #expect(missing.errors.contains("missing.pem (RAPPORT_CA_FILE"), "\(missing.errors)")
    household.environment["RAPPORT_CA_FILE"] = nil
    let unknown = try household.run("account", "sign-in", Self.email)
    #expect(unknown.status != 0 && unknown.errors.contains("certificate"), "\(unknown.errors)")
    let replying = try TLSPeer(
      .none,
      replying: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
    household.environment["SUPABASE_URL"] = String(replying.url.dropLast())
    // From a weaker place than the project's address, it isn't trusted.
    try household.write("RAPPORT_CA_FILE=\(replying.authorityFile)\n", to: ".env")
    let weaker = try household.run("account", "show")
    #expect(
      weaker.errors.contains("RAPPORT_CA_FILE (from .env:1) is ignored"), "\(weaker.errors)")
    household.environment["RAPPORT_CA_FILE"] = replying.authorityFile
    let known = try household.run("account", "sign-in", Self.email)
    #expect(known.errors.contains("I sent a code to"), "\(known.errors)")
  }

  /// Killed while its request is on the way, it loses nothing and sends nothing twice.
  @Test func whatIsQueuedSurvivesAKill() async throws {
    let slow = SupabaseFaultPlan.Planned(
      try #require(SupabaseFault("slow:3600")), times: 1, only: .rows)
    let project = try await project(slow)
    let household = try household(at: project)
    _ = try household.run("account", "sign-in", Self.email, typing: "123456\n")
    let outbox = Outbox(store: try SessionStore(path: household.store))
    for id in ["first", "second"] {
      try outbox.put(
        OutboxRow(table: "goals", id: id, columns: ["primary": .string(id)]), at: Date())
    }
    let child = try household.start("sync")
    // Nothing signals the request's arrival to this process.
    while project.api.count(.rows) == 0 { await Task.yield() }
    kill(child.pid, SIGKILL)
    _ = child.wait()
    #expect(try outbox.entries().map(\.state) == [.waiting, .waiting])
    #expect(try household.run("sync").status == 0)
    #expect(try outbox.entries().map(\.state) == [.sent, .sent])
    #expect(project.api.rows(of: "goals").map { $0["primary"] } == ["first", "second"])
    await project.stop()
  }

  @Test func signingInAndOutOverPipes() async throws {
    let project = try await project()
    let household = try household(at: project)
    var result = try household.run("account", "sign-in", Self.email, typing: "654321\n123 456\n")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("wrong or has expired"))
    #expect(result.errors.contains("signed in as \(Self.email)"))
    let file = household.store + ".account"
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let stored = try JSONValue(parsing: String(contentsOfFile: file, encoding: .utf8))

    result = try household.run("account", "show", "--json")
    #expect(try records(result)[0]["email"]?.stringValue == Self.email)
    for name in ["accessToken", "refreshToken"] {
      let token = try #require(stored[name]?.stringValue)
      #expect(!result.output.contains(token) && !result.errors.contains(token))
    }
    result = try household.run("account", "sign-out")
    #expect(result.status == 0 && result.errors.contains("signed out"))
    #expect(!FileManager.default.fileExists(atPath: file))
    result = try household.run("account")
    #expect(result.errors.contains("Nobody is signed in"))
    await project.stop()
  }

  @Test func signingOutLeavesAnotherProjectsSignInAlone() async throws {
    let (first, second) = (try await project(), try await project())
    let household = try household(at: first)
    _ = try household.run("account", "sign-in", Self.email, typing: "123456\n")
    household.environment["SUPABASE_URL"] = second.url
    let result = try household.run("account", "sign-out")
    #expect(result.status == 0 && result.errors.contains(first.url), "\(result.errors)")
    household.environment["SUPABASE_URL"] = first.url
    #expect(try household.run("account").output.contains(Self.email))
    await first.stop()
    await second.stop()
  }

  @Test func aSignInThatCantBeReadIsNamedAndKept() async throws {
    let project = try await project()
    let household = try household(at: project)
    _ = try household.run("account", "sign-in", Self.email, typing: "123456\n")
    let file = household.store + ".account"
    try Data("{".utf8).write(to: URL(filePath: file))
    for command in [["account"], ["account", "sign-out"], ["sync"]] {
      let result = try household.run(command)
      #expect(result.status != 0 && result.errors.contains("isn't a sign-in"), "\(result.errors)")
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "{")
    _ = try household.run("account", "sign-in", Self.email, typing: "123456\n")
    #expect(try household.run("account").output.contains(Self.email))
    #expect(try String(contentsOfFile: file + ".unreadable", encoding: .utf8) == "{")
    await project.stop()
  }

  @Test func atATerminalTheCodeIsAskedForUntilItIsRight() async throws {
    let project = try await project()
    let household = try household(at: project)
    let terminal = try household.startOnTerminal("account", "sign-in")
    try terminal.expect("Email:")
    terminal.type("marta@example\r")
    try terminal.expect("doesn't look like an email address")
    terminal.type("marta@example.com\r")
    try terminal.expect("I sent a code to")
    try terminal.expect("Code:")
    terminal.type("12345\r")
    try terminal.expect("six to ten digits, such as")
    terminal.type("654321\r")
    try terminal.expect("wrong or has expired")
    terminal.type("\r")
    try terminal.expect("next code in")
    terminal.type("<\r")
    try terminal.expect("Email:")
    terminal.type("jonas@example.com\r")
    try terminal.expect("Code:")
    terminal.type("123456\r")
    try terminal.expect("signed in as jonas@example.com")
    #expect(try terminal.expectExit() == 0)
    #expect(terminal.hasItsModesBack)
    await project.stop()
  }

  @Test func withoutAProjectItIsSaidHowToGetOne() throws {
    for arguments in [["account"], ["account", "sign-in", Self.email], ["sync"]] {
      let result = try Household().run(arguments)
      #expect(result.status == 78)
      #expect(result.errors.contains("SUPABASE_URL") && result.errors.contains("on this machine"))
    }
  }

  @Test(arguments: [
    (["SUPABASE_URL": "https://abc.supabase.co"], "SUPABASE_ANON_KEY"),
    (["SUPABASE_URL": "http://abc.supabase.co", "SUPABASE_ANON_KEY": "key"], "SUPABASE_URL"),
    (
      ["SUPABASE_URL": "https://abc.supabase.co", "SUPABASE_ANON_KEY": "sb_secret_canary"],
      "is a secret key"
    ),
  ])
  func settingsThatCannotBeUsedAreNamed(settings: [String: String], words: String) throws {
    let household = try Household()
    household.environment.merge(settings) { $1 }
    let result = try household.run("account")
    #expect(result.status == 78 && result.errors.contains(words), "\(result.errors)")
    #expect(!result.errors.contains("canary"))
    #expect(try !household.run("config").output.contains("canary"))
  }

  @Test func theConfigFileHoldsTheProjectToo() throws {
    let household = try Household()
    #expect(
      try household.run("config", "set", "supabase_url", "https://abc.supabase.co").status == 0)
    #expect(
      try household.run("config", "set", "supabase_anon_key", "sb_publishable_abc").status == 0)
    let shown = try household.run("config", "get", "supabase_url")
    #expect(shown.output == "https://abc.supabase.co\n")
    #expect(try household.run("config").status == 0)
    let bad = try household.run("config", "set", "supabase_url", "nowhere")
    #expect(bad.status != 0 && !bad.errors.isEmpty)
    #expect(try household.run("account").errors.contains("Nobody is signed in at abc.supabase.co"))
  }

  @Test func whatWasUnderstoodIsSentOnceAndForgottenWithItsConversation() async throws {
    let project = try await project()
    let coach = try await CoachServer()
    defer { coach.stop() }
    let household = try household(at: project)
    try talk(household, coach)
    let early = try household.run("sync")
    #expect(early.status == 78 && early.errors.contains("aren't signed in"))
    #expect(SupabaseTarget.allCases.allSatisfy { project.api.count($0) == 0 })

    _ = try household.run("account", "sign-in", Self.email, typing: "123456\n")
    var result = try household.run("sync", "--json")
    #expect(result.status == 0, "\(result.errors)")
    let summary = try #require(records(result).last)
    #expect(summary["sent"]?.intValue == 2 && summary["waiting"]?.intValue == 0)
    let intake = try #require(project.api.rows(of: "intakes").first)
    #expect(intake["pack"] == "fitness" && intake["is_complete"] == true)
    #expect(intake["facets"]?.objectValue?.isEmpty == false)
    #expect(project.api.rows(of: "coaching_profiles").count == 1)
    // The coach's words aren't the person's to send.
    #expect(!JSONValue.object(intake).serialized().contains("What would you like to change?"))

    result = try household.run("sync")
    #expect(result.errors.contains("up to date"))
    #expect(try household.run("sync", "--status").output.contains("intakes"))
    let session = try #require(intake["id"]?.stringValue)
    #expect(try household.run("sessions", "forget", session, "--yes").status == 0)
    #expect(try household.run("sync", "--status").output.isEmpty)
    await project.stop()
  }

  @Test func aRehearsalStaysHere() async throws {
    let project = try await project()
    let household = try household(at: project)
    _ = try household.run(
      "chat", "--offline", typing: "I want to run a marathon in October, three times a week.\n")
    _ = try household.run("account", "sign-in", Self.email, typing: "123456\n")
    let result = try household.run("sync")
    #expect(result.status == 0 && result.errors.contains("nothing to send"), "\(result.errors)")
    #expect(project.api.count(.rows) == 0)
    await project.stop()
  }

  @Test func aRowThatTheProjectRefusesIsNamedAndRetried() async throws {
    let fault = try #require(SupabaseFault("bad-row"))
    let project = try await project(.init(fault, times: 1, only: .rows))
    let coach = try await CoachServer()
    defer { coach.stop() }
    let household = try household(at: project)
    try talk(household, coach)
    _ = try household.run("account", "sign-in", Self.email, typing: "123456\n")
    var result = try household.run("sync")
    #expect(result.status == 65, "\(result.errors)")
    #expect(result.output.contains("set aside") && result.output.contains("  sent\n"))
    #expect(result.errors.contains("1 sent, 1 set aside"))
    let told = try #require(result.output.split(separator: "\n").first { $0.contains("set aside") })
    // The status says the same.
    #expect(try household.run("sync", "--status").output.contains(told), "\(told)")
    let status = try household.run("sync", "--status", "--json").output
    #expect(status.contains(#""problem":"row-refused""#), "\(status)")
    result = try household.run("sync", "--retry")
    #expect(result.status == 0 && result.errors.contains("1 sent"))
    await project.stop()
  }

  @Test func withoutAConnectionTheQueueWaits() async throws {
    let project = try await project()
    let coach = try await CoachServer()
    defer { coach.stop() }
    let household = try household(at: project)
    try talk(household, coach)
    _ = try household.run("account", "sign-in", Self.email, typing: "123456\n")
    await project.stop()
    let result = try household.run("sync")
    #expect(result.status == 69 && result.errors.contains("can't reach"), "\(result.errors)")
    #expect(result.errors.contains("2 waiting"))
    let status = try household.run("sync", "--status", "--json")
    #expect(try records(status).last?["waiting"]?.intValue == 2)
  }

  /// Six processes find an expired token at once.
  @Test func processesShareOneRefresh() async throws {
    let project = try await MockProject {
      $0.code = "123456"
      $0.tokenLifetime = 30
    }
    let household = try household(at: project)
    _ = try household.run("account", "sign-in", Self.email, typing: "123456\n")
    let children = try (0..<6).map { _ in try household.start("sync") }
    for child in children {
      child.closeInput()
      #expect(child.wait() == 0, "\(child.readErrors())")
    }
    // Tokens that live for 30 seconds are always due, so everybody refreshes, one after another.
    #expect(project.api.count(.refresh) == 6)
    #expect(try household.run("account").output.contains(Self.email))
    await project.stop()
  }

  @Test func killingASyncLosesNothing() async throws {
    let fault = try #require(SupabaseFault("slow:60"))
    let project = try await project(.init(fault, times: 1, only: .rows))
    let coach = try await CoachServer()
    defer { coach.stop() }
    let household = try household(at: project)
    try talk(household, coach)
    _ = try household.run("account", "sign-in", Self.email, typing: "123456\n")
    let child = try household.start("sync")
    while project.api.count(.rows) == 0 { await Task.yield() }
    kill(child.pid, SIGKILL)
    _ = child.wait()
    let result = try household.run("sync")
    #expect(result.status == 0 && result.errors.contains("2 sent"), "\(result.errors)")
    #expect(project.api.rows(of: "intakes").count == 1)
    await project.stop()
  }
}

/// The project that tests in other languages start.
@Suite(.integration)
struct SupabaseMockProgramTests {
  /// It's beside the program.
  private static let program = #"exec "$(dirname "$0")/supabase-mock" "$@""#

  @Test func twoSettingsLeadThereAndCodesArePrinted() throws {
    let household = try Household()
    let mock = try household.start(
      ["--code", "123456", "--verbose"], shell: Self.program)
    for _ in 0..<2 {
      let setting = try #require(mock.readLine()?.split(separator: "=", maxSplits: 1))
      household.environment[String(setting[0])] = String(setting[1])
    }
    let result = try household.run("account", "sign-in", "marta@example.com", typing: "123456\n")
    #expect(result.status == 0, "\(result.errors)")
    kill(mock.pid, SIGINT)
    let told = mock.readErrors()
    #expect(told.contains("Code for marta@example.com: 123456"))
    #expect(told.contains("POST /auth/v1/verify 200"))
    #expect(mock.readRest().isEmpty && mock.wait() == 0)
  }

  @Test(arguments: [
    (["--fault", "oops"], "there is no fault"), (["--fault", "slow:x"], "there is no fault"),
    (["--times", "2"], "--fault"), (["--code", "12"], "six to ten digits"),
    (["--port", "70000"], "--port"),
    (["--fault", "slow", "--only", "never"], "--only must be one of"),
  ])
  func whatCannotBeServedIsSaid(arguments: [String], words: String) throws {
    let result = try Household().run(arguments, shell: Self.program)
    #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test func faultsAreListed() throws {
    let result = try Household().run(["--list-faults"], shell: Self.program)
    #expect(result.status == 0 && result.output.contains("lost-reply\n"))
  }
}
