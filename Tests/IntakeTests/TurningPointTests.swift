import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import LanguageModels
import Synchronization
import Testing

/// Where a conversation can take a wrong turn: the cap, the summary, the paywall.
struct TurningPointTests {
  private static func vague(_ request: ModelRequest) -> ModelReply {
    request.purpose == .score
      ? .text(Evidences.json([], acts: ScriptedActs.of(request))) : .text("And in a normal week?")
  }

  /// A session whose summary has just been shown.
  private func summarised(
    _ script: @escaping ScriptedCoach.Script = UsualConversation.script
  ) async throws -> ScriptedSession {
    let session = try await ScriptedSession(script)
    try await session.open()
    let said = [
      UsualConversation.first, UsualConversation.second, UsualConversation.third,
    ]
    for text in said { try await session.say(text) }
    return session
  }

  @Test func atTheCapWhatWasAskedInVainIsAskedInSoManyWordsButNotWhatWasDeclined() async throws {
    let session = try await ScriptedSession(settings: IntakeSettings(maxTurns: 3), Self.vague)
    try await session.open()
    try await session.say("something vague to begin with")
    let declined = try #require(await session.state.lastQuestion?.components.first)
    try await session.say("I'd rather not say")
    try await session.say("something vague again")
    var explicit: [String] = []
    try await session.talk(until: { $0.shownPhase == .offer }, most: 5) {
      let question = try #require($0.lastQuestion)
      if question.explicit { explicit += question.components }
      return "still vague, sorry about that"
    }
    let critical = Set(await session.state.components().missingCritical.map(\.name))
    #expect(Set(explicit) == critical.subtracting([declined]))
  }

  @Test func whatWasDeclinedStaysDeclinedAfterKeepTalking() async throws {
    let session = try await ScriptedSession(settings: IntakeSettings(maxTurns: 2), Self.vague)
    try await session.open()
    try await session.say("something vague to begin with")
    let declined = try #require(await session.state.lastQuestion?.components.first)
    try await session.say("I'd rather not say")
    try await session.say("still vague, sorry") { $0.shownPhase == .offer }
    try await session.say("keep talking")
    #expect(await session.state.setAside.contains(declined))
    #expect(await session.state.lastQuestion?.components.contains(declined) == false)
  }

  @Test func anOfferNamesWhatIsMissingButNotWhatWasDeclined() async throws {
    let session = try await ScriptedSession(settings: IntakeSettings(maxTurns: 2), Self.vague)
    try await session.open()
    try await session.say("something vague to begin with")
    let declined = try #require(await session.state.lastQuestion?.components.first)
    let rubric = await session.state.rubric
    try await session.say("I'd rather not say")
    try await session.say("still vague, sorry") { $0.shownPhase == .offer }
    let offer = try #require(session.messages.last?.text)
    #expect(!offer.contains(try #require(rubric[component: declined]?.title)))
    #expect(offer.contains(try #require(rubric[component: "exercisePreferences"]?.title)))
  }

  @Test func aMinorAtThePaywallIsNotSoldToAndAnAdultPutRightIsAskedAgain() async throws {
    let session = try await summarised()
    try await session.say("let's go")
    try await session.say("i'm 15")
    for text in ["continue", "not now", "and now?"] {
      try await session.say(text)
      #expect(session.messages.map(\.purpose) == [.care] && session.paywalls.isEmpty)
    }
    try await session.subscribe()
    _ = await session.entitlements.subscribe(at: Date(timeIntervalSince1970: 0))
    try await session.open()
    #expect(await session.state.entitlement == nil)
    try await session.say("sorry, typo: i'm 25")
    #expect(await session.state.shownPhase == .coaching)
  }

  @Test func anAdultTakenForAMinorAtThePaywallMeetsItAgain() async throws {
    let session = try await summarised()
    try await session.say("let's go")
    try await session.say("i'm 15")
    try await session.say("i mean i'm 25")
    #expect(session.paywalls.count == 1)
    #expect(session.done.map(\.discoveryComplete) == [false])
  }

  @Test func aSummaryThatWasCutCannotBeAgreedTo() async throws {
    let cuts = Mutex(1)
    let session = try await summarised { request in
      guard request.purpose == .confirm,
        cuts.withLock({
          $0 -= 1
          return $0 == 0
        })
      else {
        return UsualConversation.script(request)
      }
      return .failing(.truncated, after: "Here's what I he")
    }
    try await session.say("let's go")
    #expect(await !session.state.isCompleted)
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
    #expect(session.model.requests(for: .synthesise).count == 1)
    try await session.say("let's go")
    #expect(await session.state.isCompleted)
  }

