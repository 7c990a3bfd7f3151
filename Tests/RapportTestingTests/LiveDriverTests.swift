import Cassettes
import ContextQuality
import Foundation
import RapportTesting
import TestSupport
import Testing

@testable import Intake

/// What the user of a recorded script says in a conversation that goes its own way.
@Suite struct LiveDriverTests {
  @Test func sayWhatIsNextWhereNothingElseIsAsked() throws {
    var driver = LiveDriver(LiveScript(lines: [.init("a", wait: 40), .init("b")]))
    let state = try Stage.state()
    #expect(driver.next(state) == .say("a", wait: 40))
    #expect(driver.next(state) == .say("b", wait: 0))
    #expect(driver.next(state) == .stop)
  }

  @Test func anOfferIsTurnedDownWhileThereIsSomethingLeftToSay() throws {
    var driver = LiveDriver(LiveScript(lines: [.init("a")]))
    #expect(driver.next(try Stage.state(Stage.offer)) == .say("keepTalking", wait: 0))
    #expect(driver.next(try Stage.state()) == .say("a", wait: 0))
    #expect(driver.next(try Stage.state(Stage.offer)) == .say("goAhead", wait: 0))
  }

  @Test func anOfferThatStaysIsAnsweredWithTheNextLine() throws {
    var driver = LiveDriver(LiveScript(lines: [.init("a"), .init("b")]))
    let state = try Stage.state(Stage.offer)
    let moves = (0..<5).map { _ in driver.next(state) }
    #expect(
      moves == [
        .say("keepTalking", wait: 0), .say("a", wait: 0), .say("keepTalking", wait: 0),
        .say("b", wait: 0), .say("goAhead", wait: 0),
      ])
  }

  @Test func theSummaryIsAgreedToThoughNotEverythingWasSaid() throws {
    var driver = LiveDriver(LiveScript(lines: [.init("a")]))
    #expect(driver.next(try Stage.state(Stage.summary)) == .say("goAhead", wait: 0))
  }

  @Test func whatPutTheSummaryRightIsSaidToTheSummary() throws {
    var driver = LiveDriver(
      LiveScript(lines: [.init("a"), .init("it's the left knee", occasion: .summary)]))
    let state = try Stage.state(Stage.summary)
    #expect(driver.next(state) == .say("it's the left knee", wait: 0))
    #expect(driver.next(state) == .say("goAhead", wait: 0))
  }

  @Test func aSummaryThatComesAgainAndAgainIsLeft() throws {
    var driver = LiveDriver(LiveScript(lines: []))
    let state = try Stage.state(Stage.summary)
    let moves = (0..<20).map { _ in driver.next(state) }
    #expect(moves.last == .stop)
  }

  @Test func theQuestionAboutTheBodyGetsTheAnswerThatWasGivenToIt() throws {
    var driver = LiveDriver(
      LiveScript(lines: [.init("a"), .init("182cm 71kg", occasion: .body)]))
    let state = try Stage.state([.bodyAsked(BodyQuestion(text: "How tall?"))])
    #expect(driver.next(state) == .say("182cm 71kg", wait: 0))
    #expect(driver.next(state) == .say("skip", wait: 0))
  }

  @Test func itEndsAtThePaywallAndWhereCoachingBegins() throws {
    var driver = LiveDriver(LiveScript(lines: [.init("a")]))
    let paywall = Stage.summary + [.discoveryCompleted, .paywallShown]
    #expect(driver.next(try Stage.state(paywall)) == .stop)
    let subscribed: [IntakeEvent] =
      paywall + [.entitled(Entitlement(source: "stub", grantedAt: Stage.date))]
    #expect(driver.next(try Stage.state(subscribed)) == .stop)
  }

  @Test func answersToMenusAreNotPartOfTheScript() async throws {
    let cassette = try Shipped.cassette("happy-path/organ-loft")
    let pack = try Shipped.pack.get()
    let run = await ConversationRunner(pack: pack).run(cassette)
    let script = LiveScript(cassette, recorded: run, consent: pack.consent)
    let said = cassette.script.compactMap { step in
      if case .say(let text) = step.act { text } else { nil }
    }
    // "Yes, that's it. Let's go", the paywall's answer and what was said to the coach after it.
    #expect(script.lines.map(\.text) == Array(said.prefix(4)))
  }

  @Test func whatEachLineAnsweredIsRemembered() async throws {
    let pack = try Shipped.pack.get()
    func script(_ name: String) async throws -> LiveScript {
      let cassette = try Shipped.cassette(name)
      let run = await ConversationRunner(pack: pack).run(cassette)
      return LiveScript(cassette, recorded: run, consent: pack.consent)
    }
    #expect(try await script("correction/brothers-number").lines.last?.occasion == .summary)
    #expect(try await script("gaming/any-percent").lines.last?.occasion == .body)
  }

  @Test func aRecordingThatBreaksOffStillGivesItsScript() async throws {
    let pack = try Shipped.pack.get()
    var cassette = try await Small.complete()
    cassette.script += [Cassette.Step(.say("Let's go")), Cassette.Step(.say("more to say"))]
    let run = await ConversationRunner(pack: pack).run(cassette)
    let script = LiveScript(cassette, recorded: run, consent: pack.consent)
    #expect(script.lines.map(\.text).suffix(1) == ["more to say"])
    #expect(script.lines.map(\.text).prefix(2) == [Small.first, Small.second])
  }
}

/// States to decide in.
enum Stage {
  static let date = Date(timeIntervalSince1970: 1_767_600_000)

  static let offer: [IntakeEvent] = [
    .offered(Offer(kind: .goOn, reason: .turnCap, text: "Shall we?"))
  ]

  static let summary: [IntakeEvent] = [
    .synthesised(Synthesis(system: CoachingSystem(), throughTurn: 1, isMinimal: false)),
    .summarised(CoachReply(text: "Here's what I heard")),
  ]

  static func state(_ events: [IntakeEvent] = []) throws -> IntakeState {
    let pack = try Shipped.pack.get()
    let begun: [IntakeEvent] = [
      .greeted(CoachReply(text: "Hello")), .userSaid(UserTurn(turn: 1, text: "hi")),
    ]
    let recorded = (begun + events).enumerated().map {
      RecordedEvent(position: $0.offset + 1, at: date, event: $0.element)
    }
    return pack.state(after: recorded)
  }
}
