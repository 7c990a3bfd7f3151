import Intake
import Plans
import Testing

/// What happens to documents, as logs have it.
struct PlanEventTests {
  @Test(
    arguments: [
      (.unitsChosen(.imperial), #"{"type":"journeyUnitsChosen","units":"imperial"}"#),
      (.documentDropped(.goal), #"{"document":"goal","type":"journeyDocumentDropped"}"#),
      (
        .documentKept(.program, facts: "days=1"),
        #"{"document":"program","facts":"days=1","type":"journeyDocumentKept"}"#
      ),
      (.editUndone(.goal), #"{"document":"goal","type":"journeyEditUndone"}"#),
      (.approved(.goal), #"{"document":"goal","type":"journeyApproved"}"#),
    ] as [(PlanEvent, String)])
  func anEventKeepsItsKindAndMembers(event: PlanEvent, json: String) throws {
    let envelope = EventEnvelope(event)
    #expect(try envelope.text == json)
    let stored = EventEnvelope(kind: envelope.kind, version: envelope.version, json: json)
    #expect(try stored.decoded(as: PlanEvent.self, at: 1) == event)
  }
}
