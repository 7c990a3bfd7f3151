import IncrementalJSON
import Journeys
import LanguageModels
import Plans
import Testing

/// Goals and programs that a model drafts, and what is checked.
struct DraftingTests {
  @Test func aModelsDraftShowsEveryFieldAndWhatItRestsOn() async throws {
    let model = Plan.model(draft: [Plan.goal()])
    let (_, screen) = try await Plan.answered(try Plan.walk(Plan.drafter(model)))
    #expect(
      Plan.rows(screen) == [
        "Goal: Run 10 km by June", "By when: June", "Milestone: 5 km, by April",
        "Rests on: “Run a 10k by June”",
      ])
    #expect(screen.document?.source == "scripted" && screen.document?.state == .draft)
    let request = try #require(model.documentRequests.first)
    #expect(request.schema?.name == "goal_contract")
    #expect(request.messages.first?.text.contains("My left knee hurts") == true)
    #expect(!request.system.contains("My left knee hurts"))
  }

  @Test func aQuoteThatNobodySaidIsRepairedOnceAndThenDropped() async throws {
    let wrong = Plan.goal(quote: "I want to be famous")
    let model = Plan.model(draft: [wrong, wrong])
    let (_, screen) = try await Plan.answered(try Plan.walk(Plan.drafter(model)))
    #expect(model.documentRequests.count == 2)
    #expect(model.documentRequests.last?.system.contains("/restsOn/0/quote") == true)
    #expect(screen.rows.first?.value == "Run 10 km by June")
    #expect(!Plan.rows(screen).contains { $0.contains("famous") })
  }

  @Test(
    arguments: [("my right knee is shot", ["My left knee hurts"]), ("a bad shoulder", [])])
  func aLimitThatNobodyNamedSoIsRepairedOnceAndThenInTheirWords(
    constraint: String, shown: [String]
  ) async throws {
    let wrong = Plan.program(constraint: constraint)
    let model = Plan.model(draft: [Plan.goal(), wrong, wrong])
    let (_, screen) = try await Plan.reviewing(try Plan.walk(Plan.drafter(model)))
    #expect(model.documentRequests.last?.system.contains("/adaptations/0/constraint") == true)
    #expect(screen.program?.adaptations.map(\.constraint) == shown)
    #expect(!Plan.rows(screen).contains { $0.contains(constraint) })
  }

  @Test func aPoolIsNeededWhereAnExerciseNamesOne() async throws {
    let wet = Plan.program(exercises: ["Dumbbell row", "Intervals in the pool"])
    let model = Plan.model(draft: [Plan.goal(), wet, wet])
    let (_, screen) = try await Plan.reviewing(try Plan.walk(Plan.drafter(model)))
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
    let wrong = Plan.program(days: days, exercises: exercises)
    let model = Plan.model(draft: [Plan.goal(), wrong, wrong])
    let (_, screen) = try await Plan.reviewing(try Plan.walk(Plan.drafter(model)))
    // Named to the model, and left out if it doesn't help.
    #expect(model.documentRequests.count == 3)
    #expect(model.documentRequests.last?.system.lowercased().contains(problem.lowercased()) == true)
    let program = try #require(screen.program)
    #expect(program.sessions.allSatisfy { [.tuesday, .thursday].contains($0.day) })
    #expect(Set(program.sessions.flatMap(\.exercises).map(\.name)) == ["Dumbbell row"])
    #expect(screen.body.contains { $0.lowercased().contains(problem.lowercased()) })
  }

  @Test func aRepairThatHelpsIsTaken() async throws {
    let model = Plan.model(
      draft: [Plan.goal(), Plan.program(adapts: false), Plan.program(minutes: 30)])
    let (_, screen) = try await Plan.reviewing(try Plan.walk(Plan.drafter(model)))
    #expect(model.documentRequests.last?.system.contains("the knee") == true)
    #expect(screen.program?.sessions.map(\.minutes) == [30, 30])
    #expect(screen.document?.note == nil)
  }

  @Test func fieldsThatAreWrongAreLeftOutAndTheRestIsKept() async throws {
    var wrong = Plan.program().objectValue ?? [:]
    let odd: JSONValue = ["day": "someday", "time": "25:99", "title": "", "minutes": 9_000]
    wrong["sessions"] = .array((wrong["sessions"]?.arrayValue ?? []) + [odd])
    wrong["weeks"] = "six"
    let model = Plan.model(draft: [Plan.goal(), .object(wrong), .object(wrong)])
    let (_, screen) = try await Plan.reviewing(try Plan.walk(Plan.drafter(model)))
    #expect(screen.program?.sessions.count == 2)
    #expect(model.documentRequests.last?.system.contains("/sessions/2/day") == true)
  }

  @Test func anAnswerThatIsNoDocumentCanBeTriedAgain() async throws {
    let model = Plan.model(draft: ["Sure!", "Here you are.", Plan.goal()])
    let walk = try Plan.walk(Plan.drafter(model))
    let (engine, screen) = try await Plan.answered(walk)
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

    func reply(
      to words: String, at document: DraftedDocument, proposed: DocumentEdit?, facts: DraftFacts
    ) async throws(DraftError) -> DocumentReply {
      throw DraftError(words: "not now")
    }
  }

  @Test func fieldsAreShownAsTheyArrive() async throws {
    let (seen, see) = AsyncStream.makeStream(of: Void.self)
    let walk = try Plan.walk(SlowDrafter(seen: seen))
    var (engine, screen) = try await walk.opened()
    for answer in Plan.said { screen = try await engine.take(.answer(.string(answer))) }
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

  @Test func whoStopsWaitingLeavesTheDocumentToBeWritten() async throws {
    let (seen, see) = AsyncStream.makeStream(of: Void.self)
    let walk = try Plan.walk(SlowDrafter(seen: seen))
    let (engine, opened) = try await walk.opened()
    var screen = opened
    for answer in Plan.said { screen = try await engine.take(.answer(.string(answer))) }
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
}
