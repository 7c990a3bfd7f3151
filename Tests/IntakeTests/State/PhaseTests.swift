import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import Testing

@testable import Intake
@testable import Signals

/// Which events each phase takes, and where they lead.
struct PhaseTests {
  private static let offer = Offer(kind: .goOn, reason: .turnCap, text: "Shall we?")
  private static let synthesis = Synthesis(
    system: CoachingSystem(), throughTurn: 1, isMinimal: false)
  private static let reply = CoachReply(text: "Hello")
  private static let question = Question(
    components: ["goalClarity"], facets: [], explicit: false, reply: reply)
  private static let checkIn = Question(
    components: [], facets: [], explicit: false, reply: reply)
  private static let paywall: [IntakeEvent] = [
    .synthesised(synthesis), .summarised(reply), .discoveryCompleted,
  ]
  private static let entitled = IntakeEvent.entitled(
    Entitlement(source: "stub", grantedAt: Date(timeIntervalSince1970: 0)))

  /// How to get into a phase after the first user turn.
  private static let ways: [Phase.Name: [IntakeEvent]] = [
    .discovering: [], .offering: [.offered(offer)],
    .askingForMeasurements: [.bodyAsked(.init(text: "?"))],
    .confirming: [.synthesised(synthesis)], .atPaywall: paywall, .coaching: paywall + [entitled],
  ]

  private static let events: [IntakeEvent] = [
    .started(SessionStart(pack: "fitness", packVersion: "1", rubricVersion: 1)),
    .greeted(reply), .scored(Scoring(turns: [1])), .asked(question), .offered(offer),
    .bodyAsked(BodyQuestion(text: "?")), .bodyNoted(BodyNote(turn: 1)), .synthesised(synthesis),
    .summarised(reply), .discoveryCompleted, .paywallShown, .paywallDeclined,
    .messageHeld(HeldMessage(text: "later")), entitled, .coached(reply),
  ]

  private func state(in phase: Phase.Name) throws -> IntakeState {
    var state = IntakeState(rubric: try ScriptedSession.pack.get().rubric)
    if phase != .greeting { state.take([.userSaid(UserTurn(turn: 1, text: "hi"))]) }
    state.take(Self.ways[phase] ?? [])
    try #require(state.phase.name == phase && state.unexpected.isEmpty)
    return state
  }

  @Test(arguments: [
    (Phase.Name.greeting, "started greeted asked synthesised"),
    (.discovering, "scored asked offered bodyAsked bodyNoted synthesised"),
    (.offering, "scored"),
    (.askingForMeasurements, "scored asked offered bodyAsked synthesised"),
    (.confirming, "scored synthesised summarised discoveryCompleted"),
    (.atPaywall, "scored paywallShown paywallDeclined messageHeld entitled"),
    (.coaching, "scored coached"),
  ])
  func aPhaseTakesItsOwnEventsOnly(phase: Phase.Name, expected: String) throws {
    let taken = try Self.events.filter { event in
      var state = try state(in: phase)
      state.take([event])
      return state.unexpected.isEmpty
    }
    #expect(taken.map(\.kind.rawValue).joined(separator: " ") == expected)
  }

  @Test(arguments: Phase.Name.allCases)
  func whatCanHappenAtAnyTimeIsTakenInEveryPhase(phase: Phase.Name) throws {
    var state = try state(in: phase)
    let turn = state.turns.count + 1
    state.take([
      .healthNoted(HealthNoteTests.note), .healthWithdrawn,
      .userSaid(UserTurn(turn: turn, text: "wait")),
      .cared(CareAnswer(turn: turn, kind: .crisis, name: "crisis", text: "Call somebody.")),
    ])
    #expect(state.unexpected.isEmpty)
  }

  @Test(arguments: [Phase.Name.discovering, .confirming, .atPaywall, .coaching])
  func howTheyAreIsAskedInThePhaseTheyAreIn(phase: Phase.Name) throws {
    var state = try state(in: phase)
    state.take([.asked(Self.checkIn)])
    #expect(state.unexpected.isEmpty && state.phase.name == phase && state.pending == .nothing)
  }

  @Test func anOfferIsTakenOrTalkedOver() throws {
    for (intent, turns) in [(ReplyIntent.goAhead, [Int]()), (.other, [2])] {
      var state = try state(in: .offering)
      state.take([
        .scored(Scoring(turns: [1])), .userSaid(UserTurn(turn: 2, text: "…", intent: intent)),
      ])
      #expect(state.phase.name == .discovering && state.record.queue.unscored == turns)
    }
  }

  /// Labels, and replies in logs from before acts were read.
  @Test func eachAnswerToTheSummaryHasItsStage() throws {
    let answers: [(ReplyIntent, Confirming.Stage)] = [
      (.goAhead, .agreed), (.keepTalking, .correcting), (.notNow, .waiting), (.other, .preparing),
    ]
    for (intent, stage) in answers {
      var state = try state(in: .confirming)
      state.take([
        .scored(Scoring(turns: [1])), .summarised(Self.reply),
        .userSaid(UserTurn(turn: 2, text: "…", intent: intent)),
      ])
      guard case .confirming(let phase) = state.phase else {
        Issue.record("\(intent): \(state.phase)")
        continue
      }
      #expect(phase.stage == stage)
    }
  }

  /// Until it was read, nothing is decided.
  @Test(arguments: [Phase.Name.offering, .askingForMeasurements, .confirming, .atPaywall])
  func otherWordsWaitForTheirReading(phase: Phase.Name) throws {
    var state = try state(in: phase)
    state.take([.scored(Scoring(turns: [1]))])
    if phase == .confirming { state.take([.summarised(Self.reply)]) }
    state.take([.userSaid(UserTurn(turn: 2, text: "sign me up"))])
    #expect(state.phase.name == phase && state.unexpected.isEmpty)
    let step = state.nextStep(IntakeSettings())
    #expect(step == .score(turns: [2]) || step == .noteBody(turn: 2))
  }
}

extension IntakeState {
  /// Applies events, a second apart.
  mutating func take(_ events: [IntakeEvent]) {
    for event in events {
      apply(
        RecordedEvent(
          position: position + 1, at: Date(timeIntervalSince1970: Double(position)), event: event))
    }
  }
}
