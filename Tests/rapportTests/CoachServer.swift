import HTTPStreaming
import MockServer
import Synchronization
import TestSupport

/// A coaching model on a loopback socket, in both wire formats: what `rapport mock` serves.
final class CoachServer: Sendable {
  static let modelName = BuiltInCoach.modelName

  private let server: MockServer
  private let seen: Seen

  private final class Seen: Sendable {
    let requests = Mutex<[RecordedRequest]>([])
  }

  init() async throws {
    let seen = Seen()
    var options = ModelAPI.Options()
    options.takesAnyModel = true
    let api = ModelAPI(script: try BuiltInCoach.script(), options: options)
    server = try await MockServer { request in
      seen.requests.withLock { $0.append(RecordedRequest(request)) }
      return api.answer(request)
    }
    self.seen = seen
  }

  /// What to give as the base URL, for either format.
  var baseURL: String { server.baseURL }

  func stop() { server.stop() }

  var requests: [RecordedRequest] { seen.requests.withLock { $0 } }
}

extension RecordedRequest {
  fileprivate init(_ request: MockRequest) {
    self.init(
      method: request.method, path: request.path,
      headers: request.headers.fields.map { Header(name: $0.name, value: $0.value) },
      body: request.body)
  }
}
