import Cassettes
import HTTPStreaming
import MockServer
import Synchronization
public import TestSupport

/// A coaching model on a loopback socket, in both wire formats: what `rapport mock` serves.
public final class CoachServer: Sendable {
  public static let modelName = BuiltInCoach.modelName

  private let server: MockServer
  private let seen: Seen

  private final class Seen: Sendable {
    let requests = Mutex<[RecordedRequest]>([])
  }

  public init() async throws {
    let seen = Seen()
    var options = ModelAPI.Options()
    options.takesAnyModel = true
    let api = ModelAPI(script: try BuiltInCoach.script(), options: options)
    server = try await MockServer { request in
      // What a server tells of its room is asked beside the API.
      if !["/props", "/api/ps"].contains(where: { RecordedRequest(request).path.hasSuffix($0) }) {
        seen.requests.withLock { $0.append(RecordedRequest(request)) }
      }
      return api.answer(request)
    }
    self.seen = seen
  }

  /// What to give as the base URL, for either format.
  public var baseURL: String { server.baseURL }

  public func stop() { server.stop() }

  public var requests: [RecordedRequest] { seen.requests.withLock { $0 } }
}

extension RecordedRequest {
  fileprivate init(_ request: MockRequest) {
    self.init(
      method: request.method, path: request.path,
      headers: request.headers.fields.map { Header(name: $0.name, value: $0.value) },
      body: request.body)
  }
}
