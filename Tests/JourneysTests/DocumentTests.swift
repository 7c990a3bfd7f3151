import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import LanguageModels
import Testing

/// Goals and programs: what a model drafts, what is checked, and what the person changes.
struct DocumentTests {
  private static let journeyJSON = """
    {"name": "plan", "version": 1, "title": "Plan", "steps": [
      {"id": "goal", "kind": "text", "field": "goal", "title": "Your goal?",
        "facets": ["goalClarity.outcome"]},
      {"id": "hurts", "kind": "text", "field": "hurts", "title": "What hurts?",
        "facets": ["obstacles.physical"]},
      {"id": "days", "kind": "text", "field": "days", "title": "Which days?",
        "facets": ["lifestyle.availability"]},
      {"id": "gear", "kind": "text", "field": "gear", "title": "What do you have?",
        "facets": ["exercisePreferences.access"]},
      {"id": "hates", "kind": "text", "field": "hates", "title": "What do you dislike?",
        "facets": ["exercisePreferences.dislikes"]},
      {"id": "goalReview", "kind": "review", "document": "goal", "title": "Goal",
        "approve": "Approve"},
      {"id": "programReview", "kind": "review", "document": "program", "title": "Program",
        "approve": "Activate"},
      {"id": "done", "kind": "success", "title": "Done", "next": "end",
        "rows": [{"label": "First", "value": "{{program.first}}"}]}]}
    """

  private static func walk(_ drafter: any DocumentDrafter) throws -> TestWalk {
    let pack = try PromptPack.embedded()
    return TestWalk(
      try Journey(json: journeyJSON, file: "plan.json", rubric: pack.rubric), pack: pack,
      drafter: drafter)
  }

  private static let said = [
    "Run a 10k by June", "My left knee hurts", "Tuesday and Thursday mornings, not on Fridays",
    "Dumbbells at home, no gym", "I hate burpees",
  ]

  /// Answers the five questions.
  private static func answered(_ walk: TestWalk) async throws -> (JourneyEngine, JourneyScreen) {
    var (engine, screen) = try await walk.opened()
    for answer in said { screen = try await engine.answer(.string(answer)) }
    return (engine, screen)
  }

  /// At the review of the program.
  private static func reviewing(_ walk: TestWalk) async throws -> (JourneyEngine, JourneyScreen) {
    let (engine, _) = try await answered(walk)
    return (engine, try await engine.answer("approve"))
  }

  private static func goal(quote: String = "Run a 10k by June") -> JSONValue {
    [
      "primary": "Run 10 km by June", "measure": .null, "byWhen": "by June", "date": .null,
      "why": .null, "milestones": [["what": "5 km", "byWhen": "by April"]],
      "restsOn": [["path": "/primary", "quote": .string(quote)]],
    ]
  }

  private static func program(
    days: [String] = ["tuesday", "thursday"], exercises: [String] = ["Dumbbell row"],
    minutes: Int = 40, adapts: Bool = true, constraint: String = "left knee"
  ) -> JSONValue {
    [
      "title": "Strong legs", "weeks": 6,
      "sessions": .array(
        days.map { day -> JSONValue in
          [
            "day": .string(day), "time": "07:00", "title": "Strength",
            "minutes": JSONValue(minutes),
            "exercises": .array(
              exercises.map {
                [
                  "name": .string($0), "sets": 3, "repetitions": "8", "load": .null,
                  "effort": .null, "minutes": .null, "note": .null,
                ]
              }),
          ]
        }),
      "progression": [["week": 3, "change": "One more set"]],
      "adaptations": adapts ? [["constraint": .string(constraint), "how": "No jumping"]] : [],
      "restsOn": [],
    ]
  }

  private static func model(
    draft: [JSONValue], edit: [JSONValue] = []
  ) -> ScriptedModel {
    func answers(_ values: [JSONValue]) -> [ScriptedModel.Answer] {
      values.map { .text($0.stringValue ?? $0.serialized(), pieceLength: 25) }
    }
    return ScriptedModel(answers: [.draft: answers(draft), .edit: answers(edit)])
  }

  private static func drafter(_ model: ScriptedModel) -> ModelDrafter {
    ModelDrafter(models: ModelRoles(all: model))
  }

  private func rows(_ screen: JourneyScreen) -> [String] {
    screen.rows.map { "\($0.label): \($0.value)" }
  }

  // Drafting.

