import CoachServer
import Foundation
import Glibc
import IncrementalJSON
import Intake
import SessionStore
import TestSupport
import Testing

/// `rapport chat --offline` through the built program.
@Suite(.serialized, .integration)
struct OfflineChatTests {
  @Test func aWholeConversationWithoutAKeyANetworkOrASocket() throws {
    let server = try LoopbackServer { try $0.respond(body: "{}") }
    defer { server.stop() }
    let household = try Household()
    household.environment.merge([
      "RAPPORT_BASE_URL": server.url("/v1"), "RAPPORT_MODEL": "some-model",
      "OPENAI_API_KEY": "sk-test-canary-abcdefghijkl", "HTTPS_PROXY": "http://127.0.0.1:9",
      "ALL_PROXY": "http://127.0.0.1:9",
    ]) { $1 }
    // Read, these would be complained of.
    try household.write("{ no credentials", to: ".config/rapport/credentials.json")
    let talk = try OfflineTalk(household)
    try talk.finish(TalkativeUser.lines)
    #expect(talk.sockets == [], "no descriptor reaches a network")
    let result = talk.end()
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(server.connections.value == 0)
    #expect(talk.records.count { $0["discovery_complete"]?.boolValue == true } == 1)
    #expect(talk.records.first?["code"]?.stringValue == "rehearsal")
    #expect(talk.records.last?["phase"]?.stringValue == "coaching")
    let kinds = Set(talk.records.compactMap { $0["type"]?.stringValue })
    #expect(kinds.isDisjoint(with: ["waiting", "delta"]))
    #expect(!result.output.contains("canary"))

    let profile = try household.run("profile", "--json").output
    #expect(try JSONValue(parsing: profile)["source"]?.stringValue == "rehearsal")
    try household.write(profile, to: "profile.json")
    let check = try household.run("profile", "--validate", "profile.json")
    #expect(check.status == 0, "\(check.errors)")
    #expect(try household.run("profile").output.contains("no model was involved"))
    #expect(try household.run("sessions").output.contains("(rehearsal)"))
  }

  /// What a rehearsal says to lines over `--json`.
  private func records(_ lines: String...) throws -> [JSONValue] {
    let result = try Household().run(
      ["chat", "--offline", "--json"], typing: lines.map { $0 + "\n" }.joined())
    #expect(result.status == 0, "\(result.errors)")
    return try result.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }

  @Test(arguments: [
    "/done", "enough questions now, I want to see my plan",
    "no more questions, just give me the plan",
  ])
  func theQuestionsEndWhenThePersonSaysSo(ending: String) throws {
    let records = try records("I want to run a 10k by June", ending)
    let messages = records.filter { $0["type"]?.stringValue == "message" }
    let purposes = messages.suffix(2).compactMap { $0["purpose"]?.stringValue }
    #expect(purposes == ["summary", "confirmation"])
    let question = messages.last?["text"]?.stringValue ?? ""
    #expect(question.hasPrefix("I don't know this yet, so I left it open:"), "\(question)")
    #expect(records.last?["phase"]?.stringValue == "confirmation")
  }

  @Test func aRehearsalSaysThatItReadsOnlyEnglish() throws {
    let records = try records("Quiero adelgazar, pero tengo poco tiempo", "y duermo mal")
    let notices = records.filter { $0["code"]?.stringValue == "rehearsal-language" }
    #expect(notices.count == 1)
    #expect(notices.first?["text"]?.stringValue?.hasPrefix("Esto es un ensayo") == true)
  }

  @Test(arguments: [TalkativeUser.lines] + Strangers.all.map(\.lines))
  func aRecordedRehearsalScoresAsItDidLive(lines: [String]) throws {
    let household = try Household()
    let talk = try OfflineTalk(household)
    try talk.finish(lines)
    #expect(talk.end().status == 0)
    let scorings = try Walkthrough.events(household).compactMap { recorded in
      if case .scored(let scoring) = recorded.event { scoring } else { nil }
    }
    #expect(scorings.count >= 2)
    let export = try household.run("sessions", "export", "--format", "jsonl").output
    let live = try JSONValue(parsing: export)
    let record = try JSONValue(
      parsing: household.run(["score", "--scorer", "encoder", "-"], typing: export).output)
    let turns = record["turns"]?.arrayValue?.compactMap { $0["overall"]?.doubleValue } ?? []
    // A conversation also refuses what is no evidence, such as a question to the coach.
    let refused = Set(scorings.filter { !$0.dropped.isEmpty }.flatMap(\.turns))
    let kept = Self.evidence(in: live)
    let read = Self.evidence(in: record).filter { name, _ in
      kept[name] != nil
        || !refused.contains(record["facets"]?[name]?["turn"]?.intValue ?? 0)
    }
    // The rehearsal's own rules add the reason for a goal, and leave out what only says by when.
    let ruled = Set(kept.keys).symmetricDifference(read.keys)
    #expect(ruled.isSubset(of: ["goalClarity.motive", "exercisePreferences.dislikes"]))
    #expect(read.filter { !ruled.contains($0.key) } == kept.filter { !ruled.contains($0.key) })
    for scoring in scorings where ruled.isEmpty {
      let turn = try #require(scoring.turns.last)
      guard turn < refused.min() ?? .max else { break }
      #expect(turns[turn - 1] == Double(scoring.points) / 10_000, "turn \(turn)")
    }
    // The rehearsal quotes the reason for a goal without the goal.
    for (name, facet) in live["facets"]?.objectValue ?? [:] where !ruled.contains(name) {
      // Of several pieces, the session tells the newest.
      if facet["pieces"] != nil { continue }
      let quote = try #require(facet["quote"]?.stringValue)
      #expect(record["facets"]?[name]?["quote"]?.stringValue?.contains(quote) == true, "\(name)")
    }
  }

