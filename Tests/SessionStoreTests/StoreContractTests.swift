import Foundation
import GRDB
import Glibc
import IncrementalJSON
import Intake
import Journeys
import SessionStore
import Synchronization
import TestSupport
import Testing

@testable import PostgresStore

/// What every store promises, whatever it keeps its conversations in.
@Suite(.serialized) struct StoreContractTests {
  private let noon = Date(timeIntervalSince1970: 1_800_000_000)

  private func said(_ turn: Int, _ text: String) -> IntakeEvent {
    .userSaid(UserTurn(turn: turn, text: text))
  }

  private func begin(
    _ store: any ConversationStore, saying text: String? = nil,
    source: ProfileSource? = nil
  ) async throws -> SessionID {
    let id = try await store.createSession(nil, at: noon)
    var start = SessionStart(pack: "fitness", packVersion: "1", rubricVersion: 1)
    start.source = source
    let log = store.log(for: id)
    _ = try await log.append([.started(start), .greeted(CoachReply(text: "Hello."))], at: noon)
    if let text { _ = try await log.append([said(1, text)], at: noon) }
    return id
  }

  private func contents(
    _ store: any ConversationStore, _ id: SessionID
  ) async throws -> [String] {
    try await store.events(of: id).compactMap { recorded in
      if case .userSaid(let turn) = recorded.event { turn.text } else { nil }
    }
  }

  // Events.

  @Test(arguments: StoreKind.tested)
  func anAppendedEventHasItsPlaceAndTime(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let stored = store.log(for: try await store.createSession(nil, at: noon))
    for log: any SessionLog in [InMemorySessionLog(), stored] {
      #expect(try await log.events().isEmpty)
      #expect(try await log.append([] as [EventEnvelope], at: noon).isEmpty)
      let first = try await log.append([said(1, "one"), said(2, "two")], at: noon)
      let second = try await log.append([.discoveryCompleted], at: noon.addingTimeInterval(1.25))
      #expect((first + second).map(\.position) == [1, 2, 3])
      #expect(try await log.events() == first + second)
    }
  }

