import CPostgres
import Glibc
import SessionStore

/// Why a statement gave no result.
enum PostgresFailure: Error {
  /// No connection could be made, so nothing was carried out.
  case unreachable(String)
  /// The connection broke. Whether the statement was carried out is unknown.
  case lost(String)
  /// The server refused the statement, and carried out nothing of it.
  case refused(state: String, String)
  /// A result is not what this program understands.
  case unusable(TableProblem)

  /// Whether the same connection can be used again.
  var leavesConnection: Bool {
    switch self {
    case .unreachable, .lost: false
    // After a failover, the connection may lead to a server that only reads.
    case .refused(let state, _): state != "25006"
    case .unusable: true
    }
  }

  var isConflict: Bool {
    if case .refused("23505", _) = self { return true }
    return false
  }

  /// Whether trying again may help.
  var isPassing: Bool {
    switch self {
    case .unreachable, .lost: true
    case .unusable: false
    // Serialization failure, deadlock, read-only after a failover.
    case .refused(let state, _): ["40001", "40P01", "25006"].contains(state)
    }
  }
}

/// One connection. Every call blocks its thread, for a bounded time.
final class PostgresLink {
  private let connection: OpaquePointer
  /// How long a statement may take on the server, in milliseconds.
  static let statementTime = 10_000
  /// Longer than the server's own limit, for one that no longer answers.
  private static let patience = Duration.milliseconds(statementTime + 5_000)

  /// - Throws: `unreachable`.
  init(_ address: PostgresAddress) throws(PostgresFailure) {
    let pairs = address.parameters.sorted { $0.key < $1.key }
    var keys = pairs.map { UnsafePointer(strdup($0.key)) } + [nil]
    var values = pairs.map { UnsafePointer(strdup($0.value)) } + [nil]
    defer {
      for text in keys + values { free(UnsafeMutablePointer(mutating: text)) }
    }
    guard let connection = PQconnectdbParams(&keys, &values, 0) else {
      throw .unreachable("out of memory")
    }
    self.connection = connection
    // Otherwise the library prints it. What matters comes with the failure, too.
    PQsetNoticeReceiver(connection, { _, _ in }, nil)
    guard PQstatus(connection) == CONNECTION_OK else {
      throw .unreachable(message(hiding: address.parameters["password"]))
    }
    do throws(PostgresFailure) { try script(Self.setup) } catch {
      throw .unreachable("\(error)")
    }
  }

  deinit { PQfinish(connection) }

  /// A weaker role or database default never makes an append less durable, and a server forgets the
  /// locks of a machine that vanished.
  private static let setup = """
    SET search_path = rapport, pg_catalog;
    SET statement_timeout = \(statementTime);
    SET lock_timeout = 5000;
    SET idle_in_transaction_session_timeout = 30000;
    SET tcp_keepalives_idle = 10;
    SET tcp_keepalives_interval = 5;
    SET tcp_keepalives_count = 3;
    SET client_min_messages = error;
    SET standard_conforming_strings = on;
    SELECT set_config('synchronous_commit', 'on', false)
      WHERE current_setting('synchronous_commit') = 'off'
    """

  var socket: Int32 { PQsocket(connection) }

  /// Whether the other end is still there, as far as can be told without asking.
  var isOpen: Bool {
    var poller = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    if poll(&poller, 1, 0) > 0, PQconsumeInput(connection) == 0 { return false }
    return PQstatus(connection) == CONNECTION_OK
  }