  /// Each facet's turn and withdrawal, without how sure the scorer is of it.
  private static func evidence(in record: JSONValue) -> [String: [JSONValue?]] {
    var found: [String: [JSONValue?]] = [:]
    for (name, facet) in record["facets"]?.objectValue ?? [:] {
      found[name] = [facet["turn"], facet["until"]]
    }
    return found
  }

  @Test func killedAtAnyMomentItGoesOnWithoutLosingAWord() throws {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<15 {
      let household = try Household()
      for _ in 0..<3 {
        let talk = try OfflineTalk(household)
        // A rehearsal of these lines writes about so many.
        talk.die(ChildProcess.Fall(within: 30, using: &random))
        try? talk.finish(TalkativeUser.lines)
        _ = talk.end()
      }
      let talk = try OfflineTalk(household)
      try talk.finish(TalkativeUser.lines)
      #expect(talk.end().status == 0)
      let events = try Walkthrough.events(household)
      #expect(events.map(\.position) == events.indices.map { $0 + 1 })
      for once: IntakeEvent.Kind in [.started, .greeted, .discoveryCompleted, .entitled] {
        #expect(events.count { $0.event?.kind == once } == 1, "\(once)")
      }
      let said = events.compactMap { event in
        if case .userSaid(let turn) = event.event { turn.text } else { nil }
      }
      #expect(
        Set(said).intersection(TalkativeUser.lines).count
          == said.count { TalkativeUser.lines.contains($0) })
    }
  }

  @Test(arguments: [
    ["--model", "x"], ["--base-url", "http://localhost:1/v1"], ["--provider", "openai"],
    ["--model-deep", "x"], ["--ca-file", "/x"],
  ])
  func optionsForAModelAreRefusedBesideIt(options: [String]) throws {
    let result = try Household().run(["chat", "--offline"] + options, typing: "hi\n")
    #expect(result.status == 64)
    #expect(
      result.errors.contains("--offline rehearses without a model, but \(options[0]) sets one up"))
    #expect(result.output.isEmpty)
  }

  @Test func aPackWithoutAQuestionBankIsRefusedInWords() throws {
    let household = try Household()
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Prompts/fitness").standardizedFileURL
    let mine = household.folder + "/mine"
    try FileManager.default.copyItem(atPath: source.path, toPath: mine)
    #expect(try household.run("chat", "--offline", "--prompts", "mine", typing: "hi\n").status == 0)
    try FileManager.default.removeItem(atPath: mine + "/rehearsal")
    let result = try household.run(
      "chat", "--offline", "--new", "--prompts", "mine", typing: "hi\n")
    #expect(result.status == 65)
    #expect(result.errors.contains("without a question bank this pack cannot rehearse"))
  }

  @Test func rehearsalsAndConversationsWithAModelAreKeptApart() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let withModel = ["chat", "--base-url", model.baseURL, "--model", CoachServer.modelName]
    _ = try household.run(withModel, typing: "I want to talk with a model\n")
    let talk = try OfflineTalk(household)
    try talk.finish(TalkativeUser.lines)
    _ = talk.end()
    let store = try SessionStore(path: household.store)
    let sessions = try store.sessions()
    #expect(sessions.map(\.isRehearsal).sorted { !$0 && $1 } == [false, true])
    #expect(try store.entitlement() == nil, "a rehearsal buys nothing")
    #expect(try !store.hasFinishedDiscovery(), "and uses up no first conversation")

    let again = try household.run(withModel + ["--json"], typing: "")
    #expect(again.output.contains(#""type":"resumed""#), "the model's own conversation goes on")
    let rehearsal = try #require(sessions.first { $0.isRehearsal }).id.rawValue
    let real = try #require(sessions.first { !$0.isRehearsal }).id.rawValue
    let taken = try household.run(withModel + ["--session", rehearsal], typing: "hi\n")
    #expect(taken.status == 64)
    #expect(taken.errors.contains("rapport chat --offline --session \(rehearsal)"))
    let replaced = try household.run("chat", "--offline", "--session", real, typing: "hi\n")
    #expect(replaced.status == 64)
    #expect(replaced.errors.contains("rapport chat --session \(real)"))
  }

  @Test func thoseWithoutAKeyCanChooseItInTheSetupPrompt() throws {
    let household = try Household()
    let terminal = try household.startOnTerminal("chat", setting: ["TERM": "dumb"])
    try terminal.expect("[4] none yet: rehearse without a model")
    try terminal.expect("1, 2, 3 or 4:")
    terminal.type("4\r")
    try terminal.expect("This is a rehearsal: there's no language model behind me")
    try terminal.expect("You")
    terminal.type("I want to run a 10k\r")
    try terminal.expect("Coach")
    try terminal.expect("You")
    terminal.type("\u{4}")
    try terminal.expect("`rapport chat --offline` picks up where we left off")
    #expect(try terminal.expectExit() == 0)
    #expect(!FileManager.default.fileExists(atPath: household.credentials))
    let none = try Household().run("chat", typing: "hi\n")
    #expect(none.status == 78 && none.errors.contains("add --offline"))
  }

  @Test(arguments: Strangers.all)
  func aStrangerHasASensibleConversationOfSixTurns(stranger: Stranger) throws {
    let household = try Household()
    let result = try household.run(
      ["chat", "--offline", "--json"], typing: stranger.lines.map { $0 + "\n" }.joined())
    #expect(result.status == 0, "\(result.errors)")
    let records = try result.output.split(separator: "\n").map {
      try JSONValue(parsing: String($0))
    }
    #expect(records.count { $0["type"]?.stringValue == "done" } == stranger.lines.count + 1)
    let said = records.filter { $0["type"]?.stringValue == "message" }
      .filter { $0["purpose"]?.stringValue != "confirmation" }
      .compactMap { $0["text"]?.stringValue }
    #expect(said.count > stranger.lines.count)
    #expect(Set(said).count == said.count, "nothing is said twice: \(said)")
    for text in said {
      #expect(!text.contains("{") && !text.contains("  ") && !text.isEmpty, "\(text)")
      #expect(text.first?.isUppercase == true || text.hasPrefix("\u{201C}"), "\(text)")
    }
    if let care = stranger.care { #expect(said.contains { $0.contains(care) }, "\(said)") }
    if stranger.tellsNothing {
      let scores = records.compactMap { $0["overall"]?.doubleValue }
      #expect(scores.allSatisfy { $0 < 0.3 }, "\(scores)")
    }
  }
}

