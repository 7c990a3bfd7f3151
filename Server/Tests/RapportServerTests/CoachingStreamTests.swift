import Foundation
import HealthRecords
import IncrementalJSON
import Intake
import NIOHTTP1
import TestSupport
import Testing

@testable import RapportServer

/// Coaching over HTTP: what's noted, asked and proposed.
@Suite(.integration) struct CoachingStreamTests {
  @Test func whatWasDoneIsNotedAsAnEvent() async throws {
    let person = try await CoachedPerson()
    let events = try await person.say("did 3x5 squats at 60 kg, felt easy")
    let noted = try #require(events.notice("noted"))
    #expect(noted["text"] == "Noted: squats 3×5 at 60 kg, felt easy.")
    let entry = try #require(noted["about"]?["entries"]?[0])
    #expect(entry["number"] == 1 && entry["activity"] == "squat" && entry["kilograms"] == 60)
    #expect(entry["date"] == "2026-02-02" && entry["turn"] == 3)
    let places = ["notice", "message", "done"].compactMap { events.names.firstIndex(of: $0) }
    #expect(places == places.sorted(), "before the reply")
  }

  /// The mock reads that training is reported, and leaves out the entry.
  @Test func whatAModelDoesNotNoteIsSaid() async throws {
    let model = try await MockModel()
    let person = try await CoachedPerson(models: model.roles)
    let events = try await person.say("did 3x5 squats at 60 kg")
    #expect(events.first("done")?["failed"] == false)
    let text = events.notice("noted")?["text"]?.stringValue ?? ""
    #expect(text.hasPrefix("I haven't put that in your log."), "\(text)")
  }

  @Test func aLapsedLimitIsAskedAboutAndAnsweredByChoice() async throws {
    let person = try await CoachedPerson { constraints in
      constraints.temporary = [
        Constraint(
          type: "cold", detail: "a cold", notedAt: "2026-02-02", expiresAt: "2026-02-05")
      ]
    }
    person.wait(days: 5)
    let events = try await person.visit()
    #expect(events.said.last?.contains("“a cold”. Is that over?") == true, "\(events.said)")
    #expect(events.offered == ["yes", "no"])
    // A reload offers the same, and asks nothing twice.
    let again = try await person.visit()
    #expect(again.offered == ["yes", "no"] && again.said.isEmpty)
    let settled = try await person.choose("yes")
    #expect(
      settled.notice("constraint")?["text"]?.stringValue?.contains("no longer plan around") == true)
    #expect(settled.offered.isEmpty)
    await #expect(throws: Client.Refused.self) { _ = try await person.choose("yes") }
  }

  @Test func aReviewComesAfterSevenDaysAndIsRefused() async throws {
    let person = try await plateau()
    let last = try await person.say("did 3x5 squats at 60 kg")
    #expect(last.said.last?.contains("no gain over your last three sessions") == true)
    #expect(last.offered == ["accept", "change", "refuse"])
    let words = try await person.client.json(
      .POST, "/chat-stream", ["conversation_id": "coached1", "choice": "change"])
    #expect(words.status == 400 && words.json["error"]?["field"] == "choice")
    let refused = try await person.choose("refuse")
    #expect(refused.notice("review")?["text"] == "All right, everything stays as it is.")
    person.wait(days: 8)
    let review = try await person.visit()
    #expect(review.said.last?.hasPrefix("Let's look back at the last week.") == true)
  }

  @Test func aProposalIsAccepted() async throws {
    let person = try await plateau()
    _ = try await person.say("did 3x5 squats at 60 kg")
    let accepted = try await person.choose("accept")
    #expect(accepted.notice("review")?["text"] == "Agreed, and noted.")
  }

  /// Two sessions without a gain; a third one brings up the plateau.
  private func plateau() async throws -> CoachedPerson {
    let person = try await CoachedPerson()
    for _ in 0..<2 {
      _ = try await person.say("did 3x5 squats at 60 kg")
      person.wait(days: 5)
    }
    return person
  }

  @Test func datesAreThoseOfThePersonsClock() async throws {
    let person = try await CoachedPerson()
    _ = try await person.client.json(
      .PATCH, "/me", ["time_zone": "Pacific/Auckland", "units": "imperial"])
    let events = try await person.say("ran 5 miles in 50 min")
    let noted = try #require(events.notice("noted"))
    // Noon in London is already the next day there.
    #expect(noted["about"]?["entries"]?[0]?["date"] == "2026-02-03")
    #expect(noted["text"]?.stringValue?.contains("5 mi") == true)
  }
}
