import TestSupport
import Testing

@testable import HealthRecords

/// What stands inside of a record or a workout counts in whatever order and company it stands there.
struct NestingTests {
  private static let at = "2026-01-10 08:00:00 +0100"
  private static let entered = "<MetadataEntry key=\"HKWasUserEntered\" value=\"1\"/>"
  private static let distance =
    "<WorkoutStatistics type=\"HKQuantityTypeIdentifierDistanceWalkingRunning\" sum=\"5\" "
    + "unit=\"km\"/>"

  /// Elements that say nothing about what they stand in, long and short.
  private static let neutral = [
    "<MetadataEntry key=\"HKTimeZone\" value=\"Europe/Amsterdam\"/>",
    "<MetadataEntry key=\"HKIndoorWorkout\" value=\"0\"></MetadataEntry>",
    "<MetadataEntry key=\"HKWasUserEntered\" value=\"0\"/>",
    "<MetadataEntry key=\"a b c value=\"x\"/>", "<!-- <x/> -->", "<SomethingNew/>",
    "<HeartRateVariabilityMetadataList>"
      + "<InstantaneousBeatsPerMinute bpm=\"61\" time=\"08:00:00,1\"/>"
      + "<InstantaneousBeatsPerMinute bpm=\"62\" time=\"08:00:01,1\"/>"
      + "</HeartRateVariabilityMetadataList>",
    "<HeartRateVariabilityMetadataList/>",
    // Only what belongs to the workout itself says how it was measured.
    "<WorkoutEvent type=\"HKWorkoutEventTypePause\" date=\"2026-01-10 08:10:00 +0100\"/>",
    "<WorkoutEvent type=\"HKWorkoutEventTypeLap\">\(entered)</WorkoutEvent>",
    "<WorkoutRoute sourceName=\"Watch\"><FileReference path=\"/routes/1.gpx\"/>\(entered)"
      + "</WorkoutRoute>",
    "<WorkoutActivity uuid=\"1\">\(distance.replacing("\"5\"", with: "\"50\""))</WorkoutActivity>",
    "<WorkoutStatistics type=\"HKQuantityTypeIdentifierHeartRate\" average=\"120\"/>",
    "<MetadataEntry key=\"k\" value=\"v\">\(entered)</MetadataEntry>",
  ]

  /// What a list of elements comes to in any order, with any others between them.
  private func expectTheSame(
    _ counting: [String], _ read: (String) throws -> HealthSnapshot
  ) throws {
    var random = SeededGenerator(seed: 29)
    let plain = try read(counting.joined())
    for _ in 0..<200 {
      var all = counting
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        all.append(Self.neutral.randomElement(using: &random) ?? "")
      }
      all.shuffle(using: &random)
      #expect(try read(all.joined(separator: "\n")) == plain, "\(all)")
    }
  }

  @Test func aWorkoutHasItsDistanceAndItsSource() throws {
    let energy =
      "<WorkoutStatistics type=\"HKQuantityTypeIdentifierActiveEnergyBurned\" sum=\"300\" "
      + "unit=\"Cal\"></WorkoutStatistics>"
    try expectTheSame([Self.distance, energy, Self.entered]) { inner in
      let found = try snapshot(
        of: workout("Running", Self.at, "2026-01-10 08:30:00 +0100", source: "App", inner: inner)
          // Shares its time with the run: which of the two stays shows whose word counts.
          + workout("Yoga", "2026-01-10 08:01:00 +0100", "2026-01-10 08:31:00 +0100"))
      #expect(found.workouts?.measured == 1 && found.workouts?.count == 1)
      #expect(found.workouts?.types.first?.kilometres == 5)
      return found
    }
  }

  @Test func aRecordIsKnownToBeEnteredByHand() throws {
    let end = "2026-01-10 09:00:00 +0100"
    try expectTheSame([Self.entered]) { inner in
      let found = try snapshot(
        of: record("StepCount", "1000", source: "Watch", start: Self.at, end: end)
          + record("StepCount", "2000", start: Self.at, end: end, inner: inner))
      #expect(found.series[.steps]?.mean == 2000)
      return found
    }
  }

  @Test func sleepAndReadingsAreKeptOnce() throws {
    try expectTheSame([]) { inner in
      let asleep = sleep("AsleepCore", "2026-01-10 23:00:00 +0100", "2026-01-11 06:00:00 +0100")
      let found = try snapshot(
        of: asleep.replacing("/>", with: ">\(inner)</Record>")
          + record("HeartRateVariabilitySDNN", "45", unit: "ms", start: Self.at, inner: inner)
          + record("BodyMass", "80", unit: "kg", start: Self.at, inner: inner + " "))
      #expect(found.series[.sleep]?.readings == 1 && found.series[.bodyMass]?.readings == 1)
      #expect(found.series[.heartRateVariability]?.readings == 1 && found.leftOut.isEmpty)
      return found
    }
  }

  @Test func aTriathlonIsAsLongAsItsParts() throws {
    let parts = ["DistanceSwimming", "DistanceCycling", "DistanceWalkingRunning"].map {
      "<WorkoutStatistics type=\"HKQuantityTypeIdentifier\($0)\" sum=\"10\" unit=\"km\"/>"
    }
    let end = "2026-01-10 12:00:00 +0100"
    for inner in [parts, parts.reversed(), parts + parts] {
      let found = try snapshot(of: workout("SwimBikeRun", Self.at, end, inner: inner.joined()))
      #expect(found.workouts?.types.first?.kilometres == 30)
    }
  }

  @Test func whatIsDamagedIsNamedAndTheRestIsUsed() throws {
    let damaged = " a b c=\"x/>"
    let found = try snapshot(
      of: workout(
        "Running", Self.at, "2026-01-10 08:30:00 +0100",
        inner: "<WorkoutStatistics\(damaged)\n<MetadataEntry\(damaged)\n")
        + record("BodyMass", "80", unit: "kg", start: Self.at, inner: "<MetadataEntry\(damaged)\n")
        + "<Record\(damaged)\n<Workout\(damaged)\n<Me\(damaged)\n<ActivitySummary\(damaged)\n")
    #expect(found.series[.bodyMass]?.latest == 80 && found.workouts?.count == 1)
    #expect(found.leftOut.allSatisfy { $0.reason == .malformed && $0.count == 1 })
    #expect(
      found.leftOut.map(\.what)
        == ["record", "workout", "figure of a workout", "sums of a day", "profile"])
  }
}
