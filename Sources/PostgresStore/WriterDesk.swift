import Dispatch
import Glibc
import SessionStore

/// Who writes to which conversation, across servers.
///
/// The right to write is an advisory lock of one connection, so it ends with this process, however
/// that ends. If only the connection breaks, the locks are taken again on the next one. Somebody else
/// may have written in between; the log then refuses what would mix the two.
actor WriterDesk {
  private let executor = BlockingExecutor("rapport.postgres.writers")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let address: PostgresAddress
  private var link: PostgresLink?
  private var source: (any DispatchSourceRead)?
  private var held: Set<SessionID> = []
  private var waiting: [Int: (session: SessionID, continuation: CheckedContinuation<Void, Never>)] =
    [:]
  private var next = 0
  private var isMending = false

  /// A hint only: a waiting writer also looks without one.
  private static let channel = "rapport_writer_left"
  private static let key = "hashtextextended('rapport/' || $1, 0)"

  init(_ address: PostgresAddress) { self.address = address }

  isolated deinit { source?.cancel() }

  /// - Returns: The name of the connection that has the conversation; nil if it is ours now.
  func take(
    _ session: SessionID, until deadline: ContinuousClock.Instant
  ) throws(PostgresFailure) -> String? {
    if held.contains(session) { return "rapport \(getpid())" }
    var pause = Pause()
    while true {
      do throws(PostgresFailure) {
        let link = try connected()
        if try lock(session, link) {
          held.insert(session)
          return nil
        }
        return try holder(of: session, link)
      } catch {
        if !error.leavesConnection { drop() }
        guard error.isPassing, pause.take(until: deadline) else { throw error }
      }
    }
  }

  /// Lets go of the conversation, in the order in which it is called with other calls.
  nonisolated func release(_ session: SessionID) {
    executor.queue.async {
      self.assumeIsolated { $0.letGo(session) }
    }
  }

  private func letGo(_ session: SessionID) {
    held.remove(session)
    guard let link else { return }
    do throws(PostgresFailure) {
      try link.query(
        "SELECT pg_advisory_unlock(\(Self.key)), pg_notify('\(Self.channel)', $1)",
        [.text(session.rawValue)])
      hear(link)
    } catch {
      // Without the connection, the lock is gone too.
      if !error.leavesConnection { mend() }
    }
  }

  private func lock(_ session: SessionID, _ link: PostgresLink) throws(PostgresFailure) -> Bool {
    let rows = try link.query(
      "SELECT pg_try_advisory_lock(\(Self.key))", [.text(session.rawValue)])
    hear(link)
    return rows.first?.isTrue(0) == true
  }

  private func holder(
    of session: SessionID, _ link: PostgresLink
  ) throws(PostgresFailure) -> String {
    let rows = try link.query(
      """
      SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND datname = current_database()
        AND (classid::bigint << 32) | objid::bigint = \(Self.key)
      """, [.text(session.rawValue)])
    return rows.first?.text(0) ?? ""
  }
}

// The connection.
extension WriterDesk {
  private func connected() throws(PostgresFailure) -> PostgresLink {
    if let link, link.isOpen { return link }
    drop()
    let made = try PostgresLink(address)
    try made.query(
      "SELECT set_config('application_name', $1, false)", [.text("rapport \(getpid())")])
    try made.script("LISTEN \(Self.channel)")
    for session in held { _ = try lock(session, made) }
    link = made
    listen(to: made)
    return made
  }

  private func listen(to link: PostgresLink) {
    let source = DispatchSource.makeReadSource(
      fileDescriptor: link.socket, queue: executor.queue)
    source.setEventHandler { [weak self] in
      self?.assumeIsolated { $0.hear() }
    }
    // The connection is closed only when nothing watches its socket anymore.
    let kept = Kept(link: link)
    source.setCancelHandler { withExtendedLifetime(kept) {} }
    source.resume()
    self.source = source
  }

  /// Sendable because it is only ever released, on the queue that the connection belongs to.
  private struct Kept: @unchecked Sendable { let link: PostgresLink }

  private func drop() {
    source?.cancel()
    (source, link) = (nil, nil)
  }

  private func hear() {
    guard let link else { return }
    if link.isOpen { hear(link) } else { mend() }
  }

  private func hear(_ link: PostgresLink) {
    let left = Set(link.notifications())
    guard !left.isEmpty else { return }
    for (key, waiter) in waiting where left.contains(waiter.session.rawValue) { wake(key) }
  }

  /// Connects again, so that the locks are not free for long.
  private func mend() {
    drop()
    guard !held.isEmpty, !isMending else { return }
    isMending = true
    mend(after: .milliseconds(50))
  }

  private func mend(after pause: DispatchTimeInterval) {
    executor.queue.asyncAfter(deadline: .now() + pause) { [weak self] in
      self?.assumeIsolated { $0.tryMending() }
    }
  }

  private func tryMending() {
    guard !held.isEmpty, (try? connected()) == nil else {
      isMending = false
      return
    }
    mend(after: .milliseconds(Int.random(in: 250...500)))
  }
}

// Waiting.
extension WriterDesk {
  /// Returns when somebody lets go of the conversation, after this long, or when the task is canceled.
  func wait(for session: SessionID, atMost limit: Duration) async {
    next += 1
    let key = next
    let timer = Task {
      // The hint may be lost with its connection, so the wait is bounded.
      try? await Task.sleep(for: limit)
      self.wake(key)
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting[key] = (session, $0) }
    } onCancel: {
      timer.cancel()
    }
    timer.cancel()
  }

  private func wake(_ key: Int) { waiting.removeValue(forKey: key)?.continuation.resume() }
}
