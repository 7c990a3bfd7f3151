import ContextQuality
import IntakeTestSupport
import LanguageModels
import Testing

@testable import Intake

/// What a message does is read, and the conversation follows it.
struct ActsTests {
  private typealias Whole = UsualConversation

  /// What a model reads in these words, with the quote; `nil` stands for an unusable answer.
  struct Reading: Sendable {
    var acts: [(act: String, what: String)]?
    var quote: String?
    var care = "none"

    init(_ acts: (String, String)..., quote: String? = nil) {
      (self.acts, self.quote) = (acts.map { ($0.0, $0.1) }, quote)
    }

    static let unusable: Reading = {
      var reading = Reading()
      reading.acts = nil
      return reading
    }()

    /// A low moment, in all of the words.
    static let low: Reading = {
      var reading = Reading()
      reading.care = "low"
      return reading
    }()

    func json(_ turn: Int, _ words: String) -> String {
      guard let acts else { return "no JSON at all" }
      let quote = quote ?? words
      return Evidences.json(
        [], acts: acts.map { ($0.act, $0.what, turn, quote) }, care: care, careQuote: quote)
    }
  }

  private static func script(_ readings: [String: Reading]) -> ScriptedCoach.Script {
    { request in
      guard request.purpose == .score,
        let new = ScriptedActs.newTurns(of: request).last, let reading = readings[new.words]
      else { return Whole.script(request) }
      return .text(reading.json(new.turn, new.words))
    }
  }

  private enum Place { case summary, paywall }

  private func session(
    at place: Place, _ readings: [String: Reading], clock: TestClock = TestClock()
  ) async throws -> ScriptedSession {
    let session = try await ScriptedSession(clock: clock, Self.script(readings))
    for line in [Whole.first, Whole.second, Whole.third] { try await session.say(line) }
    if place == .paywall { try await session.say("let's go") }
    #expect(session.done.map(\.phase) == [place == .paywall ? .paywall : .confirmation])
    return session
  }

  private func writings(_ session: ScriptedSession) -> Int {
    session.model.requests(for: .synthesise).count
  }

  // MARK: The summary

  @Test(arguments: ["That will do nicely. Let us begin.", "Correct. Proceed.", "👍", "Work.", "33"])
  func aYesInOwnWordsIsOneAndNothingIsWrittenAgain(words: String) async throws {
    let session = try await session(at: .summary, [words: Reading(("agrees", ""))])
    try await session.say(words)
    #expect(session.paywalls.count == 1 && writings(session) == 1)
    #expect(session.scores.map { $0.acts?.map(\.quote) } == [[words]])
  }

  @Test func aWishWithAYesChangesNothing() async throws {
    let words = "yes, and please keep it simple"
    let session = try await session(at: .summary, [words: Reading(("agrees", ""))])
    try await session.say(words)
    #expect(session.paywalls.count == 1 && writings(session) == 1)
  }

  @Test func aCorrectionIsWrittenIntoTheEarlierProfile() async throws {
    let words = "it's the left knee, the rest fits"
    let quote = "it's the left knee"
    let session = try await session(
      at: .summary, [words: Reading(("corrects", ""), ("agrees", ""), quote: quote)])
    try await session.say(words)
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
    #expect(session.done.map(\.phase) == [.confirmation])
    let request = try #require(session.model.requests(for: .synthesise).last)
    #expect(writings(session) == 2)
    #expect(request.system.contains("a blunt swim coach") && request.system.contains(quote))
  }

  @Test func aQuestionAboutItIsAnsweredAndItComesBackAsALine() async throws {
    let words = "what would I have to do on Tuesdays?"
    let session = try await session(at: .summary, [words: Reading(("asks", "plan"))])
    try await session.say(words)
    #expect(session.messages.map(\.purpose) == [.answer])
    #expect(session.messages[0].text.hasPrefix("Twenty minutes are enough.\n\n"))
    #expect(session.done.map(\.phase) == [.confirmation] && writings(session) == 1)
    try await session.say("let's go")
    #expect(session.paywalls.count == 1 && writings(session) == 1)
  }

  @Test func whatCouldNotBeReadIsAskedForWithTheLabels() async throws {
    let session = try await session(at: .summary, ["aye, that's me to a T": .unusable])
    try await session.say("aye, that's me to a T")
    let label = try #require(await session.engine.choices.first?.label)
    #expect(session.messages.map { $0.text.contains(label) } == [true])
    try await session.say(label.uppercased() + "!")
    #expect(session.paywalls.count == 1 && writings(session) == 1)
  }

  @Test func aPostponementLetsItWait() async throws {
    let words = "my bus is here"
    let session = try await session(at: .summary, [words: Reading(("postpones", ""))])
    try await session.say(words)
    #expect(session.messages.map(\.purpose) == [.question])
    #expect(session.messages[0].text.hasPrefix("No hurry."))
  }

