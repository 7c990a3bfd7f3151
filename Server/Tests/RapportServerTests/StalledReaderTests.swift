import Foundation
import IncrementalJSON
import Intake
import LanguageModels
import SessionStore
import Synchronization
import TestSupport
import Testing

@testable import RapportServer

/// Answers one person without an end, and everybody else as the mock does.
private final class EndlessModel: LanguageModel {
  static let word = "endless"
  /// So that a test ends in which nothing pauses it.
  static let most = 8_000
  /// One word of digits, which is neither too long a reply nor one that repeats itself.
  static let piece = String(repeating: "7", count: 1_000)

  private struct State {
    var pieces = 0
    var isCancelled = false
  }

  private let model: any LanguageModel
  private let state = Mutex(State())

  init(_ model: any LanguageModel) { self.model = model }

  var identity: ModelIdentity { model.identity }
  var pieces: Int { state.withLock(\.pieces) }
  var isCancelled: Bool { state.withLock(\.isCancelled) }

  func reply(to request: ModelRequest) -> ModelReply {
    let isMeant =
      request.schema == nil && !request.isBackground
      && request.messages.contains { $0.text.contains(Self.word) }
    return isMeant ? ModelReply { Source(model: self) } : model.reply(to: request)
  }

  private func next() -> ModelEvent {
    state.withLock { state in
      state.pieces += 1
      if Task.isCancelled { state.isCancelled = true }
      let isOver = state.isCancelled || state.pieces >= Self.most
      return isOver ? .completed(ModelCompletion(finish: .length)) : .delta(Self.piece)
    }
  }

  private struct Source: ModelReplySource {
    let model: EndlessModel
    var isOver = false

    init(model: EndlessModel) { self.model = model }

    mutating func next() async throws(ModelError) -> ModelEvent? {
      guard !isOver else { return nil }
      let event = model.next()
      if case .completed = event { isOver = true }
      return event
    }
  }
}

@Suite(.serialized, .integration) struct StalledReaderTests {
  /// One reader of many takes nothing: the model waits for it, nobody else does, and after half a
  /// minute the reader is let go and its reply ends.
  @Test func aReaderThatStopsReadingPausesItsModelOnly() async throws {
    let clock = TokenTests.Clock()
    var options = ServerOptions.forTests
    options.keepAlive = .milliseconds(50)
    options.clock = { clock.now }
    let mock = try await MockModel()
    let model = EndlessModel(mock.roles.coach)
    let server = try await TestServer(
      TestFolder(), models: ModelRoles(all: model), options: options)
    let body =
      #"{"message": "I want \#(EndlessModel.word) energy, as my kids want to play with me"}"#
    let stalled = try await Stalled(
      server.client.port,
      "POST /chat-stream HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        + "content-length: \(body.utf8.count)\r\n\r\n\(body)")

    // Once another turn finishes and this reply hasn't grown, the model has paused.
    var before = -1
    for _ in 0..<200 where model.pieces != before || before == 0 {
      before = model.pieces
      #expect(try await server.client.chat(["message": "hello"]).first("done")?["failed"] == false)
    }
    #expect(before > 0 && before < EndlessModel.most)

    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<Soak.rounds(12, soak: 199) {
        group.addTask {
          let events = try await server.client.chat(["message": .string(lines[0])])
          return events.first("done")?["failed"] == false
        }
      }
      for try await isAnswered in group { #expect(isAnswered) }
    }
    #expect(model.pieces == before && !model.isCancelled)

    clock.advance(.seconds(29))
    _ = try await server.client.chat(["message": "hello"])
    #expect(model.pieces == before && !model.isCancelled)
    try await stalled.waitUntilLetGo(by: server) { clock.advance(.seconds(2)) }
    for _ in 0..<200 where !model.isCancelled {
      _ = try await server.client.chat(["message": "hello"])
    }
    #expect(model.isCancelled)
    withExtendedLifetime(mock) {}

    // What waited for the reader: what the reply may be ahead, and what the connection held.
    let cut = try server.store.sessions().flatMap { session in
      try server.store.events(of: session.id).compactMap { StoredMessage($0) }.filter {
        $0.cut != nil
      }
    }
    #expect(cut.count <= 1)
    #expect(before * EndlessModel.piece.utf8.count < 512 * 1024)
  }
}
