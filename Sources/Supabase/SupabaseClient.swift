public import FoundationEssentials
public import HTTPStreaming
import IncrementalJSON
import LanguageModels

/// Sends requests to one project, each once.
public struct SupabaseClient: Sendable {
  public let project: SupabaseProject
  private let transport: any HTTPTransport
  let now: @Sendable () -> Date

  static let bodyLimit = 16 << 20

  public init(
    _ project: SupabaseProject, transport: any HTTPTransport,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.project = project
    self.transport = transport
    self.now = now
  }

  /// - Parameters:
  ///   - path: With its query, such as `/auth/v1/otp`.
  ///   - token: Whose request it is; nil if nobody is signed in.
  func send(
    _ method: HTTPMethod = .post, _ path: String, _ body: JSONValue? = nil, token: Secret? = nil,
    headers more: [(String, String)] = [], patience: Duration? = nil
  ) async throws(SupabaseError) -> SupabaseAnswer {
    var headers: HTTPHeaders = [
      "apikey": project.key.revealed, "content-type": "application/json",
      "accept": "application/json", Self.versionHeader: Self.version,
    ]
    if let token { headers.append("authorization", "Bearer \(token.revealed)") }
    for (name, value) in more { headers.append(name, value) }
    let request = HTTPRequest(
      method: method, url: project.url + path, headers: headers,
      body: body?.serializedBytes() ?? [],
      timeouts: HTTPTimeouts(
        connect: patience ?? .seconds(10), firstByte: patience ?? .seconds(20),
        idle: patience ?? .seconds(20), total: patience ?? .seconds(40)))
    let answer: SupabaseAnswer
    do throws(HTTPError) {
      let response = try await transport.send(request)
      answer = SupabaseAnswer(
        status: response.status, headers: response.headers,
        body: try await response.body.bytes(limit: Self.bodyLimit))
    } catch {
      throw SupabaseError(error, host: project.host)
    }
    guard (200...299).contains(answer.status) else {
      throw answer.error(host: project.host, now: now())
    }
    return answer
  }

  func unexpected(_ detail: String) -> SupabaseError {
    SupabaseError(.unexpected, detail: detail, host: project.host)
  }

  /// Asks GoTrue for errors as code and message.
  private static let versionHeader = "x-supabase-api-version"
  private static let version = "2024-01-01"
}
