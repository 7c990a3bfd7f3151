import CoachServer
import Commands
import Foundation
import Glibc
import HTTPStreaming
import Intake
import LanguageModels
import SessionStore
import Startup
import Synchronization
import Terminal
import TerminalTestSupport
import TestSupport
import Testing

@testable import rapport

/// The disk is full, or failing, at any moment of a conversation.
@Suite(.serialized, .integration)
struct StoreFaultTests {
  /// What a person or a program hears when the store fails.
  private func expectWarmRefusal(_ result: RunResult, at limit: Int) {
    #expect(result.status == 73, "\(limit): \(result.output)\(result.errors)")
    let heard = result.output + result.errors
    #expect(
      heard.contains("I couldn't save") || heard.contains("I can't open"), "\(limit): \(heard)")
  }

  private func walSize(_ model: CoachServer) throws -> Int {
    let household = try Household()
    let child = try household.start(
      "chat", "--json", "--base-url", model.baseURL, "--model", CoachServer.modelName)
    var open = Walkthrough.lines[...]
    while let line = child.readLine() {
      guard line.contains(#""type":"done""#) else { continue }
      guard let next = open.popFirst() else { break }
      child.write(next + "\n")
    }
    var status = stat()
    #expect(stat(household.store + "-wal", &status) == 0)
    child.closeInput()
    _ = child.wait()
    return Int(status.st_size)
  }

  @Test func aFileThatCannotGrowEndsTheChatHonestlyAndTheNextOneGoesOn() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let size = try walSize(model)
    var random = SeededGenerator(seed: 4)
    let rounds = Soak.rounds(6, soak: 200)
    var refused = 0
    for round in 0..<rounds {
      // Below 32 KiB there is no room for the index of the log either.
      let limit = round == 0 ? 4_096 : Int.random(in: 32_768...(size + 4_096), using: &random)
      let household = try Household()
      let cut = try Walkthrough.talk(household, model, fileLimit: limit)
      try Walkthrough.check(household, cut)
      if try !Walkthrough.isOver(household) {
        refused += 1
        expectWarmRefusal(cut.result, at: limit)
      }
      let whole = try Walkthrough.talk(household, model)
      #expect(whole.result.status == 0, "\(limit): \(whole.result.errors)")
      try Walkthrough.checkWhole(household)
    }
    #expect(refused > rounds / 2)
  }

  @Test func everyStepThatCannotBeStoredEndsTheChatAndIsTakenNextTime() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let folder = try Household()
    let whole = Rerun(folder, "whole.db", model)
    let count = try await whole.wholeConversation()
    for failing in 1...count {
      let rerun = Rerun(folder, "\(failing).db", model)
      let (ending, heard) = try await rerun.talk(failingAt: failing)
      #expect(ending == .failed(.cannotWrite), "append \(failing)")
      #expect(heard.contains("I couldn't save"), "append \(failing): \(heard)")
      #expect(try await rerun.talk(failingAt: nil).ending == .left)
      #expect(try rerun.kinds() == whole.kinds(), "append \(failing)")
    }
  }

  @Test func aFaultDuringAnInterruptIsNotHidden() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let rerun = Rerun(try Household(), "interrupted.db", model)
    let ending = try await rerun.talk(failingAt: 2, interruptedAtFirstWord: true).ending
    #expect(ending == .failed(.cannotWrite))
  }

  @Test(arguments: [
    ("not a database, but long enough to be one if its header said so", "is not a Rapport file"),
    ("SQLite format 3\u{0}" + String(repeating: "damaged ", count: 200), "other.db"),
  ])
  func aStoreThatIsNoneIsLeftAsItIs(content: String, words: String) throws {
    let household = try Household()
    try household.write(content, to: "other.db")
    for command in [["chat", "--message", "hi"], ["sessions"], ["profile"], ["subscribe"]] {
      let connection =
        command[0] == "chat" ? ["--base-url", "http://127.0.0.1:9/v1", "--model", "x"] : []
      let result = try household.run(
        command + connection + ["--store", household.folder + "/other.db"])
      #expect(result.status == 65, "\(command): \(result.errors)")
      #expect(result.errors.contains(words), "\(result.errors)")
    }
    #expect(
      try Data(contentsOf: URL(filePath: household.folder + "/other.db")) == Data(content.utf8))
  }

  @Test func aFolderThatCannotBeMadeIsSaid() throws {
    let household = try Household()
    try household.write("a file where the folder should be", to: ".local")
    let result = try household.run(
      "chat", "--base-url", "http://127.0.0.1:9/v1", "--model", "x", "--message", "hi")
    #expect(result.status == 73)
    #expect(result.errors.contains("I can't open"))
  }
}

