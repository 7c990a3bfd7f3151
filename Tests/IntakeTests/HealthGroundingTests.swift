import ContextQuality
import Foundation
import IncrementalJSON
import LanguageModels
import Testing

@testable import Intake

/// Goals and constraints that rest on readings.
struct HealthGroundingTests {
  private static func constraint(_ detail: String) -> String {
    #"{"type":"recovery","detail":"\#(detail)","notedAt":"2027-01-15"}"#
  }

  private func synthesis(
    _ details: [String], claims: [(Int, Int, String)]
  ) async throws -> CoachingSystem {
    let listed = details.map(Self.constraint).joined(separator: ",")
    let rests = claims.map {
      #"{"path":"/constraints/temporary/\#($0)","turn":\#($1),"quote":"\#($2)"}"#
    }.joined(separator: ",")
    let answer = WholeConversationTests.synthesis
      .replacing(#""temporary":[]"#, with: #""temporary":[\#(listed)]"#)
      .replacing(#""restsOn":["#, with: #""restsOn":[\#(rests),"#)
    let rehearsal = try await Rehearsal { request in
      request.purpose == .synthesise ? .text(answer) : WholeConversationTests.script(request)
    }
    await rehearsal.engine.take(HealthNoteTests.note)
    try await rehearsal.open()
    for text in [
      WholeConversationTests.first, WholeConversationTests.second, WholeConversationTests.third,
    ] { try await rehearsal.say(text) }
    let prompt = try #require(rehearsal.model.requests(for: .synthesise).first?.system)
    #expect(prompt.contains("6 h 23 min of sleep a night over 90 nights"))
    return try #require(await rehearsal.state.synthesis).system
  }

  @Test func aConstraintRestsOnTheReadingThatItQuotes() async throws {
    let system = try await synthesis(
      ["short nights, 6 h 23 min of sleep", "sleep apnoea", "nights of pain"],
      claims: [
        (0, 0, "6 h 23 min of sleep a night"), (1, 0, "sleep apnoea diagnosed"),
        (2, 0, "7,500 steps a day"),
      ])
    #expect(
      system.restsOnReadings == [
        "/constraints/temporary/0": ["6 h 23 min of sleep a night over 90 nights"]
      ])
    #expect(system.restsOn["/constraints/temporary/0"] == nil)
    #expect(
      system.unsupported.filter { $0.contains("temporary") }
        == ["/constraints/temporary/1", "/constraints/temporary/2"])
  }

  @Test func theProfileStaysValidAndOldOnesAreStillRead() async throws {
    let system = try await synthesis(
      ["short nights of sleep"], claims: [(0, 0, "6 h 23 min of sleep a night")])
    let json = system.json.serialized()
    #expect(json.contains("restsOnReadings"))
    #expect(ProfileValidation.problems(in: json).isEmpty)
    var old = system
    old.restsOnReadings = nil
    #expect(!old.json.serialized().contains("restsOnReadings"))
    let encoded = try JSONEncoder().encode(old)
    #expect(!String(decoding: encoded, as: UTF8.self).contains("restsOnReadings"))
    #expect(try JSONDecoder().decode(CoachingSystem.self, from: encoded) == old)
  }
}
