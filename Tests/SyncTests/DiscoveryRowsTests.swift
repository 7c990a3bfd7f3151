import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import SessionStore
import Sync
import Testing

@testable import Coaching

/// What an account gets of a conversation.
struct DiscoveryRowsTests {
  private static let history = "I had epilepsy and fits as a child"
  private static let knee = "my left knee is stiff on stairs"

  private func system(_ details: [String]) -> CoachingSystem {
    var system = CoachingSystem()
    system.constraints.physical = details.enumerated().map { index, detail in
      system.restsOn["/constraints/physical/\(index)"] = [1]
      return Constraint(type: "injury", detail: detail, notedAt: "2027-01-15")
    }
    return system
  }

  /// The limits of the profile's row.
  private func limits(
    _ system: CoachingSystem, then events: [CoachingEvent] = []
  ) throws -> [JSONValue] {
    let physical = Facet(component: "obstacles", name: "physical")
    var stored = try [RecordedEvent].coached(system).map { recorded in
      guard case .scored? = recorded.event else { return recorded }
      let evidence = [
        Evidence(facet: physical, quote: Self.history, turn: 1, mark: .background),
        Evidence(facet: physical, quote: Self.knee, turn: 1),
      ]
      return RecordedEvent(
        position: recorded.position, at: recorded.at,
        event: .scored(Scoring(turns: [1], evidence: evidence, model: "scripted")))
    }
    for event in events {
      stored.append(
        try RecordedEvent(
          position: stored.count + 1, at: Date(timeIntervalSince1970: 1_800_000_000),
          envelope: EventEnvelope(event)))
    }
    let rows = try DiscoveryRows(
      session: SessionID(rawValue: "main"), events: stored,
      state: ScriptedSession.pack.get().state(after: stored)
    ).rows
    let row = try #require(rows.first { $0.table == DiscoveryRows.profileTable })
    return row.columns["system"]?["constraints"]?["physical"]?.arrayValue ?? []
  }

  @Test(arguments: [
    (history, false), ("a childhood epilepsy, and the left knee is stiff", false),
    ("a seizure disorder", false), (knee, true), ("stiff on stairs, and I sleep badly", true),
  ])
  func medicalHistoryStaysHereWhateverElseALimitHolds(limit: String, isSent: Bool) throws {
    #expect(try limits(system([limit])).isEmpty != isSent)
  }

  @Test func aLimitThatIsOverIsOverInTheRow() throws {
    let answer = ConstraintAnswer(constraint: "physical/0", outcome: .archived, turn: 1)
    let after = try limits(system([Self.knee]), then: [.constraintSettled(answer)])
    #expect(after.map { $0["expiresAt"]?.stringValue } == ["2027-01-15"])
    #expect(try limits(system([Self.knee])).map { $0["expiresAt"]?.stringValue } == [nil])
  }
}
