import FoundationEssentials
import IncrementalJSON
import Journeys
import Plans
import Testing

/// Changes as `FIELD: VALUE`, and yes or no in words, without a model.
struct FieldEditTests {
  @Test(
    arguments: [
      ("goal: Swim a mile", "Goal: Swim a mile"), ("Measure: 70 kg", "Measured by: 70 kg"),
      ("target: 70 kg", "Measured by: 70 kg"), ("why: my kids", "Why: my kids"),
      ("milestones: 5 km; 8 km", "Milestone: 8 km"),
      ("deadline: 1 June", "By when: 1 June"), ("by when: June 1st", "By when: June 1st"),
      ("Frist: 1. Juni", "By when: 1. Juni"), ("plazo: 1 de junio", "By when: 1 de junio"),
      ("Ziel: Zehn Kilometer laufen", "Goal: Zehn Kilometer laufen"),
      ("por qué: mis hijos", "Why: mis hijos"),
    ])
  func aFieldOfAGoalGetsItsValue(words: String, row: String) async throws {
    let (engine, before) = try await Plan.answered(try Plan.walk())
    let shown = try await engine.answer(.string(words))
    #expect(shown.problem == nil && shown.document?.state == .changing)
    #expect(shown.diff.contains { $0.change == .added && $0.text == row }, "\(shown.diff)")
    let changed = Plan.rows(try await engine.answer("apply"))
    // What was quoted for the goal doesn't speak for another.
    let isQuoted = changed.contains("Rests on: “Run a 10k by June”")
    #expect(changed.contains(row) && isQuoted != row.hasPrefix("Goal"), "\(changed)")
    #expect(try await engine.answer("undo").rows == before.rows)
  }

  /// The walk begins in January 2027.
  @Test(arguments: [
    ("1 June", "2027-06-01"), ("1. Juni", "2027-06-01"), ("1 de junio", "2027-06-01"),
    ("2 January", "2028-01-02"), ("15 March 2028", "2028-03-15"), ("2027-08-31", "2027-08-31"),
  ])
  func aDeadlineIsADate(words: String, date: String) async throws {
    let (engine, _) = try await Plan.answered(try Plan.walk())
    try await engine.answer(.string("deadline: " + words))
    let json = try #require(try await engine.answer("apply").document?.json)
    #expect(try JSONValue(parsing: json)["date"]?.stringValue == date)
  }

  @Test func nothingBehindTheColonLeavesAFieldOut() async throws {
    let (engine, _) = try await Plan.answered(try Plan.walk())
    try await engine.answer("why: Mia")
    #expect(Plan.rows(try await engine.answer("apply")).contains("Why: Mia"))
    try await engine.answer("why:")
    #expect(!Plan.rows(try await engine.answer("apply")).contains { $0.hasPrefix("Why") })
    // A goal is never left out.
    #expect(try await engine.answer("goal:").problem?.contains("goal: Run 10 km") == true)
    let risky = try await engine.answer("goal: do 100 burpees")
    #expect(risky.refusal?.contains("I hate burpees") == true, "\(risky.refusal ?? "")")
  }

  @Test(
    arguments: [
      ("minutes: 20", [20, 20], nil), ("Thu minutes: 20", [30, 20], nil),
      ("jueves minutos: 20 min", [30, 20], nil), ("Do Minuten: 20 Minuten", [30, 20], nil),
      ("weeks: 6", [30, 30], nil), ("Wochen: 6", [30, 30], nil), ("title: Legs", [30, 30], nil),
      ("time: 18:30", [30, 30], nil), ("Tuesday time: 8 am", [30, 30], nil),
      ("day: Tue", [30], nil), ("day: Tue Sat", [30, 30], "Saturday"),
      ("días: martes, jueves, sábado", [30, 30, 30], "Saturday"),
      ("Thursday day: Fri", [30, 30], "Friday"),
      ("exercises: Glute bridge; Walk 10 min", [30, 30], nil),
      ("Thu exercises: Burpees 3x10", [30, 30], "could strain your knee"),
    ] as [(String, [Int], String?)])
  func aFieldOfAProgramGetsItsValue(
    words: String, minutes: [Int], refusal: String?
  ) async throws {
    let (engine, before) = try await Plan.reviewing(try Plan.walk())
    let shown = try await engine.answer(.string(words))
    #expect(shown.problem == nil && !shown.diff.isEmpty, "\(shown.problem ?? "")")
    #expect(shown.refusal?.contains(refusal ?? "") ?? (refusal == nil))
    if refusal != nil {
      // Approving the program isn't a yes to what contradicts a limit.
      let asked = try await engine.answer("approve")
      #expect(asked.document?.state == .changing && asked.problem != nil)
    }
    let changed = try #require(try await engine.answer("apply").program)
    #expect(changed.sessions.map(\.minutes) == minutes && changed != before.program)
    #expect(try await engine.answer("undo").program == before.program)
  }

