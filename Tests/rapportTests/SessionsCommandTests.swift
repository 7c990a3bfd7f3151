import CoachServer
import Foundation
import Glibc
import IncrementalJSON
import Intake
import SessionStore
import TestSupport
import Testing

/// `rapport sessions`: what is listed, found, shown and deleted.
@Suite(.integration)
struct SessionsCommandTests {
  private static let hour = 3_600.0

  /// A conversation in the household's store, as old as said.
  @discardableResult
  private func keep(
    _ household: Household, _ words: String?, age: Double = 0, isRehearsal: Bool = false,
    events: [IntakeEvent] = []
  ) throws -> String {
    let store = try SessionStore(path: household.store)
    let date = Date().addingTimeInterval(-age)
    let id = try store.createSession(at: date)
    let start = SessionStart(
      pack: "fitness", packVersion: "1", rubricVersion: 1, source: isRehearsal ? .rehearsal : nil)
    let said = words.map { [IntakeEvent.userSaid(UserTurn(turn: 1, text: $0))] } ?? []
    _ = try store.log(for: id).append(
      [.started(start), .greeted(CoachReply(text: "Hey, **welcome**."))] + said + events, at: date)
    return id.rawValue
  }

  private func ids(_ result: RunResult) -> [String] {
    result.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }.map(
      String.init)
  }

  @Test func aStartWithoutAWordIsNotListedAndGoesAfterADay() throws {
    let household = try Household()
    let old = try keep(household, nil, age: 25 * Self.hour)
    let recent = try keep(household, nil, age: 2 * Self.hour)
    let list = try household.run("sessions")
    #expect(list.output.isEmpty && list.errors.contains("No conversations yet."))
    let folder = household.folder + "/.local/state/rapport"
    try household.write("4711 /dev/pts/9\n", to: ".local/state/rapport/rapport.db.\(old).lock")
    #expect(try household.run("chat", "--offline", typing: "").status == 0)
    let kept = try SessionStore(path: household.store).sessions().map(\.id.rawValue)
    #expect(kept.contains(recent) && !kept.contains(old), "\(kept)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(!files.contains { $0.hasSuffix(".lock") }, "\(files)")
  }

  @Test func aKilledProcessHoldsNothing() throws {
    let household = try Household()
    let chat = try household.start("chat", "--offline")
    #expect(chat.readLine() != nil)
    let second = try household.run("chat", "--offline", typing: "hello there\n")
    #expect(second.errors.contains("(process \(chat.pid)"), "\(second.errors)")
    kill(chat.pid, SIGKILL)
    #expect(chat.wait() == 128 + SIGKILL)
    let third = try household.run("chat", "--offline", typing: "hello there\n")
    #expect(third.status == 0 && !third.errors.contains("(process"), "\(third.errors)")
  }

  @Test func theListSaysHowFarEachOneIs() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    func chat(_ lines: ArraySlice<String>) throws {
      let result = try household.run(
        "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName,
        typing: lines.map { $0 + "\n" }.joined())
      #expect(result.status == 0, "\(result.errors)")
    }
    func expectListed(_ state: String) throws {
      let list = try household.run("sessions").output
      #expect(list.contains("  \(state)  "), "\(list)")
    }
    try chat(Walkthrough.lines.prefix(2))
    try expectListed("2 turns")
    try chat(Walkthrough.lines.dropFirst(2).prefix(2))
    try expectListed("summary to confirm")
    try chat(Walkthrough.lines.dropFirst(4).prefix(1))
    try expectListed("first part done")
    #expect(try household.run("subscribe").status == 0)
    try chat(["how long should the first swim be?"])
    try expectListed("coaching, 6 turns")
  }

  @Test func theListCanBeCutAndSearched() throws {
    let household = try Household()
    let old = try keep(household, "my left knee hurts", age: 30 * 24 * Self.hour)
    let week = try keep(household, "a marathon in June", age: 6 * 24 * Self.hour)
    let new = try keep(household, "sleep better", age: Self.hour)
    func list(_ options: String...) throws -> [String] {
      ids(try household.run(["sessions", "list"] + options))
    }
    #expect(try list() == [new, week, old])
    #expect(try list("--limit", "2") == [new, week])
    #expect(try list("--since", "7d") == [new, week])
    #expect(try list("--since", "3h") == [new])
    #expect(try list("--since", "2020-02-29") == [new, week, old])
    #expect(try list("--search", "LEFT knee") == [old])
    #expect(try list("--search", "welcome", "--since", "1w", "--limit", "1") == [new])
    #expect(try list("--search", "burpees").isEmpty)
    for (option, value) in [("--since", "2026-02-30"), ("--since", "soon"), ("--limit", "0")] {
      #expect(try household.run("sessions", "list", option, value).status == 64)
    }
  }

  @Test func aProgramGetsOneObjectPerConversation() throws {
    let household = try Household()
    let id = try keep(household, "line\none", events: [.discoveryCompleted])
    let lines = try household.run("sessions", "--json").output.split(separator: "\n")
    let record = try JSONValue(parsing: String(#require(lines.first)))
    #expect(lines.count == 1 && record["id"]?.stringValue == id)
    #expect(record["phase"]?.stringValue == "paywall" && record["turns"]?.intValue == 1)
    #expect(record["firstWords"]?.stringValue == "line\none" && record["isRehearsal"] == false)
    let time = try #require(record["updatedAt"]?.stringValue)
    #expect(try #/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/#.wholeMatch(in: time) != nil, "\(time)")
    let none = try Household().run("sessions", "--json")
    #expect(none.output.isEmpty && none.status == 0)
  }

  @Test func aTerminalShowsTheConversationForReading() throws {
    let household = try Household()
    household.environment["TZ"] = "Asia/Tokyo"
    let id = try keep(household, "I want to *run*")
    let shown = try household.startOnTerminal("sessions", "show", id)
    #expect(try shown.expectExit() == 0)
    #expect(shown.screen.contains("\u{1B}[1mConversation \(id)\u{1B}[0m"), "\(shown.screen)")
    #expect(shown.screen.contains("\u{1B}[1mwelcome\u{1B}[0m"), "\(shown.screen)")
    #expect(!shown.screen.contains("**") && !shown.screen.contains("#"))
    let events = try SessionStore(path: household.store).events(of: SessionID(rawValue: id))
    let start = try #require(events.first?.at)
    let format = Date.FormatStyle(
      locale: Locale(identifier: "en_US"),
      timeZone: try #require(TimeZone(identifier: "Asia/Tokyo"))
    ).weekday(.wide).month(.wide).day().year()
    #expect(shown.screen.contains(start.formatted(format)), "\(shown.screen)")
    let list = try household.startOnTerminal("sessions")
    #expect(try list.expectExit() == 0)
    #expect(list.screen.contains(#/20\d\d-\d\d-\d\d \d\d:\d\d  /#))

    let piped = try household.run("sessions", "show", id).output
    #expect(piped.hasPrefix("# Conversation \(id)\n\nStarted 20") && piped.contains("Z\n"))
    #expect(piped.contains("**You:** I want to *run*\n") && !piped.contains("\u{1B}"))
    let json = try household.run("sessions", "show", id, "--json").output
    #expect(try JSONValue(parsing: json)["events"]?.arrayValue?.count == 3)
  }

  @Test func forgettingAsksOnATerminalAndNeedsAYesElsewhere() throws {
    let household = try Household()
    let id = try keep(household, "my secret plan")
    let refused = try household.run("sessions", "forget", id)
    #expect(refused.status == 64 && refused.errors.contains("--yes"), "\(refused.errors)")
    for (answer, words) in [
      ("n", "Nothing was deleted."), ("", "Nothing was deleted."), ("y", "is gone"),
    ] {
      let terminal = try household.startOnTerminal("sessions", "forget", String(id.prefix(5)))
      try terminal.expect("my secret plan")
      try terminal.expect("There's no undo.")
      try terminal.expect("[y/N]")
      terminal.type(answer + "\n")
      try terminal.expect(words)
      #expect(try terminal.expectExit() == 0)
    }
    #expect(try household.run("sessions").output.isEmpty)
    for file in try household.files() {
      #expect(file.bytes.firstRange(of: Data("secret".utf8)) == nil, "\(file.path)")
    }
  }

  @Test func pruningSaysWhatItDeletesFirst() throws {
    let household = try Household()
    let old = try keep(household, "an old one", age: 100 * 24 * Self.hour)
    let rehearsal = try keep(household, "only trying", age: 50 * 24 * Self.hour, isRehearsal: true)
    let new = try keep(household, "a new one")
    func prune(_ options: String...) throws -> RunResult {
      try household.run(["sessions", "prune"] + options)
    }
    #expect(try prune().status == 64)
    #expect(try prune("--older-than", "90d").status == 64)
    let dry = try prune("--older-than", "4w", "--dry-run")
    #expect(ids(dry) == [rehearsal, old] && dry.errors.contains("deletes 2 conversations"))
    #expect(try ids(household.run("sessions")) == [new, rehearsal, old])
    #expect(
      try prune("--rehearsals", "--older-than", "4w", "--yes").errors.contains("1 conversation"))
    #expect(try ids(household.run("sessions")) == [new, old])
    let terminal = try household.startOnTerminal("sessions", "prune", "--older-than", "90d")
    try terminal.expect("an old one")
    try terminal.expect("[y/N]")
    terminal.type("yes\n")
    try terminal.expect("Deleted 1 conversation.")
    #expect(try terminal.expectExit() == 0)
    #expect(try ids(household.run("sessions")) == [new])
    #expect(try prune("--older-than", "90d", "--yes").errors.contains("No conversation matches."))
  }
}
