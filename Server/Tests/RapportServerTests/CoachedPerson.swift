import ContextQuality
import Foundation
import HealthRecords
import IncrementalJSON
import Intake
import Journeys
import LanguageModels
import NIOHTTP1
import SessionStore
import Synchronization

@testable import RapportServer

/// A server with one conversation that is coached since Monday, February 2, 2026, at noon.
final class CoachedPerson: Sendable {
  static let monday = Day(number: 20_486)

  let server: TestServer
  let id: SessionID
  private let clock: Clock

  var client: Client { server.client }

  /// - Parameters:
  ///   - models: Nil rehearses.
  ///   - store: Where the conversation is; nil for the server's own file.
  init(
    models: ModelRoles? = nil, options: ServerOptions = .forTests,
    first: String = "I want to squat 100 kg",
    _ shape: (inout Constraints) -> Void = { _ in }
  ) async throws {
    let begun = Date(timeIntervalSince1970: Double(Self.monday.number) * 86_400 + 43_200)
    let clock = Clock(begun)
    self.clock = clock
    server = try await TestServer(
      TestFolder(), models: models, options: options, now: { clock.now })
    id = try await server.store.beginSession(SessionID(rawValue: "coached1"), at: begun)
    try await Self.begin(
      server.store, id, begun, source: models == nil ? .rehearsal : nil, first, shape)
  }

  /// A clock that the test moves.
  final class Clock: Sendable {
    private let time: Mutex<Date>
    init(_ begun: Date) { time = Mutex(begun) }
    var now: Date { time.withLock(\.self) }
    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
  }

  func wait(days: Int) { clock.advance(Double(days) * 86_400) }

  /// Stores a conversation whose discovery is over.
  static func begin(
    _ store: any ConversationStore, _ id: SessionID, _ begun: Date, source: ProfileSource?,
    _ first: String, _ shape: (inout Constraints) -> Void
  ) async throws {
    let pack = try TestServer.pack.get()
    var system = CoachingSystem(source: source)
    system.userGoals.primary = "squat 100 kg"
    shape(&system.constraints)
    let start = SessionStart(
      pack: pack.name, packVersion: pack.version, rubricVersion: pack.rubric.version,
      source: source)
    let events: [IntakeEvent] = [
      .started(start), .greeted(CoachReply(text: "Hi.")),
      .userSaid(UserTurn(turn: 1, text: first)), .scored(Scoring(turns: [1])),
      .synthesised(Synthesis(system: system, throughTurn: 1, isMinimal: false)),
      .summarised(CoachReply(text: "So that's it.")),
      .userSaid(UserTurn(turn: 2, text: "yes")), .discoveryCompleted,
      .entitled(Entitlement(source: "stub", grantedAt: begun)),
      .coached(CoachReply(text: "Let's begin.")),
    ]
    let log = store.sharedLog(for: id)
    _ = try await log.events()
    _ = try await log.append(events.map { EventEnvelope($0) }, at: begun)
  }

  func say(_ text: String) async throws -> [Event] {
    try await client.chat(["conversation_id": .string(id.rawValue), "message": .string(text)])
  }

  func choose(_ choice: String) async throws -> [Event] {
    try await client.chat(["conversation_id": .string(id.rawValue), "choice": .string(choice)])
  }

  /// Comes back.
  func visit() async throws -> [Event] { try await client.resume(id.rawValue) }

  func get(_ path: String) async throws -> Client.Answer {
    try await client.json(.GET, "/conversations/\(id)/\(path)")
  }
}

extension [Event] {
  /// The choices' ids.
  var offered: [String] {
    last { $0.name == "choices" }?["options"]?.arrayValue?.compactMap { $0["id"]?.stringValue }
      ?? []
  }

  /// What the coach said.
  var said: [String] {
    filter { $0.name == "message" }.compactMap { $0["text"]?.stringValue }
  }

  func notice(_ code: String) -> Event? {
    first { $0.name == "notice" && $0["code"] == .string(code) }
  }
}
