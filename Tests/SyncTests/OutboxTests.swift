import Foundation
import IncrementalJSON
import SessionStore
import SupabaseTestSupport
import TestSupport
import Testing

struct OutboxTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let start = Date(timeIntervalSince1970: 1_767_600_000)

  private func goal(_ text: String, id: String = "main", session: SessionID? = nil) -> OutboxRow {
    OutboxRow(table: "goals", id: id, columns: ["primary": .string(text)], session: session)
  }

  @Test func aRowWaitsOnceAndTheNewestVersionOfIt() throws {
    let outbox = Outbox(store: try SessionStore(path: folder.path("outbox.db")))
    #expect(try outbox.put(goal("one"), at: Self.start))
    #expect(try !outbox.put(goal("one"), at: Self.start + 5))
    #expect(try outbox.put(goal("two"), at: Self.start + 10))
    let entries = try outbox.entries()
    #expect(entries.map(\.row.columns) == [["primary": "two"]])
    #expect(entries.map(\.changedAt) == [Self.start + 10])
  }

  @Test func aClockThatWasSetBackDoesNotMakeAChangeOlder() throws {
    let outbox = Outbox(store: try SessionStore(path: folder.path("outbox.db")))
    try outbox.put(goal("one"), at: Self.start)
    try outbox.put(goal("two"), at: Self.start - 100)
    #expect(try outbox.entries()[0].changedAt > Self.start)
  }

  /// The answer to the first version arrives after the second one was queued.
  @Test func anAnswerCountsForItsOwnVersionAlone() throws {
    let outbox = Outbox(store: try SessionStore(path: folder.path("outbox.db")))
    try outbox.put(goal("one"), at: Self.start)
    let first = try outbox.entries()[0]
    try outbox.put(goal("two"), at: Self.start + 1)
    try outbox.note(.sent, of: first)
    #expect(try outbox.entries().map(\.state) == [.waiting])
    try outbox.note(.sent, of: try outbox.entries()[0])
    #expect(try outbox.entries().map(\.state) == [.sent])
    #expect(try !outbox.put(goal("two"), at: Self.start + 2))
    #expect(try outbox.put(goal("three"), at: Self.start + 3))
    #expect(try outbox.entries().map(\.state) == [.waiting])
  }

  @Test func rowsOfOneAccountGoToNoOther() throws {
    let outbox = Outbox(store: try SessionStore(path: folder.path("outbox.db")))
    try outbox.put(goal("hers"), at: Self.start)
    try outbox.claim(for: "marta")
    try outbox.put(goal("next", id: "second"), at: Self.start + 1)
    #expect(try outbox.waiting(for: "jonas").map(\.row.id) == ["second"])
    #expect(try outbox.waiting(for: "marta").map(\.row.id) == ["main", "second"])
  }

  @Test func whatWaitsForAnotherAccountIsCounted() throws {
    let outbox = Outbox(store: try SessionStore(path: folder.path("outbox.db")))
    try outbox.put(goal("a"), at: Date(timeIntervalSince1970: 1))
    try outbox.claim(for: "kim")
    try outbox.put(goal("b", id: "other"), at: Date(timeIntervalSince1970: 2))
    #expect(try outbox.entries().waiting(forOthersThan: "lee") == 1)
    #expect(try outbox.entries().waiting(forOthersThan: "kim") == 0)
  }

  @Test func forgettingAConversationEmptiesItsPartOfTheOutbox() throws {
    let path = folder.path("outbox.db")
    let store = try SessionStore(path: path)
    let outbox = Outbox(store: store)
    let (kept, gone) = (
      try store.createSession(at: Self.start), try store.createSession(at: Self.start)
    )
    try outbox.put(goal("a quiet canary", id: "a", session: gone), at: Self.start)
    try outbox.put(goal("something else", id: "b", session: kept), at: Self.start)
    try store.forget(gone)
    #expect(try outbox.entries().map(\.row.session) == [kept])
    for part in ["", "-wal"] {
      let bytes = FileManager.default.contents(atPath: path + part) ?? Data()
      #expect(bytes.range(of: Data("quiet canary".utf8)) == nil, "in rapport.db\(part)")
    }
  }

  @Test func aPersonsOutboxMovesAndIsDeletedWithThem() throws {
    let store = try SessionStore(path: folder.path("outbox.db"))
    let (device, account) = (PersonID(rawValue: "device"), PersonID(rawValue: "account"))
    let mine = store.belonging(to: device)
    try mine.register(at: Self.start)
    try Outbox(store: mine).put(goal("mine"), at: Self.start)
    try mine.move(to: account)
    #expect(try Outbox(store: mine).entries().isEmpty)
    let moved = store.belonging(to: account)
    #expect(try Outbox(store: moved).entries().count == 1)
    _ = try moved.deletePerson(at: Self.start)
    #expect(try Outbox(store: moved).entries().isEmpty)
    #expect(try Outbox(store: store).entries().isEmpty)
  }

  @Test func aFullDiskIsSaidAndKeepsWhatIsQueued() throws {
    let path = folder.path("outbox.db")
    let store = try SessionStore(path: path)
    let outbox = Outbox(store: store)
    try outbox.put(goal("kept"), at: Self.start)
    try store.limitSize(pages: 1)
    let error = #expect(throws: StoreError.self) {
      for index in 0..<50 {
        try outbox.put(goal(String(repeating: "x", count: 4_000), id: "\(index)"), at: Self.start)
      }
    }
    #expect(error?.code == .cannotWrite)
    let queued = try Outbox(store: try SessionStore(path: path)).entries()
    #expect(queued.contains { $0.row.columns == ["primary": "kept"] })
  }

  @Test func whatWasSetAsideIsRetriedOrDiscarded() throws {
    let outbox = Outbox(store: try SessionStore(path: folder.path("outbox.db")))
    try outbox.put(goal("one"), at: Self.start)
    try outbox.note(.setAside("row-refused"), of: try outbox.entries()[0])
    #expect(try outbox.waiting(for: "marta").isEmpty)
    #expect(try outbox.retry(at: Self.start) == 1)
    #expect(try outbox.waiting(for: "marta").count == 1)
    try outbox.note(.setAside("row-refused"), of: try outbox.entries()[0])
    #expect(try outbox.discard() == 1)
    #expect(try outbox.entries().isEmpty && outbox.retry(at: Self.start) == 0)
    // Whoever queues the same again brings nothing back; a change is sent.
    #expect(try !outbox.put(goal("one"), at: Self.start))
    #expect(try outbox.entries().isEmpty && outbox.discard() == 0)
    #expect(try outbox.put(goal("two"), at: Self.start))
    #expect(try outbox.entries().map(\.state) == [.waiting])
  }
}
