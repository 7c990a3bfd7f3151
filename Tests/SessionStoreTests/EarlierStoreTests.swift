import ContextQuality
import Foundation
import GRDB
import IncrementalJSON
import Intake
import IntakeTestSupport
import LanguageModels
import Rehearsal
import SessionStore
import TestSupport
import Testing

/// Stores that an earlier build wrote: each opens, means the same, and can be carried on.
@Suite(.serialized)
struct EarlierStoreTests {
  /// What the earlier build made of a store.
  struct Entry: Decodable, CustomTestStringConvertible {
    var name: String
    var phase: String
    var events: Int
    var last: String
    /// Whether a rehearsal coach held the session.
    var isRehearsal: Bool
    /// The step that came next, and the component that a question was about.
    var step: String
    var asks: String?
    /// The events that were stored when the session was opened again.
    var resumed: [String]
    /// The last scores, in ten-thousandths, and the component they were lowest in.
    var points: Int?
    var weakest: String?

    var testDescription: String { name }
  }

  private static let folder = Fixtures.root.appending(path: "Fixtures/stores")
  static let entries = Result {
    try JSONDecoder().decode(
      [Entry].self, from: Data(contentsOf: folder.appending(path: "manifest.json")))
  }

  private func withStore<Value>(
    _ entry: Entry, _ work: (SessionStore) async throws -> Value
  ) async throws -> Value {
    let copies = FileManager.default.temporaryDirectory
      .appending(path: "rapport-earlier-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: copies) }
    let store = copies.appending(path: "rapport.db")
    try write(entry.name, to: store)
    return try await work(try SessionStore(path: store.path))
  }

  /// What each store held besides its schema.
  private static let contents = Result {
    try Data(contentsOf: folder.appending(path: "sessions.jsonl")).split(separator: 0x0A)
      .map { try JSONValue(parsing: $0) }
  }

  /// Makes a store of format 1: with the schema of `discovering.db`, which is kept as it was written.
  private func write(_ name: String, to file: URL) throws {
    let contents = try #require(try Self.contents.get().first { $0["name"]?.stringValue == name })
    try FileManager.default.copyItem(at: Self.folder.appending(path: "discovering.db"), to: file)
    try DatabaseQueue(path: file.path).write { database in
      // Only what is being forgotten can be deleted.
      try database.execute(
        sql: """
          INSERT INTO forgetting SELECT id FROM session;
          DELETE FROM event; DELETE FROM discovery; DELETE FROM session; DELETE FROM forgetting;
          """)
      let session = contents["session"]?.stringValue
      try database.execute(
        sql: "INSERT INTO session VALUES (?, ?)",
        arguments: [session, contents["createdAt"]?.intValue])
      for (position, event) in zip(1..., contents["events"]?.arrayValue ?? []) {
        try database.execute(
          sql: "INSERT INTO event VALUES (?, ?, ?, ?, ?)",
          arguments: [
            session, position, event["at"]?.intValue, event["kind"]?.stringValue,
            event["json"]?.serialized(),
          ])
      }
      if contents["isDiscovered"] != nil {
        try database.execute(sql: "INSERT INTO discovery VALUES (?)", arguments: [session])
      }
      if let entitlement = contents["entitlement"] {
        try database.execute(
          sql: "INSERT INTO entitlement VALUES (1, ?, ?)",
          arguments: [entitlement["source"]?.stringValue, entitlement["grantedAt"]?.intValue])
      }
    }
  }

  private func fold(_ events: some Sequence<RecordedEvent>) throws -> IntakeState {
    try ScriptedSession.pack.get().state(after: Array(events))
  }

  /// An engine on a stored session, right after its last event.
  private func engine(_ store: SessionStore, _ entry: Entry) async throws -> IntakeEngine {
    let session = try #require(try store.sessions().first?.id)
    let last = try #require(try store.events(of: session).last?.at)
    let clock = TestClock(last.timeIntervalSince1970)
    let model = ScriptedCoach(UsualConversation.script)
    return try await IntakeEngine(
      log: store.log(for: session),
      coach: entry.isRehearsal ? .rehearsal : .models(ModelRoles(all: model)),
      pack: try ScriptedSession.pack.get(), entitlements: StoredEntitlement(store: store),
      now: { clock.now() })
  }

  @Test func everyStoreIsInTheManifest() throws {
    let names = try Self.contents.get().map { $0["name"]?.stringValue }
    #expect(names == (try Self.entries.get()).map(\.name))
    #expect(names.count >= 40)
  }

  /// The file as that build wrote it, and the same store from its text.
  @Test func theTextHoldsWhatTheStoreHeld() throws {
    let name = "discovering"
    let copy = FileManager.default.temporaryDirectory
      .appending(path: "rapport-earlier-\(UUID().uuidString).db")
    defer { try? FileManager.default.removeItem(at: copy) }
    try FileManager.default.copyItem(at: Self.folder.appending(path: name + ".db"), to: copy)
    let rows = try DatabaseQueue(path: copy.path).read { database in
      try Row.fetchAll(database, sql: "SELECT at_ms, kind, json FROM event ORDER BY position")
    }
    let contents = try #require(try Self.contents.get().first { $0["name"]?.stringValue == name })
    let events = contents["events"]?.arrayValue ?? []
    #expect(rows.map { $0["at_ms"] as Int } == events.map { $0["at"]?.intValue })
    #expect(rows.map { $0["kind"] as String } == events.map { $0["kind"]?.stringValue })
    #expect(
      try rows.map { try JSONValue(parsing: $0["json"] as String) } == events.map { $0["json"] })
  }

