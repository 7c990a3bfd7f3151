public import FoundationEssentials
import HTTPStreaming
package import IncrementalJSON
public import MockServer
import Synchronization
import WireFormats

/// Answers like a Supabase project: GoTrue under `/auth/v1`, PostgREST under `/rest/v1`, and the
/// gateway in front of both. Everything it knows is in memory.
public final class SupabaseAPI: Sendable {
  public struct Options: Sendable {
    /// The only key that the gateway lets through.
    public var anonKey = SupabaseAPI.anonKey
    /// Each has the columns `user_id` and `updated_at`, row policies for the owner alone, and a
    /// trigger that keeps the newer row.
    public var tables: Set<String> = [
      "intakes", "coaching_profiles", "goals", "programs", "user_profiles",
    ]
    public var tokenLifetime = 3_600
    public var codeLifetime = 3_600
    /// Seconds between two codes for one address.
    public var resendAfter = 30
    /// Wrong codes for one address before the project asks for patience.
    public var codeTries = 10
    public var faults: [SupabaseFaultPlan.Planned] = []
    /// Six to ten digits, as a project chooses; nil draws six.
    public var code: String?
    public var now: @Sendable () -> Date = { Date() }

    public init() {}
  }

  /// What happened to a request.
  public struct Record: Hashable, Sendable {
    public var method: String
    public var path: String
    public var status: Int
    public var fault: String?
  }

  /// The key of a project that was made for trying things out: a token for the role `anon`, with a
  /// signature that nothing checks.
  public static let anonKey = SupabaseTokens.unsigned(["role": "anon", "iss": "supabase-mock"])

  let options: Options
  private let state: Mutex<SupabaseState>
  private let sendCode: @Sendable (_ email: String, _ code: String) -> Void
  private let report: @Sendable (Record) -> Void

  /// - Parameters:
  ///   - sendCode: Called instead of sending an email.
  ///   - report: Called with each request once its answer is known.
  public init(
    options: Options = Options(),
    sendCode: @escaping @Sendable (_ email: String, _ code: String) -> Void = { _, _ in },
    report: @escaping @Sendable (Record) -> Void = { _ in }
  ) {
    self.options = options
    self.sendCode = sendCode
    self.report = report
    state = Mutex(SupabaseState(faults: SupabaseFaultPlan(options.faults)))
  }

  public func answer(_ request: MockRequest) -> MockAnswer {
    let request = SupabaseRequest(request)
    var email: (String, String)?
    let (reply, fault) = state.withLock { state in
      let fault = request.target.flatMap { state.faults.next(for: $0) }
      var reply = broken(by: fault, request) ?? self.reply(to: request, &state)
      reply.headers.append("sb-project-ref", "mock")
      email = state.takeEmail()
      return (reply, fault)
    }
    if let email { sendCode(email.0, email.1) }
    report(
      Record(
        method: request.raw.method, path: request.raw.path, status: reply.status,
        fault: fault?.description))
    if fault?.name == .lostReply {
      return .delivery(Delivery(status: 200, headers: [:], parts: [], ending: .reset))
    }
    guard fault?.name == .slow else { return .delivery(reply.delivery()) }
    var delivery = reply.delivery(delay: 1_000 * (fault?.number ?? 5))
    // Without a body, there is no part that could come late.
    if delivery.parts.isEmpty { delivery.parts = [.init(at: 1_000 * (fault?.number ?? 5), [])] }
    return .delivery(delivery, pace: .times(1))
  }

  /// The rows of a table, for tests.
  package func rows(of table: String) -> [JSONObject] {
    state.withLock { $0.tables[table] ?? [] }
  }

  /// Changes a column in every row of a table, as another program might. For tests.
  package func set(_ column: String, to value: JSONValue, in table: String) {
    state.withLock { state in
      for index in (state.tables[table] ?? []).indices {
        state.tables[table]?[index][column] = value
      }
    }
  }

  /// How many requests were for this, for tests.
  package func count(_ target: SupabaseTarget) -> Int { state.withLock { $0.counts[target] ?? 0 } }

