import SessionStore

/// The runs that write to conversations, one for each, and the replies written lately.
///
/// It decides who may write next, and does nothing else: ``Conversations`` waits, cancels and writes.
struct RunTable {
  /// What somebody who wants to write to a conversation has to do.
  enum Claim {
    case granted
    /// Wait for the end of another run, and ask again.
    case after(Run)
    /// End another run, whose reply is complete, and ask again.
    case ending(Run)
    /// Another message's reply is being written.
    case taken(by: Run)
  }

  private var current: [SessionID: Run] = [:]
  private var past = RecentValues<Run>(room: 4 << 20)
  /// The conversations that began with a message whose reply nobody may have got.
  private var openings: [ChatRequest.Opening: SessionID] = [:]
  private(set) var isStopping = false
  /// Whether anything was written since the last checkpoint.
  private var hasWritten = false

  /// What a reply takes besides its events.
  private static let leastBytes = 1 << 10

  /// The conversation's latest run.
  subscript(id: SessionID) -> Run? { current[id] ?? past[id] }

  var runs: [Run] { Array(current.values) }

  /// The reply that is being written.
  func reply(in id: SessionID) -> Run? {
    current[id].flatMap { $0.purpose == .reply && $0.phase == .replying ? $0 : nil }
  }

  /// The conversation that began like this, if nobody has got the reply.
  func conversation(openedBy opening: ChatRequest.Opening) -> SessionID? {
    openings[opening].flatMap { self[$0]?.isDelivered == false ? $0 : nil }
  }

  /// Makes this the conversation's run, unless another one is in its way.
  mutating func claim(_ run: Run) throws(Problem) -> Claim {
    if isStopping { throw .stopping }
    if let other = current[run.conversation] {
      switch (other.phase, other.purpose) {
      case (.over, _): break
      case (_, .step): return .after(other)
      case (.replying, _): return .taken(by: other)
      case (.suggesting, _): return .ending(other)
      }
    }
    current[run.conversation] = run
    past.remove(run.conversation)
    return .granted
  }

  mutating func note(_ opening: ChatRequest.Opening, of id: SessionID) { openings[opening] = id }

  mutating func noteWriting() { hasWritten = true }

  /// Keeps a run that has ended for those who come back to it.
  ///
  /// - Returns: The runs that are kept no longer.
  mutating func keep(_ run: Run, bytes: Int) -> [Run] {
    guard remove(run) else { return [] }
    return past.keep(run, size: bytes + Self.leastBytes, for: run.conversation)
  }

  /// - Returns: Whether it was its conversation's present run.
  @discardableResult
  mutating func remove(_ run: Run) -> Bool {
    guard current[run.conversation] === run else { return false }
    current[run.conversation] = nil
    return true
  }

  /// - Returns: The runs that these conversations have now.
  mutating func forget(_ sessions: [SessionID]) -> [Run] {
    for id in sessions { past.remove(id) }
    return sessions.compactMap { current.removeValue(forKey: $0) }
  }

  /// Forgets old replies.
  ///
  /// - Returns: Whether anything was written since the last time.
  mutating func tidy() -> Bool {
    past.removeAll { !$0.isRecent() }
    openings = openings.filter { self[$0.value]?.isDelivered == false }
    defer { hasWritten = false }
    return hasWritten
  }

  /// From now on, nobody may write.
  ///
  /// - Returns: The runs that have not ended.
  mutating func stop() -> [Run] {
    isStopping = true
    return runs.filter { $0.phase != .over }
  }
}
