import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Signals
import Testing

/// What somebody experiences in a journey.
struct JourneyTests {
  private static func journey(
    _ steps: String, rest: String = "", version: Int = 2
  ) throws -> Journey {
    try Journey(
      json: """
        {"name": "try", "version": \(version), "title": "Try", "steps": [\(steps),
          {"id": "bye", "kind": "success", "title": "Bye", "next": "end"}]\(rest)}
        """, file: "try.json", rubric: try PromptPack.embeddedRubric())
  }

  static func walk(
    _ steps: String, rest: String = "", accounts: TestAccounts = TestAccounts(),
    permissions: any PermissionService = AllPermissions(), events: [RecordedEvent] = [],
    version: Int = 2
  ) throws -> TestWalk {
    TestWalk(
      try journey(steps, rest: rest, version: version), pack: try PromptPack.embedded(),
      accounts: accounts, permissions: permissions, events: events)
  }

  static let name = #"{"id": "name", "kind": "text", "field": "name", "title": "Name?"}"#

  func known(_ walk: TestWalk) async throws -> [Facet: Evidence.Basis] {
    let ledger = walk.pack.state(after: await walk.log.events()).ledger
    return Dictionary(
      ledger.entries.filter { $0.until == nil }.map { ($0.evidence.facet, $0.evidence.basis) },
      uniquingKeysWith: { first, _ in first })
  }

