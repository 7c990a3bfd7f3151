import ContextQuality
import Foundation
import IncrementalJSON
import IntakeTestSupport
import LanguageModels
import Signals
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
    let answer = UsualConversation.synthesis
      .replacing(#""temporary":[]"#, with: #""temporary":[\#(listed)]"#)
      .replacing(#""restsOn":["#, with: #""restsOn":[\#(rests),"#)
    let session = try await ScriptedSession { request in
      request.purpose == .synthesise ? .text(answer) : UsualConversation.script(request)
    }
    await session.engine.take(HealthNoteTests.note)
    try await session.open()
    for text in [
      UsualConversation.first, UsualConversation.second, UsualConversation.third,
    ] { try await session.say(text) }
    let prompt = try #require(session.model.requests(for: .synthesise).first?.system)
    #expect(prompt.contains("6 h 23 min of sleep a night over 90 nights"))
    return try #require(await session.state.synthesis).system
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

  @Test(arguments: [
    ("injury from running 20 times", "running 20 times"),
    ("sleep apnoea", "6 h 23 min of sleep a night"),
    ("sleep apnoea at night over 90 nights", "6 h 23 min of sleep a night"),
    ("4 h of sleep a night", "6 h 23 min of sleep a night"),
    ("walks with pain over 90 days", "7,500 steps a day over 90 days"),
  ])
  func aReadingProvesNothingThatItDoesNotSay(detail: String, quote: String) async throws {
    let system = try await synthesis([detail], claims: [(0, 0, quote)])
    #expect(system.restsOnReadings == nil)
    #expect(system.unsupported.contains("/constraints/temporary/0"))
  }

  @Test(arguments: ["Sleeps little over six hours a night", "under 7 h of sleep a night"])
  func aReadingMayBeSaidInOtherWords(detail: String) async throws {
    let system = try await synthesis([detail], claims: [(0, 0, "6 h 23 min of sleep a night")])
    #expect(system.restsOnReadings?["/constraints/temporary/0"]?.count == 1)
  }

  @Test func noInjuryGoalOrReasonRestsOnAReading() throws {
    let evidence =
      HealthNoteTests.reading("exercisePreferences.activities", "running 20 times")
      + HealthNoteTests.reading("lifestyle.recovery", "6 h of sleep a night over 90 nights")
    var system = CoachingSystem()
    system.userGoals.primary = "running 20 times"
    system.userGoals.deeper = "6 h of sleep a night"
    for (_, path) in Constraints.lists {
      system.constraints[keyPath: path] = [
        Constraint(type: "sleep", detail: "6 h of sleep a night", notedAt: "2027-01-15")
      ]
    }
    let claims = system.constraintPointers.map { pointer, quote in
      ["path": .string(pointer), "turn": JSONValue(0), "quote": .string(quote)] as JSONValue
    }
    Grounding(
      transcript: Transcript([.init(.user, "no injuries")]), readings: evidence,
      readingRules: try ScriptedSession.pack.get().readingRules,
      signals: try ScriptedSession.pack.get().signals
    ).ground(&system, claims: .array(claims))
    #expect(
      Set((system.restsOnReadings ?? [:]).keys) == [
        "/constraints/time/0", "/constraints/temporary/0",
      ])
    #expect(system.unsupported.contains("/constraints/physical/0"))
    #expect(system.unsupported.contains("/userGoals/deeper"))
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

extension CoachingSystem {
  fileprivate var constraintPointers: [(String, String)] {
    [("/userGoals/primary", "running 20 times")]
      + [
        "/userGoals/deeper", "/constraints/physical/0", "/constraints/time/0",
        "/constraints/resources/0", "/constraints/temporary/0",
      ].map { ($0, "6 h of sleep a night") }
  }
}