  // MARK: What a reading makes up

  @Test func aLetterIsNoWordsThatNeedCare() async throws {
    let words = "I'd like a quiet week"
    var reading = Reading(quote: "a")
    reading.care = "decline"
    let session = try await talking([words: reading])
    try await session.say(words)
    #expect(session.messages.allSatisfy { $0.purpose != .care })
  }

  @Test func anInventedQuoteDoesNothing() async throws {
    let words = "that's a lot to take in"
    let session = try await session(
      at: .paywall, [words: Reading(("continues", ""), quote: "sign me up")])
    try await session.say(words)
    #expect(await session.state.entitlement == nil)
    #expect(session.scores.map(\.dropped) == [["act: quote notVerbatim": 1]])
    #expect(await session.state.held == [words])
  }

  @Test func wordsOfAnEarlierTurnDoNothing() async throws {
    let words = "one moment"
    let session = try await session(
      at: .paywall, [words: Reading(("continues", ""), quote: "I want to lose 20 pounds by June")])
    try await session.say(words)
    #expect(await session.state.entitlement == nil)
    #expect(session.scores.first?.dropped.isEmpty == false)
  }

  // MARK: The paywall

  @Test func aYesInOwnWordsSubscribes() async throws {
    let session = try await session(
      at: .paywall, ["sure, sign me up": Reading(("continues", ""))])
    try await session.say("sure, sign me up")
    #expect(session.messages.map(\.purpose) == [.coaching])
    #expect(await session.state.entitlement != nil)
  }

  @Test func aNoInOwnWordsIsHeardQuietly() async throws {
    let session = try await session(at: .paywall, ["not now 😅": Reading(("not-now", ""))])
    try await session.say("not now 😅")
    #expect(session.notices.map(\.code) == ["paywall-declined"])
    #expect(session.paywalls.isEmpty && session.done.map(\.phase) == [.paywall])
    #expect(await session.state.held.isEmpty)
    try await session.say("Continue my coaching journey.")
    #expect(session.messages.map(\.purpose) == [.coaching])
  }

  @Test func questionsAboutTheOfferAreAnsweredFiveTimesADay() async throws {
    let clock = TestClock()
    let words = "can I cancel whenever I like"
    let session = try await session(
      at: .paywall, [words: Reading(("asks", "service"))], clock: clock)
    for number in 1...6 {
      try await session.say(words)
      let text = try #require(session.messages.first?.text)
      #expect(session.messages.map(\.purpose) == [.answer] && session.paywalls.isEmpty)
      #expect(text.hasSuffix(#""Continue my coaching journey" or "Not now"."#), "\(text)")
      #expect(text.hasPrefix("Twenty minutes") == (number <= 5))
    }
    #expect(session.model.requests(for: .reply).count == 5)
    #expect(await session.state.held.isEmpty)
    clock.advance(by: 86_400)
    try await session.say(words)
    #expect(session.messages.first?.text.hasPrefix("Twenty minutes") == true)
  }

  @Test(arguments: [Reading(("asks", "coaching")), Reading(), .unusable])
  func whatIsForTheCoachIsHeld(reading: Reading) async throws {
    let words = "so swimming before breakfast or after"
    let session = try await session(at: .paywall, [words: reading])
    try await session.say(words)
    #expect(await session.state.held == [words])
    let isAsked = reading.acts == nil
    #expect(session.messages.map(\.purpose) == (isAsked ? [.question] : []))
    #expect(session.paywalls.map(\.held) == (isAsked ? [] : [1]))
    try await session.say("continue")
    let asked = try #require(session.model.requests(for: .coach).first?.messages.map(\.text))
    #expect(asked.count { $0 == words } == 1)
    #expect(session.messages.map(\.purpose) == [.coaching])
  }

  @Test func aLowMomentAtThePaywallIsAnsweredAndNothingIsSold() async throws {
    let words = "some days I feel like I can't do any of this"
    let session = try await session(at: .paywall, [words: .low])
    try await session.say(words)
    #expect(session.messages.map(\.text) == ["Twenty minutes are enough."])
    #expect(session.paywalls.isEmpty)
    #expect(await session.state.held.isEmpty)
    #expect(session.model.requests(for: .reply).last?.system.contains("low moment") == true)
  }

  /// The second time, the coach asks again, so that there is something to answer.
  @Test func comfortIsGivenOnceInThreeMessages() async throws {
    let (first, second) = ("she left in march and I just eat now", "it gets to me, that's all")
    let session = try await talking([first: .low, second: .low])
    try await session.say(first)
    #expect(session.model.requests(for: .reply).count == 1)
    let asked = session.model.requests(for: .ask).count
    try await session.say(second)
    #expect(session.model.requests(for: .reply).count == 1)
    #expect(session.model.requests(for: .ask).count == asked + 1)
  }