  @Test func aModelsDraftShowsEveryFieldAndWhatItRestsOn() async throws {
    let model = Self.model(draft: [Self.goal()])
    let (_, screen) = try await Self.answered(try Self.walk(Self.drafter(model)))
    #expect(
      rows(screen) == [
        "Goal: Run 10 km by June", "By when: by June", "Milestone: 5 km, by April",
        "Rests on: “Run a 10k by June”",
      ])
    #expect(screen.document?.source == "scripted" && screen.document?.state == .draft)
    let request = try #require(model.documentRequests.first)
    #expect(request.schema?.name == "goal_contract")
    #expect(request.messages.first?.text.contains("My left knee hurts") == true)
    #expect(!request.system.contains("My left knee hurts"))
  }

  @Test func aQuoteThatNobodySaidIsRepairedOnceAndThenDropped() async throws {
    let wrong = Self.goal(quote: "I want to be famous")
    let model = Self.model(draft: [wrong, wrong])
    let (_, screen) = try await Self.answered(try Self.walk(Self.drafter(model)))
    #expect(model.documentRequests.count == 2)
    #expect(model.documentRequests.last?.system.contains("/restsOn/0/quote") == true)
    #expect(screen.rows.first?.value == "Run 10 km by June")
    #expect(!rows(screen).contains { $0.contains("famous") })
  }

  @Test(
    arguments: [("my right knee is shot", ["My left knee hurts"]), ("a bad shoulder", [])])
  func aLimitThatNobodyNamedSoIsRepairedOnceAndThenInTheirWords(
    constraint: String, shown: [String]
  ) async throws {
    let wrong = Self.program(constraint: constraint)
    let model = Self.model(draft: [Self.goal(), wrong, wrong])
    let (_, screen) = try await Self.reviewing(try Self.walk(Self.drafter(model)))
    #expect(model.documentRequests.last?.system.contains("/adaptations/0/constraint") == true)
    #expect(screen.program?.adaptations.map(\.constraint) == shown)
    #expect(!rows(screen).contains { $0.contains(constraint) })
  }

  @Test func aPoolIsNeededWhereAnExerciseNamesOne() async throws {
    let wet = Self.program(exercises: ["Dumbbell row", "Intervals in the pool"])
    let model = Self.model(draft: [Self.goal(), wet, wet])
    let (_, screen) = try await Self.reviewing(try Self.walk(Self.drafter(model)))
    #expect(
      screen.program?.sessions.flatMap { $0.exercises.map(\.name) }
        == ["Dumbbell row", "Dumbbell row"])
    #expect(screen.body.contains { $0.contains("needs a pool") })
  }

  @Test(
    arguments: [
      (["Dumbbell row", "Box jump"], ["tuesday"], "could strain your knee"),
      (["Dumbbell row", "Burpees"], ["tuesday"], "burpee"),
      (["Barbell squat", "Dumbbell row"], ["tuesday"], "needs a barbell"),
      (["Leg press", "Dumbbell row"], ["tuesday"], "needs a machine"),
      (["Dumbbell row"], ["tuesday", "friday"], "Friday isn't one of your days"),
    ])
  func aProgramKeepsToDaysEquipmentLimitsAndDislikes(
    exercises: [String], days: [String], problem: String
  ) async throws {
    let wrong = Self.program(days: days, exercises: exercises)
    let model = Self.model(draft: [Self.goal(), wrong, wrong])
    let (_, screen) = try await Self.reviewing(try Self.walk(Self.drafter(model)))
    // Named to the model, and left out if it doesn't help.
    #expect(model.documentRequests.count == 3)
    #expect(model.documentRequests.last?.system.lowercased().contains(problem.lowercased()) == true)
    let program = try #require(screen.program)
    #expect(program.sessions.allSatisfy { [.tuesday, .thursday].contains($0.day) })
    #expect(Set(program.sessions.flatMap(\.exercises).map(\.name)) == ["Dumbbell row"])
    #expect(screen.body.contains { $0.lowercased().contains(problem.lowercased()) })
  }

  @Test func aRepairThatHelpsIsTaken() async throws {
    let model = Self.model(
      draft: [Self.goal(), Self.program(adapts: false), Self.program(minutes: 30)])
    let (_, screen) = try await Self.reviewing(try Self.walk(Self.drafter(model)))
    #expect(model.documentRequests.last?.system.contains("the knee") == true)
    #expect(screen.program?.sessions.map(\.minutes) == [30, 30])
    #expect(screen.document?.note == nil)
  }

  @Test func fieldsThatAreWrongAreLeftOutAndTheRestIsKept() async throws {
    var wrong = Self.program().objectValue ?? [:]
    let odd: JSONValue = ["day": "someday", "time": "25:99", "title": "", "minutes": 9_000]
    wrong["sessions"] = .array((wrong["sessions"]?.arrayValue ?? []) + [odd])
    wrong["weeks"] = "six"
    let model = Self.model(draft: [Self.goal(), .object(wrong), .object(wrong)])
    let (_, screen) = try await Self.reviewing(try Self.walk(Self.drafter(model)))
    #expect(screen.program?.sessions.count == 2)
    #expect(model.documentRequests.last?.system.contains("/sessions/2/day") == true)
  }

  @Test func anAnswerThatIsNoDocumentCanBeTriedAgain() async throws {
    let model = Self.model(draft: ["Sure!", "Here you are.", Self.goal()])
    let walk = try Self.walk(Self.drafter(model))
    let (engine, screen) = try await Self.answered(walk)
    #expect(screen.problem?.contains("try again") == true)
    #expect(screen.button?.label == "Try again" && screen.button?.isEnabled == true)
    let again = try await engine.answer(true)
    #expect(again.rows.first?.value == "Run 10 km by June" && again.problem == nil)
  }

  /// Draws one field, and writes the rest only once that was seen.
  private struct SlowDrafter: DocumentDrafter {
    let seen: AsyncStream<Void>

    func draft(
      _ kind: DocumentKind, from facts: DraftFacts,
      show: @escaping @Sendable (DraftedDocument) -> Void
    ) async throws(DraftError) -> DraftedDocument {
      var document = try TemplateDrafter().draft(kind, from: facts, show: { _ in })
      let whole = document.rows
      document.rows = Array(whole.prefix(1))
      show(document)
      for await _ in seen { break }
      document.rows = whole
      return document
    }

    func edit(
      _ document: DraftedDocument, saying words: String, facts: DraftFacts
    ) async throws(DraftError) -> DocumentEdit {
      throw DraftError(words: "not now")
    }
  }

  @Test func fieldsAreShownAsTheyArrive() async throws {
    let (seen, see) = AsyncStream.makeStream(of: Void.self)
    let walk = try Self.walk(SlowDrafter(seen: seen))
    var (engine, screen) = try await walk.opened()
    for answer in Self.said { screen = try await engine.take(.answer(.string(answer))) }
    #expect(screen.isBusy && screen.rows.isEmpty)
    let (screens, shown) = AsyncStream.makeStream(of: JourneyScreen.self)
    let last = try await engine.settle { part in
      shown.yield(part)
      see.yield()
    }
    shown.finish()
    var parts: [JourneyScreen] = []
    for await part in screens { parts.append(part) }
    #expect(parts.map(\.rows.count) == [1])
    #expect(parts.allSatisfy { $0.document?.state == .writing && $0.isBusy })
    #expect(last.rows.count == 3 && last.document?.state == .draft)
  }

  @Test(.timeLimit(.minutes(5))) func whoStopsWaitingLeavesTheDocumentToBeWritten() async throws {
    let (seen, see) = AsyncStream.makeStream(of: Void.self)
    let walk = try Self.walk(SlowDrafter(seen: seen))
    let (engine, opened) = try await walk.opened()
    var screen = opened
    for answer in Self.said { screen = try await engine.take(.answer(.string(answer))) }
    #expect(screen.isBusy)
    let (parts, part) = AsyncStream.makeStream(of: Void.self)
    let waiting = Task { try await engine.settle { _ in part.yield() } }
    for await _ in parts { break }
    waiting.cancel()
    // It returns while the document is still being written, and keeps what there is of it.
    let left = try await waiting.value
    #expect(left.isBusy && left.document?.state == .writing && left.rows.count == 1)
    see.yield()
    let last = try await engine.settle()
    #expect(last.document?.state == .draft && last.rows.count == 3)
  }

  // Changing.

  @Test func aChangeIsShownThenMadeThenUndoneWithOneWord() async throws {
    let model = Self.model(
      draft: [Self.goal(), Self.program()], edit: [Self.program(minutes: 25)])
    let (engine, before) = try await Self.reviewing(try Self.walk(Self.drafter(model)))
    let shown = try await engine.answer("make them shorter")
    #expect(shown.program == before.program)
    #expect(shown.document?.state == .changing && shown.document?.request == "make them shorter")
    #expect(shown.refusal == nil && shown.options.map(\.id) == ["apply", "discard"])
    let changed = shown.diff.filter { $0.change != .same }
    #expect(
      changed.map(\.text) == [
        "Tuesday, 07:00, 40 minutes: Strength", "Tuesday, 07:00, 25 minutes: Strength",
        "Thursday, 07:00, 40 minutes: Strength", "Thursday, 07:00, 25 minutes: Strength",
      ])
    let applied = try await engine.answer("apply")
    #expect(applied.program?.sessions.map(\.minutes) == [25, 25])
    #expect(try await engine.answer("undo").program == before.program)
    let request = try #require(model.documentRequests.last)
    #expect(request.schema?.json.contains("contradicts") == true)
    #expect(request.messages.first?.text.contains("make them shorter") == true)
  }

  @Test func aChangeAgainstALimitIsRefusedUntilItIsConfirmed() async throws {
    let risky = Self.program(days: ["tuesday", "friday"], exercises: ["Easy run"])
    let model = Self.model(draft: [Self.goal(), Self.program()], edit: [risky, risky])
    let (engine, before) = try await Self.reviewing(try Self.walk(Self.drafter(model)))
    let shown = try await engine.answer("running on Fridays, please")
    let refusal = try #require(shown.refusal)
    #expect(refusal.contains("Friday isn't one of your days"))
    #expect(refusal.contains("My left knee hurts"))
    // Enter leaves it.
    #expect(shown.options.map(\.id) == ["discard", "apply"])
    #expect(try await engine.answer("discard").program == before.program)
    _ = try await engine.answer("running on Fridays, please")
    let applied = try await engine.answer("apply")
    #expect(applied.program?.sessions.last?.day == .friday)
  }

  @Test func whatTheModelCallsAContradictionIsOneToo() async throws {
    var edited = Self.goal().objectValue ?? [:]
    edited["primary"] = "Run a marathon"
    edited["contradicts"] = "My left knee hurts"
    let model = Self.model(draft: [Self.goal()], edit: [.object(edited)])
    let (engine, _) = try await Self.answered(try Self.walk(Self.drafter(model)))
    let shown = try await engine.answer("make it a marathon")
    #expect(shown.refusal?.contains("My left knee hurts") == true)
  }

  @Test func aChangeThatChangesNothingSaysSo() async throws {
    let model = Self.model(draft: [Self.goal()], edit: [Self.goal(), "no"])
    let (engine, before) = try await Self.answered(try Self.walk(Self.drafter(model)))
    let same = try await engine.answer("make it nicer")
    #expect(same.problem?.contains("wouldn't change anything") == true && same.diff.isEmpty)
    let failed = try await engine.answer("make it nicer")
    #expect(failed.problem?.isEmpty == false && failed.rows == before.rows)
  }

  // The rehearsal.

  @Test func theTemplateSaysSoAndUsesOnlyWhatWasSaid() async throws {
    let (engine, goal) = try await Self.answered(try Self.walk(TemplateDrafter()))
    #expect(goal.document?.source == "template")
    #expect(goal.body.contains { $0.contains("template") })
    #expect(
      rows(goal) == [
        "Goal: Run a 10k by June", "By when: by June", "Rests on: “Run a 10k by June”",
      ])
    let screen = try await engine.answer("approve")
    let program = try #require(screen.program)
    #expect(program.sessions.map(\.day) == [.tuesday, .thursday])
    #expect(program.adaptations.map(\.constraint) == ["My left knee hurts"])
    #expect(screen.body.contains { $0.contains("template") })
  }

  @Test(
    arguments: [
      ("make Thursday shorter", [30, 20], nil), ("make Tuesday 15 minutes", [15, 30], nil),
      ("no planks", [30, 30], nil), ("move Tuesday to Friday", [30, 30], "Friday"),
      ("skip Thursday", [30], nil), ("Tuesday at 18:30", [30, 30], nil),
      ("thursday at 7 pm for 25 minutes", [30, 25], nil), ("one more week", [30, 30], nil),
      ("fewer weeks please", [30, 30], nil), ("add Saturday", [30, 30, 30], "Saturday"),
      ("add 10 minutes to Tuesday", [40, 30], nil), ("cancel thursday", [30], nil),
      ("thursday 6pm", [30, 30], nil), ("Thursday 18:30", [30, 30], nil),
      ("no press-ups", [30, 30], nil), ("no squats or planks on Thursday", [30, 30], nil),
      ("swap the plank for a dead bug", [30, 30], nil),
      ("dead bugs instead of the plank", [30, 30], nil),
      ("Saturday instead of Tuesday", [30, 30], "Saturday"),
      ("not Tuesday but Saturday", [30, 30], "Saturday"), ("add stretching", [30, 30], nil),
      ("make it an hour long", [60, 60], nil), ("also make Thursday shorter", [30, 20], nil),
      ("another week, please", [30, 30], nil), ("10 minutes longer", [40, 40], nil),
      ("make thursday 5 minutes shorter", [30, 25], nil),
      ("cut Thursday by 10 minutes", [30, 20], nil),
      ("Thursday is too long, make it 20 minutes", [30, 20], nil), ("no squats", [30, 30], nil),
      ("not on Tuesday, on Saturday", [30, 30], "Saturday"),
      ("only on weekends", [30, 30], "Saturday"), ("I can only train on Tuesday", [30], nil),
      ("weekends only, please", [30, 30], "Saturday"),
      ("three days a week", [30, 30, 30], "Saturday"), ("just once a week", [30], nil),
      ("I can't do Tuesday", [30], nil),
      ("Tuesday at half past six in the evening", [30, 30], nil),
    ] as [(String, [Int], String?)])
  func theRehearsalMakesPlainChanges(
    words: String, minutes: [Int], refusal: String?
  ) async throws {
    let (engine, before) = try await Self.reviewing(try Self.walk(TemplateDrafter()))
    let shown = try await engine.answer(.string(words))
    #expect(shown.problem == nil && !shown.diff.isEmpty)
    #expect(shown.refusal?.contains(refusal ?? "") ?? (refusal == nil))
    if refusal != nil {
      // Approving the program isn't a yes to what contradicts a limit.
      let asked = try await engine.answer("approve")
      #expect(asked.document?.state == .changing && asked.problem != nil)
    }
    let changed = try #require(try await engine.answer("apply").program)
    #expect(changed.sessions.map(\.minutes) == minutes)
    #expect(changed != before.program)
    #expect(try await engine.answer("undo").program == before.program)
    for words in [
      "make it sing", "don't make Thursday shorter", "make Thursday longer and Tuesday shorter",
    ] {
      let lost = try await engine.answer(.string(words))
      #expect(lost.problem?.contains("rehearsal") == true, "\(words)")
    }
  }

  @Test func anExerciseOnAFreeDayIsThatDaysSession() async throws {
    let (engine, _) = try await Self.reviewing(try Self.walk(TemplateDrafter()))
    let shown = try await engine.answer("add a plank on Monday")
    #expect(shown.refusal?.contains("Monday isn't one of your days") == true)
    _ = try await engine.answer("apply")
    let applied = try await engine.answer("apply")
    let monday = try #require(applied.program?.sessions.first { $0.day == .monday })
    #expect(monday.exercises.map(\.name) == ["Plank"] && monday.minutes == 10)
  }

  @Test func aReasonIsNamedOnceWithItsWords() async throws {
    let (engine, _) = try await Self.reviewing(try Self.walk(TemplateDrafter()))
    let refusal = try #require(try await engine.answer("only on weekends").refusal)
    let words = "Tuesday and Thursday mornings"
    #expect(refusal.contains("Saturday isn't one of your days; Sunday isn't one of your days"))
    #expect(refusal.components(separatedBy: words).count == 2, "\(refusal)")
  }

  @Test func daysThatAreRefusedGoAndNoneTakesTheirPlace() async throws {
    let (engine, _) = try await Self.reviewing(try Self.walk(TemplateDrafter()))
    let none = try await engine.answer("no tuesday and thursday")
    #expect(none.problem == "That would leave no session, so nothing was changed.")
    let more = try await engine.answer("add saturday and stretching")
    let stretching = "Stretching: 10 minutes"
    #expect(more.diff.filter { $0.change == .added && $0.text == stretching }.count == 1)
    _ = try await engine.answer("apply")
    let less = try await engine.answer("no tuesday and thursday, please")
    #expect(!less.diff.contains { $0.text == stretching && $0.change != .same })
    let program = try #require(try await engine.answer("apply").program)
    #expect(program.sessions.map(\.day) == [.saturday])
  }

  @Test(arguments: [
    ("5000 weeks", "A program has 1 to 26 weeks. Nothing was changed."),
    ("0 weeks", "A program has 1 to 26 weeks. Nothing was changed."),
    ("Tuesday 2 minutes", "A session has 5 to 240 minutes. Nothing was changed."),
  ])
  func whatNoProgramCanBeIsRefusedWithItsRange(words: String, problem: String) async throws {
    let (engine, before) = try await Self.reviewing(try Self.walk(TemplateDrafter()))
    let screen = try await engine.answer(.string(words))
    #expect(screen.problem == problem && screen.program == before.program)
  }

  @Test func wordsAtAnOpenChangeTakeItsPlaceOrTakeItBack() async throws {
    let (engine, before) = try await Self.reviewing(try Self.walk(TemplateDrafter()))
    _ = try await engine.answer("no planks")
    let other = try await engine.answer("thursday at 7 pm")
    #expect(other.diff.contains { $0.text.contains("19:00") && $0.change == .added })
    #expect(!other.diff.contains { $0.text.hasPrefix("Plank") && $0.change == .removed })
    #expect(try await engine.answer("undo").program == before.program)
    _ = try await engine.answer("no planks")
    #expect(try await engine.answer("yes please").program != before.program)
    _ = try await engine.answer("5 weeks")
    #expect(try await engine.answer(true).program?.weeks == 5)
    _ = try await engine.answer("6 weeks")
    #expect(try await engine.answer("approve").program?.weeks == 6)
    _ = try await engine.answer("7 weeks")
    let kept = try await engine.answer("sing to me")
    #expect(kept.problem?.contains("rehearsal") == true && kept.document?.state == .changing)
    #expect(try await engine.answer("no").document?.state == .draft)
  }

  @Test(
    arguments: [
      ("Three evenings a week at 7 pm, 40 minutes each", "19:00"),
      ("Tuesday and Thursday at 6, 40 minutes", "06:00"),
      ("At 7 on Tuesday and Friday mornings, 40 minutes", "07:00"),
      ("I work from 9 am, so after work on Tuesday and Friday, for 40 minutes", nil),
    ] as [(String, String?)])
  func theTemplateKeepsTheTimeThatWasSaid(days: String, time: String?) async throws {
    let walk = try Self.walk(TemplateDrafter())
    let (engine, _) = try await walk.opened()
    for answer in [
      "Lose 5 kg by October", "nothing hurts", days, "nothing at home", "no dislikes",
    ] { _ = try await engine.answer(.string(answer)) }
    let goal = await engine.screen
    #expect(rows(goal).contains("By when: by October"))
    let program = try #require(try await engine.answer("approve").program)
    #expect(program.sessions.allSatisfy { $0.minutes == 40 && $0.time == time })
    #expect(program.restsOn.map(\.quote) == [days])
  }

  /// As often as was said, on days that are apart from each other, and only on those that are possible.
  @Test(
    arguments: [
      ("I can train three days a week", [.monday, .thursday, .saturday]),
      ("Three days a week", [.monday, .thursday, .saturday]),
      ("four times a week, but not on Mondays", [.tuesday, .wednesday, .thursday, .sunday]),
      ("once a week", [.monday]), ("7 days a week", TrainingProgram.Day.allCases),
      ("I can't do Mondays", [.thursday, .sunday]), ("not sure yet", [.monday, .thursday]),
      ("Monday, Wednesday and Friday, twice a week", [.monday, .wednesday]),
      ("Tuesday and Thursday, three times a week", [.tuesday, .thursday]),
    ] as [(String, [TrainingProgram.Day])])
  func theTemplateKeepsHowOftenWasSaid(days: String, expected: [TrainingProgram.Day]) async throws {
    let walk = try Self.walk(TemplateDrafter())
    let (engine, _) = try await walk.opened()
    for answer in [
      "Lose 5 kg by October", "nothing hurts", days, "nothing at home", "no dislikes",
    ] { _ = try await engine.answer(.string(answer)) }
    let screen = try await engine.answer("approve")
    #expect(screen.program?.sessions.map(\.day) == expected, "\(screen.rows)")
    let count = expected.count == 1 ? "1 session" : "\(expected.count) sessions"
    #expect(rows(screen).contains("Length: 4 weeks, \(count) a week"))
  }

  @Test(
    arguments: [
      ("I work nine to five, so Tuesday and Friday evenings", [.tuesday, .friday]),
      ("three days a week", [.monday, .thursday, .saturday]),
      ("I work Tuesday to Friday", [.monday, .thursday]),
      ("I walk three days a week", [.monday, .thursday]),
    ] as [(String, [TrainingProgram.Day])])
  func daysThatAreNamedElsewhereCount(words: String, expected: [TrainingProgram.Day]) async throws {
    let walk = try Self.walk(TemplateDrafter())
    let (engine, _) = try await walk.opened()
    for answer in ["Lose 5 kg by October", words, "not sure yet", "nothing at home", "no dislikes"]
    {
      _ = try await engine.answer(.string(answer))
    }
    let screen = try await engine.answer("approve")
    #expect(screen.program?.sessions.map(\.day) == expected, "\(screen.rows)")
  }

  @Test(
    arguments: [
      (
        "by the end of August", "Goal: Run a 10k by the end of August",
        "By when: by the end of August"
      ),
      ("make it six months", "Goal: Run a 10k in six months", "By when: in six months"),
      ("make it 5k", "Goal: Run a 5k by June", nil),
      ("make it 5k by May, please", "Goal: Run a 5k by May", "By when: by May"),
      ("because I want to keep up with Mia", "Why: I want to keep up with Mia", nil),
      ("track it with my watch.", "Measured by: My watch", nil),
      ("add a milestone: 5k without a break", "Milestone: 5k without a break", nil),
      ("Change the goal to swim a mile by May", "Goal: Swim a mile by May", "By when: by May"),
    ] as [(String, String, String?)])
  func theRehearsalChangesTheGoalInTheirWords(
    words: String, row: String, other: String?
  ) async throws {
    let (engine, before) = try await Self.answered(try Self.walk(TemplateDrafter()))
    let shown = try await engine.answer(.string(words))
    #expect(shown.problem == nil && shown.document?.state == .changing)
    #expect(shown.diff.contains { $0.change == .added && $0.text == row }, "\(shown.diff)")
    let changed = rows(try await engine.answer("apply"))
    #expect(changed.contains(row) && changed.contains(other ?? row), "\(changed)")
    #expect(changed.contains("Rests on: “Run a 10k by June”") == changed.contains(rows(before)[0]))
    #expect(try await engine.answer("undo").rows == before.rows)
  }

  @Test func theRehearsalLeavesAFieldOutAndRefusesWhatTheyDislike() async throws {
    let (engine, _) = try await Self.answered(try Self.walk(TemplateDrafter()))
    _ = try await engine.answer("because of Mia")
    #expect(rows(try await engine.answer("apply")).contains("Why: Mia"))
    _ = try await engine.answer("drop the reason")
    #expect(!rows(try await engine.answer("apply")).contains { $0.hasPrefix("Why") })
    let risky = try await engine.answer("my goal is to do 100 burpees")
    #expect(risky.refusal?.contains("I hate burpees") == true, "\(risky.refusal ?? "")")
    _ = try await engine.answer("discard")
    let lost = try await engine.answer("sing to me")
    #expect(lost.problem?.contains("rehearsal") == true && lost.document?.state == .draft)
    // The goal is never left out.
    #expect(try await engine.answer("no goal").problem?.isEmpty == false)
  }

  @Test func aNewSessionIsOneBlockOfTheDifference() async throws {
    let (engine, _) = try await Self.reviewing(try Self.walk(TemplateDrafter()))
    let shown = try await engine.answer("add Saturday")
    let added = shown.diff.filter { $0.change == .added }.map(\.text)
    #expect(added.first == "Length: 4 weeks, 3 sessions a week")
    #expect(added.dropFirst().first == "Saturday, 30 minutes: Whole body")
    let first = try #require(shown.diff.firstIndex { $0.text.hasPrefix("Saturday") })
    #expect(shown.diff[first..<first + 5].allSatisfy { $0.change == .added })
    #expect(shown.diff[first - 1].change == .same)
    // The way back is one block as well.
    _ = try await engine.answer("apply")
    let back = try await engine.answer("skip Saturday").diff.filter { $0.change == .removed }
    #expect(back.dropFirst().first?.text == "Saturday, 30 minutes: Whole body")
  }

  @Test func undoWithoutAChangeSaysSo() async throws {
    let (engine, _) = try await Self.answered(try Self.walk(TemplateDrafter()))
    let screen = try await engine.answer("undo")
    #expect(screen.problem == "There's no change to undo.")
    for word in ["apply", "Discard"] {
      let problem = try await engine.answer(.string(word)).problem
      #expect(problem?.hasPrefix("No change waits for a yes or no.") == true)
    }
  }

  @Test func undoTakesBackEveryChangeTheLatestFirst() async throws {
    let walk = try Self.walk(TemplateDrafter())
    let (engine, first) = try await Self.reviewing(walk)
    try await engine.answer("no planks")
    let second = try await engine.answer("apply")
    try await engine.answer("make Thursday shorter")
    let third = try await engine.answer("apply")
    #expect(third.program != second.program && second.program != first.program)
    #expect(try await engine.answer("undo").program == second.program)
    // Another process knows them as well.
    let (other, _) = try await walk.opened()
    let back = try await other.answer("undo")
    #expect(back.program == first.program && back.options.map(\.id) == ["approve"])
    let none = try await other.answer("undo")
    #expect(none.problem == "There's no change to undo." && none.program == first.program)
  }

  /// What is undone after the approval isn't what was approved.
  @Test func undoneAfterApprovalItIsApprovedAgain() async throws {
    let (engine, before) = try await Self.answered(try Self.walk(TemplateDrafter()))
    try await engine.answer("because of Mia")
    try await engine.answer("apply")
    try await engine.answer("approve")
    #expect(try await engine.act(.back).document?.state == .approved)
    let undone = try await engine.answer("undo")
    #expect(undone.document?.state == .draft && undone.rows == before.rows)
  }

  @Test func anHourOutsideOfTheDaysPartIsRefusedUntilConfirmed() async throws {
    let walk = try Self.walk(TemplateDrafter())
    let (engine, _) = try await walk.opened()
    for answer in [
      "Lose 5 kg by October", "nothing hurts", "Tuesday and Thursday evenings, not in the mornings",
      "nothing at home", "no dislikes",
    ] { _ = try await engine.answer(.string(answer)) }
    try await engine.answer("approve")
    #expect(try await engine.answer("Tuesday at 18:30").refusal == nil)
    try await engine.answer("apply")
    let shown = try await engine.answer("Tuesday at 7 am")
    #expect(shown.refusal?.contains("07:00 isn't when you can train") == true, "\(shown)")
  }

  @Test func nothingTypedAtAReviewAsksForAChangeOrApproval() async throws {
    let (engine, _) = try await Self.answered(try Self.walk(TemplateDrafter()))
    #expect(try await engine.answer("").problem == "Tell me what to change, or approve it.")
  }

  // What remains.

  @Test func thePlanIsWhatWasApprovedLast() async throws {
    let walk = try Self.walk(TemplateDrafter())
    let (engine, _) = try await Self.answered(walk)
    #expect(try await ActivePlan(events: walk.log.events()).goal == nil)
    _ = try await engine.answer("approve")
    _ = try await engine.answer("make Thursday shorter")
    _ = try await engine.answer("apply")
    #expect(try await ActivePlan(events: walk.log.events()).program == nil)
    let done = try await engine.answer("approve")
    let plan = try await ActivePlan(events: walk.log.events())
    #expect(plan.goal?.primary == "Run a 10k by June" && plan.originalGoal == plan.goal)
    #expect(plan.program?.sessions.map(\.minutes) == [30, 20])
    // The clock moves with each look at it.
    #expect(try #require(plan.activatedAt) < walk.clock.now())
    let first = try #require(plan.schedule?.sessions.first)
    #expect(done.rows.first?.value.contains("30 minutes") == true)
    #expect([.tuesday, .thursday].contains(first.session.day) && first.week == 1)
    #expect(plan.schedule?.sessions.count == 8)
  }
}

extension JourneyScreen {
  fileprivate var program: TrainingProgram? {
    document.flatMap { try? JSONValue(parsing: $0.json) }.flatMap(TrainingProgram.init(json:))
  }
}

extension ScriptedModel {
  /// Without those for the profile, which is written at the same time.
  fileprivate var documentRequests: [ModelRequest] {
    requests.filter { $0.purpose != .synthesise }
  }
}
