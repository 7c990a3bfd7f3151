import Coaching
import ContextQuality
import FoundationEssentials
import HealthRecords
import Intake
import IntakeTestSupport
import LanguageModels
import Rehearsal
import Signals
import Synchronization
import Testing

/// Coaching over simulated weeks, through the real engine and without a model.
struct CompanionTests {
  /// Someone who is coached, from a Monday at noon.
  final class Client: Sendable {
    private let now = Mutex(Date(timeIntervalSince1970: Double(monday.number) * 86_400 + 43_200))
    private let log: InMemorySessionLog
    private let pack: PromptPack

    init(
      goal: String = "squat 100 kg", first: String = "I want to squat 100 kg",
      wasCoached: Bool = true,
      _ shape: (inout Constraints) -> Void = { _ in }
    ) throws {
      pack = try PromptPack.embedded()
      var system = CoachingSystem(source: .rehearsal)
      system.userGoals.primary = goal
      shape(&system.constraints)
      let start = SessionStart(
        pack: pack.name, packVersion: pack.version, rubricVersion: pack.rubric.version,
        source: .rehearsal)
      let begun = now.withLock(\.self)
      var events: [IntakeEvent] = [
        .started(start), .greeted(CoachReply(text: "Hi.")),
        .userSaid(UserTurn(turn: 1, text: first)), .scored(Scoring(turns: [1])),
        .synthesised(Synthesis(system: system, throughTurn: 1, isMinimal: false)),
        .summarised(CoachReply(text: "So that's it.")),
        .userSaid(UserTurn(turn: 2, text: "yes", intent: .goAhead)), .discoveryCompleted,
        .entitled(Entitlement(source: "stub", grantedAt: begun)),
        .coached(CoachReply(text: "Let's begin.")),
      ]
      if !wasCoached { events.removeLast() }
      log = InMemorySessionLog(
        events.enumerated().map { RecordedEvent(position: $0 + 1, at: begun, event: $1) })
    }

    func wait(days: Int) { now.withLock { $0 += Double(days) * 86_400 } }

    private func engine() async throws -> IntakeEngine {
      let time: @Sendable () -> Date = { self.now.withLock(\.self) }
      return try await IntakeEngine(
        log: log, coach: .rehearsal, pack: pack, entitlements: InMemoryEntitlement(),
        surroundings: .coached(by: pack, in: .gmt), now: time)
    }

    /// What the coach says and notes to a message; nil comes back without one.
    @discardableResult
    func visit(_ message: String? = nil) async throws -> [String] {
      let shown = Mutex<[String]>([])
      let show: IntakeEngine.Show = { output in
        switch output {
        case .message(let message): shown.withLock { $0.append(message.text) }
        case .notice(let notice) where notice.code != "rehearsal":
          shown.withLock { $0.append("(\(notice.text))") }
        default: break
        }
      }
      let engine = try await engine()
      if let message {
        try await engine.say(message, show: show)
      } else {
        try await engine.open(show: show)
      }
      let unexpected = await engine.state.nextStep(engine.settings)
      #expect(unexpected == .awaitUser)
      return shown.withLock(\.self)
    }

    /// What is said to somebody who sends one message only.
    var due: String? {
      get async throws { try await engine().due()?.text }
    }

    var state: CoachingState {
      get async throws { try await CoachingState(events: log.events(), careNotes: pack.careNotes) }
    }

    var texts: [String] {
      get async throws { try await log.events().map { try $0.envelope.text } }
    }
  }

  /// A training's note may hold a weight.
  @Test(arguments: [nil, CareKind(rawValue: "eating-disorder")])
  func theCoachSeesNotesUnlessWeightIsHidden(_ caring: CareKind?) throws {
    var entry = run(5, minutes: 31, on: monday)
    (entry.number, entry.note) = (1, "82 kg on the scale, felt light")
    var envelopes = [EventEnvelope(CoachingEvent.noted(entry))]
    if let caring {
      let told = FormAnswer(step: "goal", evidence: [], care: caring)
      envelopes.append(EventEnvelope(IntakeEvent.answered(told)))
    }
    var module = CoachingModule(
      try PromptPack.embedded(), try pack(), secondsFromGMT: { _ in 0 })
    let noon = Date(timeIntervalSince1970: Double(monday.number) * 86_400 + 43_200)
    for (index, envelope) in envelopes.enumerated() {
      try module.apply(RecordedEvent(position: index + 1, at: noon, envelope: envelope))
    }
    let lines = module.facts(on: noon).entries
    try #require(lines.count == 1)
    #expect(lines[0].contains("82 kg") == (caring == nil), "\(lines)")
  }

