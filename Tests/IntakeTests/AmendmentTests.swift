import ContextQuality
import IncrementalJSON
import IntakeTestSupport
import LanguageModels
import Signals
import Testing

@testable import Intake

/// What somebody corrects or wishes after the summary changes what is written down for them.
struct AmendmentTests {
  private struct Claim: Sendable {
    var path: String
    var value: String
    var quote: String?
  }

  /// What a model reads in these words.
  private typealias Readings = [String: (claims: [Claim], acts: [String])]

  private static func answer(_ claims: [Claim], _ acts: [String], _ turn: Int, _ words: String)
    -> String
  {
    var root = JSONObject()
    root["evidence"] = []
    root["acts"] = .array(
      acts.map {
        ["act": .string($0), "what": "", "turn": JSONValue(turn), "quote": .string(words)]
      }
    )
    root["amends"] = .array(
      claims.map {
        [
          "path": .string($0.path), "value": .string($0.value), "turn": JSONValue(turn),
          "quote": .string($0.quote ?? words),
        ]
      })
    return JSONValue.object(root).serialized()
  }

  private func session(
    _ readings: Readings, until place: SessionOutput.Done.Phase = .coaching
  ) async throws -> ScriptedSession {
    let session = try await ScriptedSession { request in
      guard request.purpose == .score, let new = ScriptedActs.newTurns(of: request).last,
        let reading = readings[new.words]
      else { return UsualConversation.script(request) }
      return .text(Self.answer(reading.claims, reading.acts, new.turn, new.words))
    }
    typealias Whole = UsualConversation
    for line in [Whole.first, Whole.second, Whole.third] { try await session.say(line) }
    if place != .confirmation { try await session.say("let's go") }
    if place == .coaching { try await session.engine.continueAfterPaywall { _ in } }
    return session
  }

  private func profile(_ session: ScriptedSession) async throws -> CoachingSystem {
    try #require(await session.state.synthesis).system
  }

  @Test func aCorrectionChangesEveryPlaceAndIsSaidInOneLine() async throws {
    let words = "25 pounds, not 20, and ask me on Mondays"
    let session = try await session([
      words: (
        [
          Claim(path: "/userGoals/primary", value: "lose 25 pounds", quote: "25 pounds, not 20"),
          Claim(
            path: "/coachingPlan/checkInFrequency", value: "on Mondays", quote: "ask me on Mondays"),
          Claim(path: "/userGoals/milestones/-", value: "5 pounds by spring"),
        ], []
      )
    ])
    try await session.say(words)
    let system = try await profile(session)
    #expect(system.userGoals.primary == "lose 25 pounds")
    #expect(system.coachingPlan.checkInFrequency == "on Mondays")
    #expect(system.userGoals.milestones == ["5 pounds", "5 pounds by spring"])
    #expect(system.personaProfile.role == "a blunt swim coach")
    let notices = session.notices.filter { $0.code == "amended" }
    #expect(notices.count == 1)
    #expect(notices.first?.text.contains("goal: “lose 25 pounds”; how often we check in") == true)
    let coach = try #require(session.model.requests(for: .coach).last)
    #expect(coach.system.contains("lose 25 pounds") && !coach.system.contains("lose 20 pounds\","))
  }

  /// The day that follows from what was said, and figures in words, need not be said in digits.
  @Test(arguments: [
    ("the crossing is on the 12th of September", "by 12 September (2027-09-12)", true),
    ("by then I want twenty-five", "25 by then", true),
    ("the crossing is the twenty-third of August", "by 23 August (2027-08-23)", true),
    ("not in June", "by 14 July", false), ("in autumn", "in autumn (2999-10-01)", false),
  ])
  func aNewFigureIsSaid(words: String, value: String, isTaken: Bool) async throws {
    let session = try await session([
      words: ([Claim(path: "/userGoals/timeline", value: value)], [])
    ])
    let before = try await profile(session).userGoals.timeline
    try await session.say(words)
    #expect(try await profile(session).userGoals.timeline == (isTaken ? value : before))
  }

  /// At the wall there is no log to keep it in.
  @Test func whatIsReportedAtTheWallIsReadAgainForTheLog() async throws {
    let (report, talk) = ("I ran 5k yesterday", "and what about Tuesday")
    let session = try await session(
      [report: ([], ["reports"]), talk: ([], ["reports"]), "hm": ([], [])], until: .paywall)
    try await session.say(report)
    try await session.say("hm")
    let before = session.model.requests(for: .score).count
    try await session.engine.continueAfterPaywall { _ in }
    let new = session.model.requests(for: .score).dropFirst(before)
    #expect(new.count == 1)
    #expect(new.first.map { ScriptedActs.newTurns(of: $0).map(\.words) } == [report])
    try await session.say(talk)
    #expect(session.model.requests(for: .score).count == before + 2, "each is read once more")
  }

