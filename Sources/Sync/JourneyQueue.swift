public import FoundationEssentials
import IncrementalJSON
public import Intake
public import Journeys
public import SessionStore

/// Queues what a journey has for the account: the intake, the approved goal and program, and the profile.
/// It is on disk when a call returns; nobody waits for it to be sent.
public struct JourneyQueue: SyncQueue {
  private let store: any AccountStore & ConversationArchive
  private let session: SessionID
  private let pack: PromptPack
  private let now: @Sendable () -> Date
  private let queued: @Sendable () -> Void

  /// - Parameter queued: Called after something was queued, for the sender.
  public init(
    store: any AccountStore & ConversationArchive, session: SessionID, pack: PromptPack,
    now: @escaping @Sendable () -> Date = { Date() }, queued: @escaping @Sendable () -> Void = {}
  ) {
    (self.store, self.session, self.pack) = (store, session, pack)
    (self.now, self.queued) = (now, queued)
  }

  public func enqueue(_ item: SyncItem) async throws {
    var rows: [OutboxRow]
    if item.kind == .profile {
      rows = [profile(item)].compactMap(\.self)
    } else {
      let events = try await store.events(of: session)
      let all = DiscoveryRows(
        session: session, events: events, state: pack.state(after: events)
      ).rows
      rows = all.filter { DiscoveryRows.tables(of: item.kind).contains($0.table) }
    }
    let outbox = store.outbox
    for row in rows { try await outbox.put(row, at: now()) }
    if !rows.isEmpty { queued() }
  }

  public func withdraw() async throws { try await store.outbox.remove(session) }

  private func profile(_ item: SyncItem) -> OutboxRow? {
    guard let table = item.table, let columns = (try? JSONValue(parsing: item.json))?.objectValue
    else { return nil }
    return OutboxRow(table: table, columns: columns, session: session)
  }
}
