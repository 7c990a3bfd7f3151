import FoundationEssentials
import Glibc
import HTTPTypes
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
  /// How many people's turns, tokens, streams and uploads one address may use: a household's, or
  /// everybody's behind one router.
  public var peoplePerAddress = 10
  /// New people from one address in an hour: device tokens that it may ask for.
  public var newPeoplePerHour = 60
  /// Recovery codes that a person may ask for in an hour, and that one address may try.
  public var recoveriesPerHour = 10
  /// Journeys that a person may start in an hour.
  public var journeysPerHour = 30

  public init() {}
}

/// Counts what is limited.
///
/// Tokens a day are counted in the store, so they survive a restart; if the store cannot be read, nobody
/// gets a turn. The other windows are short and start again with the server.
final class Limits: Sendable {
  private struct State {
    /// When each of the last uses was, by what and who.
    var uses: [String: [ContinuousClock.Instant]] = [:]
    /// Makes names of addresses for the store, which should not hold addresses.
    var key: [UInt8]?
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
    guard !caller.isLocal else { return }
    let day = Self.day(desk.now())
    var stores: [(any PersonStore, Int)] = [(desk.store, options.tokensPerDay)]
    if let near = try await neighborhood(of: caller, desk) {
      stores.append((near, options.tokensPerDay * options.peoplePerAddress))
    }
    for (store, most) in stores {
      let used = try await store.tokens(on: day)
      guard used < most else {
        let midnight = 86_400 - Int(desk.now().timeIntervalSince1970) % 86_400
        throw Problem.tooMany(
          "tokens-used-up", "That's all for today. Please come back tomorrow.", midnight)
      }
    }
    try take("turn", caller, options.turnsPerMinute, .seconds(60))
  }

  func takeAnswer(_ caller: Caller) throws(Problem) {
    guard !caller.isLocal else { return }
    try take("answer", caller, options.answersPerMinute, .seconds(60))
  }

  func takeJourney(_ caller: Caller) throws(Problem) {
    guard !caller.isLocal else { return }
    try take("journey", caller, options.journeysPerHour, .seconds(3_600))
  }

  func takeUpload(_ caller: Caller) throws(Problem) {
    guard !caller.isLocal else { return }
    try take("upload", caller, options.uploadsPerHour, .seconds(3_600))
  }

  func takeRecovery(of caller: Caller) throws(Problem) {
    try take("recovery", caller, options.recoveriesPerHour, .seconds(3_600))
  }

  /// A code that is tried at an address, whether or not it is somebody's.
  func takeRecovery(at address: String) throws(Problem) {
    try take(
      ["recovery/\(Self.network(of: address))": options.recoveriesPerHour], .seconds(3_600),
      "Many codes were tried from your network within the hour. Please try again later.")
  }

  func takeDevice(_ address: String) throws(Problem) {
    try take(
      ["device/\(Self.network(of: address))": options.newPeoplePerHour], .seconds(3_600),
      "Many new people came from your network within the hour. Please try again later.")
  }

  private func take(
    _ what: String, _ caller: Caller, _ most: Int, _ window: Duration
  ) throws(Problem) {
    var limits = ["\(what)/person/\(caller.person)": most]
    if let address = caller.address {
      limits["\(what)/address/\(address)"] = most * options.peoplePerAddress
    }
    try take(
      limits, window,
      window > .seconds(60)
        ? "That's as many as I can take in an hour. Please try again later."
        : "That was a lot at once. Please wait a moment.")
  }

  /// Counts one use for every key, or none if one of them has reached its limit.
  private func take(
    _ limits: [String: Int], _ window: Duration, _ refusal: String
  ) throws(Problem) {
    let now = clock()
    let wait = state.withLock { state -> Duration? in
      var wait: Duration?
      for (key, most) in limits {
        let uses = state.uses[key, default: []].filter { now - $0 < window }
        state.uses[key] = uses
        guard uses.count >= most else { continue }
        // The oldest of those that count has to go first.
        let next = uses.dropFirst(uses.count - most).first.map { window - (now - $0) } ?? window
        wait = max(wait ?? .zero, next)
      }
      if wait == nil { for key in limits.keys { state.uses[key, default: []].append(now) } }
      return wait
    }
    guard let wait else { return }
    throw .tooMany(
      "too-many", refusal, max(1, Int((wait / .seconds(1)).rounded(.up))))
  }

  func count(_ count: TokenMeter.Count, by caller: Caller, _ desk: CoachDesk) async {
    guard desk.store.person != .local, count.input + count.output > 0 else { return }
    let (tokens, day) = (count.input + count.output, Self.day(desk.now()))
    try? await desk.store.addTokens(tokens, on: day)
    try? await neighborhood(of: caller, desk)?.addTokens(tokens, on: day)
  }

  /// Where the tokens are counted that everybody at the caller's address used; nil without an address.
  private func neighborhood(
    of caller: Caller, _ desk: CoachDesk
  ) async throws -> (any PersonStore)? {
    guard let address = caller.address else { return nil }
    var key = state.withLock(\.key)
    if key == nil {
      key = try await desk.store.serverKey("addresses") {
        (0..<32).map { _ in UInt8.random(in: .min ... .max) }
      }
      state.withLock { $0.key = key }
    }
    let name = Digest.code(of: Array(address.utf8), key: key ?? []).prefix(16).hexadecimal
    return desk.store.belonging(to: PersonID(rawValue: "address:" + name))
  }

  /// What one customer of a provider has: an IPv4 address, or an IPv6 network of 64 bits.
  static func network(of address: String) -> String {
    var words = in6_addr()
    guard inet_pton(AF_INET6, address, &words) == 1 else { return address }
    return withUnsafeBytes(of: words) { bytes in
      // An IPv4 address in the form of an IPv6 address.
      if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
        return bytes.suffix(4).map { "\($0)" }.joined(separator: ".")
      }
      return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }
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
