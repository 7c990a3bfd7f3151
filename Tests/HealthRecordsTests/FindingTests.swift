import ContextQuality
import Foundation
import Intake
import TestSupport
import Testing

@testable import HealthRecords

/// What is said, and that nothing is said without enough behind it.
struct FindingTests {
  /// A value a day at noon, where there is one.
  func daily(
    _ type: String, unit: String = "count", source: String = "Watch", days: Range<Int> = 0..<90,
    _ value: (Int) -> Double?
  ) -> String {
    days.compactMap { index in
      value(index).map {
        record(type, "\($0)", unit: unit, source: source, start: day(index) + " 12:00:00 +0000")
      }
    }.joined()
  }

  /// Around a level, by up to a tenth of it, the same every time.
  func wobbling(_ level: Double, _ index: Int) -> Double {
    (level * (0.9 + 0.2 * Double((index * 37) % 11) / 10)).rounded()
  }

  func kinds(_ elements: String) throws -> Set<HealthFinding.Kind> {
    Set(try snapshot(of: elements).findings.map(\.kind))
  }

  func text(_ kind: HealthFinding.Kind, _ elements: String) throws -> String? {
    try snapshot(of: elements).findings.first { $0.kind == kind }?.text
  }

  @Test(arguments: [
    (0.3, "less than once a week"), (1.2, "about once a week"), (1.5, "once or twice a week"),
    (2, "about twice a week"), (2.5, "2 to 3 times a week"), (2.8, "about 3 times a week"),
    (3.5, "3 to 4 times a week"), (7, "about 7 times a week"), (10.4, "10 to 11 times a week"),
  ])
  func howOftenIsSaidAsPeopleSayIt(rate: Double, words: String) {
    #expect(timesAWeek(rate) == words)
  }