  @Test func whatIsTakenOutIsWhatWasNamed() async throws {
    let add = "add a first and a second step and a third"
    let drop = "drop the first two"
    let session = try await session([
      add: (
        ["a first", "a second step", "a third"].map {
          Claim(path: "/userGoals/milestones/-", value: $0)
        }, []
      ),
      drop: (
        [
          Claim(path: "/userGoals/milestones/0", value: ""),
          Claim(path: "/userGoals/milestones/1", value: ""),
        ], []
      ),
    ])
    try await session.say(add)
    try await session.say(drop)
    #expect(try await profile(session).userGoals.milestones == ["a second step", "a third"])
  }

  @Test func aWishBesideNotNowChangesNothingYet() async throws {
    let words = "yes, ask me on Fridays, but not now"
    let session = try await session(
      [
        words: (
          [Claim(path: "/coachingPlan/checkInFrequency", value: "on Fridays")],
          ["agrees", "postpones"]
        )
      ], until: .confirmation)
    try await session.say(words)
    #expect(try await profile(session).coachingPlan.checkInFrequency == "weekly")
  }

  @Test func theWordsOfALimitArePutRight() async throws {
    let words = "fifty hours, not sixty"
    let session = try await session([
      words: ([Claim(path: "/constraints/time/0/detail", value: "fifty hour weeks")], [])
    ])
    try await session.say(words)
    #expect(try await profile(session).constraints.time.map(\.detail) == ["fifty hour weeks"])
    let request = try #require(session.model.requests(for: .score).last?.messages.last?.text)
    #expect(request.contains(#""time":[{"detail":"sixty hour weeks"}]"#))
  }

  @Test func itIsUndoneBySayingSo() async throws {
    let session = try await session([
      "make it 25 pounds": ([Claim(path: "/userGoals/primary", value: "lose 25 pounds")], []),
      "no, leave it as it was": ([Claim(path: "/userGoals/primary", value: "lose 20 pounds")], []),
    ])
    try await session.say("make it 25 pounds")
    try await session.say("no, leave it as it was")
    #expect(try await profile(session).userGoals.primary == "lose 20 pounds")
    let request = try #require(session.model.requests(for: .score).last?.messages.last?.text)
    #expect(request.contains(#""changed": [{"path":"/userGoals/primary","old":"lose 20 pounds""#))
  }

  /// What they did want, of what can be amended, is said; a slip of the model's isn't.
  @Test(arguments: [
    ("/personaProfile/role", "a gentle coach", "be gentle from now on", false),
    ("/constraints/physical/7/detail", "a bad back", "be gentle from now on", false),
    ("/constraints/physical/0/detail", "", "be gentle from now on", false),
    ("/userGoals/milestones/7", "5 km", "be gentle from now on", false),
    ("/userGoals/primary", "lose 31 pounds", "be gentle from now on", true),
    ("/userGoals/primary", "", "be gentle from now on", true),
    ("/userGoals/primary", "be gentle", "words that nobody said", false),
    ("/userGoals/primary", "lose 20 pounds", "be gentle from now on", false),
  ])
  func nothingElseIsAmended(
    _ path: String, _ value: String, _ quote: String, isTold: Bool
  ) async throws {
    let words = "be gentle from now on"
    let session = try await session([
      words: ([Claim(path: path, value: value, quote: quote)], [])
    ])
    let before = try await profile(session)
    try await session.say(words)
    #expect(try await profile(session) == before)
    #expect(session.notices.allSatisfy { $0.code != "amended" })
    let told = session.notices.filter { $0.code == "left-as-it-was" }.map(\.text)
    #expect(told.count == (isTold ? 1 : 0) && told.allSatisfy { $0.contains("“\(words)”") })
  }

  /// "35 in March, not this one but the one after" needs the day that it is.
  @Test func theReadingKnowsWhichDayItIs() async throws {
    for place in [SessionOutput.Done.Phase.confirmation, .paywall] {
      let session = try await session([:], until: place)
      try await session.say("not this March but the one after")
      let request = try #require(session.model.requests(for: .score).last?.messages.last?.text)
      #expect(request.contains(#""today": "Friday, 2027-01-15""#), "\(place)")
      #expect(request.matches(of: /"today"/).count == 1)
    }
  }

