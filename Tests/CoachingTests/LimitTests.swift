import Coaching
import ContextQuality
import FoundationEssentials
import HealthRecords
import IncrementalJSON
import Intake
import IntakeTestSupport
import LanguageModels
import Synchronization
import TestSupport
import Testing

/// Limits are kept when they are said, and reach the next prompt.
struct LimitTests {
  /// Somebody who is coached by a model whose readings the test writes.
  private final class Client: Sendable {
    private final class Reading: Sendable { let value = Mutex<JSONValue>([:]) }

    private let session: ScriptedSession
    let clock = TestClock()
    private let reading = Reading()

    init() async throws {
      let reading = reading
      session = try await ScriptedSession(
        events: try .coached(CoachingSystem()), clock: clock,
        surroundings: .coached(by: try PromptPack.embedded(), in: .gmt)
      ) { request in
        .text(request.purpose == .score ? reading.value.withLock { $0.serialized() } : "As ever.")
      }
    }

    /// Says something that does an act, with what the reading says of the limit.
    ///
    /// - Returns: The quiet lines and the questions that follow.
    func say(
      _ message: String, _ act: String?, _ limit: [(String, JSONValue)]? = nil,
      evidence mark: String? = nil, corrects: String = ""
    ) async throws -> [String] {
      let turn = JSONValue(await session.state.transcript.userTurns.count + 1)
      let acts: [JSONValue] =
        act.map { ["act": .string($0), "what": "", "turn": turn, "quote": .string(message)] }.map {
          [$0]
        } ?? []
      var entry: JSONObject = [
        "what": "limit", "corrects": 0, "activity": "", "day": "", "until": "", "figures": [],
        "effort": "unsaid", "note": "", "turn": turn, "quote": .string(message),
      ]
      for (name, value) in limit ?? [] { entry[name] = value }
      let entries: [JSONValue] = limit == nil ? [] : [.object(entry)]
      let evidence = mark.map { mark -> JSONValue in
        [
          "facet": "obstacles.physical", "turn": turn, "quote": .string(message),
          "mark": .string(mark), "corrects": .string(corrects),
        ]
      }
      reading.value.withLock {
        $0 = [
          "evidence": .array([evidence].compactMap(\.self)), "retracted": [], "stated": [],
          "care": ["kind": "none", "quote": ""],
          "acts": .array(acts), "entries": .array(entries),
        ]
      }
      try await session.say(message)
      return session.notices.map(\.text) + session.messages.dropFirst().map(\.text)
    }

    var state: CoachingState {
      get async throws { try await CoachingState(events: session.log.events()) }
    }

    var lastPrompt: String {
      let request = session.model.requests(for: .coach).last
      return (request?.system ?? "") + (request?.messages.map(\.text).joined() ?? "")
    }

    /// What the last reading got of entries and limits.
    var lastMaterial: String {
      session.model.requests(for: .score).last?.messages.map(\.text).joined() ?? ""
    }
  }

  @Test func aTripIsKeptWithItsDaysInOneQuietLine() async throws {
    let client = try await Client()
    let today = Day(of: TestClock().now())
    let until = today + 20
    let trip = "at my parents from next week til after new year, there's no gym there"
    let shown = try await client.say(
      trip, "changes-limit",
      [
        ("activity", "trip"), ("day", .string("\(today + 5)")), ("until", .string("\(until)")),
      ])
    #expect(shown.count == 1 && shown[0].hasPrefix("I'll plan around this from "), "\(shown)")
    #expect(shown[0].hasSuffix(": “\(trip)”. If I shouldn't, just say so."))
    let limit = try #require(try await client.state.constraints.active.first)
    #expect(limit.beginsAt == today + 5 && limit.expiresAt == until && limit.about == "trip")
    #expect(client.lastPrompt.contains("from \(today + 5) until \(until)"))
    #expect(client.lastPrompt.contains(trip))
    // It can be taken back at once.
    let back = try await client.say("no wait, we're staying home", "ends-limit")
    #expect(back == ["All right, I won't plan around this: “\(trip)”."])
    #expect(try await client.state.constraints.active.isEmpty)
  }