  @discardableResult
  func query(
    _ sql: String, _ parameters: [PostgresValue] = []
  ) throws(PostgresFailure) -> PostgresRows {
    let encoded = parameters.map(\.encoded)
    let types = parameters.map(\.type)
    let lengths = encoded.map { Int32($0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    // One buffer for all of them; an empty text still needs an address.
    let bytes = encoded.flatMap { value -> [UInt8] in (value ?? []) + [0] }
    let isSent = bytes.withUnsafeBytes { buffer in
      var offset = 0
      let values = encoded.map { value -> UnsafePointer<CChar>? in
        guard let value else {
          offset += 1
          return nil
        }
        defer { offset += value.count + 1 }
        return buffer.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
      }
      return PQsendQueryParams(
        connection, sql, Int32(parameters.count), types, values, lengths, formats, 1) == 1
    }
    guard isSent else { throw .lost(message(hiding: nil)) }
    return try result()
  }

  /// Several statements without parameters or rows; alone, they are one transaction.
  func script(_ sql: String) throws(PostgresFailure) {
    guard PQsendQuery(connection, sql) == 1 else { throw .lost(message(hiding: nil)) }
    _ = try result()
  }

  /// All of the work, or nothing.
  ///
  /// - Throws: `lost` also if only the outcome of the commit is unknown.
  func transaction<Value>(
    _ work: (PostgresLink) throws(PostgresFailure) -> Value
  ) throws(PostgresFailure) -> Value {
    try script("BEGIN")
    let value: Value
    do throws(PostgresFailure) { value = try work(self) } catch {
      if error.leavesConnection { try? script("ROLLBACK") }
      throw error
    }
    try script("COMMIT")
    return value
  }

  /// What was notified since the last call.
  func notifications() -> [String] {
    var payloads: [String] = []
    while let notice = PQnotifies(connection) {
      payloads.append(String(cString: notice.pointee.extra))
      PQfreemem(notice)
    }
    return payloads
  }

  /// The last result of what was sent.
  private func result() throws(PostgresFailure) -> PostgresRows {
    let deadline = ContinuousClock.now + Self.patience
    var rows = PostgresRows(columns: 0, values: [])
    var failure: PostgresFailure?
    while true {
      try awaitResult(until: deadline)
      guard let result = PQgetResult(connection) else { break }
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK: rows = PostgresRows(result)
      case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
      default: failure = failure ?? self.failure(result)
      }
    }
    if let failure { throw failure }
    guard PQstatus(connection) == CONNECTION_OK else { throw .lost(message(hiding: nil)) }
    return rows
  }

  private func awaitResult(until deadline: ContinuousClock.Instant) throws(PostgresFailure) {
    while PQisBusy(connection) == 1 {
      let left = Int32((deadline - .now) / .milliseconds(1))
      guard left > 0 else { throw .lost("the database didn't answer in time") }
      var poller = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      if poll(&poller, 1, left) < 0, errno != EINTR {
        throw .lost(String(cString: strerror(errno)))
      }
      if poller.revents != 0, PQconsumeInput(connection) == 0 {
        throw .lost(message(hiding: nil))
      }
    }
  }

  private func failure(_ result: OpaquePointer) -> PostgresFailure {
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    guard let state = field("C"), PQstatus(connection) == CONNECTION_OK else {
      return .lost(message(hiding: nil))
    }
    // Detail and context would repeat values, which may be somebody's words.
    let words = field("M") ?? ""
    // The server is stopping, or ends this connection.
    return state.hasPrefix("57P") || state.hasPrefix("08")
      ? .lost(words) : .refused(state: state, words)
  }

  private func message(hiding secret: String?) -> String {
    var text = String(cString: PQerrorMessage(connection))
      .split(whereSeparator: \.isNewline).joined(separator: " ")
    if let secret, !secret.isEmpty { text = text.replacing(secret, with: "…") }
    return text
  }
}

extension PostgresRows {
  fileprivate init(_ result: OpaquePointer) {
    let (rows, columns) = (PQntuples(result), PQnfields(result))
    self.columns = Int(columns)
    values = (0..<rows).flatMap { row in
      (0..<columns).map { column -> [UInt8]? in
        guard PQgetisnull(result, row, column) == 0 else { return nil }
        return Array(
          UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column))))
      }
    }
  }
}