  @Test func careFromAFormIsKeptInMindInTheConversation() async throws {
    let walk = try Self.walk(
      #"{"id": "more", "kind": "open", "field": "more", "title": "Anything else?"}"#)
    let (engine, _) = try await walk.opened()
    let care = try await engine.answer("Sometimes I want to kill myself.")
    #expect(care.kind == .care)
    let state = walk.pack.state(after: await walk.log.events())
    #expect(state.careGiven == [.crisis] && !state.isMinor)
  }

  // The ledger.

  @Test(arguments: ["six hours", "6 hours", "about six hours", "six hours or less"])
  func aWholeAnswerIsAboutWhatWasAsked(words: String) async throws {
    let walk = try Self.walk(
      #"{"id": "sleep", "kind": "open", "field": "sleep", "title": "How do you sleep?", "#
        + #""facets": ["lifestyle.recovery"]}"#)
    try await walk.opened().0.answer(.string(words))
    let found = try await known(walk).keys.map(\.description)
    #expect(found == ["lifestyle.recovery"], "\(found)")
  }

  @Test(
    arguments: [
      ("thirty", 30), ("30 years old", 30), ("I'm 30", 30), ("thirty-four", 34),
      ("42 years", 42), ("no idea", nil),
    ] as [(String, Double?)])
  func anAgeIsReadInWords(typed: String, age: Double?) async throws {
    let walk = try Self.walk(
      #"{"id": "age", "kind": "stepper", "field": "age", "title": "Age?", "quantity": "age", "#
        + #""min": 13, "max": 100, "initial": 33}"#)
    let (engine, _) = try await walk.opened()
    try await engine.answer(.string(typed))
    #expect(await engine.state.answers["age"]?.value == age.map { .number($0) })
  }

  @Test func anAnswerIsEvidenceWithItsStepAndWording() async throws {
    let walk = try Self.walk(
      #"{"id": "tall", "kind": "stepper", "field": "tall", "title": "How tall?", "quantity": "height", "#
        + #""min": 120, "max": 220, "initial": 173, "facets": ["currentState.body"]}"#,
      rest: #", "units": "imperial""#)
    let (engine, _) = try await walk.opened()
    try await engine.answer("5'8\"")
    #expect(await engine.state.answers["tall"]?.value == .number(172.7))
    #expect(
      try await known(walk) == [
        Facet(component: "currentState", name: "body"):
          .answer(.init(step: "tall", text: "5'8\"", wording: "How tall?"))
      ])
  }

  @Test(
    arguments: [
      ("5.8", "imperial", 172.72), ("5 8", "imperial", 172.72), ("5.11", "imperial", 180.34),
      ("5.8", "metric", 172.72),
      ("1.72", "imperial", 172), ("1,72", "metric", 172), ("68", "imperial", 172.72),
    ])
  func aHeightIsReadAsPeopleWriteIt(typed: String, units: String, expected: Double) async throws {
    let walk = try Self.walk(
      #"{"id": "tall", "kind": "stepper", "field": "tall", "title": "How tall?", "quantity": "height", "#
        + #""min": 120, "max": 220, "initial": 173, "facets": ["currentState.body"]}"#,
      rest: #", "units": "\#(units)""#)
    let (engine, _) = try await walk.opened()
    #expect(try await engine.answer(.string(typed)).problem == nil)
    #expect(await engine.state.answers["tall"]?.value == .number(expected))
  }

  @Test(arguments: [
    ("imperial", "7'7\""), ("imperial", "3'11\""), ("metric", "230"), ("metric", "120"),
  ])
  func theNamedLimitsOfAHeightAreHeights(units: String, typed: String) async throws {
    let walk = try Self.walk(
      #"{"id": "tall", "kind": "stepper", "field": "tall", "title": "How tall?", "quantity": "height", "#
        + #""min": 120, "max": 230, "initial": 173}"#,
      rest: #", "units": "\#(units)""#)
    #expect(try await walk.opened().0.answer(.string(typed)).problem == nil)
  }

  @Test func anOptionalAnswerCanBeTakenBack() async throws {
    let walk = try Self.walk(
      Self.name + ", "
        + #"{"id": "hurts", "kind": "open", "field": "hurts", "title": "Hurts?", "optional": true, "#
        + #""facets": ["obstacles.physical"]}"#)
    let (engine, _) = try await walk.opened()
    try await engine.answer("Kim")
    try await engine.answer("My left knee hurts when I squat.")
    #expect(try await known(walk).count == 1)
    #expect(try await engine.act(.back).step == "hurts")
    #expect(try await engine.answer(" ").step == "bye")
    #expect(await engine.state.answers["hurts"] == nil)
    #expect(try await known(walk).isEmpty)
    let (again, screen) = try await walk.opened()
    #expect(screen.step == "bye")
    #expect(try await again.act(.back).step == "hurts")
    #expect(try await again.act(.back).step == "name")
    // What is needed stays when its line is emptied.
    try await again.answer("")
    #expect(await again.state.answers["name"]?.value == .text("Kim"))
  }

  @Test func aDefaultThatNobodyTouchedIsStoredButIsNoEvidence() async throws {
    let walk = try Self.walk(
      #"{"id": "tall", "kind": "stepper", "field": "tall", "title": "How tall?", "quantity": "height", "#
        + #""min": 120, "max": 220, "initial": 173, "facets": ["currentState.body"]}"#)
    let (engine, _) = try await walk.opened()
    let screen = try await engine.answer(true)
    #expect(screen.step == "bye")
    #expect(await engine.state.answers["tall"]?.value == .number(173))
    #expect(try await known(walk).isEmpty)
  }

  @Test func aSuggestionThatWasOnlyPickedIsNoEvidence() async throws {
    let open =
      #"{"id": "hurts", "kind": "open", "field": "hurts", "title": "Is anything hurting?", "#
      + #""pills": ["My knee hurts when I squat"], "facets": ["obstacles.physical"]}"#
    let picked = try Self.walk(open)
    try await picked.opened().0.answer("My knee hurts when I squat")
    #expect(try await known(picked).isEmpty)
    let typed = try Self.walk(open)
    try await typed.opened().0.answer("My left knee hurts when I squat.")
    let basis = try await known(typed)[Facet(component: "obstacles", name: "physical")]
    guard case .answer(let answer) = basis else {
      Issue.record("not read: \(basis as Any)")
      return
    }
    #expect(answer.step == "hurts" && answer.wording == "Is anything hurting?")
    #expect("My left knee hurts when I squat.".contains(answer.text))
  }

  @Test func changingAnAnswerReplacesItsEvidence() async throws {
    let walk = try Self.walk(
      #"{"id": "goal", "kind": "select", "field": "goal", "title": "Goal?", "options": ["#
        + #"{"id": "lose", "label": "Lose weight", "facets": ["goalClarity.outcome"]}, "#
        + #"{"id": "none", "label": "None", "facets": []}]}"#)
    let (engine, _) = try await walk.opened()
    try await engine.answer("lose")
    #expect(try await known(walk).count == 1)
    try await engine.act(.back)
    try await engine.answer("none")
    #expect(try await known(walk).isEmpty)
  }

  @Test func whatWasSaidAlreadyIsSkipped() async throws {
    let body = Facet(component: "currentState", name: "body")
    let told = RecordedEvent(
      position: 1, at: Date(timeIntervalSince1970: 0),
      event: .answered(
        FormAnswer(
          step: "elsewhere",
          evidence: [
            Evidence(
              facet: body, basis: .answer(.init(step: "elsewhere", text: "92 kg", wording: "?")))
          ])))
    let tall =
      #"{"id": "tall", "kind": "text", "field": "tall", "title": "How tall?", "#
      + #""facets": ["currentState.body"], "when": {"missing": ["currentState.body"]}}"#
    let skipped = try Self.walk(tall + ", " + Self.name, events: [told])
    #expect(try await skipped.opened().1.step == "name")
    // Its own answer doesn't hide it.
    let shown = try Self.walk(tall + ", " + Self.name)
    let (engine, screen) = try await shown.opened()
    #expect(screen.step == "tall")
    try await engine.answer("1.80 m")
    #expect(try await engine.act(.back).step == "tall")
  }

  // Going back.

  @Test func backAsksWhereSomethingWouldBeLostAndDropsIt() async throws {
    let walk = try Self.walk(
      #"{"id": "ask", "kind": "choice", "title": "Test?", "options": [{"id": "yes", "label": "Yes"}, "#
        + #"{"id": "no", "label": "No", "next": "bye"}]}, "#
        + #"{"id": "one", "kind": "text", "field": "one", "title": "One?"}, "#
        + #"{"id": "two", "kind": "text", "field": "two", "title": "Two?", "#
        + #""back": {"ask": "You'd lose it. Go back?", "to": "ask"}}"#)
    let (engine, _) = try await walk.opened()
    try await engine.answer("yes")
    try await engine.answer("first")
    let asked = try await engine.act(.back)
    #expect(asked.kind == .confirmation && asked.title == "You'd lose it. Go back?")
    #expect(try await engine.answer("no").step == "two")
    try await engine.act(.back)
    #expect(try await engine.answer("yes").step == "ask")
    #expect(await engine.state.answers["one"] == nil)
  }

  @Test func backSkipsTheCodeAndIsAbsentWhereTheFileSaysSo() async throws {
    let walk = try Self.walk(
      #"{"id": "in", "kind": "signIn", "title": "Email?"}, "#
        + #"{"id": "code", "kind": "verifyCode", "title": "Code?"}, "# + Self.name
        + #", {"id": "last", "kind": "intro", "title": "Last", "back": "none"}"#)
    let (engine, first) = try await walk.opened()
    #expect(first.back == .none)
    try await engine.answer(["email": "kim@example.com"])
    let named = try await engine.answer("123456")
    #expect(named.step == "name")
    #expect(try await engine.act(.back).step == "in")
    // Somebody who is signed in isn't asked again.
    #expect(try await engine.answer(true).step == "name")
    #expect(try await walk.opened().1.step == "name")
    #expect(walk.accounts.sent.count == 1)
  }

  // Names.

  @Test(arguments: [
    "Kim\u{202E}\u{0}\u{7}", "\u{2066}Kim\u{2069}", "\u{200B}Kim\r\n", "\u{1B}Kim\u{9B}",
  ])
  func aNameHasNoControlCharacters(typed: String) async throws {
    let walk = try Self.walk(Self.name)
    let (engine, _) = try await walk.opened()
    #expect(try await engine.answer(.string(typed)).step == "bye")
    let answer = await engine.state.answers["name"]
    #expect(answer?.value == .text("Kim") && answer?.label == "Kim")
  }

  @Test func aNameOfControlCharactersAloneIsNoAnswer() async throws {
    let walk = try Self.walk(Self.name)
    let (engine, _) = try await walk.opened()
    #expect(try await engine.answer("\u{202E}\u{7}").problem == "I need an answer here to go on.")
    #expect(try await engine.answer("Kim\nLee").step == "bye")
    #expect(await engine.state.answers["name"]?.value == .text("Kim Lee"))
  }

  // Numbers, units and hours.

  @Test func defaultsFollowEarlierAnswersAndLimitsAreSaid() async throws {
    let walk = try Self.walk(
      #"{"id": "goal", "kind": "select", "field": "goal", "title": "Goal?", "options": ["#
        + #"{"id": "lose", "label": "Lose"}, {"id": "keep", "label": "Keep"}]}, "#
        + #"{"id": "kcal", "kind": "number", "field": "kcal", "title": "Calories?", "min": 1000, "#
        + #""max": 4000, "tooSmall": "Calorie target must be at least 1000", "#
        + #""default": [{"when": {"field": "goal", "is": "lose"}, "value": 1800}, {"value": 2000}]}"#
    )
    let (engine, _) = try await walk.opened()
    let kcal = try await engine.answer("lose")
    #expect(kcal.input == .number(min: 1_000, max: 4_000, isWhole: true, unit: nil, value: 1_800))
    // Untouched, it follows when the goal changes.
    try await engine.answer(true)
    try await engine.act(.back)
    try await engine.act(.back)
    #expect(
      try await engine.answer("keep").input
        == .number(min: 1_000, max: 4_000, isWhole: true, unit: nil, value: 2_000))
    #expect(try await engine.answer("900").problem == "Calorie target must be at least 1000")
    #expect(try await engine.answer("4,001").problem == "It can be at most 4000.")
    #expect(try await engine.answer("many").problem != nil)
    #expect(try await engine.answer("1,850").step == "bye")
    #expect(await engine.state.answers["kcal"]?.value == .number(1_850))
  }

  @Test func hoursMayCrossMidnight() async throws {
    let walk = try Self.walk(
      #"{"id": "eat", "kind": "timeRange", "field": "eat", "title": "When?", "start": "12:00", "#
        + #""end": "20:00"}, {"id": "sum", "kind": "intro", "title": "{{eat}}, {{eat.length}}"}"#)
    let (engine, screen) = try await walk.opened()
    #expect(
      screen.input
        == .timeRange(ClockRange(start: 720, end: 1_200), lengthInWords: "8 hours"))
    #expect(try await engine.answer("never").problem != nil)
    let same = try await engine.answer("12:00 to 12:00").problem
    #expect(same?.contains("end when it begins") == true)
    #expect(
      try await engine.answer("10pm to 2:30 am").title == "22:00 to 02:30, 4 hours 30 minutes")
  }

  @Test func unitsFollowThePersonAndAreStoredMetric() async throws {
    let walk = try Self.walk(
      #"{"id": "kg", "kind": "stepper", "field": "kg", "title": "Weight?", "quantity": "weight", "#
        + #""min": 35, "max": 250, "initial": 70}, {"id": "sum", "kind": "intro", "title": "{{kg}}"}"#
    )
    let (engine, _) = try await walk.opened()
    let imperial = try await engine.act(.units(.imperial))
    guard case .stepper(let input) = imperial.input else {
      Issue.record("no stepper")
      return
    }
    #expect(input.text(input.value) == "154 lb")
    #expect(try await engine.answer("20").problem == "Enter a weight from 77 lb to 551 lb.")
    #expect(input.text(input.value(input.value, steppedBy: 1)) == "155 lb")
    #expect(try await engine.answer("160").title == "160 lb")
    #expect(await engine.state.answers["kg"]?.value == .number(72.57))
    try await engine.act(.units(.metric))
    #expect(await engine.screen.title == "72.6 kg")
  }

  /// Also in the talk of a journey, and until others are chosen.
  @Test func unitsThatAreTypedHoldFromThereOn() async throws {
    let walk = try Self.walk(
      #"{"id": "kg", "kind": "stepper", "field": "kg", "title": "Weight?", "quantity": "weight", "#
        + #""min": 35, "max": 250, "initial": 70}, {"id": "sum", "kind": "intro", "title": "{{kg}}"}, "#
        + #"{"id": "talk", "kind": "conversation", "title": "Talk", "ends": "summary"}"#)
    let (engine, _) = try await walk.opened()
    #expect(try await engine.answer("160 lbs").title == "160 lb")
    #expect(await engine.state.answers["kg"]?.label == "160 lb")
    try await engine.answer(true)
    let intake = try await walk.coach(engine)
    try await intake.say("I'd like to lose 10 kg, from a 10k at 5 in the morning.", show: { _ in })
    let goal = try Evidence(
      facet: #require(Facet("goalClarity.target")), quote: "lose 10 kg", turn: 1)
    _ = try await walk.log.append(
      [IntakeEvent.scored(Scoring(turns: [1], evidence: [goal]))], at: walk.clock.now())
    _ = try await engine.conversationAdvanced()
    #expect(await engine.state.units == .metric)
    try await engine.act(.units(.imperial))
    _ = try await engine.conversationAdvanced()
    #expect(await engine.state.units == .imperial)
    #expect(try await JourneyState(events: walk.log.events()).units == .imperial)
  }

  /// A price in pounds, or a dog's weight, says nothing of how somebody measures themselves.
  @Test func aPriceInPoundsChoosesNoUnits() async throws {
    let walk = try Self.walk(
      #"{"id": "talk", "kind": "conversation", "title": "Talk", "ends": "summary"}"#)
    let (engine, _) = try await walk.opened()
    let intake = try await walk.coach(engine)
    let before = await engine.state.units
    try await intake.say(
      "I pay 30 pounds a month for a gym, and my dog weighs 80 lb.", show: { _ in })
    _ = try await engine.conversationAdvanced()
    #expect(await engine.state.units == before)
    #expect(
      !(try await walk.log.events().contains {
        if case .unitsChosen? = try $0.event(as: PlanEvent.self) { true } else { false }
      }))
  }

  // Reminders.

  static let reminding =
    #"{"id": "ask", "kind": "choice", "title": "Test?", "options": [{"id": "yes", "label": "Yes"}, "#
    + #"{"id": "skip", "label": "Skip", "next": "bye", "remind": {"after": 7, "from": "one", "#
    + #""to": "two", "text": "Now?"}}]}, "#
    + #"{"id": "one", "kind": "text", "field": "one", "title": "One?"}, "#
    + #"{"id": "two", "kind": "text", "field": "two", "title": "Two?"}"#

  @Test func aSkippedStepIsOfferedAgainWhenItIsDue() async throws {
    let walk = try Self.walk(Self.reminding)
    let (engine, _) = try await walk.opened()
    try await engine.answer("skip")
    try await engine.answer(true)
    walk.clock.advance(by: 6 * 86_400)
    #expect(try await walk.opened().1.kind == .end)
    walk.clock.advance(by: 86_400)
    let (later, due) = try await walk.opened()
    #expect(due.kind == .reminder && due.title == "Now?")
    #expect(due.options.map(\.id) == ["now", "later", "never"])
    #expect(try await later.answer("later").kind == .end)
    walk.clock.advance(by: 2 * 86_400)
    #expect(try await walk.opened().1.kind == .end)
    walk.clock.advance(by: 86_400)
    let (now, again) = try await walk.opened()
    #expect(again.kind == .reminder)
    #expect(try await now.answer("now").step == "one")
    #expect(try await walk.opened().1.step == "one")
    try await now.answer("a")
    #expect(try await now.answer("b").kind == .end)
    walk.clock.advance(by: 30 * 86_400)
    #expect(try await walk.opened().1.kind == .end)
  }

  @Test func noMoreMeansNoMore() async throws {
    let walk = try Self.walk(Self.reminding)
    let (engine, _) = try await walk.opened()
    try await engine.answer("skip")
    walk.clock.advance(by: 8 * 86_400)
    let (later, due) = try await walk.opened()
    #expect(due.kind == .reminder)
    #expect(try await later.answer("never").step == "bye")
    walk.clock.advance(by: 30 * 86_400)
    #expect(try await walk.opened().1.step == "bye")
  }

  // The button.

  @Test(arguments: ["intro", "explainer", "reveal", "success", "tour"])
  func onlyTheButtonsOwnAnswerGoesOn(kind: String) async throws {
    let tips = kind == "tour" ? #", "tips": [{"id": "one", "text": "One"}]"# : ""
    let rows = kind == "reveal" ? #", "rows": [{"label": "A", "value": "B"}]"# : ""
    let walk = try Self.walk(
      #"{"id": "it", "kind": "\#(kind)", "title": "It", "button": "Go on"\#(tips)\#(rows)}"#)
    let (engine, _) = try await walk.opened()
    for answer in ["no way", 7, false, ["yes"], .null] as [JSONValue] {
      let screen = try await engine.answer(answer)
      #expect(screen.step == "it", "\(answer)")
      #expect(screen.problem == "There's no question here. “Go on” goes on.")
    }
    #expect(try await engine.answer("go on").step == "bye")
    #expect(try await engine.answer("").kind == .end)
  }

  @Test func wordsAtADraftAreAChangeInItsReview() async throws {
    let walk = try Self.walk(
      #"{"id": "see", "kind": "draft", "document": "goal", "title": "Here"}, "#
        + #"{"id": "edit", "kind": "review", "document": "goal", "title": "Goal", "#
        + #""approve": "Approve"}"#)
    let (engine, draft) = try await walk.opened()
    #expect(draft.step == "see")
    #expect(try await engine.answer(["no": "words"]).step == "see")
    let proposed = try await engine.answer("shorter")
    #expect(proposed.step == "edit" && proposed.diff.map(\.text) == ["goal", "shorter"])
    _ = try await engine.answer("discard")
    #expect(try await engine.act(.back).step == "see")
    // A word of the review approves nothing that isn't on screen.
    #expect(try await engine.answer("approve").step == "edit")
    #expect(await engine.state.documents[.goal]?.isApproved == false)
  }

  // Documents.

  @Test func theDraftIsWaitedForAndEditsAreShownFirst() async throws {
    let walk = try Self.walk(
      #"{"id": "name", "kind": "text", "field": "name", "title": "Name?", "#
        + #""meanwhile": {"draft": "goal", "text": "Creating…", "waiting": "Almost ready…"}}, "#
        + #"{"id": "see", "kind": "draft", "document": "goal", "title": "Here, {{name}}"}, "#
        + #"{"id": "edit", "kind": "review", "document": "goal", "title": "{{goal.primary}}", "#
        + #""approve": "Approve"}"#)
    let engine = try await walk.engine()
    let open = try await engine.open()
    #expect(open.waiting == "Creating…" && !open.isBusy)
    let named = try await engine.take(.answer("Kim"))
    #expect(named.waiting == "Almost ready…" && named.isBusy)
    let draft = try await engine.settle()
    #expect(draft.title == "Here, Kim" && draft.rows.map(\.value) == ["goal"])
    #expect(try await engine.answer(true).title == "a goal")
    let proposed = try await engine.answer("shorter")
    #expect(proposed.diff.map(\.change) == [.removed, .added])
    #expect(proposed.options.map(\.id) == ["apply", "discard"])
    let applied = try await engine.answer("apply")
    #expect(applied.rows.map(\.value) == ["shorter"])
    #expect(applied.options.map(\.id) == ["approve", "undo"])
    #expect(try await engine.answer("undo").rows.map(\.value) == ["goal"])
    let refused = try await engine.answer("no squats")
    #expect(refused.refusal == "You wanted strong legs.")
    #expect(refused.options.map(\.id) == ["discard", "apply"])
    #expect(try await engine.answer("discard").refusal == nil)
    #expect(try await engine.answer("approve").step == "bye")
    #expect(await engine.state.documents[.goal]?.isApproved == true)
  }

  // The projection and sync.

  private static let projected =
    #", "projection": {"table": "user_try", "columns": [{"name": "nick", "type": "text", "#
    + #""field": "name"}, {"name": "done", "type": "boolean", "since": 2}]}"#

  @Test func aFailedWriteIsSaidAndCanBeTriedAgain() async throws {
    let walk = try Self.walk(Self.name, rest: Self.projected)
    let (engine, _) = try await walk.opened()
    walk.profiles.fail(true)
    let unsaved = try await engine.answer("Kim")
    #expect(unsaved.step == "name" && unsaved.problem?.contains("Try again") == true)
    walk.profiles.fail(false)
    try await engine.answer(true)
    walk.profiles.fail(true)
    let failed = try await engine.answer(true)
    #expect(failed.step == "bye" && failed.problem?.contains("Try again") == true)
    walk.profiles.fail(false)
    #expect(try await engine.answer(true).kind == .end)
    #expect(
      walk.profiles.rows.map { $0.json.serialized() } == [
        #"{"nick":"Kim","done":false}"#, #"{"nick":"Kim","done":true}"#,
      ])
  }

  @Test func onlySomebodySignedInSyncs() async throws {
    let steps =
      #"{"id": "in", "kind": "signIn", "title": "Email?"}, "#
      + #"{"id": "code", "kind": "verifyCode", "title": "Code?", "sync": ["intake"]}, "#
      + #"{"id": "name", "kind": "text", "field": "name", "title": "Name?", "sync": ["intake"]}"#
    let local = try Self.walk(steps)
    let (engine, _) = try await local.opened()
    try await engine.answer("local")
    try await engine.answer("Kim")
    #expect(local.sync.items.isEmpty)
    let signed = try Self.walk(steps)
    let (other, _) = try await signed.opened()
    try await other.answer(["email": "kim@example.com"])
    try await other.answer("123456")
    try await other.answer("Kim")
    #expect(signed.sync.items.map(\.kind) == [.intake, .intake])
    #expect(signed.sync.items.last?.json.contains(#""answers":{"name":"Kim"}"#) == true)
  }

  // Versions.

  @Test func anOlderVersionIsMappedAndNothingIsDropped() async throws {
    let old = try Self.walk(
      #"{"id": "nick", "kind": "text", "field": "nick", "title": "Nick?"}, "#
        + #"{"id": "inches", "kind": "number", "field": "inches", "title": "Tall?", "min": 1, "max": 99}, "#
        + #"{"id": "gone", "kind": "text", "field": "gone", "title": "Gone?"}, "#
        + #"{"id": "now", "kind": "intro", "title": "Now"}"#, version: 1)
    let (engine, _) = try await old.opened()
    try await engine.answer("Kim")
    try await engine.answer("70")
    try await engine.answer("kept")
    let events = await old.log.events()
    let steps =
      Self.name
      + #", {"id": "tall", "kind": "stepper", "field": "tall", "title": "Tall?", "quantity": "height", "#
      + #""min": 120, "max": 220, "initial": 170}, {"id": "here", "kind": "intro", "title": "Here"}"#
    let migrations =
      #", "migrations": [{"from": 1, "steps": {"now": "here", "nick": "name"}, "#
      + #""fields": {"nick": "name", "inches": {"field": "tall", "from": "in"}}}]"#
    let new = try Self.walk(steps, rest: migrations, events: events)
    let (later, screen) = try await new.opened()
    #expect(screen.step == "here")
    let answers = await later.state.answers
    #expect(answers["name"]?.value == .text("Kim"))
    #expect(answers["tall"]?.value == .number(177.8))
    #expect(answers["gone"]?.value == .text("kept"))
    #expect(try await later.act(.back).step == "name")
    // Without a mapping, the step that is gone leads to the first one, with every answer.
    let bare = try Self.walk(steps, events: events)
    let (first, start) = try await bare.opened()
    #expect(start.step == "name")
    #expect(await first.state.answers["nick"]?.value == .text("Kim"))
  }

  @Test func anotherJourneysSessionIsRefused() async throws {
    let walk = try Self.walk(Self.name)
    _ = try await walk.opened()
    let other = TestWalk(
      try #require(try walk.pack.journey("discovery")), pack: walk.pack,
      events: await walk.log.events())
    await #expect(throws: JourneyMismatch.self) { try await other.engine() }
  }

  // The conversation.

  @Test func aShortConversationAsksForWhatIsMissingAndEnds() async throws {
    let walk = try Self.walk(
      #"{"id": "talk", "kind": "conversation", "title": "Talk", "ends": "topics", "topics": ["#
        + #"{"id": "goals", "title": "Goals", "facets": ["goalClarity.outcome", "goalClarity.target"]}, "#
        + #"{"id": "pain", "title": "Injuries", "facets": ["obstacles.physical"]}]}"#)
    let (engine, screen) = try await walk.opened()
    #expect(screen.kind == .conversation && screen.segments.map(\.fill) == [0, 0])
    #expect(try await walk.talk(engine).step == "bye")
    let ended = try await engine.act(.back)
    #expect(ended.segments.map(\.id) == ["goals", "pain"])
    #expect(ended.button?.isEnabled == true)
    #expect(try await walk.opened().1 == ended)
  }
}
