import IntakeTestSupport
import LanguageModels
import Synchronization
import Testing

@testable import Intake

/// What a model writes for itself is neither shown nor kept.
struct DraftReplyTests {
  private func session(
    greeting: [ModelReply]
  ) async throws -> ScriptedSession {
    let left = Mutex(greeting)
    return try await ScriptedSession { request in
      guard request.purpose == .greet else { return UsualConversation.script(request) }
      return left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        ?? ModelReply(events: [.delta("Hello."), .completed(ModelCompletion(finish: .stop))])
    }
  }

  private func reply(
    _ pieces: [String], _ finish: ModelCompletion.FinishReason = .stop, reasoned: Bool = false
  ) -> ModelReply {
    var completion = ModelCompletion(finish: finish)
    completion.hasReasoning = reasoned
    return ModelReply(events: pieces.map { .delta($0) } + [.completed(completion)])
  }

  private func deltas(_ session: ScriptedSession) -> String {
    session.shown.compactMap { if case .delta(let text, _) = $0 { text } else { nil } }.joined()
  }

  @Test func bracesInTheThinkingEndNothing() async throws {
    let session = try await session(greeting: [
      reply(["<th", "ink>Known: {\"goal\": \"run\"}.</think>\n\n", "How do ", "you sleep?\n"])
    ])
    try await session.open()
    #expect(deltas(session) == "How do you sleep?")
    #expect(session.messages.map(\.text) == ["How do you sleep?"])
    #expect(session.model.requests(for: .greet).count == 1)
  }

  @Test func aDraftThatWasShownIsReplaced() async throws {
    let session = try await session(greeting: [
      reply(["They want a 10k.\n", "</think>\n\n", "What stops you?"])
    ])
    try await session.open()
    #expect(session.messages.map(\.text) == ["What stops you?"])
    #expect(session.messages.map(\.wasStreamed) == [false])
  }

  @Test func onlyThinkingIsAskedForOnceMoreAndThenSaidInOurWords() async throws {
    let session = try await session(greeting: [
      reply([], reasoned: true), reply(["<think>hm</think>"]),
    ])
    try await session.open()
    #expect(session.model.requests(for: .greet).count == 2)
    #expect(session.messages.count == 1 && session.messages.first?.text.isEmpty == false)
    #expect(session.done.map(\.failed) == [false])
  }

  @Test(arguments: ["abort", "cancelled", "insufficient_system_resource", "something_new"])
  func anyOtherEndingIsACut(reason: String) async throws {
    let session = try await session(greeting: [reply(["I'd like to know which"], .other(reason))])
    try await session.open()
    #expect(session.messages.first?.cut != nil)
    #expect(session.notices.map(\.canBeAskedAgain) == [true])
  }

  @Test(arguments: ["tool_calls", "function_call", "tool_use"])
  func anEndingForAToolIsNone(reason: String) async throws {
    let session = try await session(greeting: [reply(["What stops you?"], .other(reason))])
    try await session.open()
    #expect(session.messages.first?.cut == nil && session.notices.isEmpty)
  }

  @Test func blankLinesAroundAReplyAreDropped() async throws {
    let session = try await session(greeting: [
      reply(["\n\n", "Good. ", "\n\nHow", " so?", "\n", "\n"])
    ])
    try await session.open()
    #expect(deltas(session) == "Good. \n\nHow so?")
    #expect(session.messages.map(\.text) == ["Good. \n\nHow so?"])
  }
}
