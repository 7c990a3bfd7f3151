import ContextQuality
import Foundation
import IntakeTestSupport
import Signals
import Testing

@testable import Intake
@testable import Rehearsal

/// A pack of another domain rehearses without a line of Swift.
struct SecondPackTests {
  private static let lines = [
    "I want to open a small bakery, because I can't go on at the insurance office",
    "mostly I'm scared. rent and two kids, I can't afford a bad year",
    "I'd know when I get up at four and like it",
    "people ask me for cakes, I love sourdough",
    "I work nine to six, at home it's my husband and the kids",
  ]

  @Test func everyBuiltInPackIsWhole() throws {
    #expect(PromptPack.embeddedNames == ["fitness", "life", "nutrition"])
    for name in PromptPack.embeddedNames {
      let pack = try PromptPack(files: try PromptPack.embeddedFiles(name), folder: name)
      try pack.checkRehearsal()
      #expect(pack.name == name && pack.hasQuestionBank)
    }
  }

  @Test func itsOwnPhrasesReadWhatWasSaid() async throws {
    let session = try await OfflineRehearsal(pack: "life")
    try await session.talk(Self.lines)
    let state = await session.state
    let known = Set(state.ledger.known.map(\.description))
    #expect(
      known.isSuperset(of: [
        "direction.change", "direction.reason", "hurdles.hurdle", "strengths.skill",
        "strengths.spark", "situation.work", "situation.home",
      ]), "\(known.sorted())")
    let system = try #require(state.synthesis?.system)
    #expect(system.userGoals.primary?.contains("small bakery") == true)
    #expect(system.unsupported.isEmpty)
    #expect(await !session.coachMessages.contains { $0.contains("put that right") })
  }

  /// Two topics were due, and the words ask for the second.
  @Test func anAnswerCountsForWhatTheWordsAsk() throws {
    let pack = try PromptPack.embedded("life")
    let (time, money) = (try #require(Facet("room.time")), try #require(Facet("room.money")))
    for (text, asked) in [
      ("When in your week is there room for this?", time),
      ("Alright. What may it cost, if it costs anything?", money),
      ("And that other thing?", money),
    ] {
      let events: [IntakeEvent] = [
        .userSaid(UserTurn(turn: 1, text: "hi")),
        .asked(
          Question(
            components: ["room"], facets: [money, time], explicit: false,
            reply: CoachReply(text: text))),
        .userSaid(UserTurn(turn: 2, text: "whatever fits")),
      ]
      let state = pack.state(
        after: try events.enumerated().map {
          try RecordedEvent(
            position: $0.offset + 1, at: Date(timeIntervalSince1970: 0),
            envelope: EventEnvelope($0.element))
        })
      let claims = PatternReader(bank: try pack.questionBank()).claims(2, state)
      #expect(claims.map(\.facet) == [asked], "\(text)")
    }
  }

  @Test func careThatHoldsEverywhereHoldsThere() async throws {
    let session = try await OfflineRehearsal(pack: "life")
    try await session.open()
    try await session.say("I want to kill myself")
    #expect(await session.coachMessages.last?.contains("988") == true)
    try await session.say("My sister is with me now. Can they evict me for this?")
    #expect(await session.state.careGiven.map(\.rawValue) == ["crisis", "verdict"])
  }

  @Test func itSaysThatItReadsSimply() async throws {
    let session = try await OfflineRehearsal(pack: "life")
    try await session.open()
    let notices = session.shown.compactMap { output in
      if case .notice(let notice) = output { notice.text } else { nil }
    }
    #expect(notices.contains { $0.contains("It reads simply") }, "\(notices)")
  }
}