  @Test func aLimitThatWasToldWronglyIsPutRight() async throws {
    let client = try await Client()
    _ = try await client.say(
      "my left shoulder hurts when I reach up", "changes-limit", [("activity", "left shoulder")])
    let lines = try await client.say(
      "it's the right shoulder", "corrects", [("activity", "right shoulder"), ("corrects", 1)])
    #expect(lines.first?.contains("it's the right shoulder") == true)
    let limit = try #require(try await client.state.constraints.active.first)
    #expect(limit.detail == "my left shoulder hurts when I reach up; it's the right shoulder")
    #expect(limit.about == "right shoulder")
    _ = try await client.say(
      "the right shoulder hurts, but only when I reach up high", "corrects",
      [("activity", "right shoulder"), ("corrects", 1)])
    #expect(
      try await client.state.constraints.active.map(\.detail) == [
        "the right shoulder hurts, but only when I reach up high"
      ])
  }

  @Test func aCorrectionTakesThePlaceOfTheOneBeforeAndOfNothingElse() async throws {
    let client = try await Client()
    let told = "no kneeling; no jumping"
    _ = try await client.say(told, "changes-limit", [("activity", "knee")])
    for words in ["it was the left leg", "no, the right leg"] {
      _ = try await client.say(words, "corrects", [("activity", "knee"), ("corrects", 1)])
      let limits = try await client.state.constraints.active
      #expect(limits.map(\.detail) == ["\(told); \(words)"])
    }
  }

  @Test func anotherLastDayLeavesTheWords() async throws {
    let client = try await Client()
    let today = Day(of: TestClock().now())
    let words = "in Linz without a machine until Sunday"
    _ = try await client.say(
      words, "changes-limit",
      [
        ("activity", "trip"), ("day", .string("\(today + 2)")), ("until", .string("\(today + 6)")),
      ])
    let lines = try await client.say(
      "Linz ends on Friday, not on Sunday", "changes-limit",
      [("activity", "trip"), ("corrects", 1), ("until", .string("\(today + 4)"))])
    #expect(lines.count == 1 && lines[0].contains("“\(words)”") && lines[0].contains(" from "))
    let limit = try #require(try await client.state.constraints.active.first)
    #expect(limit.detail == words && limit.expiresAt == today + 4)
  }

  /// The last day was that of the words that no longer hold.
  @Test(arguments: ["always", ""])
  func aLimitInNewWordsLosesALastDayThatHasCome(until: String) async throws {
    let client = try await Client()
    let today = Day(of: TestClock().now())
    _ = try await client.say(
      "no badminton before the doctor has seen me today", "changes-limit",
      [("activity", "badminton"), ("until", .string("\(today)"))])
    let words = "the doctor says gently, twenty minutes, no jumping"
    let lines = try await client.say(
      words, "changes-limit",
      [("activity", "badminton"), ("corrects", 1), ("until", .string(until))])
    #expect(lines == ["I'll plan around this: “\(words)”. If I shouldn't, just say so."])
    let limit = try #require(try await client.state.constraints.active.first)
    #expect(limit.detail == words && limit.expiresAt == nil)
  }

  @Test func theWordsAloneAreEnough() async throws {
    let client = try await Client()
    let shown = try await client.say("coughing makes me leak a bit", "changes-limit")
    #expect(
      shown == [
        "I'll plan around this: “coughing makes me leak a bit”. If I shouldn't, just say so."
      ]
    )
    let again = try await client.say("coughing makes me leak a bit", "changes-limit")
    #expect(again.isEmpty, "once is enough")
    _ = try await client.say("nothing new", nil)
    #expect(client.lastPrompt.contains("coughing makes me leak a bit"))
    #expect(client.lastMaterial.contains(#""limit":"coughing makes me leak a bit""#))
    let over = try await client.say("that's all gone now", "ends-limit")
    #expect(over == ["I no longer plan around this: “coughing makes me leak a bit”."])
  }

  @Test func aTripIsOverAfterItsLastDay() async throws {
    let client = try await Client()
    let trip = "I'm in Cork from the 20th to the 22nd"
    _ = try await client.say(
      trip, "changes-limit",
      [("what", "away"), ("activity", "trip"), ("day", "2027-01-20"), ("until", "2027-01-22")])
    #expect(try await client.state.constraints.active.map(\.detail) == [trip])
    client.clock.advance(by: 9 * 86_400)
    let lines = try await client.say("nothing new", nil)
    #expect(lines.isEmpty, "nobody is asked about it: \(lines)")
    #expect(try await client.state.constraints.active.isEmpty)
    #expect(client.lastPrompt.contains("No longer holds, don't plan around it: \"\(trip)\""))
  }

  @Test(arguments: [
    "no jumps on the left knee until the 22nd", "nothing hard before the cardiologist on the 22nd",
  ])
  func nobodyIsWellBecauseADayHasPassed(limit: String) async throws {
    let client = try await Client()
    _ = try await client.say(
      limit, "changes-limit", [("activity", "limit"), ("until", "2027-01-22")])
    client.clock.advance(by: 9 * 86_400)
    _ = try await client.say("nothing new", nil)
    #expect(try await client.state.constraints.active.map(\.detail) == [limit])
  }

  @Test func aMedicineIsNotOverWithOneSentence() async throws {
    let client = try await Client()
    let medicine = "I take metoprolol"
    _ = try await client.say(medicine, nil, evidence: "medication")
    _ = try await client.say("nothing new", nil)
    _ = try await client.say(
      "I stopped the metoprolol", "ends-limit", evidence: "gone", corrects: medicine)
    #expect(client.lastPrompt.contains("perhaps taken back"))
  }

  @Test func aDoctorsLimitThatIsPlainlyOverIsNotAskedAbout() async throws {
    let client = try await Client()
    let limit = "the gp says no gripping with my left wrist"
    _ = try await client.say(
      limit, "changes-limit", [("activity", "left wrist")], evidence: "clinician")
    _ = try await client.say("nothing new", nil)
    #expect(client.lastPrompt.contains(limit))
    let over = try await client.say(
      "wrist's fine now, he's happy", "ends-limit", [("what", "limit-over"), ("corrects", 1)],
      evidence: "gone", corrects: limit)
    #expect(over == ["I no longer plan around this: “\(limit)”."], "\(over)")
    #expect(!client.lastPrompt.contains("perhaps taken back"))
  }

  @Test func aDoctorsLimitThatMayBeOverHolds() async throws {
    let client = try await Client()
    let limit = "the gp says no gripping with my left wrist"
    _ = try await client.say(
      limit, "changes-limit", [("activity", "left wrist")], evidence: "clinician")
    _ = try await client.say("nothing new", nil)
    _ = try await client.say(
      "the wrist feels better", nil, evidence: "gone", corrects: limit)
    #expect(try await client.state.constraints.active.map(\.detail) == [limit])
    #expect(client.lastPrompt.contains("perhaps taken back"))
  }

  @Test func aQuestionComesOnlyIfItIsUnclearWhichIsOver() async throws {
    let client = try await Client()
    _ = try await client.say("my left knee is sore on stairs", "changes-limit")
    _ = try await client.say("I've caught a cold", "changes-limit")
    _ = try await client.say("nothing new", nil)
    let named = try await client.say(
      "the knee is fine", "ends-limit", [("what", "limit-over"), ("corrects", 1)])
    #expect(named.count == 1 && named[0].contains("“my left knee is sore on stairs”"), "\(named)")
    _ = try await client.say("my shoulder hurts", "changes-limit")
    _ = try await client.say("nothing new", nil)
    let unclear = try await client.say("that's better now", "ends-limit")
    #expect(unclear.count == 1 && unclear[0].hasSuffix("“my shoulder hurts”. Is that over?"))
    let yes = try await client.say("obviously yeah", "agrees")
    #expect(yes == ["I no longer plan around this: “my shoulder hurts”."], "\(yes)")
    #expect(try await client.state.constraints.active.map(\.detail) == ["I've caught a cold"])
  }

  @Test func theLimitThatTheWordsAreAboutIsOver() async throws {
    let client = try await Client()
    _ = try await client.say("no swimming before the stitches are out", "changes-limit")
    _ = try await client.say("I'm away from home till further notice", "changes-limit")
    _ = try await client.say("nothing new", nil)
    let over = try await client.say(
      "they took the stitches out", "ends-limit", [("what", "limit-over"), ("activity", "")])
    #expect(over.count == 1 && over[0].contains("“no swimming before the stitches are out”"))
  }

  @Test func aNewGoalIsProposedInThePersonsWords() async throws {
    let client = try await Client()
    let shown = try await client.say("I'd rather swim a mile by May", "changes-goal")
    #expect(shown.count == 1 && shown[0].contains("“I'd rather swim a mile by May”"), "\(shown)")
    _ = try await client.say("obviously yeah", "agrees")
    #expect(try await client.state.goals.present?.goal == "I'd rather swim a mile by May")
  }
}