/// A rehearsal line by line, going on wherever it stopped.
final class OfflineTalk {
  private let child: ChildProcess
  private let household: Household
  private(set) var records: [JSONValue] = []
  private(set) var sockets: [String] = []
  private var output = ""

  func die(_ fall: ChildProcess.Fall) { child.die(fall) }

  init(_ household: Household) throws {
    self.household = household
    child = try household.start(["chat", "--offline", "--json"])
  }

  /// Says what was not said yet, takes every offer, pays, and asks one thing more.
  func finish(_ lines: [String]) throws {
    guard readPass() else { return }
    var rest = lines.filter { line in (try? said().contains(line)) != true }[...]
    for _ in 0..<30 {
      let next: String
      switch records.last?["phase"]?.stringValue {
      case "offer": next = "1"
      case "confirmation": next = "let's go"
      case "paywall": next = "1"
      case "coaching":
        if try said().contains("what now?") { return }
        next = "what now?"
      default: next = rest.popFirst() ?? "skip"
      }
      guard child.write(next + "\n"), readPass() else { return }
      noteSockets()
    }
  }

  private func said() throws -> [String] {
    try Walkthrough.events(household).compactMap { event in
      if case .userSaid(let turn) = event.event { turn.text } else { nil }
    }
  }

  private func readPass() -> Bool {
    while let line = child.readLine() {
      output += line + "\n"
      guard let record = try? JSONValue(parsing: line) else { continue }
      records.append(record)
      if record["type"]?.stringValue == "done" { return true }
    }
    return false
  }

  private func noteSockets() {
    // What this process has open can have been inherited.
    let own = Set(Self.networkSockets(of: getpid()))
    sockets += Self.networkSockets(of: child.pid).filter { !own.contains($0) }
  }

  /// Connections that are open or being opened, and anything that speaks UDP.
  private static func networkSockets(of process: pid_t) -> [String] {
    let folder = "/proc/\(process)/fd"
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let live = Set(
      rows("tcp").filter { ["01", "02"].contains($0[3]) }.map { $0[9] } + rows("udp").map { $0[9] })
    return descriptors.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }.filter { $0.hasPrefix("socket:[") && live.contains(String($0.dropFirst(8).dropLast())) }
  }

  private static func rows(_ table: String) -> [[String]] {
    [table, table + "6"].flatMap { name in
      let text = (try? String(contentsOfFile: "/proc/net/\(name)", encoding: .utf8)) ?? ""
      return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        .filter { $0.count > 9 }
    }
  }

  func end() -> RunResult {
    child.closeInput()
    output += child.readRest()
    return RunResult(output: output, errors: child.readErrors(), status: child.wait())
  }
}
