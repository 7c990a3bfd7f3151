import SessionStore
import Supabase
import Sync

/// Sends what a journey queues while the person continues. What is not sent by the end waits for
/// `rapport sync`.
actor JourneySender {
  private let outbox: Outbox
  private let account: SupabaseAccount
  private var running: Task<Void, Never>?
  private var hasMore = false

  init(store: SessionStore, account: SupabaseAccount) {
    (outbox, self.account) = (Outbox(store: store), account)
  }

  func send() {
    hasMore = true
    if running == nil { running = Task { await run() } }
  }

  private func run() async {
    while hasMore {
      hasMore = false
      // What goes wrong is kept with each row, and `rapport sync --status` shows it.
      _ = try? await SyncRun(outbox, to: account).run(onlyDue: true)
    }
    running = nil
  }

  /// Sends the rest, but keeps nobody waiting longer than this.
  func finish(atMost limit: Duration) async {
    send()
    let clock = ContinuousClock()
    let end = clock.now + limit
    while running != nil, clock.now < end { try? await clock.sleep(for: .milliseconds(20)) }
  }
}
