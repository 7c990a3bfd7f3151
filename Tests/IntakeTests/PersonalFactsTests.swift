import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import LanguageModels
import Signals
import Testing

@testable import Intake

/// What the scorer reads of a user's age and body, in whatever language they write.
struct PersonalFactsTests {
  private static let body = Facet(component: "currentState", name: "body")

  /// A model that states the same whenever the turn is new.
  private func session(
    _ settings: IntakeSettings = IntakeSettings(), events: [RecordedEvent] = [],
    _ answers: @escaping @Sendable (Int) -> String
  ) async throws -> ScriptedSession {
    try await ScriptedSession(settings: settings, events: events) { request in
      switch request.purpose {
      case .score:
        let text = request.messages.last?.text ?? ""
        let turn = (1...9).first { text.contains("\"newUserTurns\": [\($0)]") }
        return .text(answers(turn ?? 0))
      case .synthesise: return .text(UsualConversation.synthesis)
      default: return .text("And what does a normal week look like?")
      }
    }
  }

  private func stating(
    _ stated: Evidences.Stated, turn: Int = 1
  ) async throws -> ScriptedSession {
    try await session { Evidences.json([], stated: $0 == turn ? [stated] : []) }
  }

  @Test func ofTwoAgesInATurnTheLowerOneCounts() async throws {
    let session = try await session { turn in
      guard turn == 1 else { return Evidences.json([]) }
      return Evidences.json(
        [],
        stated: [
          .init("age", [15], "years", 1, "Tengo 15"), .init("age", [42], "years", 1, "tiene 42"),
        ])
    }
    try await session.say("Tengo 15 y mi madre tiene 42")
    #expect(await session.state.isMinor)
    #expect(session.messages.map(\.purpose) == [.care])
  }

  struct Statement: Sendable, CustomTestStringConvertible {
    var text: String
    var number: Double
    var quote: String
    var testDescription: String { text }
  }

  @Test(arguments: [
    Statement(text: "Next month they'll let me vote, so 17 it is", number: 17, quote: "17 it is"),
    Statement(
      text: "Cumplí dieciséis en marzo y quiero correr", number: 16,
      quote: "Cumplí dieciséis en marzo"),
    Statement(
      text: "Hab grad den Fünfzehnten gefeiert, also fünfzehn", number: 15, quote: "also fünfzehn"),
  ])
  func aMinorIsHeardInAnyWordsBeforeAnythingIsAsked(statement: Statement) async throws {
    #expect(try ScriptedSession.pack.get().careNet.classify(statement.text) == nil)
    let session = try await stating(
      .init("age", [statement.number], "years", 1, statement.quote))
    try await session.say(statement.text)
    #expect(session.messages.map(\.purpose) == [.care])
    #expect(session.model.requests(for: .ask).isEmpty)
    let openings = [
      "Thanks for telling me your age", "Gracias por decirme tu edad",
      "Danke, dass du mir dein Alter sagst",
    ]
    #expect(openings.contains { session.messages.first?.text.hasPrefix($0) == true })
    #expect(await session.state.isMinor)
    try await session.say("but I really want to")
    #expect(session.messages.map(\.purpose) == [.care])
  }

  @Test(arguments: [
    Statement(text: "ya, treinta y cuatro cumplidos", number: 34, quote: "treinta y cuatro"),
    Statement(text: "Quatsch, vierunddreißig bin ich", number: 34, quote: "vierunddreißig"),
  ])
  func anAdultsAgePutsItRight(statement: Statement) async throws {
    let session = try await stating(
      .init("age", [statement.number], "years", 2, statement.quote), turn: 2)
    try await session.say("I am 13 and want to lose 10 kg fast.")
    #expect(session.messages.map(\.purpose) == [.care])
    try await session.say(statement.text)
    #expect(session.messages.map(\.purpose) == [.question])
    #expect(await !session.state.isMinor)
  }

