import Coaching
import FoundationEssentials
import HealthRecords
import Intake
import Journeys

/// February 2, 2026.
let monday = Day(number: 20_486)

private let embedded = Result { try CoachingPack(PromptPack.embedded()) }

func pack() throws -> CoachingPack { try embedded.get() }

/// What a line in the log's grammar adds.
func read(_ text: String) throws -> [LogEntry] {
  try CoachingBook(
    PromptPack.embedded(), pack(), events: [], for: .init(),
    at: Date(timeIntervalSince1970: Double(monday.number) * 86_400)
  ).adding(text).entries.map { entry in
    var entry = entry
    entry.number = 0
    return entry
  }
}

func squat(_ kilograms: Double, on day: Day, repetitions: Int = 5) -> LogEntry {
  var entry = LogEntry(day: day, kind: .strength, activity: "squat")
  (entry.sets, entry.repetitions, entry.kilograms) = (3, repetitions, kilograms)
  return entry
}

func run(_ kilometers: Double, minutes: Double, on day: Day) -> LogEntry {
  var entry = LogEntry(day: day, kind: .distance, activity: "running")
  (entry.kilometers, entry.seconds) = (kilometers, minutes * 60)
  return entry
}

/// The state after these entries, each noted once.
func state(_ entries: [LogEntry]) throws -> CoachingState {
  let events = try entries.enumerated().map { index, entry in
    var entry = entry
    entry.number = index + 1
    return try RecordedEvent(
      position: index + 1, at: Date(timeIntervalSince1970: Double(index)),
      envelope: EventEnvelope(CoachingEvent.noted(entry)))
  }
  return try CoachingState(events: events)
}
