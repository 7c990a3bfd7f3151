import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import Signals
import TestSupport
import Testing

@testable import Intake

/// What holds for every log, whether an engine can have written it or not.
@Suite(.slow)
struct FoldPropertyTests {
  private func conversations() async throws -> [(seed: Int, RandomConversation)] {
    try await RandomConversation.all.value.enumerated().map { ($0.offset + 1, $0.element) }
  }

  private func fold(_ events: some Sequence<RecordedEvent>) throws -> IntakeState {
    try ScriptedSession.pack.get().state(after: Array(events))
  }

  @Test func whatAnEngineWritesIsAlwaysExpected() async throws {
    for (seed, conversation) in try await conversations() {
      let state = try fold(conversation.events)
      #expect(state.unexpected.isEmpty, "seed \(seed): \(state.unexpected)")
    }
  }

  @Test func aLogCanBeFoldedInTwoParts() async throws {
    for (seed, conversation) in try await conversations() {
      let events = conversation.events
      let whole = try fold(events)
      for cut in stride(from: 0, through: events.count, by: 3) {
        var state = try fold(events.prefix(cut))
        for event in events.dropFirst(cut) { state.apply(event) }
        #expect(state == whole, "seed \(seed), cut at \(cut)")
      }
    }
  }

  @Test func everyStateIsSoundAndNamesAStepThatCanBeTaken() async throws {
    var steps: Set<String> = []
    for (seed, conversation) in try await conversations() {
      var state = try fold([])
      for event in conversation.events {
        state.apply(event)
        state.expectSound("seed \(seed) at \(event.position)", conversation.settings)
        state.expectItsStepFits("seed \(seed) at \(event.position)", conversation.settings)
        steps.insert(state.nextStep(conversation.settings).name)
      }
    }
    #expect(steps.count == IntakeStep.count, "every step is reached: \(steps.sorted())")
  }

  /// Shuffled, doubled and lost events: logs that no engine writes.
  @Test func brokenLogsFoldToSoundStatesAndNameAStepThatCanBeTaken() async throws {
    var refused = 0
    let all = try await conversations()
    for (seed, conversation) in all {
      var chance = SeededGenerator(seed: UInt64(seed))
      let other = all[seed % all.count].1
      for broken in Self.broken(conversation.events, other.events, &chance) {
        var state = try fold([])
        for (index, event) in broken.enumerated() {
          state.apply(event)
          state.expectSound("seed \(seed), event \(index)", conversation.settings)
          state.expectItsStepFits("seed \(seed), event \(index)", conversation.settings)
        }
        refused += state.unexpected.count
      }
    }
    #expect(refused > 1_000)
  }

  private static func broken(
    _ events: [RecordedEvent], _ others: [RecordedEvent], _ chance: inout SeededGenerator
  ) -> [[RecordedEvent]] {
    let doubled = events.flatMap { event in
      Array(repeating: event, count: Int.random(in: 1...3, using: &chance))
    }
    var thinned = events
    thinned.removeAll { _ in Int.random(in: 0..<4, using: &chance) == 0 }
    return [
      events.shuffled(using: &chance), Array(events.reversed()), doubled, thinned,
      (events + others).shuffled(using: &chance), others + events,
    ]
  }

  @Test func anUnexpectedEventChangesNothingButTheNoteOfIt() async throws {
    let conversation = try #require(try await conversations().last?.1)
    var state = try fold(conversation.events)
    let before = state
    let summary = CoachReply(text: "Here's what I heard")
    let kind: IntakeEvent = before.phase.name == .confirming ? .paywallShown : .summarised(summary)
    state.apply(
      RecordedEvent(
        position: before.position + 1, at: try #require(before.lastEventAt), event: kind))
    #expect(
      state.unexpected == [
        UnexpectedEvent(
          position: before.position + 1, kind: kind.kind, phase: before.phase.name)
      ])
    #expect(state.transcript == before.transcript && state.phase == before.phase)
    #expect(
      state.nextStep(conversation.settings) == before.nextStep(conversation.settings))
  }

  @Test func aSessionThatDoesNotFitTogetherOpensAndSaysSo() async throws {
    let conversation = try #require(try await conversations().first?.1)
    let last = try #require(conversation.events.last)
    let stray = RecordedEvent(
      position: last.position + 1, at: last.at, event: .greeted(CoachReply(text: "Hi")))
    let session = try await ScriptedSession(
      events: conversation.events + [stray], UsualConversation.script)
    try await session.open()
    let notice = try #require(session.notices.first { $0.code == "unexpected-events" })
    #expect(notice.detail?.hasPrefix("greeted at \(stray.position) while ") == true)
  }

