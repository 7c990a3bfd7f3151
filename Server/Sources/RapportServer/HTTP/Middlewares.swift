import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

/// Logs and counts each request when its answer begins: the route, never the path, the query or a
/// body.
struct RequestLogging: RouterMiddleware {
  let metrics: ServerMetrics

  func handle(
    _ request: Request, context: AppContext,
    next: (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    let response = try await next(request, context)
    let method = Self.methods.contains(request.method) ? request.method.rawValue : "other"
    let route = context.endpointPath ?? "none"
    metrics.request(method, route: route, status: response.status.code)
    context.logger.info(
      "request",
      metadata: [
        "method": "\(method)", "route": "\(route)",
        "status": "\(response.status.code)",
        "ms": "\(Int((ContinuousClock.now - start) / .milliseconds(1)))",
      ])
    return response
  }
}

extension RequestLogging {
  /// Others come from a client's imagination, and would fill the metrics.
  private static let methods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options,
  ]
}

/// Turns every error into the same JSON shape, and tells the operator of those that are no client's fault.
struct ProblemShaping: RouterMiddleware {
  let metrics: ServerMetrics

  func handle(
    _ request: Request, context: AppContext,
    next: (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let problem as Problem {
      note(problem, context.logger)
      return problem.response
    } catch is HTTPParserError {
      // The client broke off, or took too long.
      return Problem(.requestTimeout, "incomplete", "The request didn't arrive whole.").response
    } catch let error as any HTTPResponseError {
      switch error.status {
      case .notFound, .methodNotAllowed: return Problem.notFound.response
      case .contentTooLarge:
        return Problem(.contentTooLarge, "too-large", "The request is too large.").response
      case let status: return Problem(status, "refused", status.reasonPhrase).response
      }
    } catch {
      let problem = Problem(error)
      note(problem, context.logger, cause: "\(type(of: error))")
      return problem.response
    }
  }

  private func note(_ problem: Problem, _ logger: Logger, cause: String? = nil) {
    guard problem.status.kind == .serverError, problem != .stopping else { return }
    if problem.code == "store" { metrics.storeFailed() }
    logger.warning(
      "A request failed",
      metadata: ["code": "\(problem.code)", "cause": "\(problem.cause ?? cause ?? "")"])
  }
}

/// Refuses requests for other hosts, and those for several (RFC 9112, 3.2), so that a page elsewhere cannot reach
/// this server through a name that it points to this machine (DNS rebinding).
struct HostCheck: RouterMiddleware {
  /// In lower case, without the port.
  let hosts: Set<String>

  func handle(
    _ request: Request, context: AppContext,
    next: (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    // The first is the authority.
    guard !request.headers.contains(where: { $0.name.canonicalName == "host" }) else {
      throw Problem.badRequest("A request has one Host header.", field: "host")
    }
    guard let authority = request.head.authority, hosts.contains(Self.host(authority)) else {
      throw Problem(
        .init(code: 421), "wrong-host",
        "This server doesn't answer for that host. Add it with --allow-host.")
    }
    return try await next(request, context)
  }

  /// - Returns: The host of "host" or "host:port"; all of anything else.
  static func host(_ authority: String) -> String {
    let text = authority.lowercased()[...]
    let isBracketed = text.hasPrefix("[")
    let name = isBracketed ? text.dropFirst().prefix { $0 != "]" } : text.prefix { $0 != ":" }
    let port = text[name.endIndex...].dropFirst(isBracketed ? 1 : 0)
    let isPort = port.first == ":" && port.utf8.dropFirst().allSatisfy { (48...57).contains($0) }
    return String(port.isEmpty || isPort ? name : text)
  }
}

/// What browsers should never do with an answer of this server.
struct SecurityHeaders: RouterMiddleware {
  func handle(
    _ request: Request, context: AppContext,
    next: (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.referrerPolicy] = "no-referrer"
    response.headers[.contentSecurityPolicy] =
      response.headers[.contentSecurityPolicy] ?? "default-src 'none'; frame-ancestors 'none'"
    return response
  }
}
