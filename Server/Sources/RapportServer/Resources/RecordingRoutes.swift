import Cassettes
import Hummingbird
import IncrementalJSON
import Intake
import RapportTesting
import SessionStore
import WireFormats

/// Recorded conversations, for engineers: a recording is played through the engine against its own
/// answers, and nothing of it is stored.
struct RecordingRoutes: Sendable {
  let desk: CoachDesk

  /// The longest recording that is accepted, in bytes.
  static let mostBytes = 4 << 20

  func add(to router: RouterGroup<AppContext>) {
    router.post("recordings/replay") { request, context in
      guard context.caller.isEngineer else { throw Problem.notFound }
      let buffer = try await request.body.collect(upTo: Self.mostBytes)
      return Response(try await replay(Array(buffer.readableBytesView)))
    }
  }

  private func replay(_ bytes: [UInt8]) async throws(Problem) -> JSONValue {
    let cassette = try Self.reading(bytes)
    let runner = ConversationRunner(pack: desk.pack)
    let run = await runner.run(cassette)
    let pack = runner.pack(for: cassette)
    let played = StoredConversation(
      id: SessionID(rawValue: "recording"), events: run.events,
      state: pack.state(after: run.events))
    let settings = IntakeSettings(readyAbove: cassette.settings.readyAbove)
    return [
      "title": .string(cassette.title), "complete": .bool(run.problems.isEmpty),
      "conversation": played.json(settings), "insight": played.insight(settings),
    ]
  }

  private static func reading(_ bytes: [UInt8]) throws(Problem) -> Cassette {
    do { return try Cassette(parsing: bytes) } catch {
      throw .badRequest(error.reason, field: error.path.isEmpty ? nil : error.path)
    }
  }
}