  /// A turn lost from the middle would let later quotes point to other words.
  @Test func aTurnOutOfOrderIsRefused() throws {
    let start = Date(timeIntervalSince1970: 0)
    let state = try fold(
      [1, 3, 2, 0, -1].enumerated().map { index, turn in
        RecordedEvent(
          position: index + 1, at: start,
          event: .userSaid(UserTurn(turn: turn, text: "turn \(turn)")))
      })
    #expect(state.turns.map(\.turn) == [1, 2])
    #expect(state.unexpected.map(\.position) == [2, 4, 5])
  }
}

extension IntakeState {
  /// What is true of every state.
  fileprivate func expectSound(_ place: String, _ settings: IntakeSettings) {
    let comment = Comment(rawValue: place)
    #expect(transcript.userTurns == turns.map(\.text), comment)
    #expect(turns.map(\.turn) == Array(1..<turns.count + 1), comment)
    #expect((0...10_000).contains(components(settings).points), comment)
    // A journey's form can be summed up before anybody says a word.
    let canBeSilent = phase.name == .greeting || synthesis != nil
    #expect(turns.isEmpty ? canBeSilent : phase.name != .greeting, comment)
    #expect(synthesis != nil || !(phase.name == .confirming || isCompleted), comment)
    #expect((entitlement != nil) == (phase.name == .coaching), comment)
    #expect(held.isEmpty || isCompleted, comment)
    switch nextStep(settings) {
    case .score(let numbers):
      #expect(numbers.allSatisfy { transcript.userTurn($0) != nil }, comment)
    case .noteBody(let turn): #expect(transcript.userTurn(turn) != nil, comment)
    case .ask(let plan):
      #expect(!plan.missing.isEmpty && ledger.known.isDisjoint(with: plan.missing), comment)
    case .hold(let turn): #expect(transcript.userTurn(turn) != nil, comment)
    case .confirm: #expect(synthesis != nil, comment)
    case .releaseHeld: #expect(!held.isEmpty, comment)
    case .greet: #expect(turns.isEmpty, comment)
    case .paywall, .subscribe: #expect(!isMinor && entitlement == nil, comment)
    case .checkIn: #expect(careGiven.contains { careNotes.sendsForHelp($0) }, comment)
    default: break
    }
  }

  /// The event that the next step stores can happen now.
  fileprivate func expectItsStepFits(_ place: String, _ settings: IntakeSettings) {
    guard let event = nextStep(settings).event(after: turns.count) else { return }
    var next = self
    next.apply(
      RecordedEvent(
        position: position + 1, at: lastEventAt ?? Date(timeIntervalSince1970: 0), event: event))
    #expect(
      next.unexpected.count == unexpected.count,
      "\(place): \(nextStep(settings)) while \(phase.name)")
  }
}

extension IntakeStep {
  /// How many kinds of steps there are, besides the end of a journey's questions and what only old logs
  /// lead to.
  fileprivate static let count = 21

  /// What it stores, as far as a phase cares; nil if it waits.
  fileprivate func event(after turns: Int) -> IntakeEvent? {
    let reply = CoachReply(text: "…")
    return switch self {
    case .awaitUser: nil
    case .releaseHeld: .userSaid(UserTurn(turn: turns + 1, text: "…", releasesHeld: true))
    case .askCorrection, .letWait, .askPlainly:
      .asked(Question(components: [], facets: [], explicit: true, reply: reply))
    case .greet: .greeted(reply)
    case .score(let turns): .scored(Scoring(turns: turns))
    case .care(let step):
      .cared(CareAnswer(turn: step.turn, kind: step.kind, name: step.name, text: "…"))
    case .ask(let plan):
      .asked(
        Question(
          components: plan.components, facets: plan.missing, explicit: plan.explicit, reply: reply))
    case .checkIn: .asked(Question(components: [], facets: [], explicit: false, reply: reply))
    case .offer(let kind, let reason): .offered(Offer(kind: kind, reason: reason, text: "…"))
    case .askBody: .bodyAsked(BodyQuestion(text: "…"))
    case .noteBody(let turn): .bodyNoted(BodyNote(turn: turn))
    case .synthesise(let minimal):
      .synthesised(
        Synthesis(system: CoachingSystem(), throughTurn: turns, isMinimal: minimal))
    case .confirm: .summarised(reply)
    case .complete: .discoveryCompleted
    case .paywall: .paywallShown
    case .reply(let plan):
      .replied(Aside(turn: plan.turn, waits: plan.waits, reply: reply))
    case .subscribe:
      .entitled(Entitlement(source: "stub", grantedAt: Date(timeIntervalSince1970: 0)))
    case .declinePaywall: .paywallDeclined
    case .hold(let turn): .messageHeld(HeldMessage(text: "…", turn: turn))
    case .coach: .coached(reply)
    case .end: nil
    }
  }

  /// The case, without what it carries.
  fileprivate var name: String { "\(self)".split(separator: "(").first.map(String.init) ?? "" }
}
