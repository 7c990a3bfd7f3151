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

/// Refuses requests for other hosts, so that a page elsewhere can't reach this server through a name
/// that it points to this machine (DNS rebinding).
struct HostCheck: RouterMiddleware {
  /// In lower case, without the port.
  let hosts: Set<String>

  func handle(
    _ request: Request, context: AppContext,
    next: (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    guard let authority = request.head.authority, hosts.contains(Self.host(authority)) else {
      throw Problem(
        .init(code: 421), "wrong-host",
        "This server doesn't answer for that host. Add it with --allow-host.")
    }
    return try await next(request, context)
  }

  static func host(_ authority: String) -> String {
    let text = authority.lowercased()
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      return String(text[text.index(after: text.startIndex)..<end])
    }
    return String(text.prefix { $0 != ":" })
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
