import FoundationEssentials
import HealthRecords
import IncrementalJSON
import Intake
import Testing

@testable import Coaching

/// Entries as they stand after corrections, and as files.
struct TrainingLogTests {
  private func fold(_ events: [CoachingEvent]) throws -> TrainingLog {
    try CoachingState(
      events: events.enumerated().map { index, event in
        let json = try EventEnvelope(event).text
        // As a store gives it back.
        return try RecordedEvent(
          position: index + 1, at: Date(timeIntervalSince1970: 0),
          envelope: EventEnvelope(kind: event.kind.rawValue, version: 1, json: json))
      }
    ).log
  }

  private func numbered(_ entry: LogEntry, _ number: Int) -> LogEntry {
    var entry = entry
    entry.number = number
    return entry
  }

  @Test func correctionsAndRemovalsHold() throws {
    let log = try fold([
      .noted(numbered(squat(60, on: monday), 1)), .noted(numbered(squat(70, on: monday), 2)),
      .noted(numbered(squat(80, on: monday), 3)), .corrected(numbered(squat(75, on: monday), 2)),
      .removed(entry: 1), .corrected(numbered(squat(99, on: monday), 1)), .removed(entry: 9),
    ])
    #expect(log.entries.map(\.kilograms) == [75, 80])
    #expect(log[1] == nil && log[2]?.kilograms == 75 && log[3]?.kilograms == 80)
    #expect(log.lastNumber == 3)
  }

  @Test func anEventSurvivesTheLog() throws {
    var entry = numbered(squat(62.5, on: monday), 4)
    (entry.effort, entry.note) = (.easy, "belt")
    entry.quote = .init(turn: 9, text: "3x5 at 62.5")
    #expect(try fold([.noted(entry)]).entries == [entry])
  }

  @Test func theExportQuotesWhatASpreadsheetWouldMisread() {
    var entry = numbered(squat(62.5, on: monday), 4)
    entry.note = "=1+1, \"ouch\""
    let lines = LogExport.csv([entry]).split(separator: "\r\n")
    #expect(lines.count == 2)
    #expect(
      lines.last == "4,2026-02-02,strength,squat,3,5,62.5,,,,\"'=1+1, \"\"ouch\"\"\",,typed,,,,")
    #expect(entry.json["kilograms"]?.doubleValue == 62.5 && entry.json["seconds"] == nil)
  }

  private func workout(
    _ type: String, day: Day = monday, at minute: Int = 0, minutes: Double = 30,
    kilometers: Double? = nil
  ) -> HealthWorkout {
    let begins = day.number * 86_400 + minute * 60
    return HealthWorkout(
      type: type, day: day, begins: begins, ends: begins + Int(minutes * 60), minutes: minutes,
      kilometers: kilometers)
  }

  @Test func workoutsArentDoubled() throws {
    let said = try fold([
      .noted(numbered(run(5, minutes: 31, on: monday), 1)),
      .noted(numbered(squat(60, on: monday), 2)),
    ])
    let workouts = [
      workout("running", kilometers: 5.02), workout("strength training", at: 60),
      workout("running", day: monday + 1, kilometers: 4), workout("yoga", at: 120),
    ]
    let new = said.new(workouts, try pack())
    #expect(new.map(\.activity) == ["running", "yoga"])
    #expect(new.map(\.number) == [3, 4] && new.allSatisfy { $0.source == .health })
    var all = said
    all = try fold((said.entries + new).map { .noted($0) })
    #expect(all.new(workouts, try pack()).isEmpty)
  }

  /// Whichever came first, and whatever unit it was typed in.
  @Test func whatIsTypedAndImportedIsOneSession() throws {
    for words in ["ran 5k in 31 min", "ran 3.1 miles in 31 min", "ran 30 minutes"] {
      let typed = try #require(try read(words).first, "\(words)")
      let before = try fold([.noted(numbered(typed, 1))])
      #expect(before.new([workout("running", kilometers: 5.02)], try pack()).isEmpty, "\(words)")
      let imported = try TrainingLog().new([workout("running", kilometers: 5.02)], pack())
      let after = try fold(imported.map { .noted($0) })
      #expect(after.duplicate(of: typed)?.source == .health, "\(words)")
    }
  }

  /// "Strength training" on a watch is the squats that are told; a second exercise is one more.
  @Test func whatIsToldAfterAWatchsTrainingTakesItsPlace() throws {
    let workouts = try TrainingLog().new([workout("strength training", at: 60)], pack())
    let log = try fold(workouts.map { .noted($0) })
    let told = try read("squats 3x5 at 60 kg; bench 3x8 at 40 kg")
    let first = try #require(try log.workout(toldBy: told[0], pack(), besides: []))
    #expect(first.number == 1 && first.activity == "squat" && first.kilograms == 60)
    #expect(first.source == .health && first.begins == log.entries[0].begins)
    #expect(try log.workout(toldBy: told[1], pack(), besides: [1]) == nil)
    let after = try fold([.noted(log.entries[0]), .corrected(first)])
    #expect(try after.workout(toldBy: told[1], pack(), besides: []) == nil)
  }

  @Test func aSecondRunOfTheDayIsKept() throws {
    let said = try fold([.noted(numbered(run(5, minutes: 31, on: monday), 1))])
    let workouts = [
      workout("running", kilometers: 5.02), workout("running", at: 300, kilometers: 10),
    ]
    #expect(said.new(workouts, try pack()).map(\.kilometers) == [10])
  }

  @Test func twoRunsOnOneDayAreTwo() throws {
    let workouts = [
      workout("running", kilometers: 5), workout("running", at: 300, kilometers: 3),
      workout("running", at: 310, kilometers: 3),
    ]
    #expect(TrainingLog().new(workouts, try pack()).count == 2)
  }
}
