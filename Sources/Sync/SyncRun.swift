public import FoundationEssentials
import IncrementalJSON
import Journeys
import LanguageModels
public import SessionStore
public import Supabase

/// Sends what waits in the outbox to the person's account.
///
/// Each row is an upsert by its key, with the time of its change. So a request may be sent twice, or be
/// carried out although its answer is lost: the account ends up the same. The account keeps the newer
/// of two rows.
public struct SyncRun: Sendable {
  /// What became of one row.
  public enum Outcome: Hashable, Sendable {
    case sent(OutboxEntry)
    /// The account has a newer row, so this one stays here.
    case outdated(OutboxEntry)
    case setAside(OutboxEntry, SupabaseError)
    case postponed(OutboxEntry, until: Date, SupabaseError)
  }

  public struct Report: Hashable, Sendable {
    public var sent = 0
    public var outdated = 0
    public var setAside = 0
    public var postponed = 0
    /// Why the run ended early. What was not sent is still queued.
    public var stopped: SupabaseError?

    public init() {}
  }

  private let outbox: any AccountOutbox
  private let account: SupabaseAccount
  private let now: @Sendable () -> Date
  private let chance: @Sendable () -> Double

  /// - Parameter chance: 0 to 1, for spreading retries.
  public init(
    _ outbox: any AccountOutbox, to account: SupabaseAccount,
    now: @escaping @Sendable () -> Date = { Date() },
    chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.outbox = outbox
    self.account = account
    self.now = now
    self.chance = chance
  }

  /// Sends every waiting row, one after another.
  ///
  /// - Parameters:
  ///   - onlyDue: Leaves out rows whose retry is not due yet.
  ///   - tell: Called after each row.
  /// - Throws: `StoreError` if the outbox cannot be read or written. A failure of the project is a
  ///   result.
  public func run(
    onlyDue: Bool = false, tell: (Outcome) -> Void = { _ in }
  ) async throws(StoreError) -> Report {
    var report = Report()
    let user: String
    var token: Secret
    do throws(SupabaseError) {
      guard let session = try await account.session() else {
        throw SupabaseError(.notSignedIn, host: account.client.project.host)
      }
      user = session.userID
      token = try await account.accessToken()
    } catch {
      report.stopped = error
      return report
    }
    try await outbox.claim(for: user)
    let entries = try await outbox.waiting(for: user, dueBy: onlyDue ? now() : nil)
    for (index, entry) in entries.enumerated() {
      let result = await send(entry, of: user, &token)
      guard case .failure(let problem) = result else {
        let isTaken = result == .success(true)
        try await record(isTaken ? .sent(entry) : .outdated(entry), &report, tell)
        continue
      }
      switch Consequence(problem) {
      case .setAside: try await record(.setAside(entry, problem), &report, tell)
      case .later: try await postpone([entry], problem, &report, tell)
      case .everythingLater:
        try await postpone(entries[index...], problem, &report, tell)
        report.stopped = problem
        return report
      case .stop:
        report.stopped = problem
        return report
      }
    }
    return report
  }

  /// What a failure means for the rows.
  private enum Consequence {
    /// This row cannot be sent as it is; the rest can.
    case setAside
    case later, everythingLater
    /// Nothing can be sent until the person does something.
    case stop

    init(_ error: SupabaseError) {
      switch error.code {
      case .notAllowed, .rowRefused: self = .setAside
      case .serverError, .unexpected: self = .later
      case .unreachable, .timedOut, .tooManyRequests, .emailLimit: self = .everythingLater
      default: self = .stop
      }
    }
  }

  /// - Returns: False if the account has a newer row.
  private func send(
    _ entry: OutboxEntry, of user: String, _ token: inout Secret
  ) async -> Result<Bool, SupabaseError> {
    do throws(SupabaseError) {
      return .success(try await upsert(row(entry, of: user), entry, &token))
    } catch {
      return .failure(error)
    }
  }

  private func row(_ entry: OutboxEntry, of user: String) -> JSONObject {
    var row = entry.row.columns
    row["user_id"] = .string(user)
    if let id = entry.row.id { row["id"] = .string(id) }
    row["updated_at"] = .string(
      entry.changedAt.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    return row
  }

  private func upsert(
    _ row: JSONObject, _ entry: OutboxEntry, _ token: inout Secret
  ) async throws(SupabaseError) -> Bool {
    let key = ["user_id"] + (entry.row.id == nil ? [] : ["id"])
    do {
      return try await put(row, entry, key, token)
    } catch {
      guard error.code == .tokenRefused else { throw error }
      // Expired by the project's clock, or ended elsewhere: a refresh tells.
      token = try await account.accessToken(replacing: token)
      return try await put(row, entry, key, token)
    }
  }

  private func put(
    _ row: JSONObject, _ entry: OutboxEntry, _ key: [String], _ token: Secret
  ) async throws(SupabaseError) -> Bool {
    let client = account.client
    if let version = row["progress"]?["version"]?.intValue {
      let columns = key.compactMap { name in row[name]?.stringValue.map { (name, $0) } }
      let held = try await client.rows(of: entry.row.table, where: columns, token: token)
      // The times tell which is newer; what this build can't read, it mustn't replace either way.
      if held.contains(where: { JourneyProgress.isBeyond(version, $0) }) { return false }
    }
    return try await client.upsert(row, into: entry.row.table, key: key, token: token) != nil
  }

  private func postpone(
    _ entries: some Sequence<OutboxEntry>, _ error: SupabaseError, _ report: inout Report,
    _ tell: (Outcome) -> Void
  ) async throws(StoreError) {
    let (now, chance) = (now(), chance())
    for entry in entries {
      let delay = RetryDelay.seconds(
        after: entry.attempts + 1, wait: error.wait, chance: chance)
      try await record(
        .postponed(entry, until: now.addingTimeInterval(delay), error), &report, tell)
    }
  }

  private func record(
    _ outcome: Outcome, _ report: inout Report, _ tell: (Outcome) -> Void
  ) async throws(StoreError) {
    switch outcome {
    case .sent(let entry):
      try await outbox.note(.sent, of: entry)
      report.sent += 1
    case .outdated(let entry):
      try await outbox.note(.outdated, of: entry)
      report.outdated += 1
    case .setAside(let entry, let error):
      try await outbox.note(.setAside(error.reason), of: entry)
      report.setAside += 1
    case .postponed(let entry, let until, let error):
      try await outbox.note(.postponed(until: until, error.reason), of: entry)
      report.postponed += 1
    }
    tell(outcome)
  }
}

extension SupabaseError {
  /// As it is kept with a row, such as `row-refused (PGRST204)`.
  public var reason: String {
    detail.isEmpty ? code.rawValue : "\(code.rawValue) (\(detail))"
  }

  /// Reads a ``reason``; nil for anything else.
  public init?(reason: String, host: String) {
    let parts = reason.split(separator: " ", maxSplits: 1)
    guard let code = parts.first.flatMap({ Code(rawValue: String($0)) }) else { return nil }
    self.init(
      code, detail: parts.count > 1 ? String(parts[1].dropFirst().dropLast()) : "",
      host: host)
  }
}