  @Test func anAgePutRightAfterDiscoveryLiftsThePaywallsHold() async throws {
    let session = try await ScriptedSession { request in
      let text = request.messages.last?.text ?? ""
      guard request.purpose == .score, text.contains("\"newUserTurns\": [6]") else {
        return UsualConversation.script(request)
      }
      return .text(
        Evidences.json([], stated: [.init("age", [34], "years", 6, "thirty-four")]))
    }
    for text in [
      UsualConversation.first, UsualConversation.second, UsualConversation.third, "let's go",
      "i'm 15 btw",
    ] {
      try await session.say(text)
    }
    #expect(session.messages.map(\.purpose) == [.care])
    #expect(session.paywalls.isEmpty)
    try await session.say("my son typed that, thirty-four is what I am")
    #expect(session.paywalls.count == 1)
  }

  /// Nothing could read the turn before they subscribed; it's read afterwards.
  @Test func aMinorsUnreadTurnIsReadOnceTheyHaveACoach() async throws {
    let session = try await ScriptedSession { request in
      let text = request.messages.last?.text ?? ""
      let isUnread = ["[6]", "[6,7]"].contains { text.contains("\"newUserTurns\": \($0)") }
      guard request.purpose == .score, isUnread, !text.contains("thanks, then") else {
        return UsualConversation.script(request)
      }
      return .failing(.unreachable)
    }
    for text in [
      UsualConversation.first, UsualConversation.second, UsualConversation.third, "let's go",
      "i'm 15 btw", "but i want to go on", "I'm 25, my son typed that",
    ] {
      try await session.say(text)
    }
    try await session.subscribe()
    #expect(await session.state.entitlement != nil)
    try await session.say("thanks, then let's start")
    #expect(session.messages.map(\.purpose) == [.coaching])
    #expect(await session.state.unexpected.isEmpty)
  }

  @Test(arguments: [
    (Evidences.Stated("age", [30], "years", 1, "I'm 15"), "number not in the quote"),
    (Evidences.Stated("age", [15], "years", 1, "I am fifteen"), "quote notVerbatim"),
    (Evidences.Stated("age", [15], "years", 2, "I'm 15"), "not a new turn"),
    (Evidences.Stated("age", [600], "years", 1, "600 m"), "not an age"),
    (Evidences.Stated("weight", [15, 2, 3], "kg", 1, "I'm 15"), "number not in the quote"),
    (Evidences.Stated("height", [15, 15], "cm", 1, "I'm 15"), "numbers do not fit the unit"),
  ])
  func whatTheWordsDoNotCarryIsDropped(stated: Evidences.Stated, reason: String) async throws {
    let session = try await stating(stated)
    try await session.say("I'm 15 seconds slower over 600 m than last year")
    #expect(await !session.state.isMinor)
    #expect(session.scores.last?.dropped == ["stated: \(reason)": 1])
  }

  @Test func aPlainAgeUnderEighteenIsNotArguedAway() async throws {
    let session = try await stating(.init("age", [30], "years", 1, "30 push-ups"))
    try await session.say("I'm 15. I can do 30 push-ups")
    #expect(await session.state.isMinor)
    try await session.say("so what do I eat")
    #expect(session.messages.map(\.purpose) == [.care])
  }

  @Test func aCrisisComesBeforeAnAge() async throws {
    let session = try await session { _ in
      Evidences.json(
        [], stated: [.init("age", [16], "years", 1, "16 it is")], care: "crisis")
    }
    try await session.say("16 it is, and I said goodbye to everybody")
    #expect(await session.state.careGiven == [.crisis])
    #expect(await session.state.isMinor)
    #expect(session.model.requests(for: .ask).isEmpty)
  }

