import ContextQuality
import IntakeTestSupport
import LanguageModels
import TestSupport
import Testing

@testable import Intake

/// Drafts that are read while they are typed.
struct PreviewTests {
  private typealias Whole = UsualConversation

  private func opened(reader: QuickReader? = .outcome) async throws -> ScriptedSession {
    let session = try await ScriptedSession(
      surroundings: Surroundings(reader: reader), Whole.script)
    try await session.open()
    return session
  }

  private func preview(_ text: String, _ session: ScriptedSession) async -> DraftReading? {
    await session.engine.preview(text, at: await session.state.position)
  }

  @Test func aDraftIsReadWithoutARequestAndLeavesNothing() async throws {
    let session = try await opened()
    let before = (await session.state, await session.kinds, session.model.requests.count)
    #expect(await preview(Whole.first, session)?.new.map(\.facet.name) == ["outcome"])
    #expect(await session.state == before.0)
    #expect(await session.kinds == before.1)
    #expect(session.model.requests.count == before.2)
  }

  @Test func whatIsKnownAlreadyIsNotNew() async throws {
    let session = try await opened()
    try await session.say(Whole.first)
    #expect(await preview(Whole.first, session)?.new == [])
  }

  @Test(arguments: ["", "   ", "I want to kill myself"])
  func whatWouldNotBeScoredIsNotRead(text: String) async throws {
    #expect(await preview(text, try await opened()) == nil)
  }

  @Test func textThatWasSentMeanwhileIsNoDraft() async throws {
    let session = try await opened()
    let position = await session.state.position
    try await session.say(Whole.first)
    #expect(await session.engine.preview(Whole.first, at: position) == nil)
  }

  @Test func withoutAReaderNoDraftIsRead() async throws {
    #expect(await preview(Whole.first, try await opened(reader: nil)) == nil)
  }
}

extension QuickReader {
  /// Finds a goal in whatever is said.
  static let outcome = finding("goalClarity.outcome")

  static func finding(
    _ facets: String..., chances: [String: Double] = [:], tellsOfConditions: Bool = false
  ) -> QuickReader {
    QuickReader(name: "glance") { transcript, known in
      QuickReading(
        evidence: facets.compactMap { Facet($0) }.filter { !known.contains($0) }.map {
          Evidence(
            facet: $0, quote: transcript.userTurns.last ?? "", turn: transcript.userTurns.count)
        },
        chances: chances.reduce(into: [:]) { found, chance in
          if let facet = Facet(chance.key) { found[facet] = chance.value }
        }, tellsOfConditions: tellsOfConditions)
    }
  }
}