/// The conversation in this process, on a store whose nth append fails.
private struct Rerun {
  let path: String
  let model: CoachServer

  init(_ household: Household, _ name: String, _ model: CoachServer) {
    path = household.folder + "/" + name
    self.model = model
  }

  private func session(_ store: SessionStore) throws -> SessionID {
    try store.latestSession() ?? store.createSession(at: Date(timeIntervalSince1970: 1_800_000_000))
  }

  func kinds() throws -> [IntakeEvent.Kind] {
    let store = try SessionStore(path: path)
    return try store.events(of: session(store)).compactMap(\.event?.kind)
  }

  /// How many appends the whole conversation takes.
  func wholeConversation() async throws -> Int {
    #expect(try await talk(failingAt: nil).ending == .left)
    return try kinds().count
  }

  func talk(
    failingAt nth: Int?, interruptedAtFirstWord: Bool = false
  ) async throws -> (ending: Conversation.Ending, heard: String) {
    let store = try SessionStore(path: path)
    let log = FaultyLog(store.log(for: try session(store)), failingAt: nth, path: path)
    let endpoint = ModelEndpoint(
      provider: "loopback", format: .openAI, baseURL: model.baseURL, apiKey: nil,
      model: CoachServer.modelName)
    let http = HTTPModel(endpoint, runtime: ModelRuntime(transport: HTTPClient()))
    let engine = try await IntakeEngine(
      log: log, models: ModelRoles(fast: http, coach: http, deep: http),
      pack: try PromptPack.embedded(), entitlements: StoredEntitlement(store: store),
      now: { Date(timeIntervalSince1970: 1_800_000_000) })
    let state = await engine.state
    let isEntitled = try store.entitlement() != nil
    let said = state.turns.count + (isEntitled ? 1 : 0)
    let terminal = ScriptedTerminal(typing: Array(Walkthrough.lines.dropFirst(said)))
    let interrupts = InterruptMonitor()
    let view = InterruptingView(
      ConversationView(
        terminal: terminal, rubric: try PromptPack.embedded().rubric, alphabet: .ascii),
      interrupts: interruptedAtFirstWord ? interrupts : nil)
    let conversation = Conversation(
      engine: engine, terminal: terminal, view: view, interrupts: interrupts, executor: nil,
      insight: nil, health: HealthFeed(engine: engine), forget: {}, recording: nil,
      explain: { ReportedFailure($0) })
    return (await conversation.run(), terminal.transcript)
  }
}

/// A log that stores everything but its nth append.
private final class FaultyLog: SessionLog {
  private let log: SQLiteSessionLog
  private let countdown: Mutex<Int?>
  private let path: String

  init(_ log: SQLiteSessionLog, failingAt nth: Int?, path: String) {
    self.log = log
    countdown = Mutex(nth)
    self.path = path
  }

  func events() throws -> [RecordedEvent] { try log.events() }

  func append(_ events: [EventEnvelope], at date: Date) throws -> [RecordedEvent] {
    let isFailing = countdown.withLock { countdown in
      countdown = countdown.map { $0 - 1 }
      return countdown == 0
    }
    if isFailing { throw StoreError(.cannotWrite, file: path, detail: "database or disk is full") }
    return try log.append(events, at: date)
  }
}

/// Presses Ctrl-C as soon as the first word is on the screen.
private struct InterruptingView: SessionView {
  let view: ConversationView
  let interrupts: InterruptMonitor?

  init(_ view: ConversationView, interrupts: InterruptMonitor?) {
    self.view = view
    self.interrupts = interrupts
  }

  func show(_ output: SessionOutput) {
    view.show(output)
    if case .delta = output { interrupts?.deliver(.interrupt) }
  }

  func note(_ notice: SessionOutput.Notice) { view.note(notice) }
  func heard() { view.heard() }
  func speak(_ texts: ScreenTexts) { view.speak(texts) }
}
