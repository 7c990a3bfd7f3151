import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import Signals
import Testing

@testable import Intake

/// What follows from what a message does, by the phase that it answers.
struct HeedingTests {
  private static let facet = Facet(component: "goalClarity", name: "outcome")
  private static let reply = CoachReply(text: "Hello")
  private static let question = Question(
    components: ["goalClarity"], facets: [facet], explicit: false, reply: reply)
  private static let summary: [IntakeEvent] = [
    .synthesised(Synthesis(system: CoachingSystem(), throughTurn: 1, isMinimal: true)),
    .summarised(reply),
  ]

  private static let ways: [ReadingMoment: [IntakeEvent]] = [
    .question: [.asked(question)],
    .offer: [.offered(Offer(kind: .minimal, reason: .turnCap, text: "Shall we?"))],
    .summary: summary, .paywall: summary + [.discoveryCompleted, .paywallShown],
  ]

  /// A session in which the second turn is open at a moment.
  private func state(at moment: ReadingMoment, saying text: String = "…") throws -> IntakeState {
    var state = try ScriptedSession.pack.get().state()
    state.take([.userSaid(UserTurn(turn: 1, text: "hi")), .scored(Scoring(turns: [1]))])
    state.take(try #require(Self.ways[moment]))
    state.take([.userSaid(UserTurn(turn: 2, text: text))])
    try #require(ReadingMoment(state) == moment && state.nextStep(IntakeSettings()).name == "score")
    return state
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var acts: [Act.Name]?
    var step: String
    var about: Act.Subject?
    /// Whether the message tells something new, too.
    var tells = false

    init(
      _ acts: [Act.Name]?, _ step: String, about: Act.Subject? = nil, tells: Bool = false
    ) { (self.acts, self.step, self.about, self.tells) = (acts, step, about, tells) }

    var testDescription: String {
      let names = acts.map { $0.map(\.rawValue).joined(separator: "+") } ?? "unread"
      return "\(names) \(about?.rawValue ?? "") \(tells ? "tells" : "")"
    }
  }

  private func expect(_ row: Row, at moment: ReadingMoment) throws {
    var state = try state(at: moment)
    let acts = row.acts.map { names in
      names.map { Act($0, turn: 2, quote: "…", about: $0 == .asks ? row.about : nil) }
    }
    let evidence = row.tells ? [Evidence(facet: Self.facet, quote: "…", turn: 2)] : []
    state.take([.scored(Scoring(turns: [2], evidence: evidence, acts: acts))])
    #expect(state.nextStep(IntakeSettings()).name == row.step)
    #expect(state.unexpected.isEmpty)
  }

  @Test(arguments: [
    Row([.agrees], "complete"), Row([.goesOn], "complete"), Row([.continues], "complete"),
    Row([.agrees], "complete", tells: true), Row([.corrects], "synthesise"),
    Row([.agrees, .corrects], "synthesise"), Row([.rejects], "askCorrection"),
    Row([.rejects, .corrects], "synthesise"), Row([.postpones], "letWait"),
    Row([.notNow], "letWait"), Row([.stops], "letWait"), Row([.agrees, .rejects], "askPlainly"),
    Row([.agrees, .postpones], "askPlainly"), Row([.asks], "reply", about: .plan),
    Row([.asks, .agrees], "reply", about: .plan), Row([], "synthesise", tells: true),
    Row([], "reply"), Row([.unsure], "reply"), Row([.confides], "reply"), Row(nil, "askPlainly"),
    Row(nil, "askPlainly", tells: true),
  ])
  func atTheSummary(row: Row) throws { try expect(row, at: .summary) }

  @Test(arguments: [
    Row([.goesOn], "synthesise"), Row([.agrees], "synthesise"), Row([.stops], "synthesise"),
    Row([.continues], "synthesise"), Row([.talksOn], "ask"), Row([], "ask"),
    Row([], "ask", tells: true), Row([.goesOn, .talksOn], "askPlainly"),
    Row([.asks], "reply", about: .question), Row([.asks, .goesOn], "reply", about: .plan),
    Row([.postpones], "reply"), Row([.confides], "reply"), Row(nil, "askPlainly"),
  ])
  func atTheOffer(row: Row) throws { try expect(row, at: .offer) }

  /// "Keep talking. I swim twice a week" is no yes to a summary, even if nothing more is needed for one.
  @Test(arguments: [([Act.Name.talksOn], "ask"), ([], "synthesise")])
  func whoChoosesToTalkIsAskedOnceMore(acts: [Act.Name], step: String) throws {
    var state = try state(at: .offer)
    let told = state.rubric.facets.map(\.facet).filter { $0.component != "supportSystem" }
    state.take([
      .scored(
        Scoring(
          turns: [2], evidence: told.map { Evidence(facet: $0, quote: "…", turn: 2) },
          acts: acts.map { Act($0, turn: 2, quote: "…") }))
    ])
    #expect(state.nextStep(IntakeSettings()).name == step)
  }

  @Test(arguments: [
    Row([.stops], "synthesise"), Row([.goesOn], "synthesise"), Row([.declines], "ask"),
    Row([.unsure], "ask"), Row([.asks], "ask", about: .question), Row([.postpones], "reply"),
    Row([.confides], "reply"), Row([.confides, .asks], "reply", about: .coaching), Row([], "ask"),
    Row([.asks, .stops], "reply", about: .plan), Row(nil, "ask"),
  ])
  func atAQuestion(row: Row) throws { try expect(row, at: .question) }

  @Test(arguments: [
    Row([.continues], "subscribe"), Row([.agrees], "askPlainly"), Row([.goesOn], "askPlainly"),
    Row([.notNow], "declinePaywall"), Row([.postpones], "declinePaywall"),
    Row([.rejects], "declinePaywall"), Row([.declines], "declinePaywall"),
    Row([.continues, .notNow], "askPlainly"), Row([.asks], "reply", about: .service),
    Row([.asks], "reply", about: .plan), Row([.asks, .continues], "reply", about: .service),
    Row([.asks], "hold", about: .coaching), Row([], "hold"), Row([.reports], "hold", tells: true),
    Row([.confides], "reply"), Row([.confides, .continues], "reply"), Row(nil, "hold"),
  ])
  func atThePaywall(row: Row) throws { try expect(row, at: .paywall) }

  /// The coach can't answer one of them yet, so it waits.
  @Test func ofTwoQuestionsAtThePaywallOneIsAnsweredAndOneKept() throws {
    var state = try state(at: .paywall)
    state.take([
      .scored(
        Scoring(
          turns: [2],
          acts: [
            Act(.asks, turn: 2, quote: "…", about: .coaching),
            Act(.asks, turn: 2, quote: "…", about: .service),
          ]))
    ])
    #expect(state.nextStep(IntakeSettings()).name == "reply")
    state.take([.replied(Aside(turn: 2, waits: true, reply: CoachReply(text: "Ten a month.")))])
    #expect(state.nextStep(IntakeSettings()).name == "hold")
  }

  // MARK: When it counts

  private func act(_ name: Act.Name, _ turn: Int) -> Act { Act(name, turn: turn, quote: "…") }

  @Test func declinedIsWhatWasAsked() throws {
    var state = try state(at: .question)
    state.take([.scored(Scoring(turns: [2], acts: [act(.declines, 2)]))])
    #expect(state.setAside == ["goalClarity"])
  }

  @Test func whatIsNamedAsPrivateIsWithheldAndNothingElse() throws {
    var state = try state(at: .question)
    let body = try #require(Facet("currentState.body"))
    state.take([
      .scored(Scoring(turns: [2], acts: [Act(.declines, turn: 2, quote: "…", facet: body)]))
    ])
    #expect(state.withheld == [body])
    #expect(state.setAside.isEmpty, "they didn't decline the question")
  }

  @Test func readLateItCountsWhileTheSameIsOpen() throws {
    var state = try state(at: .offer)
    let failure = ScoringFailure(.unusableAnswer, "no JSON")
    state.take([
      .scored(Scoring(turns: [2], failure: failure)), .asked(.menu("Which?")),
      .userSaid(UserTurn(turn: 3, text: "hm")),
      .scored(Scoring(turns: [2, 3], acts: [act(.goesOn, 2)])),
    ])
    #expect(state.nextStep(IntakeSettings()).name == "synthesise")
  }

  @Test func readLateItCountsForNothingElse() throws {
    var state = try state(at: .question)
    let failure = ScoringFailure(.unusableAnswer, "no JSON")
    let next = Question(components: ["obstacles"], facets: [], explicit: false, reply: Self.reply)
    state.take([
      .scored(Scoring(turns: [2], failure: failure)), .asked(next),
      .userSaid(UserTurn(turn: 3, text: "work gets in the way")),
      .scored(Scoring(turns: [2, 3], acts: [act(.declines, 2), act(.stops, 2)])),
    ])
    #expect(state.setAside.isEmpty && state.nextStep(IntakeSettings()).name == "ask")
  }

  /// Of several messages to one question, the last that does something decides.
  @Test func theLaterOfTwoMessagesDecides() throws {
    var state = try state(at: .summary)
    let failure = ScoringFailure(.unusableAnswer, "no JSON")
    state.take([
      .scored(Scoring(turns: [2], failure: failure)), .asked(.menu("Which?")),
      .userSaid(UserTurn(turn: 3, text: "or rather no")),
      .scored(Scoring(turns: [2, 3], acts: [act(.agrees, 2), act(.rejects, 3)])),
    ])
    #expect(state.nextStep(IntakeSettings()).name == "askCorrection")
  }

  @Test func careComesFirst() throws {
    var state = try state(at: .paywall)
    state.take([
      .scored(
        Scoring(turns: [2], care: CareMark(kind: .crisis, turn: 2), acts: [act(.continues, 2)]))
    ])
    #expect(state.nextStep(IntakeSettings()).name == "care")
    state.take([
      .cared(CareAnswer(turn: 2, kind: .crisis, name: "crisis", text: "Call somebody."))
    ])
    #expect(state.nextStep(IntakeSettings()) == .awaitUser && state.entitlement == nil)
  }

  @Test func afterALowMomentOneTurnIsWithoutATextOfOurs() throws {
    var state = try state(at: .question)
    let settings = IntakeSettings(maxTurns: 1)
    func aside(_ turn: Int) -> IntakeEvent {
      .replied(Aside(turn: turn, waits: true, reply: Self.reply))
    }
    state.take([.scored(Scoring(turns: [2], acts: [act(.confides, 2)])), aside(2)])
    #expect(state.nextStep(settings) == .awaitUser)
    // Everything was asked about, so an offer would be due.
    for number in 3... {
      state.take([
        .userSaid(UserTurn(turn: number, text: "…")), .scored(Scoring(turns: [number], acts: [])),
      ])
      let step = state.nextStep(settings)
      guard case .ask(let plan) = step else {
        #expect(step.name == (number == 3 ? "reply" : "offer"))
        break
      }
      state.take([.asked(Question(plan, reply: Self.reply))])
      try #require(number < 40)
    }
  }

  /// Words that add nothing to what is missing are an answer, too.
  @Test func nothingIsAskedAboutAThirdTime() throws {
    let settings = IntakeSettings(maxTurns: 50)
    var state = try state(at: .question)
    var asked = ["goalClarity": 1]
    for number in 2... {
      try #require(number < 50)
      if number > 2 { state.take([.userSaid(UserTurn(turn: number, text: "…"))]) }
      let answered = state.rubric.facets.map(\.facet).filter {
        state.lastQuestion?.components.contains($0.component) == true
      }
      let evidence = answered.prefix(1).map { Evidence(facet: $0, quote: "…", turn: number) }
      state.take([.scored(Scoring(turns: [number], evidence: evidence, acts: []))])
      guard case .ask(let plan) = state.nextStep(settings) else { break }
      asked[plan.component, default: 0] += 1
      state.take([.asked(Question(plan, reply: Self.reply))])
    }
    #expect(state.nextStep(settings).name == "offer")
    #expect(asked.count > 5 && asked.values.allSatisfy { $0 <= 2 }, "\(asked)")
  }

  @Test func whatIsToldWithALowMomentAtTheOfferIsTalkingOn() throws {
    var state = try state(at: .offer)
    let told = state.rubric.facets.map(\.facet).filter { $0.component != "supportSystem" }
    state.take([
      .scored(
        Scoring(
          turns: [2], evidence: told.map { Evidence(facet: $0, quote: "…", turn: 2) },
          acts: [act(.confides, 2)]))
    ])
    #expect(state.nextStep(IntakeSettings()).name == "reply")
    state.take([
      .replied(Aside(turn: 2, waits: true, reply: Self.reply)),
      .userSaid(UserTurn(turn: 3, text: "thanks")), .scored(Scoring(turns: [3], acts: [])),
    ])
    #expect(state.nextStep(IntakeSettings()).name == "synthesise")
  }

  // MARK: Old logs

  private func old(_ kind: String, _ json: String) throws -> IntakeEvent {
    try #require(
      try RecordedEvent(
        position: 1, at: Date(timeIntervalSince1970: 0),
        envelope: EventEnvelope(kind: kind, version: 1, json: json)
      ).event)
  }