  // MARK: The discovery

  private static let vague = "hm, hard to put in words"

  private func talking(
    _ readings: [String: Reading], maxTurns: Int = 5, events: [RecordedEvent] = []
  ) async throws -> ScriptedSession {
    let session = try await ScriptedSession(
      settings: IntakeSettings(maxTurns: maxTurns), events: events
    ) { request in
      let words = ScriptedActs.newTurns(of: request).last?.words
      if request.purpose == .score, words.flatMap({ readings[$0] }) == nil {
        return .text(Evidences.json([]))
      }
      return Self.script(readings)(request)
    }
    if events.isEmpty {
      try await session.open()
      try await session.say(Self.vague)
    }
    return session
  }

  @Test func whoWantsNoMoreQuestionsGetsNone() async throws {
    let words = "go on with what you've got"
    let session = try await talking([words: Reading(("stops", ""))])
    try await session.say(words)
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test func aQuestionBeforeTheSummaryIsAnsweredFirst() async throws {
    let words = "is this free? and let's leave it at that"
    let session = try await talking([words: Reading(("asks", "service"), ("stops", ""))])
    try await session.say(words)
    #expect(session.messages.map(\.purpose) == [.answer, .summary, .confirmation])
  }

  @Test func whoWouldRatherTalkIsOfferedTheSummaryAfterwards() async throws {
    let words = "I'd rather chat a bit longer"
    let session = try await talking(
      [words: Reading(("talks-on", "")), "a bit more": Reading(("talks-on", ""))],
      events: .allButBody())
    try await session.say(words)
    #expect(session.messages.map(\.purpose) == [.answer], "talk, and no summary unasked")
    try await session.say("well, my brother used to swim with me")
    #expect(session.messages.map(\.purpose) == [.offer])
    try await session.say("a bit more")
    #expect(session.messages.map(\.purpose) == [.question], "the offer was to go on asking")
    try await session.say("he moved away, so there's that")
    #expect(session.messages.map(\.purpose) == [.offer])
    try await session.say("1")
    #expect(session.done.map(\.phase) == [.confirmation])
  }

  @Test func aLowMomentHasTheTurnToItself() async throws {
    let words = "some days I feel like I can't do any of this"
    let session = try await talking([words: .low], events: .allButBody())
    try await session.say(words)
    #expect(session.messages.map(\.purpose) == [.answer])
    try await session.say("thanks for asking")
    #expect(session.messages.map(\.purpose) == [.answer], "no question of ours comes at once")
    try await session.say("let's go on")
    #expect(
      session.messages.map(\.purpose) == [.summary, .confirmation], "no body figures after it")
  }

  @Test func aLowMomentThatNobodyToldOfIsNone() async throws {
    var reading = Reading.low
    reading.quote = "I can't go on"
    let session = try await talking(["work is work": reading])
    try await session.say("work is work")
    #expect(session.messages.map(\.purpose) == [.question])
  }

  // MARK: The offer and the body question

  private func offered(_ readings: [String: Reading]) async throws -> ScriptedSession {
    let session = try await talking(readings, maxTurns: 1)
    try await session.say(Self.vague) { $0.shownPhase == .offer }
    return session
  }

  @Test func theCoachReactsAndTheChoiceIsOurs() async throws {
    let session = try await offered([:])
    let text = try #require(session.messages.first?.text)
    #expect(session.messages.map(\.purpose) == [.offer])
    #expect(text.hasPrefix("Good to know.\n\n"))
    let goAhead = try #require(await session.engine.choices.first)
    #expect(text.hasSuffix("Tell me any of it, or just say \"\(goAhead.label)\"."))
  }

  @Test func aQuestionAtTheOfferIsAnsweredAndTheOfferStays() async throws {
    let words = "why would you need to know that"
    let session = try await offered([words: Reading(("asks", "question"))])
    try await session.say(words)
    #expect(session.messages.map(\.purpose) == [.answer])
    #expect(session.done.map(\.phase) == [.offer])
    try await session.say("1")
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test func theOfferIsTakenInOwnWords() async throws {
    let words = "ok then, work with that"
    let session = try await offered([words: Reading(("goes-on", ""))])
    try await session.say(words)
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test func theBodyQuestionIsDeclinedInOwnWords() async throws {
    let words = "that stays between me and my scales"
    let session = try await talking([words: Reading(("declines", ""))], events: .allButBody())
    try await session.say("and that's about it")
    #expect(session.messages.map(\.purpose) == [.body])
    try await session.say(words)
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
    #expect(await session.state.withheld.map(\.description) == ["currentState.body"])
  }
}