  @Test func whatWasDoneIsNotedInOneQuietLine() async throws {
    let client = try Client()
    let shown = try await client.visit("did 3x5 squats at 60 kg, felt easy")
    #expect(shown.first == "(Noted: squats 3×5 at 60 kg, felt easy.)", "\(shown)")
    #expect(shown.count == 2, "the reply, and no more")
    let entry = try #require(try await client.state.log.entries.first)
    #expect(entry.day == monday && entry.quote?.turn == 3 && entry.number == 1)
  }

  @Test func whatARehearsalCannotReadIsSaid() async throws {
    let client = try Client()
    let prose = try await client.visit("I did my 3 sets of squats today and they felt great")
    #expect(prose.first?.contains("“squats 3x5 60kg”") == true, "\(prose)")
    let far = try await client.visit("ran 400 km")
    #expect(far.first?.contains("“ran 400 km”. 400 km can't be right") == true, "\(far)")
    #expect(try await client.state.log.entries.isEmpty)
  }

  @Test func itIsNotedInThePersonsLanguage() async throws {
    let client = try Client(first: "Ich möchte wieder stärker werden, aber ich habe nie trainiert")
    let shown = try await client.visit("Kniebeugen 3x5 mit 60 kg, war leicht")
    #expect(shown.first == "(Notiert: Kniebeugen 3×5 mit 60 kg, leicht.)", "\(shown)")
  }

  @Test func whoSendsOneMessageIsToldOnceADayThatAReviewIsDue() async throws {
    let client = try Client()
    try await client.visit("did 3x5 squats at 60 kg")
    #expect(try await client.due == nil, "on the first day")
    client.wait(days: 6)
    #expect(try await client.due == nil, "within the week")
    client.wait(days: 1)
    #expect(try await client.due?.contains("`rapport review`") == true)
    try await client.visit("did 3x5 squats at 62.5 kg")
    #expect(try await client.due == nil, "on the same day")
    client.wait(days: 1)
    try await client.visit("I want to kill myself")
    client.wait(days: 1)
    #expect(try await client.due == nil, "after a crisis")
  }

