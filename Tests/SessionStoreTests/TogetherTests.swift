import Foundation
import Intake
import SessionStore
import Synchronization
import TestSupport
import Testing

/// Appends of several conversations that are committed together.
@Suite(.serialized, .integration)
final class TogetherTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rapport-together-\(UUID().uuidString)").path
  private let noon = Date(timeIntervalSince1970: 1_800_000_000)

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func said(_ turn: Int, _ text: String) -> [EventEnvelope] {
    [EventEnvelope(IntakeEvent.userSaid(UserTurn(turn: turn, text: text)))]
  }

  /// Each log's outcome when all of them append in one transaction.
  private func append(
    _ texts: [String], to logs: [SQLiteSessionLog], in store: SessionStore
  ) async -> [StoreError.Code?] {
    await withTaskGroup(of: (Int, StoreError.Code?).self) { [noon] group in
      store.holdWrites(until: logs.count)
      for (index, log) in logs.enumerated() {
        let events = said(1, texts[index])
        group.addTask {
          do {
            _ = try await log.appendTogether(events, at: noon)
            return (index, nil)
          } catch {
            return (index, (error as? StoreError)?.code)
          }
        }
      }
      return await group.reduce(into: [StoreError.Code?](repeating: nil, count: logs.count)) {
        $0[$1.0] = $1.1
      }
    }
  }

  private func logs(_ count: Int, in store: SessionStore) throws -> [SQLiteSessionLog] {
    try (0..<count).map { _ in store.log(for: try store.createSession(at: noon)) }
  }

  @Test func everyAppendIsStored() async throws {
    let store = try SessionStore(path: folder + "/rapport.db")
    let logs = try logs(50, in: store)
    let texts = (0..<50).map { "message \($0)" }
    #expect(await append(texts, to: logs, in: store) == Array(repeating: nil, count: 50))
    for (log, text) in zip(logs, texts) {
      #expect(try store.events(of: log.session).map(\.envelope) == said(1, text))
    }
  }

  @Test func anAppendThatIsRefusedTakesNoOtherAlong() async throws {
    let store = try SessionStore(path: folder + "/rapport.db")
    let logs = try logs(3, in: store)
    _ = try logs[1].events()
    _ = try store.log(for: logs[1].session).append(said(1, "first"), at: noon)
    let outcomes = await append(["a", "b", "c"], to: logs, in: store)
    #expect(outcomes == [nil, .interleaved, nil])
    #expect(try logs.map { try store.events(of: $0.session).count } == [1, 1, 1])
    #expect(try store.events(of: logs[1].session).map(\.envelope) == said(1, "first"))
  }

  @Test func ifTheDiskIsFullNobodyIsToldOtherwise() async throws {
    let store = try SessionStore(path: folder + "/rapport.db")
    let logs = try logs(3, in: store)
    for log in logs { _ = try log.events() }
    try store.limitSize(pages: 16)
    let large = String(repeating: "x", count: 400_000)
    let outcomes = await append(["small", large, "small"], to: logs, in: store)
    for (log, outcome) in zip(logs, outcomes) {
      let count = try store.events(of: log.session).count
      #expect(count == (outcome == nil ? 1 : 0), "\(String(describing: outcome))")
    }
    #expect(outcomes[1] == .cannotWrite)
    // A log whose append failed continues from its last position.
    try store.limitSize(pages: 10_000)
    _ = try await logs[1].appendTogether(said(1, "again"), at: noon)
    #expect(try store.events(of: logs[1].session).count == 1)
  }

  @Test func aCommitWaitsForMoreOnlyAfterOneThatHeldSeveral() async throws {
    let pauses = Mutex(0)
    let store = try SessionStore(path: folder + "/rapport.db") { pauses.withLock { $0 += 1 } }
    let logs = try logs(3, in: store)
    _ = try await logs[0].appendTogether(said(1, "alone"), at: noon)
    #expect(pauses.withLock(\.self) == 0)
    #expect(await append(["two", "three"], to: Array(logs[1...]), in: store) == [nil, nil])
    #expect(pauses.withLock(\.self) == 0)
    _ = try await logs[0].appendTogether(said(2, "alone again"), at: noon)
    #expect(pauses.withLock(\.self) == 1)
    _ = try await logs[0].appendTogether(said(3, "and again"), at: noon)
    #expect(pauses.withLock(\.self) == 1)
  }

  @Test func aReaderDoesNotWaitForTheWriter() async throws {
    let store = try SessionStore(path: folder + "/rapport.db")
    let log = try logs(1, in: store)[0]
    store.holdWrites(until: 1)
    #expect(try store.contains(log.session))
    _ = try await log.appendTogether(said(1, "hello"), at: noon)
    #expect(try store.events(of: log.session).count == 1)
  }
}