  @Test(arguments: [
    (
      "Mido uno setenta y dos y hoy la báscula dice sesenta y ocho kilos", "uno setenta y dos",
      "sesenta y ocho kilos", [1.0, 72.0], 68.0
    ),
    (
      "Bin eins zweiundsiebzig, die Waage sagt achtundsechzig Kilo", "eins zweiundsiebzig",
      "achtundsechzig Kilo", [1, 72], 68
    ),
    ("The nurse says 1,72 and 68 kilos, who am I to argue", "1,72", "68 kilos", [1.72], 68),
    ("Uno setenta y dos, y 68 kilos en la farmacia", "Uno setenta y dos", "68 kilos", [1.72], 68),
  ])
  func heightAndWeightAreTakenFromAnyTurn(
    text: String, height: String, weight: String, metres: [Double], kilos: Double
  ) async throws {
    let session = try await session(IntakeSettings(maxTurns: 1)) { turn in
      guard turn == 1 else { return Evidences.json([]) }
      return Evidences.json(
        [],
        stated: [
          .init("height", metres, "m", 1, height), .init("weight", [kilos], "kg", 1, weight),
        ])
    }
    try await session.say(text)
    let state = await session.state
    #expect(state.body?.heightCentimetres == 172)
    #expect(state.body?.weightKilograms == 68)
    #expect(state.ledger.evidence(for: Self.body)?.text == height)
    while await session.state.shownPhase != .offer { try await session.say("hm, hard to put") }
    try await session.say("1")
    #expect(await !session.kinds.contains(.bodyAsked))
    #expect(session.model.requests(for: .synthesise)[0].system.contains("172 cm, 68.0 kg"))
  }