  @Test func eachMeansWhatItMeantToTheBuildThatWroteIt() async throws {
    var phases: Set<Phase.Name> = []
    for entry in try Self.entries.get() {
      let events = try await withStore(entry) { store in
        try store.events(of: try #require(try store.sessions().first?.id))
      }
      let comment = Comment(rawValue: entry.name)
      #expect(events.count == entry.events, comment)
      #expect(events.last?.event?.kind.rawValue == entry.last, comment)
      let state = try fold(events)
      phases.insert(state.phase.name)
      #expect(state.unexpected.isEmpty, comment)
      #expect(state.shownPhase.rawValue == entry.phase, comment)
      let step = state.nextStep(IntakeSettings())
      #expect(step.name == entry.step && step.component == entry.asks, comment)
      if let end = events.lastIndex(where: { $0.event?.kind == .scored }) {
        let scored = try fold(events[...end])
        let scores = scored.components()
        #expect(scores.points == entry.points, comment)
        #expect(scores.weakest(excluding: scored.closed).first?.name == entry.weakest, comment)
      }
    }
    #expect(phases == Set(Phase.Name.allCases))
  }

  /// The list of sessions reads kinds of events only, and no payload.
  @Test func eachIsListedWithItsStage() async throws {
    for entry in try Self.entries.get() {
      let (summary, events) = try await withStore(entry) { store in
        let summary = try #require(try store.sessions().first)
        return (summary, try store.events(of: summary.id))
      }
      let stage: SessionSummary.Stage =
        switch try fold(events).phase.name {
        case .greeting, .discovering, .offering, .askingForMeasurements: .discovery
        case .confirming: .confirmation
        case .atPaywall: .paywall
        case .coaching: .coaching
        }
      #expect(summary.stage == stage, "\(entry.name)")
      #expect(summary.isRehearsal == entry.isRehearsal, "\(entry.name)")
      #expect(summary.isUnused == (summary.turns == 0), "\(entry.name)")
    }
  }

  @Test func eachResumesAsItDid() async throws {
    for entry in try Self.entries.get() {
      try await withStore(entry) { store in
        let engine = try await engine(store, entry)
        try await engine.open { _ in }
        let session = try #require(try store.sessions().first?.id)
        let added = try store.events(of: session).dropFirst(entry.events)
        #expect(added.map(\.event?.kind.rawValue) == entry.resumed, "\(entry.name)")
      }
    }
  }

  @Test func eachCanBeCarriedOnToTheEnd() async throws {
    for entry in try Self.entries.get() {
      try await withStore(entry) { store in
        let engine = try await engine(store, entry)
        try await engine.open { _ in }
        for _ in 0..<30 where await !engine.state.wasCoached { try await goOn(engine) }
        try await engine.say("and what about tomorrow?") { _ in }
        let state = await engine.state
        #expect(state.wasCoached && state.nextStep(IntakeSettings()) == .awaitUser, "\(entry.name)")
        #expect(state.unexpected.isEmpty, "\(entry.name): \(state.unexpected)")
      }
    }
  }

  /// What somebody says who wants to get to the coaching.
  private func goOn(_ engine: IntakeEngine) async throws {
    let state = await engine.state
    switch state.phase.name {
    case .greeting: try await engine.say(UsualConversation.first) { _ in }
    case _ where state.isMinor: try await engine.say("sorry, I'm 34") { _ in }
    case .discovering: try await engine.say("it's hard to put in words, honestly") { _ in }
    case .askingForMeasurements: try await engine.say("skip") { _ in }
    case .offering, .confirming: try await engine.say("let's go") { _ in }
    case .atPaywall: try await engine.continueAfterPaywall { _ in }
    case .coaching: try await engine.say("thanks, that helps") { _ in }
    }
  }
}

extension IntakeStep {
  /// The case, without what it carries.
  fileprivate var name: String { "\(self)".split(separator: "(").first.map(String.init) ?? "" }

  fileprivate var component: String? {
    if case .ask(let plan) = self { plan.component } else { nil }
  }
}
