import Signals

/// The user's health data, and how much of it they were told.
package struct HealthContext: Hashable, Sendable {
  private enum Data: Hashable, Sendable {
    case none
    /// The coach has not spoken since it arrived.
    case new(HealthNote)
    case known(HealthNote)
    /// It turned out to belong to another person.
    case anothers
  }

  private var data = Data.none
  /// Topics of doctor readings already told.
  private var readingsTold: Set<HealthNote.DoctorReading.Topic> = []

  var note: HealthNote? {
    switch data {
    case .new(let note), .known(let note): note
    case .none, .anothers: nil
    }
  }

  var isNew: Bool { if case .new = data { true } else { false } }
  var wasAnothers: Bool { data == .anothers }

  /// Readings for a doctor that the user has not been told about.
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
  /// Years by which a stated age and a birth date may differ: a birthday, and some vanity.
  private static let agesApart = 2

  /// Whether the user's stated age rules out this data.
  fileprivate func isOfSomebodyElse(than statedAge: Int?) -> Bool {
    guard let statedAge else { return false }
    if isMinor, statedAge >= CareNet.ageOfMajority { return true }
    return yearsOld.map { abs($0 - statedAge) > Self.agesApart } ?? false
  }
}

extension IntakeState {
  /// Whether the user's stated age rules out that the data is theirs.
  func isOfSomebodyElse(_ note: HealthNote) -> Bool {
    note.isOfSomebodyElse(than: record.statedAge)
  }
}
