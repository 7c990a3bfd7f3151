import FoundationEssentials
import HTTPTypes
import Intake
import SessionStore
import Synchronization

/// What one person, or one address, may use. The local user of a server without authentication has no
/// limits.
public struct LimitOptions: Hashable, Sendable {
  /// Messages a person may send in a minute.
  public var turnsPerMinute = 20
  /// Answers to a journey's screens that a person may send in a minute.
  public var answersPerMinute = 120
  /// Model tokens that a person's replies may use in a day (UTC).
  public var tokensPerDay = 300_000
  /// Streams that a person may have open.
  public var streamsPerPerson = 8
  /// Streams that everybody together may have open.
  public var streams = 2_500
  /// Health uploads that a person may make in an hour.
  public var uploadsPerHour = 10
  /// Device tokens that one address may ask for in an hour.
  public var devicesPerHour = 20

  public init() {}
}

/// Counts what is limited.
///
/// Tokens a day are counted in the store, so they survive a restart. The other windows are short and
/// start again with the server.
final class Limits: Sendable {
  private struct State {
    /// When each of the last uses was, by what and who.
    var uses: [String: [ContinuousClock.Instant]] = [:]
  }

  let options: LimitOptions
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())

  init(
    _ options: LimitOptions, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    (self.options, self.clock) = (options, clock)
  }

  /// - Throws: ``Problem`` with status 429 if the person has used up their turns or tokens.
  func takeTurn(_ caller: Caller, _ desk: CoachDesk) async throws {
    guard caller != .localUser else { return }
    let day = Self.day(desk.now())
    let used = try await Problem.translating { try await desk.store.tokens(on: day) }
    guard used < options.tokensPerDay else {
      let midnight = 86_400 - Int(desk.now().timeIntervalSince1970) % 86_400
      throw Problem.tooMany(
        "tokens-used-up", "That's all for today. Please come back tomorrow.", midnight)
    }
    try take("turn/\(caller.person)", options.turnsPerMinute, .seconds(60))
  }

  func takeAnswer(_ caller: Caller) throws(Problem) {
    guard caller != .localUser else { return }
    try take("answer/\(caller.person)", options.answersPerMinute, .seconds(60))
  }

  func takeUpload(_ caller: Caller) throws(Problem) {
    guard caller != .localUser else { return }
    try take("upload/\(caller.person)", options.uploadsPerHour, .seconds(3_600))
  }

  func takeDevice(_ address: String) throws(Problem) {
    try take("device/\(address)", options.devicesPerHour, .seconds(3_600))
  }

  private func take(_ key: String, _ most: Int, _ window: Duration) throws(Problem) {
    let now = clock()
    let wait = state.withLock { state -> Duration? in
      var uses = state.uses[key, default: []].filter { now - $0 < window }
      defer { state.uses[key] = uses }
      guard uses.count >= most, let first = uses.first else {
        uses.append(now)
        return nil
      }
      return window - (now - first)
    }
    guard let wait else { return }
    throw .tooMany(
      "too-many", "That was a lot at once. Please wait a moment.",
      max(1, Int((wait / .seconds(1)).rounded(.up))))
  }

  func count(_ count: TokenMeter.Count, _ desk: CoachDesk) async {
    guard desk.store.person != .local, count.input + count.output > 0 else { return }
    try? await desk.store.addTokens(count.input + count.output, on: Self.day(desk.now()))
  }

  /// Forgets old uses.
  func tick() {
    let now = clock()
    state.withLock { state in
      state.uses = state.uses.filter { $0.value.contains { now - $0 < .seconds(3_600) } }
    }
  }

  private static func day(_ date: Date) -> String {
    date.formatted(.iso8601.year().month().day())
  }
}

extension Problem {
  /// - Parameter seconds: How long to wait.
  static func tooMany(_ code: String, _ message: String, _ seconds: Int) -> Problem {
    var problem = Problem(.tooManyRequests, code, message)
    problem.headers[.retryAfter] = "\(seconds)"
    return problem
  }
}
