import ContextQuality
import Signals

// What health data say.
extension IntakeState {
  mutating func hear(_ note: HealthNote) {
    healthIsNew = health == nil
    healthWasAnothers = false
    health = note
    ledger.replaceReadings(
      with: note.evidence.filter { $0.isReading && rubric[$0.facet] != nil })
    // What users say of their age counts more than the birth date on a phone.
    if note.isMinor, statedAge == nil {
      isMinor = true
      if !awaitsUser { askTheirAge() }
    }
  }

  mutating func withdrawHealth() {
    healthWasAnothers = health.map(isOfSomebodyElse) ?? healthWasAnothers
    health = nil
    healthIsNew = false
    ledger.withdrawReadings()
  }

  mutating func askTheirAge() {
    guard isMinor, careDue == nil, !careGiven.contains(.minor), let turn = turns.last?.turn
    else { return }
    careDue = CareStep(kind: .minor, name: CareStep.minorData, turn: turn)
  }

  /// Said beside the conversation: whose move it is stays as it was.
  mutating func noteReading(_ answer: CareAnswer) {
    readingsTold.formUnion(health?.forDoctor.flatMap(\.tells) ?? [])
    transcript.append(.init(.coach, answer.text))
  }

  /// Sentences about readings that a doctor should see, of kinds that have not been told.
  var readingsDue: [String] {
    (health?.forDoctor ?? []).filter { !readingsTold.contains($0.topic) }.map(\.text)
  }

  /// Figures of weight are not for somebody who is growing, or after care that says so.
  package var leavesOutWeight: Bool { isMinor || careGiven.contains(where: careNotes.hidesWeight) }

  /// Years by which a stated age and a birth date can differ: a birthday, and some vanity.
  private static let agesApart = 2

  /// The data cannot be the user's, by the age that they say they have.
  func isOfSomebodyElse(_ note: HealthNote) -> Bool {
    guard let statedAge else { return false }
    if note.isMinor, statedAge >= CareNet.ageOfMajority { return true }
    return note.yearsOld.map { abs($0 - statedAge) > Self.agesApart } ?? false
  }
}
