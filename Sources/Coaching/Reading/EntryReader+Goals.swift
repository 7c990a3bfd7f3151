import HealthRecords

/// The figures that a goal names.
extension EntryReader {
  /// What a goal asks for in figures: `squat 100 kg`, `run a 10k under 55 min`; nil if it names none.
  package func target(in goal: String) -> LogEntry? {
    for sentence in LogTokens.sentences(of: goal) {
      guard let place = places(in: sentence.words).first else { continue }
      let amounts = amounts(in: sentence.tokens[...], place.activity.kind, place.activity)
      guard !amounts.isEmpty else { continue }
      var entry = LogEntry(
        day: Day(number: 0), kind: place.activity.kind, activity: place.activity.id)
      entry.take(amounts)
      return entry
    }
    return nil
  }
}