  private func broken(by fault: SupabaseFault?, _ request: SupabaseRequest) -> SupabaseReply? {
    guard let fault else { return nil }
    func auth(_ status: Int, _ code: String, _ message: String, _ wait: Int? = nil) -> SupabaseReply
    {
      .auth(status, code, message, to: request.raw, retryAfter: wait)
    }
    switch fault.name {
    case .wrongCode: return auth(403, "otp_expired", "Token has expired or is invalid")
    case .emailInvalid:
      return auth(400, "email_address_invalid", "Email address is invalid")
    case .emailLimit:
      return auth(
        429, "over_email_send_rate_limit",
        "For security purposes, you can only request this after \(fault.number ?? 41) seconds.")
    case .signupsOff: return auth(422, "otp_disabled", "Signups not allowed for otp")
    case .rateLimit:
      return auth(
        429, "over_request_rate_limit", "Request rate limit reached", fault.number ?? 20)
    case .sessionEnded:
      return auth(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used")
    case .expiredToken: return .rows(401, "PGRST303", "JWT expired")
    case .rowPolicy: return .violation(of: request.table ?? "")
    case .badRow:
      return .rows(
        400, "PGRST204",
        "Could not find the 'body' column of '\(request.table ?? "")' in the schema cache")
    case .serverError:
      return auth(
        fault.number ?? 500, "unexpected_failure",
        "Unexpected failure, please check server logs for more information")
    case .gateway:
      var reply = SupabaseReply(502)
      reply.page = "<html><head><title>502 Bad Gateway</title></head><body></body></html>"
      return reply
    case .wrongKey: return Self.wrongKey
    case .slow, .lostReply: return nil
    }
  }

  private func reply(
    to request: SupabaseRequest, _ state: inout SupabaseState
  ) -> SupabaseReply {
    if request.raw.method == "OPTIONS" { return SupabaseReply(204) }
    guard let key = request.raw.headers["apikey"] ?? request.query["apikey"], !key.isEmpty else {
      return .gateway(
        "No API key found in request", hint: "No `apikey` request header or url param was found.")
    }
    guard key == options.anonKey else { return Self.wrongKey }
    guard let target = request.target else {
      return SupabaseReply(404, ["message": "no Route matched with those values"])
    }
    state.counts[target, default: 0] += 1
    let scene = SupabaseScene(options: options, request: request)
    switch target {
    case .otp: return scene.requestCode(&state)
    case .verify: return scene.verify(&state)
    case .refresh: return scene.refresh(&state)
    case .logout: return scene.signOut(&state)
    case .user: return scene.user(&state)
    case .rows: return scene.rows(&state)
    }
  }

  private static let wrongKey = SupabaseReply.gateway(
    "Invalid API key", hint: "Double check your Supabase `anon` or `service_role` API key.")
}

/// A request with what its path and body say.
struct SupabaseRequest {
  let raw: MockRequest
  let target: SupabaseTarget?
  let table: String?
  let query: [String: String]
  /// In order, with repetitions.
  let items: [(name: String, value: String)]
  let body: JSONValue?

  init(_ request: MockRequest) {
    raw = request
    let parts = (URLComponents(string: request.path)?.path ?? request.path).split(separator: "/")
      .map(String.init)
    let parsed = URLComponents(string: "?" + request.query)?.queryItems ?? []
    items = parsed.map { ($0.name, $0.value ?? "") }
    query = Dictionary(items.map { ($0.name, $0.value) }) { first, _ in first }
    body = try? JSONValue(parsing: request.body)
    let isRows = parts.count == 3 && parts[..<2] == ["rest", "v1"]
    table = isRows ? parts[2] : nil
    let isAuth = parts.count == 3 && parts[..<2] == ["auth", "v1"]
    switch (isAuth ? parts[2] : "", request.method) {
    case ("otp", "POST"): target = .otp
    case ("verify", "POST"): target = .verify
    case ("token", "POST") where query["grant_type"] == "refresh_token": target = .refresh
    case ("logout", "POST"): target = .logout
    case ("user", "GET"): target = .user
    default: target = isRows ? .rows : nil
    }
  }

  var bearer: String? {
    guard let header = raw.headers["authorization"], header.lowercased().hasPrefix("bearer ") else {
      return nil
    }
    return String(header.dropFirst("bearer ".count))
  }
}