  @Test func anOutputThatCannotBeShownDoesNotCountAsSaid() async throws {
    let session = try await summarised()
    let engine = session.engine
    await #expect(throws: Never.self) {
      try await Task {
        try await engine.say("let's go") { output in
          if case .paywall = output { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }.value
    }
    try await session.open()
    #expect(session.done.map(\.discoveryComplete) == [true])
  }

  @Test func anAgePutRightLeavesNoMarkOfAMinor() async throws {
    let session = try await ScriptedSession(UsualConversation.script)
    try await session.say("i'm 15 and want to lose 30 pounds")
    #expect(session.messages.map { $0.text.contains("how old are you") } == [false])
    try await session.say("typo, i'm 25")
    let question = try #require(session.model.requests(for: .ask).last?.system)
    #expect(!question.contains("under age"))
  }

  @Test(arguments: ["1", "goAhead", "LET'S GO"])
  func aChoiceIsTakenByNumberIdOrLabel(answer: String) async throws {
    let session = try await summarised()
    try await session.say(answer)
    #expect(await session.state.isCompleted)
    #expect(session.paywalls.map { $0.insight.contains("Is that right") } == [false])
  }

  @Test(arguments: ["no", "keep talking"])
  func aSummaryTurnedDownWithoutAReasonIsAskedAboutNotRepeated(answer: String) async throws {
    let session = try await summarised()
    let drafts = session.model.requests(for: .synthesise).count
    try await session.say(answer)
    #expect(session.messages.map(\.purpose) == [.question])
    #expect(session.messages.first?.text.contains("What should I change") == true)
    #expect(session.model.requests(for: .synthesise).count == drafts)
    #expect(session.done.map(\.phase) == [.confirmation])
    try await session.say("it's the left knee, and Thursdays are out")
    #expect(session.model.requests(for: .synthesise).count == drafts + 1)
    try await session.say("let's go")
    #expect(session.done.map(\.discoveryComplete) == [true])
  }

  @Test(arguments: ["not now", "maybe later"])
  func aSummaryThatIsPutOffStaysAsItIs(answer: String) async throws {
    let session = try await summarised()
    let drafts = session.model.requests(for: .synthesise).count
    try await session.say(answer)
    #expect(session.messages.map(\.purpose) == [.question])
    let text = try #require(session.messages.first?.text)
    #expect(text.contains("No hurry") && !text.contains("?"))
    #expect(session.done.map(\.phase) == [.confirmation])
    try await session.say("let's go")
    #expect(session.done.map(\.discoveryComplete) == [true])
    #expect(session.model.requests(for: .synthesise).count == drafts)
  }

  @Test func aRefusalToSynthesiseIsNoProfile() async throws {
    let session = try await summarised { request in
      request.purpose == .synthesise
        ? .text("I cannot help with that.") : UsualConversation.script(request)
    }
    #expect(await session.state.synthesis == nil)
    #expect(session.notices.map(\.code) == ["profile-failed"])
    #expect(session.done.map(\.failed) == [true])
    try await session.say("let's go")
    #expect(await session.state.isCompleted == false)
  }

  /// What a small model made of a whole conversation.
  @Test func aProfileOfWordsThatNobodySaidIsNone() async throws {
    let invented = """
      {"personaProfile": {"role": "jon", "personality": ["jon"], "philosophy": "jon",
      "communicationStyle": "jon", "toneModulation": []},
      "userGoals": {"primary": "jon", "timeline": "jon", "deeper": "jon", "milestones": ["jon"]},
      "constraints": {"physical": [], "time": [], "resources": [], "temporary": []},
      "coachingPlan": {"approach": "jon", "checkInFrequency": "weekly", "initialFocus": ["jon"],
      "styleNotes": ["jon"], "redFlags": [], "firstAction": "jon"},
      "restsOn": [{"path": "/userGoals/primary", "turn": 1, "quote": "jon"}]}
      """
    let session = try await summarised { request in
      request.purpose == .synthesise ? .text(invented) : UsualConversation.script(request)
    }
    #expect(await session.state.synthesis == nil)
    #expect(session.notices.map(\.code) == ["profile-failed"])
    #expect(session.model.requests(for: .synthesise).count == 2)
  }

  /// Varied words that nobody said: nothing of them is stored, and what is open is named.
  @Test func aProfileMadeUpFromNothingIsLeftOpen() async throws {
    let invented = """
      {"personaProfile": {"role": "A sailing coach", "personality": ["bold"], "philosophy": "Wind first",
      "communicationStyle": "Loud", "toneModulation": [{"when": "storm", "tone": "calm"}]},
      "userGoals": {"primary": "Cross the Atlantic solo", "timeline": "before autumn", "deeper": "Impress Grandpa",
      "milestones": ["Buy a yacht"]},
      "constraints": {"physical": [{"type": "injury", "detail": "torn ACL", "notedAt": "2027-01-15"}],
      "time": [], "resources": [], "temporary": []},
      "coachingPlan": {"approach": "Navigation drills", "checkInFrequency": null, "initialFocus": ["knots"],
      "styleNotes": ["salty"], "redFlags": ["seasick"], "firstAction": "Rent a dinghy"},
      "restsOn": [{"path": "/userGoals/primary", "turn": 1, "quote": "across the Atlantic"}]}
      """
    let session = try await summarised { request in
      request.purpose == .synthesise ? .text(invented) : UsualConversation.script(request)
    }
    let system = try #require(await session.state.synthesis?.system)
    var empty = CoachingSystem()
    empty.about = system.about
    empty.missing = system.missing
    empty.personaProfile.medicalDisclaimer = system.personaProfile.medicalDisclaimer
    #expect(system == empty)
    let open = [
      "/personaProfile/role", "/personaProfile/philosophy", "/userGoals/primary",
      "/userGoals/timeline", "/userGoals/milestones", "/constraints/physical",
      "/coachingPlan/approach", "/coachingPlan/firstAction",
    ]
    #expect(Set(open).isSubset(of: system.missing), "\(system.missing)")
    #expect(ProfileValidation.problems(in: system.json.serialized()) == [])
    #expect(session.model.requests(for: .synthesise).count == 2)
    #expect(session.notices.map(\.code) == ["profile-incomplete"])
    #expect(await session.state.synthesis?.isMinimal == true)
  }

  /// Somebody who only jokes names no goal, and none is made up for them.
  @Test func aGoalThatNobodyNamedIsLeftOpen() async throws {
    let session = try await summarised { request in
      guard request.purpose == .synthesise else { return UsualConversation.script(request) }
      return .text(
        """
        {"personaProfile": {"role": "A steady coach", "personality": [], "philosophy": "Small steps",
        "communicationStyle": "Plain", "toneModulation": []},
        "userGoals": {"primary": null, "timeline": null, "deeper": null, "milestones": ["Buy a yacht"]},
        "constraints": {"physical": [], "time": [{"type": "work", "detail": "sixty hour weeks",
        "notedAt": "2027-01-15"}], "resources": [], "temporary": []},
        "coachingPlan": {"approach": "Small steps", "checkInFrequency": null, "initialFocus": [],
        "styleNotes": [], "redFlags": [], "firstAction": "Walk"}, "restsOn": []}
        """)
    }
    let system = try #require(await session.state.synthesis?.system)
    #expect(system.userGoals == UserGoals() && system.unsupported.isEmpty)
    #expect(system.coachingPlan.firstAction == "Walk")
    #expect(system.missing.filter { $0 == "/userGoals/primary" }.count == 1, "\(system.missing)")
    #expect(system.missing.contains("/userGoals/milestones"))
    #expect(session.model.requests(for: .synthesise).count == 1)
  }

  /// What rests on words stays beside what doesn't, and keeps its pointers.
  @Test func onlyWhatNobodySaidIsLeftOpen() async throws {
    let session = try await summarised { request in
      guard request.purpose == .synthesise else { return UsualConversation.script(request) }
      return .text(
        """
        {"personaProfile": {"role": "A steady coach", "personality": [], "philosophy": "Small steps",
        "communicationStyle": "Plain", "toneModulation": []},
        "userGoals": {"primary": "Cross the Atlantic solo", "timeline": null, "deeper": null,
        "milestones": ["Buy a yacht"]},
        "constraints": {"physical": [{"type": "injury", "detail": "torn ACL", "notedAt": "2027-01-15"}],
        "time": [{"type": "x", "detail": "qxqx", "notedAt": "2027-01-15"},
        {"type": "work", "detail": "sixty hour weeks", "notedAt": "2027-01-15"}],
        "resources": [], "temporary": []},
        "coachingPlan": {"approach": "Small steps", "checkInFrequency": null, "initialFocus": [],
        "styleNotes": [], "redFlags": [], "firstAction": "Walk"}, "restsOn": []}
        """)
    }
    let system = try #require(await session.state.synthesis?.system)
    #expect(system.userGoals == UserGoals())
    #expect(system.constraints.physical.isEmpty)
    #expect(system.constraints.time.map(\.detail) == ["sixty hour weeks"])
    #expect(system.restsOn.keys.sorted() == ["/constraints/time/0"])
    #expect(
      system.unsupported == [
        "/userGoals/primary", "/constraints/physical/0", "/constraints/time/1",
      ])
    #expect(
      Set(["/userGoals/primary", "/userGoals/milestones", "/constraints/physical"])
        .isSubset(of: system.missing))
    #expect(!system.missing.contains("/constraints/time"))
    #expect(system.withoutUnsupported.constraints.time.count == 1)
    #expect(system.personaProfile.role == "A steady coach")
  }

  @Test func aReplyThatThoughtUntilItsLimitIsAskedForWithMoreRoom() async throws {
    let session = try await ScriptedSession { request in
      request.maxOutputTokens < 4_000
        ? .text("", finish: .length) : .text("Hello. What brings you?")
    }
    try await session.open()
    #expect(session.messages.map(\.text) == ["Hello. What brings you?"])
    let limits = session.model.requests.map(\.maxOutputTokens)
    #expect(limits.count == 2 && limits[1] == 4 * limits[0])
  }

  @Test func whoHasSubscribedMeetsNoPaywall() async throws {
    let session = try await summarised()
    _ = await session.entitlements.subscribe(at: TestClock().now())
    try await session.say("let's go")
    #expect(session.paywalls.isEmpty)
    #expect(session.messages.map(\.purpose) == [.coaching])
    #expect(session.done.map(\.discoveryComplete) == [true])
    try await session.say("and then?")
    #expect(session.done.map(\.discoveryComplete) == [false])
  }

  @Test func aMinorCannotSubscribe() async throws {
    let session = try await summarised()
    try await session.say("let's go")
    try await session.say("I'm 15 by the way")
    #expect(session.messages.map(\.purpose) == [.care])
    try await session.subscribe()
    #expect(await session.state.entitlement == nil)
    #expect(session.model.requests(for: .coach).isEmpty)
  }

  @Test func aPlanForAChildIsNotTakenForTheUsersAge() async throws {
    let session = try await ScriptedSession { request in
      request.purpose == .score
        ? .text(Evidences.json([], care: "minor-child", careQuote: "the little one"))
        : Self.vague(request)
    }
    try await session.open()
    try await session.say("could you set something up for the little one")
    #expect(session.messages.map(\.purpose) == [.care])
    #expect(await session.state.isMinor == false)
  }

  @Test func halfOfAHeightAndWeightIsKeptWhileTheOtherIsAskedForAgain() async throws {
    let session = try await ScriptedSession(events: .allButBody()) { request in
      request.purpose == .synthesise ? .text(UsualConversation.synthesis) : Self.vague(request)
    }
    try await session.say("vague, as ever, sorry")
    try await session.say("178 cm, 810 kg")
    #expect(session.messages.map(\.purpose) == [.body])
    try await session.say("81 kg")
    let body = try #require(await session.state.body)
    #expect(body.heightCentimetres == 178 && body.weightKilograms == 81)
  }

  @Test func whatElseIsSaidWithAHeightIsScored() async throws {
    let session = try await ScriptedSession(events: .allButBody()) { request in
      request.purpose == .synthesise ? .text(UsualConversation.synthesis) : Self.vague(request)
    }
    try await session.say("vague, as ever, sorry")
    #expect(session.messages.map(\.purpose) == [.body])
    let before = session.model.requests(for: .score).count
    try await session.say(
      "178 cm, 81 kilos, and I only ever have time on Sunday mornings before church")
    #expect(session.model.requests(for: .score).count == before + 1)
  }

  @Test(arguments: ["38", "I'm 38", "thirty-eight", "38 years", "age 38"])
  func anAdultTakenForAMinorOnlyHasToSayTheirAge(answer: String) async throws {
    let session = try await ScriptedSession(Self.vague)
    try await session.open()
    try await session.say("I'm 15 and I want to get fit")
    #expect(await session.state.isMinor)
    try await session.say(answer)
    #expect(await session.state.isMinor == false)
    #expect(session.messages.map(\.purpose) == [.question])
  }
}
