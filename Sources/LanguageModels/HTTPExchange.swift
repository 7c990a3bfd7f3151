import HTTPStreaming
import IncrementalJSON

/// Requests with short answers, sent once.
struct HTTPExchange {
  let endpoint: ModelEndpoint
  let runtime: ModelRuntime
  /// Far more than a list of models needs.
  static let bodyLimit = 8 << 20

  /// - Parameter isSide: Whether nobody waits long for it, and it is at no other address.
  func get(
    _ path: String, query: String? = nil, isSide: Bool = false
  ) async throws(ModelError) -> [UInt8] {
    let runtime = runtime
    // What is beside the API isn't where the API was found.
    let reachable = isSide ? endpoint : runtime.memory.reachable(endpoint)
    do throws(ModelError) {
      var request = request(.get, path, query: query, at: reachable)
      if isSide { request.timeouts = Self.shortTimeouts }
      return try await body(of: request)
    } catch {
      guard !isSide, isAboutThePath(error), reachable == endpoint,
        let versioned = endpoint.versioned
      else {
        throw error
      }
      let body = try await body(of: request(.get, path, query: query, at: versioned))
      runtime.memory.answers(versioned, insteadOf: endpoint.baseURL)
      return body
    }
  }

  private static let shortTimeouts = HTTPTimeouts(
    connect: .seconds(3), firstByte: .seconds(3), idle: .seconds(3), total: .seconds(5))

  private func isAboutThePath(_ error: ModelError) -> Bool {
    ProviderFailure(status: error.status, type: error.type, message: error.detail).isAboutThePath
      || error.kind == .webPage && error.status == 200
  }

  private func request(
    _ method: HTTPMethod, _ path: String, query: String?, at endpoint: ModelEndpoint
  ) -> HTTPRequest {
    var headers = endpoint.headers
    headers["content-type"] = nil
    return HTTPRequest(
      method: method, url: endpoint.url(path, query: query), headers: headers,
      timeouts: HTTPTimeouts(
        connect: runtime.limits.connect, firstByte: .seconds(20), idle: .seconds(20),
        total: .seconds(30)))
  }

  private func body(of request: HTTPRequest) async throws(ModelError) -> [UInt8] {
    let report = FailureReport(endpoint)
    let response: HTTPResponse
    let failure: ProviderFailure
    do {
      response = try await runtime.transport.send(request)
      if response.status == 200 {
        let body = try await response.body.bytes(limit: Self.bodyLimit)
        if let page = ProviderFailure(page: body) {
          failure = page
        } else if let error = (try? JSONValue(parsing: body, invalidText: .replaced))
          .flatMap({ ProviderFailure(json: $0) }), error.isAboutThePath
        {
          failure = error
        } else {
          return body
        }
      } else {
        let body = await response.body.prefix(bytes: runtime.limits.errorBodyBytes)
        failure = ProviderFailure(status: response.status, body: body)
      }
    } catch {
      throw report.error(error)
    }
    throw report.error(failure, of: response, requestID: response.headers.requestID)
  }
}