  @Test(arguments: [
    ("goAhead", "complete"), ("keepTalking", "askCorrection"), ("notNow", "letWait"),
    ("other", "score"),
  ])
  func aReplyOfTheFirstVersionDoesWhatItDid(intent: String, step: String) throws {
    var state = try ScriptedSession.pack.get().state()
    state.take([.userSaid(UserTurn(turn: 1, text: "hi")), .scored(Scoring(turns: [1]))])
    state.take(Self.summary)
    let json =
      #"{"type":"userSaid","turn":2,"text":"…","intent":"\#(intent)","releasesHeld":false}"#
    state.take([try old("userSaid", json)])
    #expect(state.nextStep(IntakeSettings()).name == step)
    guard intent == "other" else { return }
    // Whatever it said, the profile was written anew.
    let scored =
      #"{"type":"scored","turns":[2],"evidence":[],"retracted":[],"dropped":{},"points":0,"#
      + #""acts":[{"name":"agrees","turn":2,"quote":"…"}]}"#
    state.take([try old("scored", scored)])
    #expect(state.nextStep(IntakeSettings()).name == "synthesise")
  }

  @Test func aNewReplyCarriesNoIntentAndReadsBack() throws {
    let turn = IntakeEvent.userSaid(UserTurn(turn: 1, text: "sure, sign me up"))
    let envelope = EventEnvelope(turn)
    #expect(envelope.version == 2)
    let json = try envelope.text
    #expect(!json.contains("intent"))
    #expect(
      try RecordedEvent(
        position: 1, at: Date(timeIntervalSince1970: 0),
        envelope: EventEnvelope(kind: "userSaid", version: 2, json: json)
      ).event == turn)
  }

  @Test func wordsHeldByAnOldLogAreSaidAfterThePaywall() throws {
    var state = try ScriptedSession.pack.get().state()
    state.take([.userSaid(UserTurn(turn: 1, text: "hi")), .scored(Scoring(turns: [1]))])
    state.take(Self.summary + [.discoveryCompleted, .paywallShown])
    state.take([
      try old("messageHeld", #"{"type":"messageHeld","text":"and swimming?"}"#),
      .entitled(Entitlement(source: "stub", grantedAt: Date(timeIntervalSince1970: 0))),
    ])
    #expect(state.held == ["and swimming?"] && state.nextStep(IntakeSettings()) == .releaseHeld)
  }
}

extension IntakeStep {
  /// The case, without what it carries.
  fileprivate var name: String { "\(self)".split(separator: "(").first.map(String.init) ?? "" }
}
