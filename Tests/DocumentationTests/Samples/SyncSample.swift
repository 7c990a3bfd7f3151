import Foundation
import HTTPStreaming
import IncrementalJSON
import SessionStore
import Supabase
import Sync
import Testing

@Suite struct SyncSample {
  /// Queues a goal, and sends what is queued.
  func keep(
    _ goal: String, in store: SessionStore, of account: SupabaseAccount, at date: Date
  ) async throws -> SyncRun.Report {
    let outbox = Outbox(store: store)
    try outbox.put(
      OutboxRow(table: "goals", id: "main", columns: ["primary": .string(goal)]), at: date)
    return try await SyncRun(outbox, to: account).run()
  }

  @Test func aGoalWaitsUntilSomebodyIsSignedIn() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "user.db").path
    let store = try SessionStore(path: path)
    let project = try SupabaseProject(url: "http://127.0.0.1:9", key: "sb_publishable_sample")
    let account = SupabaseAccount(
      SupabaseClient(project, transport: HTTPClient()), keeper: AccountFile(besideStore: path))
    let report = try await keep("a marathon", in: store, of: account, at: Date())
    #expect(report.stopped?.code == .notSignedIn)
    #expect(try Outbox(store: store).entries().map(\.state) == [.waiting])
  }
}
