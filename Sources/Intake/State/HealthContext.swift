import Signals

/// What health data says, and how much of it was told.
package struct HealthContext: Hashable, Sendable {
  private enum Data: Hashable, Sendable {
    case none
    /// The coach hasn't spoken since it came.
    case new(HealthNote)
    case known(HealthNote)
    /// It turned out to be another person's.
    case anothers
  }

  private var data = Data.none
  /// Kinds of readings for a doctor that were told.
  private var readingsTold: Set<HealthNote.DoctorReading.Topic> = []

  var note: HealthNote? {
    switch data {
    case .new(let note), .known(let note): note
    case .none, .anothers: nil
    }
  }

  var isNew: Bool { if case .new = data { true } else { false } }
  var wasAnothers: Bool { data == .anothers }

  /// Readings that a doctor should see, of kinds that haven't been told.
  var readingsDue: [String] {
    (note?.forDoctor ?? []).filter { !readingsTold.contains($0.topic) }.map(\.text)
  }

  mutating func take(_ note: HealthNote) { data = self.note == nil ? .new(note) : .known(note) }

  mutating func withdraw(statedAge: Int?) {
    guard let note else { return }
    data = note.isOfSomebodyElse(than: statedAge) ? .anothers : .none
  }

  mutating func coachSpoke() {
    if case .new(let note) = data { data = .known(note) }
  }

  mutating func tellReadings() {
    readingsTold.formUnion(note?.forDoctor.flatMap(\.tells) ?? [])
  }
}

extension HealthNote {
  /// Years by which a stated age and a birth date can differ: a birthday, and some vanity.
  private static let agesApart = 2

  /// Whether somebody of the age that the user named can't have this data.
  fileprivate func isOfSomebodyElse(than statedAge: Int?) -> Bool {
    guard let statedAge else { return false }
    if isMinor, statedAge >= CareNet.ageOfMajority { return true }
    return yearsOld.map { abs($0 - statedAge) > Self.agesApart } ?? false
  }
}

extension IntakeState {
  /// The data can't be the user's, by the age that they named.
  func isOfSomebodyElse(_ note: HealthNote) -> Bool {
    note.isOfSomebodyElse(than: record.statedAge)
  }
}
