import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import Signals
import Testing

@testable import Intake

/// A reading is hidden by what it speaks of, not by its words.
struct ReadingTopicTests {
  private func readings(_ topics: Set<Evidence.Topic>, afterCare: Bool) throws -> [String] {
    let pack = try ScriptedSession.pack.get()
    let facet = try #require(Facet("currentState.activity"))
    let note = HealthNote(
      source: "Apple Health", through: "2027-01-14",
      evidence: [
        Evidence(
          facet: facet, basis: .reading("much a day", source: "Apple Health"), topics: topics)
      ])
    var events: [IntakeEvent] = [.healthNoted(note)]
    if afterCare {
      events += [
        .userSaid(UserTurn(turn: 1, text: "I threw up again")),
        .cared(
          CareAnswer(
            turn: 1, kind: CareKind(rawValue: "eating-disorder"), name: "eating-disorder", text: "…"
          )),
      ]
    }
    let recorded = events.enumerated().map {
      RecordedEvent(
        position: $0.offset + 1, at: Date(timeIntervalSince1970: 1_800_000_000), event: $0.element)
    }
    return Interviewer(pack: pack).readings(pack.state(after: recorded))
      .compactMap { $0["reading"] as? String }
  }

  @Test func caloriesAreLeftOutForWhoStrugglesWithEating() throws {
    #expect(
      try readings([.init(rawValue: "calories")], afterCare: true) == ["known, not to be spoken of"]
    )
    #expect(
      try readings([.init(rawValue: "calories")], afterCare: false).first?.contains("much a day")
        == true)
    #expect(try readings([], afterCare: true).first?.contains("much a day") == true)
  }
}