  @Test func aWeekLaterTheCoachLooksBackOnce() async throws {
    let client = try Client()
    try await client.visit("did 3x5 squats at 60 kg")
    client.wait(days: 7)
    let review = try await client.visit()
    #expect(
      review.first?.hasPrefix(
        "Let's look back at the last week. I have one day of training on record") == true)
    #expect(try await client.visit().isEmpty, "not another review")
    #expect(try await client.state.reviews.count == 1)
  }

  /// Somebody whom nobody coached yet, such as after a journey, is welcomed back before the first reply.
  @Test func aYearWithoutAWordIsWelcomedBackFrom() async throws {
    let client = try Client(wasCoached: false)
    client.wait(days: 365)
    let shown = try await client.visit()
    #expect(shown.first?.hasPrefix("It's good to have you back.") == true, "\(shown)")
    #expect(shown.count == 1 && !shown[0].contains("got in the way"), "\(shown)")
    #expect(try await client.visit("quite a lot").count > 0)
    let soon = try Client(wasCoached: false)
    #expect(try await soon.visit().first?.contains("So, where were we") == true)
  }

  @Test func aPlateauIsBroughtUpAndTheChangeRefused() async throws {
    let client = try Client()
    var last: [String] = []
    for _ in 0..<3 {
      last = try await client.visit("did 3x5 squats at 60 kg")
      client.wait(days: 5)
    }
    #expect(last.last?.contains("Squats: no gain over your last three sessions") == true, "\(last)")
    let answer = try await client.visit("No, leave it as it is")
    #expect(answer.contains("(All right, everything stays as it is.)"), "\(answer)")
    let review = try #require(try await client.state.reviews.last)
    #expect(review.answer?.outcome == .refused && review.review.proposal?.restsOn == [1, 2, 3])
  }

  @Test func aNewPriorityBecomesTheGoalOnlyAfterAYes() async throws {
    let client = try Client()
    let asked = try await client.visit("My new goal is to run a 10k")
    #expect(asked.last?.contains("“My new goal is to run a 10k”") == true, "\(asked)")
    #expect(try await client.state.goals.present?.goal == "squat 100 kg")
    try await client.visit("yes, let's do that")
    let goals = try await client.state.goals
    #expect(goals.present?.goal == "My new goal is to run a 10k")
    #expect(goals.original?.goal == "squat 100 kg")
  }

  @Test func aColdThatLapsedIsFollowedUpOnce() async throws {
    let client = try Client { constraints in
      constraints.temporary = [
        Constraint(
          type: "cold", detail: "a cold", notedAt: "2026-02-01", expiresAt: "2026-02-05")
      ]
    }
    client.wait(days: 5)
    #expect(try await client.visit().first?.contains("“a cold”. Is that over?") == true)
    let shown = try await client.visit("yes, all gone")
    #expect(shown.contains("(I no longer plan around this: “a cold”.)"), "\(shown)")
    let item = try await client.state.constraints["temporary/0"]
    #expect(item?.status == .archived(on: monday + 5))
  }

  /// Whatever is due at a visit, one question comes; and what lapsed long ago is asked about once.
  @Test func aVisitAsksOneThing() async throws {
    let client = try Client { constraints in
      constraints.temporary = [
        Constraint(
          type: "cold", detail: "a cold", notedAt: "2026-02-01", expiresAt: "2026-02-05")
      ]
    }
    for _ in 0..<2 {
      try await client.visit("did 3x5 squats at 60 kg")
      client.wait(days: 5)
    }
    let opening = try await client.visit()
    #expect(opening.count == 1 && opening[0].contains("Is that over?"), "\(opening)")
    try await client.visit("yes, all gone")
    let noted = try await client.visit("did 3x5 squats at 60 kg")
    #expect(!noted.joined().contains("no gain"), "there was a cold in these days: \(noted)")
    client.wait(days: 365)
    let back = try await client.visit()
    #expect(back.count == 1 && back[0].hasPrefix("It's good to have you back."), "\(back)")
    let open = try await client.state.reviews.filter(\.isOpen)
    #expect(open.count == 1 && open.first?.review.reason == .absence)
  }

  @Test func anInjuryThatTheLogContradictsIsAskedAbout() async throws {
    let client = try Client { constraints in
      constraints.physical = [
        Constraint(type: "injury", detail: "bad left knee", notedAt: "2026-01-05")
      ]
    }
    let shown = try await client.visit("did 3x5 squats at 80 kg")
    #expect(
      shown.last?.contains("“bad left knee”. Should I keep planning around it?") == true, "\(shown)"
    )
    let still = try await client.visit("yes please")
    #expect(still.contains("(I'll keep planning around that.)"), "\(still)")
    #expect(try await client.state.constraints["physical/0"]?.status == .active)
  }

  @Test(arguments: ["I ran 5 km and now I want to kill myself", "3x5 squats. I want to die."])
  func careComesBeforeNotes(_ message: String) async throws {
    let client = try Client()
    let shown = try await client.visit(message)
    #expect(shown.count == 1, "\(shown)")
    #expect(try await client.state.log.entries.isEmpty)
  }

  @Test func aYearLaterTheyStartGently() async throws {
    let client = try Client()
    try await client.visit("did 3x5 squats at 60 kg")
    client.wait(days: 365)
    let shown = try await client.visit()
    #expect(shown.first?.contains("We last spoke 365 days ago.") == true, "\(shown)")
    #expect(shown.first?.contains("sessions a week, and keep it easy") == true)
    try await client.visit("yes, let's do that")
    let state = try await client.state
    #expect(state.reviews.last?.answer?.outcome == .accepted && state.agreedSessions == 2)
  }

  @Test func aHundredReviewsLaterThePersonaIsTheSame() async throws {
    var system = CoachingSystem()
    system.personaProfile.communicationStyle = "Like a lighthouse keeper: dry and short."
    system.personaProfile.philosophy = "Rust never sleeps, so neither does care."
    let clock = TestClock()
    let session = try await ScriptedSession(
      events: try .coached(system), clock: clock,
      surroundings: .coached(by: try PromptPack.embedded(), in: .gmt)
    ) { request in
      .text(request.purpose == .score ? #"{"evidence": []}"# : "As ever.")
    }
    func persona() async throws -> String? {
      try await session.log.events().map { try $0.envelope.text }
        .last { $0.contains("\"synthesised\"") }
    }
    let before = try await persona()
    for week in 1...100 {
      clock.advance(by: 7 * 86_400)
      try await session.open()
      try await session.say("week \(week) was fine")
    }
    let state = try await CoachingState(events: session.log.events())
    #expect(state.reviews.count == 100)
    #expect(try await persona() == before)
    let requests = session.model.requests(for: .coach)
    #expect(requests.count == 100)
    for request in requests {
      let prompt = request.system + request.messages.map(\.text).joined()
      #expect(prompt.contains("Like a lighthouse keeper: dry and short."))
      #expect(prompt.contains("Rust never sleeps, so neither does care."))
    }
  }

  @Test func everythingIsInTheLog() async throws {
    let client = try Client()
    try await client.visit("did 3x5 squats at 60 kg")
    client.wait(days: 8)
    try await client.visit()
    for kilometers in [3, 4, 3, 5] {
      client.wait(days: 1)
      try await client.visit("ran \(kilometers)k")
    }
    let replayed = try await client.state
    #expect(replayed.log.entries.count == 5)
    #expect(replayed.reviews.map(\.review.reason) == [.week, .milestone])
  }
}