  @Test func anExerciseThatIsThereKeepsItsFigures() async throws {
    let (engine, before) = try await Plan.reviewing(try Plan.walk())
    try await engine.answer("Thu exercises: glute bridge; Lunge 3x10-12; Walk 10 min")
    let program = try #require(try await engine.answer("apply").program)
    #expect(program.sessions[0] == before.program?.sessions[0])
    #expect(
      program.sessions[1].exercises.map(\.loadText) == ["2 × 8-12", "3 × 10-12", "10 minutes"])
  }

  @Test(arguments: [
    ("make Thursday shorter", "“minutes: 30”, or “Thu minutes: 30” for one session"),
    ("no planks", "title, weeks, day, time, minutes, exercises"),
    ("deadline: 1 June", "title, weeks, day, time, minutes, exercises"),
    ("Thu weeks: 6", "title, weeks, day, time, minutes, exercises"),
    ("minutes: a few", "I can't take \"a few\" for minutes"),
    ("minutes: 30 kg", "“minutes: 30”"), ("day: Tuesday and Friday", "“day: Tue Thu”"),
    ("day: soon", "“day: Tue Thu”"), ("Thu day: Fri Sat", "“day: Tue Thu”"),
    ("time: after work", "“time: 18:30”"), ("exercises: Squats", "“exercises: Plank 3x20 s"),
    ("weeks: 5000", "a whole number from 1 to 26"),
    ("Tue minutes: 2", "a whole number from 5 to 240"),
    ("Monday minutes: 20", "There's no session on Monday."),
  ])
  func anythingElseIsRefusedInOneLineWithAnExample(words: String, part: String) async throws {
    let (engine, before) = try await Plan.reviewing(try Plan.walk())
    let shown = try await engine.answer(.string(words))
    let problem = try #require(shown.problem)
    #expect(problem.contains(part) && problem.hasSuffix("Nothing was changed."), "\(problem)")
    #expect(!problem.contains("\n") && shown.program == before.program)
  }

  @Test(arguments: ["deadline: soon", "deadline: 31 June", "deadline: 1 June 2020", "by August"])
  func aDeadlineThatIsNoDateIsRefused(words: String) async throws {
    let (engine, before) = try await Plan.answered(try Plan.walk())
    let shown = try await engine.answer(.string(words))
    #expect(shown.problem?.contains("“deadline: 1 June”") == true && shown.rows == before.rows)
  }

  @Test func wordsAtAnOpenChangeTakeItsPlaceOrSettleIt() async throws {
    let (engine, before) = try await Plan.reviewing(try Plan.walk())
    try await engine.answer("weeks: 6")
    let other = try await engine.answer("Thu time: 7 pm")
    #expect(other.diff.contains { $0.text.contains("19:00") && $0.change == .added })
    #expect(!other.diff.contains { $0.text.contains("6 weeks") })
    #expect(try await engine.answer("undo").program == before.program)
    for words in ["yes please", "sounds great, let's do that", "approve", "Apply the change"] {
      try await engine.answer("weeks: 5")
      #expect(try await engine.answer(.string(words)).program?.weeks == 5, "\(words)")
      #expect(try await engine.answer("undo").program == before.program)
    }
    try await engine.answer("weeks: 7")
    let kept = try await engine.answer("sing to me")
    #expect(kept.problem?.contains("rehearsal") == true && kept.document?.state == .changing)
    #expect(try await engine.answer("no").document?.state == .draft)
  }

  @Test(arguments: ["no", "no, leave it as it was, please", "not that"])
  func aChangeIsTurnedDownInPlainWords(words: String) async throws {
    let (engine, before) = try await Plan.answered(try Plan.walk())
    try await engine.answer("why: Mia")
    #expect(try await engine.answer(.string(words)).rows == before.rows)
    let asked = try await engine.answer(.string(words))
    #expect(asked.problem?.hasPrefix("No change waits") == true)
  }

  @Test func aYesInWordsApprovesTheDraft() async throws {
    let (engine, _) = try await Plan.answered(try Plan.walk())
    #expect(try await engine.answer("yes, that's exactly it").document?.kind == .program)
  }

  @Test func aReasonIsNamedOnceWithItsWords() async throws {
    let (engine, _) = try await Plan.reviewing(try Plan.walk())
    let refusal = try #require(try await engine.answer("day: Sat Sun").refusal)
    #expect(refusal.contains("Saturday isn't one of your days; Sunday isn't one of your days"))
    #expect(
      refusal.components(separatedBy: "Tuesday and Thursday mornings").count == 2, "\(refusal)")
  }

  /// The words of a form are one text; those of a conversation can be part of them.
  @Test func aQuoteThatIsPartOfAnotherIsNotRepeated() async throws {
    let (engine, _) = try await Plan.reviewing(
      try Plan.walk(),
      ["hurts": "nothing", "days": "Tuesday and Thursday evenings, twice a week"])
    let refusal = try #require(try await engine.answer("day: Tue Thu Sat").refusal)
    #expect(refusal.contains("3 sessions a week are more than you have time for; "), "\(refusal)")
    #expect(refusal.components(separatedBy: "Thursday evenings").count == 2, "\(refusal)")
  }

  @Test func aSessionIsNoLongerThanThereIsTime() async throws {
    let (engine, _) = try await Plan.reviewing(
      try Plan.walk(), ["hurts": "nothing", "days": "Tuesdays and Thursdays, 30 minutes each"])
    let refusal = try #require(try await engine.answer("minutes: 45").refusal)
    #expect(refusal.contains("45 minutes are more than you have time for"), "\(refusal)")
    #expect(try await engine.answer("minutes: 25").refusal == nil)
  }

  @Test func aNewSessionIsOneBlockOfTheDifference() async throws {
    let (engine, _) = try await Plan.reviewing(try Plan.walk())
    let shown = try await engine.answer("day: Tue Thu Sat")
    let added = shown.diff.filter { $0.change == .added }.map(\.text)
    #expect(added.first == "Length: 4 weeks, 3 sessions a week")
    #expect(added.dropFirst().first == "Saturday, 07:00, 30 minutes: Whole body")
    let first = try #require(shown.diff.firstIndex { $0.text.hasPrefix("Saturday") })
    #expect(shown.diff[first..<first + 5].allSatisfy { $0.change == .added })
    #expect(shown.diff[first - 1].change == .same)
    // The way back is one block as well.
    _ = try await engine.answer("apply")
    let back = try await engine.answer("day: Tue Thu").diff.filter { $0.change == .removed }
    #expect(back.dropFirst().first?.text == "Saturday, 07:00, 30 minutes: Whole body")
  }

  @Test func anHourOutsideOfTheDaysPartIsRefusedUntilConfirmed() async throws {
    let (engine, _) = try await Plan.reviewing(
      try Plan.walk(),
      ["hurts": "nothing hurts", "days": "Tuesday and Thursday evenings, not in the mornings"])
    #expect(try await engine.answer("Tue time: 18:45").refusal == nil)
    try await engine.answer("apply")
    let shown = try await engine.answer("Tue time: 7 am")
    #expect(shown.refusal?.contains("07:00 isn't when you can train") == true, "\(shown)")
  }
}
