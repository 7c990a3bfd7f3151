import Coaching
import Foundation
import HealthRecords
import Intake

/// Folds entries into a state and sums them up.
struct LogBench {
  let events: [RecordedEvent]
  let pack: CoachingPack
  private static let runs = 21

  init(entries count: Int) throws {
    pack = try CoachingPack(PromptPack.embedded())
    let activities = ["squat", "benchPress", "deadlift", "running", "cycling"]
    events = try (0..<count).map { index in
      let activity = activities[index % activities.count]
      let isDistance = index % activities.count > 2
      var entry = LogEntry(
        number: index + 1, day: Day(number: 14_000 + index / 3),
        kind: isDistance ? .distance : .strength, activity: activity)
      if isDistance {
        (entry.kilometers, entry.seconds) = (5 + Double(index % 7), 1_800 + Double(index % 600))
      } else {
        (entry.sets, entry.repetitions) = (3, 5)
        entry.kilograms = 60 + Double(index % 40)
      }
      return try RecordedEvent(
        position: index + 1, at: Date(timeIntervalSince1970: Double(index)),
        envelope: EventEnvelope(CoachingEvent.noted(entry)))
    }
  }

  func run() throws {
    let clock = ContinuousClock()
    let today = Day(number: 14_000 + events.count / 3)
    var times: [Duration] = []
    for _ in 0..<Self.runs {
      times.append(
        try clock.measure {
          let state = try CoachingState(events: events)
          let progress = state.progress(pack, today: today)
          precondition(progress.activities.count == 5)
        })
    }
    times.sort()
    print("median \(times[times.count / 2]), slowest \(times[times.count - 1])")
  }
}
