import FoundationEssentials
import HealthRecords
import Intake
import SessionStore
import Startup

// The person's health data in their conversations.
extension CoachDesk {
  /// Hands the engine what the person shared, before it speaks.
  func takeHealth(_ engine: IntakeEngine) async {
    guard let kept = try? await store.health()?.snapshot,
      let snapshot = try? HealthSnapshot.reading(
        Array(kept.json.utf8), name: kept.file, today: today)
    else { return }
    await engine.take(HealthNote(snapshot, rubric: pack.rubric, today: today))
  }

  var today: Day { Day(now().formatted(.iso8601.year().month().day())) ?? Day(number: 0) }

  /// Forgets data that the person withdrew in the conversation, or that is not theirs.
  func forgetHealth(_ end: EndOfHealth) async {
    switch end {
    case .withdrawn: try? await store.declineHealth(at: now())
    case .ofSomebodyElse: try? await store.forgetHealth()
    }
  }
}
