import HTTPTypes
import Hummingbird
import IncrementalJSON
import SessionStore

/// For the server's operator: is it alive, can it work, and what has it done.
struct OperationRoutes: Sendable {
  let conversations: Conversations
  let metrics: PrometheusMetrics
  let faults: Faults

  func addOpen(to router: Router<AppContext>) {
    router.get("healthz") { _, _ in Response(["status": "alive"]) }
    router.get("readyz") { _, _ in
      guard !conversations.isStopping else { throw Problem.stopping }
      _ = try await conversations.desk.store.contains(.init(rawValue: ""))
      if let (part, cause) = faults.present {
        throw Problem(
          .serviceUnavailable, "\(part)-failing", "The \(part) has failed for a while: \(cause)")
      }
      return Response(["status": "ready"])
    }
  }

  func add(to router: RouterGroup<AppContext>) {
    router.get("metrics") { _, context in
      guard context.caller.isEngineer else { throw Problem.notFound }
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: .init(byteBuffer: ByteBuffer(string: metrics.text)))
    }
  }
}
