public import SessionStore

/// One person's conversations in a PostgreSQL database that several servers share.
///
/// Keeps the contract of `SessionStore`. An append is one statement that fails if its
/// position is taken, and it is durable when it returns. If its answer is lost, for example because the
/// database was restarted, the outcome is found out by reading back. Statements run on threads of
/// their own, over a bounded number of connections.
public final class PostgresStore: ConversationStore {
  public let name: String
  public let person: PersonID
  let pool: ConnectionPool
  let writers: WriterDesk
  /// How long an operation waits for a database that is away.
  let patience: Duration

  /// Connects, and creates or updates the tables.
  ///
  /// - Parameters:
  ///   - connections: The most at once, beside one that holds the locks of writers.
  ///   - patience: How long an operation waits for a database that is away, such as one that restarts.
  /// - Throws: `cannotOpen`, `notAStore` or `newerVersion`.
  public convenience init(
    _ address: PostgresAddress, connections: Int = 10, patience: Duration = .seconds(10)
  ) async throws(StoreError) {
    self.init(at: address, connections: connections, patience: patience)
    guard try await state() != .version(Schema.version) else { return }
    try await perform(.opening, patience: .zero) { link throws(PostgresFailure) in
      try Schema.migrate(link)
    }
  }

  /// An existing store; nil if the database has none. Creates nothing.
  public static func existing(_ address: PostgresAddress) async throws(StoreError) -> PostgresStore?
  {
    let store = PostgresStore(at: address, connections: 2, patience: .seconds(10))
    if try await store.state() == .missing { return nil }
    return try await PostgresStore(address, connections: 2)
  }

  private init(at address: PostgresAddress, connections: Int, patience: Duration) {
    (name, person, self.patience) = (address.description, .local, patience)
    pool = ConnectionPool(address, size: max(1, connections), patience: patience)
    writers = WriterDesk(address)
  }

  private init(_ store: PostgresStore, person: PersonID) {
    (name, self.person, patience) = (store.name, person, store.patience)
    (pool, writers) = (store.pool, store.writers)
  }

  public func belonging(to person: PersonID) -> PostgresStore {
    PostgresStore(self, person: person)
  }

  /// - Throws: If the database cannot be used.
  private func state() async throws(StoreError) -> Schema.State {
    let state = try await perform(.opening, patience: .zero) { link throws(PostgresFailure) in
      try Schema.state(link)
    }
    switch state {
    case .foreign: throw StoreError(.notAStore, file: name)
    case .version(let found) where found > Schema.version:
      throw StoreError(.newerVersion(found: found, known: Schema.version), file: name)
    default: return state
    }
  }

  /// Nothing to do: the database tidies its own files.
  @discardableResult
  public func checkpoint() -> Bool { true }
}

// Running statements.
extension PostgresStore {
  enum Purpose {
    case opening, reading, writing
  }

  /// Runs work on a free connection, again if that may help.
  @discardableResult
  func perform<Value: Sendable>(
    _ purpose: Purpose, isRepeatable: Bool = true, patience: Duration? = nil,
    _ work: @Sendable (PostgresLink) throws(PostgresFailure) -> Value
  ) async throws(StoreError) -> Value {
    do throws(PostgresFailure) {
      return try await pool.run(isRepeatable: isRepeatable, patience: patience, work)
    } catch {
      throw StoreError(error, purpose, store: name)
    }
  }

  func query(
    _ purpose: Purpose, _ sql: String, _ parameters: [PostgresValue] = []
  ) async throws(StoreError) -> PostgresRows {
    try await perform(purpose) { link throws(PostgresFailure) in
      try link.query(sql, parameters)
    }
  }

  /// - Throws: `damaged` if a column that is never empty is.
  func require<Value>(_ value: Value?) throws(StoreError) -> Value {
    guard let value else {
      throw StoreError(.damaged, file: name, detail: "a column holds another type of value")
    }
    return value
  }
}

extension StoreError {
  init(_ failure: PostgresFailure, _ purpose: PostgresStore.Purpose, store: String) {
    let code: Code
    let detail: String
    switch failure {
    case .unreachable(let words), .lost(let words):
      (code, detail) = (purpose.isWriting ? .cannotWrite : .cannotOpen, words)
    case .unusable(let problem):
      self.init(problem, store: store)
      return
    case .refused(let state, let words):
      detail = "\(words), SQLSTATE \(state)"
      switch state {
      // Cancelled by a timeout, a lock that wasn't free, or a deadlock.
      case "57014", "55P03", "40001", "40P01": code = .busy
      default: code = purpose.isWriting ? .cannotWrite : .cannotOpen
      }
    }
    self.init(code, file: store, detail: detail)
  }
}

extension PostgresStore.Purpose {
  fileprivate var isWriting: Bool { self == .writing }
}
