import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import LanguageModels
import Plans
import Testing

/// What a review shows, makes and undoes, and what remains of it.
struct DocumentReviewTests {
  @Test func aChangeIsShownThenMadeThenUndoneWithOneWord() async throws {
    let model = Plan.model(
      draft: [Plan.goal(), Plan.program()], edit: [Plan.program(minutes: 25)])
    let (engine, before) = try await Plan.reviewing(try Plan.walk(Plan.drafter(model)))
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
    let risky = Plan.program(days: ["tuesday", "friday"], exercises: ["Easy run"])
    let model = Plan.model(draft: [Plan.goal(), Plan.program()], edit: [risky, risky])
    let (engine, before) = try await Plan.reviewing(try Plan.walk(Plan.drafter(model)))
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
    var edited = Plan.goal().objectValue ?? [:]
    edited["primary"] = "Run a marathon"
    edited["contradicts"] = "My left knee hurts"
    let model = Plan.model(draft: [Plan.goal()], edit: [.object(edited)])
    let (engine, _) = try await Plan.answered(try Plan.walk(Plan.drafter(model)))
    let shown = try await engine.answer("make it a marathon")
    #expect(shown.refusal?.contains("My left knee hurts") == true)
  }

  @Test func aChangeThatChangesNothingSaysSo() async throws {
    let model = Plan.model(draft: [Plan.goal()], edit: [Plan.goal(), "no"])
    let (engine, before) = try await Plan.answered(try Plan.walk(Plan.drafter(model)))
    let same = try await engine.answer("make it nicer")
    #expect(same.problem?.contains("wouldn't change anything") == true && same.diff.isEmpty)
    let failed = try await engine.answer("make it nicer")
    #expect(failed.problem?.isEmpty == false && failed.rows == before.rows)
  }

  /// The model says what words do; a yes beside another document is a change.
  @Test func whatTheModelCallsAYesOrNoIsOne() async throws {
    func says(_ act: String, primary: String = "Run 10 km by June") -> JSONValue {
      var edited = Plan.goal().objectValue ?? [:]
      edited["primary"] = .string(primary)
      edited["act"] = .string(act)
      return .object(edited)
    }
    let model = Plan.model(
      draft: [Plan.goal(), Plan.program()],
      edit: [
        says("corrects", primary: "Run 12 km"), says("rejects"),
        says("corrects", primary: "Run 12 km"), says("agrees"),
        says("agrees", primary: "Run 15 km"), says("rejects", primary: "Run 12 km"),
        says("agrees", primary: "Run 12 km"),
      ])
    let (engine, before) = try await Plan.answered(try Plan.walk(Plan.drafter(model)))
    try await engine.answer("make it twelve")
    #expect(try await engine.answer("nah, changed my mind").rows == before.rows)
    try await engine.answer("make it twelve")
    let applied = try await engine.answer("venga, así se queda")
    #expect(applied.rows.first?.value == "Run 12 km" && applied.document?.state == .draft)
    let request = try #require(model.documentRequests.last?.messages.first?.text)
    #expect(request.contains("\"proposed\"") && request.contains("make it twelve"))
    let other = try await engine.answer("fine, but fifteen")
    #expect(other.document?.state == .changing)
    #expect(try await engine.answer("lieber doch nicht").document?.state == .draft)
    #expect(try await engine.answer("passt so").document?.kind == .program)
  }

  @Test func undoWithoutAChangeSaysSo() async throws {
    let (engine, _) = try await Plan.answered(try Plan.walk())
    let screen = try await engine.answer("undo")
    #expect(screen.problem == "There's no change to undo.")
    for word in ["apply", "Discard"] {
      let problem = try await engine.answer(.string(word)).problem
      #expect(problem?.hasPrefix("No change waits for a yes or no.") == true)
    }
  }

  @Test func undoTakesBackEveryChangeTheLatestFirst() async throws {
    let walk = try Plan.walk()
    let (engine, first) = try await Plan.reviewing(walk)
    try await engine.answer("weeks: 6")
    let second = try await engine.answer("apply")
    try await engine.answer("Thu minutes: 20")
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
    let (engine, before) = try await Plan.answered(try Plan.walk())
    try await engine.answer("why: Mia")
    try await engine.answer("apply")
    try await engine.answer("approve")
    #expect(try await engine.act(.back).document?.state == .approved)
    let undone = try await engine.answer("undo")
    #expect(undone.document?.state == .draft && undone.rows == before.rows)
  }

  @Test func nothingTypedAtAReviewAsksForAChangeOrApproval() async throws {
    let (engine, _) = try await Plan.answered(try Plan.walk())
    #expect(try await engine.answer("").problem == "Tell me what to change, or approve it.")
  }

  @Test func thePlanIsWhatWasApprovedLast() async throws {
    let walk = try Plan.walk()
    let (engine, _) = try await Plan.answered(walk)
    #expect(try await ActivePlan(events: walk.log.events()).goal == nil)
    _ = try await engine.answer("approve")
    _ = try await engine.answer("Thu minutes: 20")
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

  @Test func theFirstSessionHasItsDateOnceTheProgramIsActive() async throws {
    let (engine, _) = try await Plan.reviewing(try Plan.walk())
    let done = try await engine.answer("approve")
    let first = try #require(done.rows.first?.value)
    // Activated on a Friday, January 15.
    #expect(first.contains(", Tuesday, January 19, 07:00, "), "\(first)")
  }
}
