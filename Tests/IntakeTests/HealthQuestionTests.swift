import ContextQuality
import IntakeTestSupport
import LanguageModels
import Testing

@testable import Intake

/// A sore knee says nothing of an illness or a medicine, so those are asked about once.
struct HealthQuestionTests {
  private static let physical = Facet(component: "obstacles", name: "physical")

  private static func reply(to request: ModelRequest, mark: String) -> ModelReply {
    guard request.purpose == .score else { return UsualConversation.script(request) }
    return .text(
      #"{"evidence":[{"facet":"obstacles.physical","turn":1,"quote":"my seat is sore","mark":"\#(mark)"}]}"#
    )
  }

  private func questions(mark: String) async throws -> [String] {
    let session = try await ScriptedSession { Self.reply(to: $0, mark: mark) }
    try await session.open()
    try await session.say("my seat is sore after three hours")
    try await session.say("that's all")
    return session.model.requests(for: .ask).map(\.system)
  }

  @Test func theyAreAskedAboutInOneQuestionOnly() async throws {
    let asked = try await questions(mark: "none").map { $0.contains("an illness, a medicine") }
    #expect(asked == [true, false])
  }

  @Test func whoeverToldOfOneIsNotAsked() async throws {
    let asked = try await questions(mark: "medication").map {
      $0.contains("an illness, a medicine")
    }
    #expect(asked == [false, false])
  }

  /// Where nothing else is left to ask, the question about the body has room for it.
  @Test(arguments: [nil, Evidence.Mark.medication])
  func theLastQuestionAsksToo(mark: Evidence.Mark?) async throws {
    var events = try [RecordedEvent].allButBody()
    if let mark {
      let told = Evidence(facet: Self.physical, quote: "hello", turn: 1, mark: mark)
      events.append(
        RecordedEvent(
          position: events.count + 1, at: events[0].at,
          event: .scored(Scoring(turns: [1], evidence: [told]))))
    }
    let session = try await ScriptedSession(events: events) { request in
      request.purpose == .score ? .text(Evidences.json([])) : UsualConversation.script(request)
    }
    try await session.say("a normal week is calm")
    let question = try #require(session.messages.first { $0.purpose == .body })
    #expect(question.text.contains("is there an illness, a medicine") == (mark == nil))
  }
}