  @Test(
    arguments: StoreKind.tested,
    [
      "Robert'); DROP TABLE events;--", "before\u{0}after", "🥗 é 你好 \u{202E}", "", "\u{1B}[2J",
      "\"quoted\"\\\n\r\t",
    ])
  func textIsKeptWhole(kind: StoreKind, text: String) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let id = try await begin(store, saying: text)
    #expect(
      try await contents(try await stores.open(), id).map { Array($0.unicodeScalars) }
        == [Array(text.unicodeScalars)])
  }

  @Test(arguments: StoreKind.tested)
  func anAppendThatWouldMixTwoWritersIsRefused(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let id = try await store.createSession(nil, at: noon)
    let (one, other) = (store.log(for: id), try await stores.open().log(for: id))
    _ = try await one.events()
    _ = try await other.events()
    _ = try await one.append([said(1, "mine")], at: noon)
    let refused = await code { _ = try await other.append([said(1, "theirs")], at: noon) }
    #expect(refused == .interleaved)
    #expect(try await contents(store, id) == ["mine"])
    _ = try await other.events()
    _ = try await other.append([said(2, "theirs")], at: noon)
    #expect(try await contents(store, id) == ["mine", "theirs"])
  }

  /// The losers read what was written in between and try again.
  @Test(arguments: StoreKind.tested)
  func racingAppendsLeaveNoGapAndNoDouble(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let (racers, each) = (5, Soak.rounds(20, soak: 2_000))
    let store = try await stores.open()
    let id = try await store.createSession(nil, at: noon)
    try await withThrowingTaskGroup { group in
      for racer in 0..<racers {
        let (store, at) = (try await stores.open(), noon)
        group.addTask {
          let log = store.log(for: id)
          for number in 0..<each {
            let event = IntakeEvent.userSaid(UserTurn(turn: 1, text: "\(racer)/\(number)"))
            while true {
              _ = try await log.events()
              do {
                _ = try await log.append([event], at: at)
                break
              } catch let error as StoreError where error.code == .interleaved {}
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let events = try await store.events(of: id)
    #expect(events.map(\.position) == Array(1...(racers * each)))
    #expect(Set(try await contents(store, id)).count == racers * each)
  }

  @Test(arguments: StoreKind.tested)
  func twoProcessesWriteToTheirSessionsSideBySide(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let both = [try await stores.open(), try await stores.open()]
    var ids: [SessionID] = []
    for store in both { ids.append(try await store.createSession(nil, at: noon)) }
    try await withThrowingTaskGroup { group in
      for (store, id) in zip(both, ids) {
        let at = noon
        group.addTask {
          let log = store.log(for: id)
          for turn in 1...200 {
            _ = try await log.append([.userSaid(UserTurn(turn: turn, text: "\(turn)"))], at: at)
          }
        }
      }
      try await group.waitForAll()
    }
    for id in ids { #expect(try await contents(both[0], id) == (1...200).map { "\($0)" }) }
  }

  @Test(arguments: StoreKind.tested)
  func aPayloadThatBreaksItsPromiseIsAnError(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let id = try await store.createSession(nil, at: noon)
    _ = try await store.log(for: id).append([.discoveryCompleted], at: noon)
    let sql = """
      INSERT INTO event VALUES ('\(id)', 2, 0, 'userSaid', '{"type":"userSaid","text":7}', 1
      """
    switch kind {
    case .sqlite:
      try await DatabaseQueue(path: stores.path).write { try $0.execute(sql: sql + ")") }
    case .postgres: try stores.link().script(sql + ", 0)")
    }
    let refused = await code { _ = try await store.events(of: id) }
    guard case .unreadableEvent(let session, let problem) = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(session == id.rawValue)
    #expect(problem.position == 2 && problem.field == "turn")
  }

  @Test(arguments: StoreKind.tested)
  func eventsAreNeverChangedOrRemoved(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let id = try await begin(store, saying: "one")
    for sql in ["UPDATE event SET json = '{}'", "DELETE FROM event"] {
      switch kind {
      case .sqlite:
        await #expect(throws: DatabaseError.self) {
          try await DatabaseQueue(path: stores.path).write { try $0.execute(sql: sql) }
        }
      case .postgres:
        #expect(throws: (any Error).self) { try stores.link().script(sql) }
        #expect(throws: (any Error).self) { try stores.link().script("TRUNCATE event") }
      }
    }
    #expect(try await store.events(of: id).count == 3)
  }

  // Opening.

  @Test(arguments: StoreKind.tested)
  func aNewStoreCanBeMadeByManyAtOnce(kind: StoreKind) async throws {
    for _ in 0..<5 {
      let stores = try TestStores(kind)
      try await withThrowingTaskGroup { group in
        for _ in 0..<8 { group.addTask { _ = try await stores.open() } }
        try await group.waitForAll()
      }
      #expect(try await stores.open().sessions().isEmpty)
    }
  }

  @Test(arguments: StoreKind.tested)
  func aNewerFormatIsNamedAndNotWritten(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    _ = try await stores.open()
    switch kind {
    case .sqlite:
      try await DatabaseQueue(path: stores.path).write {
        try $0.execute(sql: "PRAGMA user_version = 70")
      }
    case .postgres: try stores.link().script("UPDATE format SET version = 70")
    }
    let refused = await code { _ = try await stores.open() }
    guard case .newerVersion(found: 70, known: _) = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
  }

  // Writers.

  @Test(arguments: StoreKind.tested)
  func aConversationHasOneWriterWhoIsNamed(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let (store, other) = (try await stores.open(), try await stores.open())
    let id = try await store.createSession(nil, at: noon)
    var writer: SessionWriter? = try await store.acquireWriter(of: id)
    for held in [store, other] {
      #expect(await holder(of: id, held) == getpid())
    }
    let another = try await other.createSession(nil, at: noon)
    _ = try await other.acquireWriter(of: another)
    #expect(writer != nil)
    writer = nil
    writer = try await store.acquireWriter(of: id)
    #expect(await holder(of: id, other) == getpid())
    withExtendedLifetime(writer) {}
  }

  private func holder(of id: SessionID, _ store: any ConversationStore) async -> Int32? {
    let refused = await code { _ = try await store.acquireWriter(of: id) }
    if case .sessionHeld(let holder) = refused { return holder.process }
    return nil
  }

  @Test(arguments: StoreKind.tested)
  func whoeverWaitsLearnsThatTheWriterLeft(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let (store, other) = (try await stores.open(), try await stores.open())
    let id = try await store.createSession(nil, at: noon)
    let writer = Holding(try await store.acquireWriter(of: id))
    let waiting = Task {
      while true {
        do { return try await other.acquireWriter(of: id) } catch let error as StoreError {
          guard case .sessionHeld = error.code else { throw error }
          try await other.waitForWriter(of: id, atMost: .seconds(1))
        }
      }
    }
    writer.letGo()
    _ = try await waiting.value
    let cancelled = Task { try await other.waitForWriter(of: id, atMost: .seconds(60)) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  // Lists.

  @Test(arguments: StoreKind.tested)
  func aConversationIsFoundByTheStartOfItsID(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    for name in ["abcd2345", "abcd9999", "xyz"] {
      _ = try await store.createSession(SessionID(rawValue: name), at: noon)
    }
    _ = try await store.createSession(SessionID(rawValue: "xyz"), at: noon.addingTimeInterval(9))
    #expect(try await store.sessions().count == 3, "naming it again creates nothing")
    #expect(try await store.session(matching: "ABCD2").rawValue == "abcd2345")
    let ambiguous = await code { _ = try await store.session(matching: "ab") }
    #expect(ambiguous == .ambiguousSession("ab"))
    let unknown = await code { _ = try await store.session(matching: "q") }
    #expect(unknown == .noSuchSession("q"))
    #expect(try await store.contains(SessionID(rawValue: "xyz")))
    #expect(try await !store.contains(SessionID(rawValue: "x\u{0}yz")))
  }

  @Test(arguments: StoreKind.tested)
  func aJourneyIsUsedOnceSomethingIsAnswered(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let id = try await store.createSession(nil, at: noon)
    func add(_ members: JSONValue) async throws {
      let event = EventEnvelope(
        kind: try #require(members["type"]?.stringValue), version: 1, json: members.serialized())
      _ = try await store.log(for: id).append([event], at: noon)
    }
    try await add([
      "type": "journeyStarted", "journey": "trainer", "version": 1, "pack": "fitness",
      "units": "metric", "timeZone": "Europe/Berlin",
    ])
    #expect(try await store.sessions().map(\.isUnused) == [true])
    for (step, label) in [("age", "35"), ("age", "36"), ("sleep", #""step":"7""#)] {
      try await add([
        "type": "journeyAnswered", "step": .string(step), "value": .string(label),
        "wording": "?", "label": .string(label), "isOwn": true,
      ])
    }
    let listed = try #require(try await store.sessions().first)
    #expect(!listed.isUnused && listed.turns == 0)
    #expect(listed.journey == "trainer" && listed.answers == 2)
  }

  @Test(arguments: StoreKind.tested)
  func theLatestConversationComesFirstWithItsStage(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let (early, late) = (try await begin(store, saying: "early"), try await begin(store))
    let rehearsed = try await begin(store, saying: "just trying", source: .rehearsal)
    _ = try await store.log(for: early).append(
      [.discoveryCompleted], at: noon.addingTimeInterval(60))
    _ = try await store.log(for: rehearsed).append(
      [.discoveryCompleted], at: noon.addingTimeInterval(30))
    let listed = try await store.sessions()
    #expect(listed.map(\.id) == [early, rehearsed, late])
    #expect(listed.map(\.stage) == [.paywall, .paywall, .discovery])
    #expect(listed.map(\.turns) == [1, 1, 0])
    #expect(listed.map(\.isUnused) == [false, false, true])
    #expect(listed.map(\.isRehearsal) == [false, true, false])
    #expect(listed.map(\.firstWords) == ["early", "just trying", ""])
    #expect(listed[0].updated == noon.addingTimeInterval(60) && listed[0].created == noon)
    #expect(try await store.latestSession() == early)
    #expect(try await store.latestSession(isRehearsal: true) == rehearsed)
    #expect(try await store.finishedDiscovery() == early)
  }

  @Test(arguments: StoreKind.tested)
  func aRehearsalUsesUpNoDiscovery(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let rehearsed = try await begin(store, source: .rehearsal)
    _ = try await store.log(for: rehearsed).append([.discoveryCompleted], at: noon)
    #expect(try await !store.hasFinishedDiscovery())
    _ = try await store.log(for: try await begin(store)).append([.discoveryCompleted], at: noon)
    #expect(try await store.hasFinishedDiscovery())
  }

  @Test(arguments: StoreKind.tested)
  func aSearchFindsWordsOfBothSidesInAnyCase(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let one = try await begin(store, saying: "My KNÄCKEBROT habit")
    let two = try await begin(store, saying: "100% sure")
    #expect(try await store.sessions(mentioning: "knäckebrot") == [one])
    #expect(try await store.sessions(mentioning: "hello") == [one, two])
    #expect(try await store.sessions(mentioning: "0%") == [two])
    #expect(try await store.sessions(mentioning: "fitness").isEmpty, "the program recorded that")
  }

  // Deleting.

  @Test(arguments: StoreKind.tested)
  func forgettingTakesAllOrNothingAndKeepsThatADiscoveryWasUsed(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    var ids: [SessionID] = []
    for number in 0..<3 { ids.append(try await begin(store, saying: "secret \(number)")) }
    _ = try await store.log(for: ids[0]).append([.discoveryCompleted], at: noon)
    let missing = SessionID(rawValue: "missing")
    let refused = await code { try await store.forget([ids[0], missing], givesSpaceBack: false) }
    #expect(refused == .noSuchSession("missing"))
    #expect(try await store.sessions().count == 3)
    try await store.forget([ids[0], ids[2]], givesSpaceBack: true)
    #expect(try await store.sessions().map(\.id) == [ids[1]])
    #expect(try await store.events(of: ids[0]).isEmpty)
    #expect(try await store.hasFinishedDiscovery(), "no second free discovery")
  }

  @Test(arguments: StoreKind.tested)
  func aForgottenConversationTakesNoMoreWords(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let id = try await begin(store, saying: "secret")
    let log = store.log(for: id)
    _ = try await log.events()
    try await store.forget([id], givesSpaceBack: false)
    await #expect(throws: StoreError.self) { try await log.append([said(2, "late")], at: noon) }
    #expect(try await store.events(of: id).isEmpty)
  }

  @Test(arguments: StoreKind.tested)
  func aSessionWithoutAWordGoesAfterADay(kind: StoreKind) async throws {
    let stores = try TestStores(kind)
    let store = try await stores.open()
    let empty = try await store.createSession(nil, at: noon)
    let (greeted, used) = (try await begin(store), try await begin(store, saying: "hi"))
    #expect(try await store.sessions().filter(\.isUnused).count == 2)
    #expect(try await store.latestSession() == used)
    try await store.tidy(at: noon.addingTimeInterval(86_399), keeping: nil)
    #expect(try await store.sessions().count == 3)
    try await store.tidy(at: noon.addingTimeInterval(86_401), keeping: empty)
    #expect(try await Set(store.sessions().map(\.id)) == [empty, used])
    #expect(try await store.events(of: greeted).isEmpty)
    let writer = try await store.acquireWriter(of: empty)
    try await store.tidy(at: noon.addingTimeInterval(90_000), keeping: nil)
    #expect(try await store.sessions().count == 2, "somebody has it open")
    withExtendedLifetime(writer) {}
  }
}

/// Something that is let go of at a chosen moment.
private final class Holding<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: Value) { self.value = Mutex(value) }

  func letGo() { value.withLock { $0 = nil } }
}
