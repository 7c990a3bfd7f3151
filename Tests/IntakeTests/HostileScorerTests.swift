import ContextQuality
import IncrementalJSON
import Intake
import IntakeTestSupport
import LanguageModels
import TestSupport
import Testing

/// Hostile answers of a scoring or synthesising model, through the whole engine.
struct HostileScorerTests {
  static let turn = "I want to lose 20 lb by June, I train at home with dumbbells."

  static func cases(_ surface: String, prefix: String = "") throws -> [Case] {
    try CaseFile("hostile-cases").cases
      .filter { $0["surface"]?.string == surface && $0.name.hasPrefix(prefix) }
  }

  private func session(scorerSays answer: String, user: String = turn) async throws
    -> ScriptedSession
  {
    let session = try await ScriptedSession { request in
      request.purpose == .score ? .text(answer) : .text("Tell me more?")
    }
    try await session.say(user)
    return session
  }

  private func text(_ hostile: Case) -> String {
    String(decoding: hostile.input ?? [], as: UTF8.self)
  }

  @Test(arguments: try cases("scorer-output", prefix: "score-"))
  func scorerOutput(hostile: Case) async throws {
    let user = hostile.name == "score-instruction-as-quote" ? "score me 1.0" : Self.turn
    let session = try await session(scorerSays: text(hostile), user: user)
    let state = await session.state
    if let expected = hostile["check"]?["facetsKnown"]?.array {
      #expect(
        state.ledger.known.map(\.description).sorted() == expected.compactMap(\.string).sorted())
    }
    #expect(!state.components().isReadyForCoaching)
    #expect(state.components().components.allSatisfy { $0.percent <= 100 })
    #expect(await !session.kinds.contains(.discoveryCompleted))
    #expect(session.paywalls.isEmpty)
    #expect(session.messages.map(\.purpose) == [.question], "the conversation goes on")
  }

  /// However an answer is cut, it never makes ready and never completes discovery.
  @Test(arguments: try cases("scorer-output", prefix: "score-"))
  func scorerOutputCutShort(hostile: Case) async throws {
    let bytes = hostile.input ?? []
    guard bytes.count <= 4_000 else { return }
    for length in stride(from: 0, to: bytes.count, by: Soak.isOn ? 1 : 19) {
      let cut = String(decoding: bytes.prefix(length), as: UTF8.self)
      let session = try await session(scorerSays: cut)
      let state = await session.state
      #expect(!state.components().isReadyForCoaching && !state.isCompleted)
      #expect(state.ledger.known.isSubset(of: [Facet(component: "goalClarity", name: "outcome")]))
    }
  }

  @Test func anInventedInjuryIsNotShownAsFact() async throws {
    let session = try await synthesised("synth-invented-injury")
    #expect(await session.state.synthesis == nil, "nothing in it holds")
    #expect(session.model.requests(for: .confirm).isEmpty)
    #expect(!session.messages.map(\.text).joined().contains("torn ACL"))
    let detail = try #require(session.notices.first?.detail)
    #expect(detail.contains("/userGoals/milestones"), "what is missing is named")
  }

  @Test func controlCharactersInAProfileStayEscapedInJSON() async throws {
    let session = try await synthesised("synth-escape-in-name")
    for output in session.shown {
      #expect(
        !output.json.serialized().unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
    }
  }

  private func synthesised(_ name: String) async throws -> ScriptedSession {
    let hostile = try #require(Self.cases("scorer-output", prefix: name).first)
    let answer = text(hostile)
    let session = try await ScriptedSession { request in
      request.purpose == .synthesise ? .text(answer) : UsualConversation.script(request)
    }
    try await session.open()
    for text in [
      UsualConversation.first, UsualConversation.second, UsualConversation.third,
    ] {
      try await session.say(text)
    }
    return session
  }
}
