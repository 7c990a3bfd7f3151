import FoundationEssentials
import IncrementalJSON
import Journeys
import Testing

/// Changes to a program in words, by rules.
struct ProgramEditTests {
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
    let (engine, before) = try await Plan.reviewing(try Plan.walk())
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

  @Test func setsAreNoPartOfAnExercisesName() async throws {
    let (engine, _) = try await Plan.reviewing(try Plan.walk(), ["hurts": "nothing hurts"])
    _ = try await engine.answer("add 3 sets of 10 lunges on Tuesday")
    let program = try #require(try await engine.answer("apply").program)
    let lunges = program.sessions.flatMap(\.exercises).filter { $0.name == "Lunges" }
    #expect(lunges.map(\.sets) == [3] && lunges.map(\.repetitions) == ["10"])
  }

  @Test(arguments: [
    ("add a rest day", "rest day"), ("one more rest day, add it", "rest day"),
    ("longer warm-up", "rehearsal"), ("longer planks", "rehearsal"),
  ])
  func aPartOfASessionIsNotAllOfIt(words: String, problem: String) async throws {
    let (engine, before) = try await Plan.reviewing(try Plan.walk())
    let screen = try await engine.answer(.string(words))
    #expect(screen.problem?.contains(problem) == true && screen.program == before.program)
  }

  @Test func theShortestSessionSaysSo() async throws {
    let (engine, _) = try await Plan.reviewing(try Plan.walk())
    _ = try await engine.answer("make it 10 minutes")
    let before = try await engine.answer("apply")
    let screen = try await engine.answer("make Thursday shorter")
    #expect(screen.problem?.contains("10 minutes") == true && screen.program == before.program)
  }

  @Test(arguments: [
    ("Thursday at 6.30 am", "06:30"), ("Thursday 6:30-7:15 pm", "18:30"),
    ("Thursday from 6 to 7 pm", "18:00"),
  ])
  func aTimeIsWhenItBegins(words: String, time: String) async throws {
    let (engine, _) = try await Plan.reviewing(try Plan.walk())
    _ = try await engine.answer(.string(words))
    let program =
      try await engine.answer("apply").document?.state == .changing
      ? try await engine.answer("apply").program : await engine.screen.program
    #expect(program?.sessions.last?.time == time)
  }

  @Test func anExerciseOnAFreeDayIsThatDaysSession() async throws {
    let (engine, _) = try await Plan.reviewing(try Plan.walk())
    let shown = try await engine.answer("add a plank on Monday")
    #expect(shown.refusal?.contains("Monday isn't one of your days") == true)
    _ = try await engine.answer("apply")
    let applied = try await engine.answer("apply")
    let monday = try #require(applied.program?.sessions.first { $0.day == .monday })
    #expect(monday.exercises.map(\.name) == ["Plank"] && monday.minutes == 10)
  }

  @Test func aReasonIsNamedOnceWithItsWords() async throws {
    let (engine, _) = try await Plan.reviewing(try Plan.walk())
    let refusal = try #require(try await engine.answer("only on weekends").refusal)
    let words = "Tuesday and Thursday mornings"
    #expect(refusal.contains("Saturday isn't one of your days; Sunday isn't one of your days"))
    #expect(refusal.components(separatedBy: words).count == 2, "\(refusal)")
  }

  /// The words of a form are one text; those of a conversation can be part of them.
  @Test func aQuoteThatIsPartOfAnotherIsNotRepeated() async throws {
    let long = "Tuesday and Thursday evenings, twice a week"
    let (engine, _) = try await Plan.reviewing(
      try Plan.walk(), ["hurts": "nothing", "days": long])
    let refusal = try #require(try await engine.answer("add Saturday at 7 am").refusal)
    #expect(refusal.contains("3 sessions a week are more than you have time for; "), "\(refusal)")
    #expect(refusal.components(separatedBy: "Thursday evenings").count == 2, "\(refusal)")
  }

  @Test func daysThatAreRefusedGoAndNoneTakesTheirPlace() async throws {
    let (engine, _) = try await Plan.reviewing(try Plan.walk())
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
    let (engine, before) = try await Plan.reviewing(try Plan.walk())
    let screen = try await engine.answer(.string(words))
    #expect(screen.problem == problem && screen.program == before.program)
  }

  @Test func wordsAtAnOpenChangeTakeItsPlaceOrTakeItBack() async throws {
    let (engine, before) = try await Plan.reviewing(try Plan.walk())
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

  @Test func aNewSessionIsOneBlockOfTheDifference() async throws {
    let (engine, _) = try await Plan.reviewing(try Plan.walk())
    let shown = try await engine.answer("add Saturday")
    let added = shown.diff.filter { $0.change == .added }.map(\.text)
    #expect(added.first == "Length: 4 weeks, 3 sessions a week")
    #expect(added.dropFirst().first == "Saturday, 07:00, 30 minutes: Whole body")
    let first = try #require(shown.diff.firstIndex { $0.text.hasPrefix("Saturday") })
    #expect(shown.diff[first..<first + 5].allSatisfy { $0.change == .added })
    #expect(shown.diff[first - 1].change == .same)
    // The way back is one block as well.
    _ = try await engine.answer("apply")
    let back = try await engine.answer("skip Saturday").diff.filter { $0.change == .removed }
    #expect(back.dropFirst().first?.text == "Saturday, 07:00, 30 minutes: Whole body")
  }

  @Test func anHourOutsideOfTheDaysPartIsRefusedUntilConfirmed() async throws {
    let (engine, _) = try await Plan.reviewing(
      try Plan.walk(),
      ["hurts": "nothing hurts", "days": "Tuesday and Thursday evenings, not in the mornings"])
    #expect(try await engine.answer("Tuesday at 18:30").refusal == nil)
    try await engine.answer("apply")
    let shown = try await engine.answer("Tuesday at 7 am")
    #expect(shown.refusal?.contains("07:00 isn't when you can train") == true, "\(shown)")
  }
}
