import Foundation
import HTTPStreaming
import IncrementalJSON
import LanguageModels
import Logging
import MockServer
import SessionStore
import Supabase
import SupabaseMock
import Synchronization

@testable import RapportServer

/// A Supabase project on a loopback socket that mails the same code to everybody.
final class TestProject: Sendable {
  static let code = "246810"

  private let seen: Seen
  private let server: MockServer
  let client: SupabaseClient

  private final class Seen: Sendable { let requests = Mutex<[SupabaseAPI.Record]>([]) }

  init(
    faults: [SupabaseFaultPlan.Planned] = [],
    _ change: (inout SupabaseAPI.Options) -> Void = { _ in }
  ) async throws {
    var options = SupabaseAPI.Options()
    options.code = Self.code
    options.faults = faults
    change(&options)
    let seen = Seen()
    let api = SupabaseAPI(
      options: options, report: { record in seen.requests.withLock { $0.append(record) } })
    server = try await MockServer { api.answer($0) }
    let url = String(server.baseURL.dropLast("/v1".count))
    client = SupabaseClient(
      try SupabaseProject(url: url, key: SupabaseAPI.anonKey), transport: HTTPClient())
    self.seen = seen
  }

  func accounts(
    _ store: any ConversationStore, _ logger: Logger, _ now: @escaping @Sendable () -> Date
  ) throws -> AccountDesk {
    AccountDesk(client, store: store, logger: logger, now: now)
  }

  /// How many requests came, of those whose path begins so.
  func count(_ path: String = "") -> Int {
    seen.requests.withLock { $0.count { $0.path.hasPrefix(path) } }
  }

  /// What somebody's account has in a table, as they see it.
  func rows(of table: String, for keeper: any SessionKeeper) async throws -> [JSONValue] {
    let token = try await SupabaseAccount(client, keeper: keeper).accessToken()
    return try await client.rows(of: table, token: token)
  }
}
