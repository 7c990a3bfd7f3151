import Cassettes
import HTTPStreaming
import MockServer
import TestSupport
import WireFormats

/// Serves while the body runs.
func withServer<Result>(
  pace: ReplayPace = .none, answer: @escaping MockServer.Answer,
  _ body: (MockServer) async throws -> Result
) async throws -> Result {
  let server = try await MockServer(pace: pace, answer: answer)
  do {
    let result = try await body(server)
    await server.shutdown()
    return result
  } catch {
    await server.shutdown()
    throw error
  }
}

func withServer<Result>(
  _ delivery: Delivery, pace: ReplayPace = .none, _ body: (MockServer) async throws -> Result
) async throws -> Result {
  try await withServer(pace: pace, answer: { _ in .delivery(delivery) }, body)
}

extension Delivery {
  /// A stream of these texts, so many milliseconds apart.
  init(
    _ texts: [String], apart: Int = 0, ending: RecordedResponse.Ending = .whole,
    keepsParts: Bool = false
  ) {
    self.init(
      status: 200, headers: ["content-type": "text/event-stream"],
      parts: texts.enumerated().map {
        Delivery.Part(at: $0.offset * apart, Array($0.element.utf8))
      },
      ending: ending)
    self.keepsParts = keepsParts
  }
}

extension HTTPClient {
  func get(_ url: String) async throws -> (status: Int, headers: HTTPHeaders, text: String) {
    try await text(HTTPRequest(url: url))
  }

  func text(_ request: HTTPRequest) async throws -> (
    status: Int, headers: HTTPHeaders, text: String
  ) {
    let response = try await send(request)
    var body: [UInt8] = []
    for try await chunk in response.body { body += chunk }
    return (response.status, response.headers, String(decoding: body, as: UTF8.self))
  }
}
