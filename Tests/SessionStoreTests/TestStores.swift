import Foundation
import GRDB
import SessionStore
import Synchronization
import Testing

@testable import PostgresStore

/// The stores that keep the same contract. PostgreSQL takes part where `RAPPORT_TEST_POSTGRES` is the
/// URL of a database whose role may create others.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite, postgres

  static var tested: [StoreKind] { PostgresServer.url == nil ? [.sqlite] : allCases }

  var testDescription: String { rawValue }
}

enum PostgresServer {
  static let url = ProcessInfo.processInfo.environment["RAPPORT_TEST_POSTGRES"]

  static func address(database: String? = nil) throws -> PostgresAddress {
    var parts = try #require(URLComponents(string: url ?? ""))
    if let database { parts.path = "/" + database }
    return try PostgresAddress(try #require(parts.string))
  }
}

/// A place for one store, which is gone with it.
final class TestStores: Sendable {
  let kind: StoreKind
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "rapport-store-\(UUID().uuidString)").path
  let database = "rapport_test_\(UUID().uuidString.prefix(8).lowercased())"

  var path: String { folder + "/state/rapport.db" }

  init(_ kind: StoreKind) throws {
    self.kind = kind
    if kind == .postgres { try administer("CREATE DATABASE \(database)") }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
    if kind == .postgres { try? administer("DROP DATABASE \(database) WITH (FORCE)") }
  }

  private func administer(_ sql: String) throws {
    try PostgresLink(try PostgresServer.address()).script(sql)
  }

  /// Opens the store, as another process would.
  func open() async throws -> any ConversationStore {
    switch kind {
    case .sqlite: try SessionStore(path: path)
    case .postgres: try await openPostgres()
    }
  }

  func openPostgres(
    connections: Int = 4, patience: Duration = .seconds(10)
  ) async throws -> PostgresStore {
    try await PostgresStore(try address, connections: connections, patience: patience)
  }

  var address: PostgresAddress {
    get throws { try PostgresServer.address(database: database) }
  }

  /// The rows of a profile table, as text.
  func profiles() async throws -> [String] {
    let sql = "SELECT id, nick, age, weight, done FROM user_profiles ORDER BY id"
    switch kind {
    case .sqlite:
      return try await DatabaseQueue(path: path).read { database in
        try Row.fetchAll(database, sql: sql).map { row in
          let (id, nick): (String, String) = (row["id"], row["nick"])
          let (age, weight, isDone): (Int, Double, Bool) = (row["age"], row["weight"], row["done"])
          return "\(id) \(nick) \(age) \(weight) \(isDone)"
        }
      }
    case .postgres:
      let text = "SELECT concat_ws(' ', id, nick, age, weight, done::text) FROM (\(sql)) AS found"
      return try link().query(text).rows.compactMap { $0.text(0) }
    }
  }

  /// A connection beside the store.
  func link() throws -> PostgresLink { try PostgresLink(try address) }
}

/// The code of the error that the work must throw.
func code(_ work: () async throws -> Void) async -> StoreError.Code? {
  do {
    try await work()
    return nil
  } catch {
    return (error as? StoreError)?.code
  }
}