  @Test func anAnswerThatIsMoreThanNumbersIsReadByTheScorer() async throws {
    let session = try await askedForBody { turn in
      Evidences.json(
        [], stated: [.init("weight", [82], "kg", turn, "82 now")])
    }
    let turn = await session.state.turns.count + 1
    try await session.say("lost 10 kilos, 82 now, and that stays between us")
    #expect(await session.state.body?.weightKilograms == 82)
    #expect(
      session.model.requests(for: .score).last?.messages.last?.text.contains("[\(turn)]") == true)
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test func aWeightThatCannotBeRightIsAskedAboutOnce() async throws {
    let session = try await askedForBody { turn in
      Evidences.json([], stated: [.init("weight", [820], "kg", turn, "820 on a good day")])
    }
    try await session.say("820 on a good day, says my scale")
    #expect(session.messages.map(\.purpose) == [.body])
    try await session.say("82 kg")
    #expect(await session.state.body?.weightKilograms == 82)
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test(arguments: ["skip", "no", "no thanks", "not now", "lieber nicht"])
  func aPlainNoNeedsNoModel(text: String) async throws {
    let session = try await askedForBody { _ in Evidences.json([]) }
    let asked = session.model.requests(for: .score).count
    try await session.say(text)
    #expect(await session.state.body?.skipped == true)
    #expect(session.model.requests(for: .score).count == asked)
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  /// Everything is known but the body: an age answers for it, unless the plan is about weight.
  @Test(arguments: [
    ("weight", false, "tall are you, and how much"), ("weight", true, "tall are you? Any"),
    ("none", false, nil),
  ])
  func anAgeDoesNotAnswerForAHeightWhereWeightIsToBeLost(
    mark: String, tellsWeight: Bool, question: String?
  ) async throws {
    let text = "I'm 44, 96 kg, and I'd like to be down to 85"
    let session = try await session(events: .allButBody()) { turn in
      let weight = Evidences.Stated("weight", [96], "kg", turn, "96 kg")
      return Evidences.json(
        [("goalClarity.target", turn, "down to 85"), (Self.body.description, turn, "I'm 44")],
        stated: [.init("age", [44], "years", turn, "I'm 44")] + (tellsWeight ? [weight] : [])
      ).replacing(#""quote":"down to 85""#, with: #""quote":"down to 85","mark":"\#(mark)""#)
    }
    try await session.say(text)
    let asked = session.messages.filter { $0.purpose == .body }.map(\.text)
    #expect(asked.count == (question == nil ? 0 : 1))
    if let question {
      #expect(asked.first?.contains(question) == true)
      try await session.say("183 cm")
      #expect(await session.state.body?.heightCentimetres == 183)
    }
    #expect(await session.state.synthesis != nil)
  }

  /// A session at the question for height and weight.
  private func askedForBody(
    _ answer: @escaping @Sendable (Int) -> String
  ) async throws -> ScriptedSession {
    let session = try await session(events: .allButBody()) { turn in
      turn > 2 ? answer(turn) : Evidences.json([])
    }
    try await session.say("I'd like to move more")
    #expect(session.messages.map(\.purpose) == [.body])
    return session
  }

  /// Height and weight said in one breath are two facts.
  @Test(arguments: [
    ("64 kg", "forget the weight", 178.0, nil as Double?),
    ("178 cm", "that height is wrong", nil, 64),
    ("178 cm, 64 kg", "forget both of these", nil, nil),
  ])
  func oneOfTwoMeasuresIsTakenBack(
    _ part: String, _ words: String, _ height: Double?, _ weight: Double?
  ) async throws {
    let (told, facet) = ("I'm 178 cm, 64 kg", Self.body.description)
    let session = try await session { turn in
      turn == 1
        ? Evidences.json(
          [(facet, 1, "178 cm, 64 kg")],
          stated: [
            .init("height", [178], "cm", 1, "178 cm"), .init("weight", [64], "kg", 1, "64 kg"),
          ])
        : #"{"evidence":[{"facet":"\#(facet)","turn":2,"quote":"\#(words)","mark":"gone","#
          + #""corrects":"\#(part)"}],"stated":[],"care":{"kind":"none","quote":""}}"#
    }
    try await session.say(told)
    #expect(await session.state.body?.weightKilograms == 64)
    try await session.say(words)
    let facts = PersonFacts(await session.state)
    #expect(facts.heightCentimetres == height)
    #expect(facts.weightKilograms == weight)
  }

  @Test func whatIsAboutSomebodyElseIsNoEvidence() async throws {
    let session = try await session { _ in
      #"""
      {"evidence":[{"facet":"goalClarity.outcome","turn":1,"quote":"run a marathon","about":"other"},
      {"facet":"obstacles.barrier","turn":1,"quote":"no time","about":"self"}],"retracted":[],
      "acts":[],"stated":[],"care":{"kind":"none","quote":""}}
      """#
    }
    try await session.say("everyone at work will run a marathon, no time for me")
    #expect(await session.state.ledger.known.map(\.description) == ["obstacles.barrier"])
  }

  @Test func sessionsFromBeforeFoldAsTheyDid() throws {
    let events = try [
      #"{"type":"greeted","text":"Hi"}"#,
      #"{"type":"userSaid","turn":1,"text":"My weight is private. I'm 15","intent":"other","statedAge":15,"releasesHeld":false,"withholds":"currentState.body","care":{"kind":"minor","name":"minor","concernsUser":true}}"#,
    ].enumerated().map { index, json in
      RecordedEvent(
        position: index + 1, at: Date(timeIntervalSince1970: Double(index)),
        event: try JSONDecoder().decode(IntakeEvent.self, from: Data(json.utf8)))
    }
    let pack = try ScriptedSession.pack.get()
    var state = IntakeState(rubric: pack.rubric, bodyFacet: pack.bodyFacet, events: events)
    #expect(state.isMinor && state.withheld == [Self.body])
    let noted =
      #"{"type":"bodyNoted","turn":1,"quotes":["82 kg"],"skipped":false,"weightKilograms":82}"#
    let scored =
      #"{"type":"scored","turns":[1],"evidence":[],"retracted":[],"dropped":{},"points":0}"#
    for json in [noted, scored] {
      state.apply(
        RecordedEvent(
          position: 9, at: Date(timeIntervalSince1970: 9),
          event: try JSONDecoder().decode(IntakeEvent.self, from: Data(json.utf8))))
    }
    #expect(state.isMinor && state.body?.weightKilograms == 82)
  }
}