  /// What else is written of a limit stays, and is put right by itself.
  @Test func whatADoctorClearedIsForbiddenNowhere() async throws {
    let (sign, words) = ("I get dizzy on the stairs", "the doctor says it's fine, all of it")
    var limit = Constraint(
      type: "injury", detail: "knee, till a doctor says so", notedAt: "2027-01-15")
    (limit.limitations, limit.availability) = (["no running"], "Sundays")
    var system = CoachingSystem()
    system.constraints.physical = [limit]
    system.coachingPlan.redFlags = ["no intensity till a doctor says so"]
    let session = try await ScriptedSession.coaching(system: system) { request in
      guard request.purpose == .score else { return UsualConversation.script(request) }
      guard ScriptedActs.newTurns(of: request).last?.words == words else {
        return .text(#"{"evidence":[],"care":{"kind":"medical","quote":"\#(sign)"}}"#)
      }
      let claims = [
        Claim(path: "/constraints/physical/0/detail", value: "knee, all of it is fine"),
        Claim(path: "/constraints/physical/0/limitations/0", value: ""),
        Claim(path: "/coachingPlan/redFlags/0", value: ""),
        Claim(path: "/constraints/physical/0/severity", value: "none"),
        Claim(path: "/constraints/physical/1/impact", value: "none"),
      ]
      return .text(Self.answer(claims, [], 3, words))
    }
    try await session.say(sign)
    #expect(await session.state.careGiven == [.medical])
    try await session.say(words)
    #expect(await session.state.careGiven.isEmpty)
    let after = try await profile(session)
    #expect(after.constraints.physical.map(\.detail) == ["knee, all of it is fine"])
    #expect(after.constraints.physical[0].limitations == [])
    #expect(after.constraints.physical[0].availability == "Sundays")
    #expect(after.coachingPlan.redFlags == [])
  }

  @Test func aNoteThatTheyWantDeletedIsGone() async throws {
    let (told, wish) = ("my partner doesn't know I'm afraid", "delete that about my partner")
    var system = CoachingSystem()
    system.about = PersonFacts()
    let session = try await ScriptedSession.coaching(system: system) { request in
      guard request.purpose == .score else { return UsualConversation.script(request) }
      guard ScriptedActs.newTurns(of: request).last?.words == wish else {
        return .text(
          #"{"evidence":[],"notes":[{"turn":2,"quote":"\#(told)","about":"themselves"}]}"#)
      }
      let claims = [
        Claim(path: "/about/notes/0", value: ""), Claim(path: "/about/notes/-", value: "afraid"),
      ]
      return .text(Self.answer(claims, [], 3, wish))
    }
    try await session.say(told)
    #expect(try await profile(session).about?.notes == [told])
    try await session.say(wish)
    #expect(try await profile(session).about?.notes == [])
    #expect(session.notices.contains { $0.text.contains("note, “\(told)” is out") })
    #expect(await session.state.notes.isEmpty)
  }

  /// When they can train has a list, and no reading of limits.
  @Test func aNewHourBecomesALimitOfTime() async throws {
    let words = "put down that I only have Tuesdays and Fridays at noon"
    let session = try await session([
      words: ([Claim(path: "/constraints/time/-", value: "Only Tuesdays and Fridays at noon")], []),
      "noon on Mondays, too": (
        [Claim(path: "/constraints/time/0/detail", value: "Mondays, Tuesdays and Fridays at noon")],
        []
      ),
      "and my knee": ([Claim(path: "/constraints/physical/-", value: "my knee")], []),
      "no, leave out the noon": ([Claim(path: "/constraints/time/1/detail", value: "")], []),
    ])
    let before = try await profile(session).constraints
    try await session.say(words)
    let limit = try #require(try await profile(session).constraints.time.last)
    #expect(limit.detail == "Only Tuesdays and Fridays at noon")
    #expect(limit.notedAt.count == 10 && limit.type == "said")
    try await session.say("noon on Mondays, too")
    try await session.say("and my knee")
    let after = try await profile(session).constraints
    #expect(after.time.first?.detail == "Mondays, Tuesdays and Fridays at noon")
    #expect(after.physical == before.physical)
    try await session.say("no, leave out the noon")
    #expect(try await profile(session).constraints.time.count == before.time.count)
  }

  @Test func aWishWithTheYesIsTakenAndNothingIsWrittenAgain() async throws {
    let words = "yes, but reports on Mondays"
    let session = try await session(
      [
        words: (
          [Claim(path: "/coachingPlan/checkInFrequency", value: "on Mondays")], ["agrees"]
        )
      ], until: .confirmation)
    try await session.say(words)
    #expect(try await profile(session).coachingPlan.checkInFrequency == "on Mondays")
    #expect(session.model.requests(for: .synthesise).count == 1)
    #expect(session.paywalls.count == 1)
  }

  @Test func aCorrectionOfTheSummaryIsWrittenAnew() async throws {
    let words = "25 pounds, not 20"
    let session = try await session(
      [words: ([Claim(path: "/userGoals/primary", value: "lose 25 pounds")], ["corrects"])],
      until: .confirmation)
    try await session.say(words)
    #expect(session.model.requests(for: .synthesise).count == 2)
    #expect(session.notices.allSatisfy { $0.code != "amended" })
  }

  @Test func theEventHasThePlaceTheTextsAndTheWords() async throws {
    let words = "make it 25 pounds"
    let session = try await session([
      words: ([Claim(path: "/userGoals/primary", value: "lose 25 pounds")], [])
    ])
    try await session.say(words)
    let events = await session.log.events()
    let amendments = events.compactMap { recorded -> Amendment? in
      if case .amended(let amendment) = recorded.event { amendment } else { nil }
    }
    let turn = await session.state.turns.count
    #expect(
      amendments == [
        Amendment(
          "/userGoals/primary", from: "lose 20 pounds", to: "lose 25 pounds", turn: turn,
          quote: words)
      ])
    let resumed = try await ScriptedSession(events: events, UsualConversation.script)
    #expect(try await profile(resumed).userGoals.primary == "lose 25 pounds")
  }
}
