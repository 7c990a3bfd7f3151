import SessionStore
import Supabase
import Sync

/// Sends what a journey queues while the person goes on. Nobody waits for it; what isn't sent by the end
/// waits for `rapport sync`.
actor JourneySender {
  private let outbox: Outbox
  private let account: SupabaseAccount
  private var isRunning = false
  private var hasMore = false

  init(store: SessionStore, account: SupabaseAccount) {
    (outbox, self.account) = (Outbox(store: store), account)
  }

  func send() async {
    hasMore = true
    guard !isRunning else { return }
    isRunning = true
    while hasMore {
      hasMore = false
      // What goes wrong is kept with each row, and `rapport sync --status` shows it.
      _ = try? await SyncRun(outbox, to: account).run(onlyDue: true)
    }
    isRunning = false
  }
}