  @Test func aFallOfActivityIsSaidWithItsNumbers() throws {
    let elements = daily("StepCount") { wobbling($0 < 45 ? 9000 : 6000, $0) }
    let found = try #require(
      try snapshot(of: elements).findings.first { $0.kind == .activityFell })
    #expect(found.text.contains("6,000 steps a day") && found.text.contains("9,000"))
    #expect(abs((found.numbers["last"] ?? 0) - 6000) < 100)
    #expect((found.numbers["slopePerWeek"] ?? 0) < -200)
    #expect(
      try kinds(daily("StepCount") { wobbling($0 < 45 ? 6000 : 9000, $0) })
        .contains(.activityRose))
  }

  @Test func noiseAndFewDaysSayNothing() throws {
    let alike = try kinds(daily("StepCount") { wobbling(8000, $0) })
    #expect(alike.isDisjoint(with: [.activityFell, .activityRose, .weekendsMoveLess]))
    #expect(alike.contains(.steadyDays))
    #expect(try kinds(daily("StepCount", days: 80..<90) { _ in 9000 }).isEmpty)
    let wild = try kinds(daily("StepCount") { $0 % 7 == 0 ? 30_000 : 3000 })
    #expect(wild.isDisjoint(with: [.activityFell, .activityRose]) && wild.contains(.unsteadyDays))
  }

  @Test func oneWildDayDoesNotBendTheSlope() throws {
    let series = try #require(
      try snapshot(of: daily("StepCount") { $0 == 89 ? 90_000 : 8000 }).series[.steps])
    #expect(series.slopePerWeek == 0)
  }

  @Test func quietWeekendsAreSeen() throws {
    let elements = daily("StepCount") { index in
      wobbling((Day("2025-11-03").map { ($0 + index).isWeekend } ?? false) ? 4000 : 9000, index)
    }
    #expect(try text(.weekendsMoveLess, elements)?.contains("4,000") == true)
  }

  func runs(_ days: [Int], type: String = "Running", hour: Int = 7) -> String {
    days.map {
      workout(
        type, "\(day($0)) 0\(hour):00:00 +0000", "\(day($0)) 0\(hour):30:00 +0000",
        attributes: "totalDistance=\"5\" totalDistanceUnit=\"km\"")
    }.joined()
  }

  @Test func aRunnerWhoStoppedIsSeen() throws {
    let elements = runs([1, 4, 8, 11, 15, 18, 22, 25, 29, 33])
    #expect(try text(.workoutStopped, elements)?.contains("not once in the last") == true)
    #expect(try text(.workoutStopped, elements)?.contains("6 December") == true)
    #expect(try kinds(elements).isSuperset(of: [.workoutsFell, .workoutHabit, .workoutTime]))
    #expect(try kinds(runs([1, 30, 80])).isDisjoint(with: [.workoutStopped, .workoutsFell]))
  }

  @Test func shortAndMovingNightsAreSeen() throws {
    func night(_ index: Int, from: String, to: String) -> String {
      sleep("AsleepCore", "\(day(index)) \(from):00 +0000", "\(day(index)) \(to):00 +0000")
    }
    let short = (0..<40).map { night($0, from: "01:00", to: $0 % 2 == 0 ? "06:30" : "07:00") }
    #expect(try text(.sleepShort, short.joined())?.contains("5 h 45 min") == true)
    let long = (0..<40).map { night($0, from: "00:00", to: $0 % 2 == 0 ? "08:00" : "08:10") }
    #expect(try kinds(long.joined()) == [.sleepLength])
    let moving = (0..<40).map {
      $0 % 2 == 0 ? night($0, from: "00:00", to: "08:00") : night($0, from: "04:00", to: "12:00")
    }
    #expect(try kinds(moving.joined()).contains(.sleepIrregular))
    #expect(try kinds(short.prefix(13).joined()).isEmpty)
  }

  @Test func weightIsComparedOnlyWithEnoughOfIt() throws {
    func weights(_ from: Double, _ to: Double) -> String {
      daily("BodyMass", unit: "kg") { $0 % 6 == 0 ? from + (to - from) * Double($0) / 90 : nil }
    }
    #expect(try text(.weightFell, weights(90, 85))?.contains("come down by") == true)
    #expect(try kinds(weights(85, 90)) == [.weightRose])
    #expect(try kinds(weights(85, 85.5)) == [.weightLevel])
    let fast = try snapshot(of: weights(90, 78)).findings
    #expect(fast.map(\.kind) == [.weightFellFast] && fast.allSatisfy(\.isForDoctor))
  }

  @Test func strainNeedsBothSigns() throws {
    let calmRate = daily("RestingHeartRate", unit: "count/min") { wobbling(55, $0) }
    let highRate = daily("RestingHeartRate", unit: "count/min") { wobbling($0 < 62 ? 55 : 63, $0) }
    let calm = daily("HeartRateVariabilitySDNN", unit: "ms") { wobbling(50, $0) }
    let low = daily("HeartRateVariabilitySDNN", unit: "ms") { wobbling($0 < 62 ? 50 : 38, $0) }
    #expect(try kinds(highRate + low).contains(.strain))
    for other in [calmRate + low, highRate + calm, calmRate + calm] {
      #expect(try !kinds(other).contains(.strain))
    }
  }

  @Test func gapsInWearingAreNamed() throws {
    let elements = daily("HeartRate", unit: "count/min") { (40..<46).contains($0) ? nil : 60 }
    let found = try snapshot(of: elements)
    #expect(found.wear?.daysWorn == 84 && found.wear?.gaps.map(\.days) == [6])
    #expect(try text(.gapsInWearing, elements)?.contains("13 December to 18 December") == true)
  }

  @Test func abnormalReadingsAreForADoctorAndNothingIsConcluded() throws {
    func pressure(_ upper: Int, _ lower: Int, days: Range<Int>) -> String {
      daily("BloodPressureSystolic", unit: "mmHg", days: days) { _ in Double(upper) }
        + daily("BloodPressureDiastolic", unit: "mmHg", days: days) { _ in Double(lower) }
    }
    for elements in [
      pressure(150, 92, days: 10..<14), pressure(185, 100, days: 10..<11),
      daily("RestingHeartRate", unit: "count/min") { _ in 104 },
    ] {
      let found = try #require(try snapshot(of: elements).findings.first)
      #expect(found.isForDoctor && found.text.contains("worth showing a doctor"))
      for word in ["hypertension", "disease", "you have", "diagnos", "tachycardia"] {
        #expect(!found.text.lowercased().contains(word))
      }
    }
    #expect(try kinds(pressure(125, 80, days: 10..<20)).isEmpty)
  }

  @Test func ofMinorsNothingIsSaidAboutWeightAndSleep() throws {
    let child = " <Me HKCharacteristicTypeIdentifierDateOfBirth=\"2012-05-01\"/>\n"
    let elements =
      child + daily("BodyMass", unit: "kg") { 60 - Double($0) / 9 }
      + daily("StepCount") { _ in 8000 }
    let found = try snapshot(of: elements)
    #expect(found.profile.isMinor && found.profile.age == 14)
    #expect(found.findings.allSatisfy { $0.kind == .activityLevel || $0.kind == .steadyDays })
  }

  // Evidence.

  func evidence(_ elements: String) throws -> [String: String] {
    let found = HealthEvidence.evidence(
      in: try snapshot(of: elements), for: try PromptPack.embedded().rubric)
    return Dictionary(uniqueKeysWithValues: found.map { ($0.facet.description, $0.text) })
  }

  @Test func readingsMakeKnownWhatTheRubricSays() throws {
    #expect(
      try evidence(daily("StepCount", days: 0..<14) { _ in 7400 })
        == ["currentState.activity": "7,400 steps a day over 14 days"])
    #expect(try evidence(daily("StepCount", days: 0..<13) { _ in 7400 }).isEmpty)
    #expect(
      try evidence(daily("ActiveEnergyBurned", unit: "kcal", days: 0..<14) { _ in 400 }).keys
        .sorted() == ["currentState.activity"])
    #expect(
      try evidence(daily("RestingHeartRate", unit: "count/min", days: 0..<1) { _ in 58 })
        == ["currentState.body": "resting heart rate 58"])
    #expect(
      try evidence(daily("VO2Max", unit: "mL/min·kg", days: 0..<1) { _ in 41.2 })
        == ["currentState.capacity": "VO₂ max 41.2"])
    #expect(
      try evidence(" <Me HKCharacteristicTypeIdentifierDateOfBirth=\"1984-01-01\"/>\n")
        == ["currentState.body": "42 years old"])
  }

  @Test func workoutsMakeKnownWhatTheRubricSays() throws {
    #expect(
      try evidence(runs([80, 85])).keys.sorted()
        == ["currentState.activity", "currentState.capacity"])
    let three = try evidence(runs([70, 80, 85]))
    #expect(three["exercisePreferences.activities"] == "running 3 times")
    #expect(three["energyPatterns.bestTime"] == "3 of 3 workouts start in the morning")
    #expect(three["pastPatterns.tried"] == nil)
    let fell = try evidence(runs([1, 5, 9, 13, 70, 80]))
    #expect(fell["pastPatterns.tried"] == "workouts fell from 4 to 2 a month, mostly running")
    #expect(try evidence(runs([1, 5, 9, 13, 70, 80, 85]))["pastPatterns.tried"] == nil)
  }

  @Test func fourteenNightsOfSleepMakeRecoveryKnown() throws {
    func nights(_ count: Int, _ state: String) -> String {
      (0..<count).map { sleep(state, "\(day($0)) 00:00:00 +0000", "\(day($0)) 07:00:00 +0000") }
        .joined()
    }
    #expect(
      try evidence(nights(14, "Asleep"))
        == ["lifestyle.recovery": "7 h of sleep a night over 14 nights"])
    #expect(try evidence(nights(13, "Asleep")).isEmpty)
    #expect(try evidence(nights(20, "InBed")).isEmpty)
  }

  @Test func aSnapshotComesBackFromItsJSON() throws {
    let found = try snapshot(Array(ReadingPropertyTests.rich.utf8))
    let json = try JSONEncoder().encode(found)
    #expect(try JSONDecoder().decode(HealthSnapshot.self, from: json) == found)
  }
}
