public import Foundation
import Glibc
import HTTPStreaming
import MockServer
public import Supabase
public import SupabaseMock
public import Synchronization
import TestSupport

/// A mock project on a loopback socket, with a clock that the test moves.
public final class MockProject: Sendable {
  private let codes = Codes()
  public let api: SupabaseAPI
  private let server: MockServer

  private final class Codes: Sendable {
    let last = Mutex<[String: String]>([:])
  }

  public static let email = address("marta@example.com")

  public static func address(_ text: String) -> EmailAddress {
    guard let email = EmailAddress(text) else { preconditionFailure("\(text) is no address") }
    return email
  }

  public init(
    faults: [SupabaseFaultPlan.Planned] = [],
    _ change: (inout SupabaseAPI.Options) -> Void = { _ in }
  ) async throws {
    // A client that leaves early fails one write, not the whole process.
    signal(SIGPIPE, SIG_IGN)
    let now = Now()
    var options = SupabaseAPI.Options()
    options.faults = faults
    options.now = { now.date }
    change(&options)
    let codes = codes
    let api = SupabaseAPI(options: options) { email, code in
      codes.last.withLock { $0[email] = code }
    }
    self.api = api
    self.now = now
    server = try await MockServer { api.answer($0) }
  }

  public final class Now: Sendable {
    private let value = Mutex(Date(timeIntervalSince1970: 1_767_600_000))
    public var date: Date { value.withLock { $0 } }
    public func advance(_ seconds: Double) { value.withLock { $0 += seconds } }
  }

  public let now: Now

  public var url: String { String(server.baseURL.dropLast("/v1".count)) }

  public func stop() async { await server.shutdown() }

  public func code(for email: EmailAddress = MockProject.email) throws -> OneTimeCode {
    guard let digits = codes.last.withLock({ $0[email.text] }), let code = OneTimeCode(digits)
    else { throw NoCode() }
    return code
  }

  public struct NoCode: Error {}

  public func client() throws -> SupabaseClient {
    let now = now
    return SupabaseClient(
      try SupabaseProject(url: url, key: SupabaseAPI.anonKey), transport: HTTPClient(),
      now: { now.date })
  }

  public func account(_ keeper: MemoryKeeper = MemoryKeeper()) throws -> SupabaseAccount {
    SupabaseAccount(try client(), keeper: keeper)
  }

  /// Somebody who has signed in.
  public func signedIn(
    _ keeper: MemoryKeeper = MemoryKeeper(), as email: EmailAddress = MockProject.email
  ) async throws -> SupabaseAccount {
    let account = try account(keeper)
    try await account.sendCode(to: email)
    try await account.signIn(email, code: code(for: email))
    return account
  }
}

/// A session in memory that several accounts can share, as processes share a file.
public final class MemoryKeeper: SessionKeeper {
  public init() {}

  private let stored = Mutex<AccountSession?>(nil)
  private let isTaken = Mutex(false)
  public let isFull = Mutex(false)

  private final class Turn: Sendable {
    let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
  }

  public var session: AccountSession? { stored.withLock { $0 } }

  public func load() -> AccountSession? { session }

  public func save(_ session: AccountSession) throws(SupabaseError) {
    guard !isFull.withLock({ $0 }) else {
      throw SupabaseError(.cannotStore, detail: "the disk is full")
    }
    stored.withLock { $0 = session }
  }

  public func remove() { stored.withLock { $0 = nil } }

  public func turn() async -> any Sendable & AnyObject {
    while !isTaken.withLock({ taken in
      defer { taken = true }
      return !taken
    }) { await Task.yield() }
    return Turn { self.isTaken.withLock { $0 = false } }
  }
}
