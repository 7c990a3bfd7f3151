import Cassettes
import ContextQuality
import IncrementalJSON
import Intake
import LanguageModels
import Testing

@testable import RapportTesting

/// A conversation beside another module's events.
struct OtherEventRunTests {
  @Test func theyAreInTheLogAndChangeNothing() async throws {
    var cassette = try await Small.complete()
    let plain = await ConversationRunner(pack: try Shipped.pack.get()).run(cassette)
    let last = cassette.steps.count
    cassette.otherEvents = [
      Cassette.OtherEvent(version: 3, event: ["type": "journeyBegun", "name": "spring"]),
      Cassette.OtherEvent(event: ["type": "journeyStep"], beforeStep: 2),
      Cassette.OtherEvent(event: ["type": "journeyEnded"], beforeStep: last),
    ]
    cassette = try Cassette(parsing: Array(cassette.text.utf8))
    let run = await ConversationRunner(pack: try Shipped.pack.get()).run(cassette)
    #expect(ConversationVerdict(of: run, for: cassette).failures.isEmpty)
    #expect(run.events.compactMap(\.event) == plain.events.compactMap(\.event))
    let others = run.events.filter { $0.event == nil }
    #expect(others.map(\.envelope) == cassette.otherEvents.map(\.envelope))
    #expect(run.events.first == others.first && run.events.last == others.last)
    #expect(run.events.map(\.position) == Array(1...run.events.count))
  }

  /// Without a moment there is nothing to wait for, whatever is shown.
  @Test func aStepWithoutAnInterruptWaitsForNothing() {
    let trigger = InterruptionTrigger(nil)
    trigger.whenItComes { Issue.record("nothing was to come") }
    trigger.see(.delta("Hello", .greeting))
    trigger.see(answerTo: "ask")
    #expect(trigger.moment == nil && !trigger.isDue)
  }
}
