import HTTPTypes
import Hummingbird
import SessionStore
import Startup

/// Finds out who sends a request. Without authentication, everybody who reaches this machine's
/// loopback is the local user; with it, everybody needs a valid token.
struct AccessMiddleware: RouterMiddleware {
  let verifier: TokenVerifier
  let store: any PersonStore
  var proxies = TrustedProxies(addresses: [])
  /// Nil if this server issues none.
  var tokens: DeviceTokens?
  /// Whether the page's cookie may only travel encrypted, in any case.
  var isSecure = false

  static let cookie = "rapport-token"
  /// For clients that insist on a token where nobody needs one.
  static let localToken = "local"

  func handle(
    _ request: Request, context: AppContext,
    next: (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    context.caller = try await caller(of: request)
    context.caller.requestID = context.requestID
    context.caller.language = request.headers[.acceptLanguage].flatMap {
      DeviceLanguage.code(accepting: $0)
    }
    if !context.caller.isLocal {
      context.caller.address = Limits.network(
        of: proxies.client(of: request, from: context.address))
    }
    var response = try await next(request, context)
    if Self.token(inHeaderOf: request) == nil, response.headers[.setCookie] == nil,
      let token = try tokens?.renewed(context.caller)
    {
      response.setCookie(cookie(token, for: request, context))
    }
    return response
  }

  /// The page's cookie.
  private func cookie(_ token: String, for request: Request, _ context: AppContext) -> Cookie {
    .token(token, isSecure: isSecure || proxies.isEncrypted(request, from: context.address))
  }

  private func caller(of request: Request) async throws -> Caller {
    let header = Self.token(inHeaderOf: request)
    guard verifier.authentication.isConfigured else {
      // A browser sends its cookies to every port of a host, so one may be another server's.
      if header == nil || header == Self.localToken { return .localUser }
      throw Problem.unauthorized
    }
    let kept = request.cookies[Self.cookie]?.value
    let refusal = header == nil && kept != nil ? Problem.cookieRefused : .unauthorized
    guard let token = header ?? kept, let caller = try await verifier.caller(of: token) else {
      throw refusal
    }
    let own = store.belonging(to: caller.person)
    let isKnown = try await own.isRegistered()
    if !isKnown {
      // A device's person is registered with its token. Whoever isn't was deleted, or moved to an
      // account.
      guard caller.hasAccount else { throw refusal }
      try await own.register(at: verifier.now())
    }
    return caller
  }

  /// The token in the header; empty if the header holds something else.
  private static func token(inHeaderOf request: Request) -> String? {
    guard let header = request.headers[.authorization] else { return nil }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return "" }
    return String(parts[1])
  }
}

extension Problem {
  static let unauthorized: Problem = {
    var problem = Problem(
      .unauthorized, "unauthorized", "Send a valid token: Authorization: Bearer <token>.")
    problem.headers[.wwwAuthenticate] = "Bearer"
    return problem
  }()

  /// A browser has somebody's cookie, so it gets no other person's without their word.
  static let cookieRefused = Problem(
    .unauthorized, "cookie-refused",
    "This browser's cookie isn't accepted now. A clock may be wrong, or its person was deleted.")
}

extension Cookie {
  /// The page's cookie with a device's token; without one, the cookie that removes it.
  static func token(_ token: String?, isSecure: Bool) -> Cookie {
    Cookie(
      name: AccessMiddleware.cookie, value: token ?? "",
      maxAge: token == nil ? 0 : Int(DeviceTokens.lifetime), path: "/", secure: isSecure,
      httpOnly: true, sameSite: .strict)
  }
}

/// Refuses what a page of another origin asks of a browser (CSRF), and answers a browser's question
/// whether it may (CORS) for listed origins only.
struct OriginCheck: RouterMiddleware {
  /// `https://app.example.com`, in lower case.
  let origins: Set<String>
  let problems: ProblemShaping

  func handle(
    _ request: Request, context: AppContext,
    next: (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    guard let origin = request.headers[.origin]?.lowercased() else {
      if request.headers[.secFetchSite] == "cross-site", request.method != .get {
        throw Problem.wrongOrigin
      }
      return try await next(request, context)
    }
    if origins.contains(origin) {
      let isQuestion = request.method == .options
      // Errors become responses here, so that the page can read them, too.
      var response =
        isQuestion
        ? Response(status: .noContent)
        : try await problems.handle(request, context: context, next: next)
      response.headers[.accessControlAllowOrigin] = origin
      response.headers[.accessControlExposeHeaders] = "retry-after, x-conversation-id"
      response.headers[.vary] = "Origin, Access-Control-Request-Headers"
      if isQuestion {
        response.headers[.accessControlAllowMethods] = "GET, POST, PUT, PATCH, DELETE"
        // Libraries send headers of their own, and none of them lets a page do more here.
        let asked = request.headers[.accessControlRequestHeaders].map { ", " + $0 } ?? ""
        response.headers[.accessControlAllowHeaders] =
          "authorization, content-type, last-event-id, accept, x-conversation-id" + asked
        response.headers[.accessControlMaxAge] = "600"
      }
      return response
    }
    guard isOwn(origin, request) else { throw Problem.wrongOrigin }
    return try await next(request, context)
  }

  /// Whether the page came from this server.
  private func isOwn(_ origin: String, _ request: Request) -> Bool {
    guard let authority = request.head.authority?.lowercased() else { return false }
    return origin == "http://\(authority)" || origin == "https://\(authority)"
  }
}

extension Problem {
  static let wrongOrigin = Problem(
    .forbidden, "wrong-origin",
    "Pages from that origin can't use this server. Add it with --allow-origin.")
}
