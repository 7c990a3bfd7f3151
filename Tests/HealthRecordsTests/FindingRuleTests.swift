import Foundation
import Signals
import TestSupport
import Testing

@testable import HealthRecords

// What must not be concluded: from no data, from too little, from chance.
extension FindingTests {
  private func rates(_ days: Range<Int>) -> String {
    daily("HeartRate", unit: "count/min", days: days) { wobbling(60, $0) }
  }

  private static let changes: Set<HealthFinding.Kind> = [
    .workoutsRose, .workoutsFell, .workoutStopped,
  ]

  private func finding(
    _ kind: HealthFinding.Kind, _ elements: String, _ chosen: HealthReadOptions = options()
  ) throws -> HealthFinding? {
    try snapshot(of: elements, chosen).findings.first { $0.kind == kind }
  }

  // No data is not no training.

  @Test func beforeANewWatchNobodyIsSaidToHaveRested() throws {
    let elements = rates(50..<90) + runs(Array(stride(from: 51, to: 90, by: 3)))
    #expect(try kinds(elements).isDisjoint(with: Self.changes))
    #expect(try finding(.workoutHabit, elements)?.numbers["perWeek"] == 2.3, "13 in 40 days")
    #expect(try text(.workoutHabit, elements)?.hasPrefix("You train 2 to 3 times a week") == true)
  }

  @Test func whenTheWatchIsGoneNobodyIsSaidToHaveStopped() throws {
    let elements = rates(0..<50) + runs(Array(stride(from: 0, to: 50, by: 3)))
    #expect(try kinds(elements).isDisjoint(with: Self.changes))
    let habit = try #require(try text(.workoutHabit, elements))
    #expect(habit.hasPrefix("Until 22 December, when your data ends, you trained 2 to 3 times"))
    #expect(try evidence(elements)["pastPatterns.tried"] == nil)
    #expect(
      try evidence(rates(0..<90) + runs(Array(stride(from: 0, to: 50, by: 3))))[
        "pastPatterns.tried"] == "workouts fell from 10 to 0 a month, mostly running")
  }

  @Test func withAWatchOnAllTheTimeAChangeOfTrainingIsSeen() throws {
    let days = Array(stride(from: 0, to: 35, by: 3))
    #expect(try kinds(rates(0..<90) + runs(days)).isSuperset(of: [.workoutStopped, .workoutsFell]))
    #expect(try kinds(rates(0..<90) + runs(days.map { 89 - $0 })).contains(.workoutsRose))
    #expect(
      try kinds(runs(days.map { 89 - $0 })).isDisjoint(with: Self.changes),
      "nothing says that there was anything to record it with")
  }

  @Test func withNothingButWorkoutsTheFirstOfThemIsTheBeginning() throws {
    let elements = runs(Array(stride(from: 69, to: 90, by: 2)))
    for chosen in [options(), options(days: 365)] {
      let text = try finding(.workoutHabit, elements, chosen)?.text
      #expect(text?.hasPrefix("You train 3 to 4 times a week") == true, "\(text ?? "")")
    }
  }

  @Test func workoutsFromBeforeTheWatchCount() throws {
    let elements = rates(60..<90) + runs(Array(stride(from: 0, to: 90, by: 3)))
    let rate = try #require(try finding(.workoutHabit, elements)?.numbers["perWeek"])
    #expect((2.2...2.6).contains(rate))
  }

  @Test func whoeverWearsTheWatchOnlyToTrainDoesNotTrainEveryDay() throws {
    let weekends = (0..<90).filter { $0 % 7 < 2 }
    let elements =
      weekends.map { rates($0..<$0 + 1) }.joined() + runs(weekends.filter { $0 % 7 == 0 })
    let rate = try #require(try finding(.workoutHabit, elements)?.numbers["perWeek"])
    #expect((0.9...1.1).contains(rate))
  }

  @Test func underTwoMonthsNoMonthsAreCompared() throws {
    let elements =
      runs(Array(60..<75))
      + daily("BodyMass", unit: "kg", days: 45..<90) { 90 - Double($0 - 45) * 0.2 }
      + daily("StepCount", days: 45..<90) { wobbling($0 < 67 ? 9000 : 4000, $0) }
    let found = try snapshot(of: elements, options(days: 45))
    #expect(found.series[.steps]?.change == nil)
    #expect(
      Set(found.findings.map(\.kind)).isDisjoint(
        with: Self.changes.union([.activityFell, .weightFell, .weightFellFast])))
    #expect(found.findings.allSatisfy { !$0.text.contains("month") })
  }

  // Gaps.

  @Test func nowAndThenIsNoGapInWearing() throws {
    let spots = daily("HeartRate", unit: "count/min") { $0 % 5 == 0 ? 60 : nil }
    let steps = daily("StepCount", source: "iPhone") { (70..<80).contains($0) ? nil : 8000 }
    #expect(try snapshot(of: spots).wear == nil)
    let found = try snapshot(of: spots + steps)
    #expect(found.wear?.sign == .steps && found.wear?.daysWorn == 80)
    #expect(
      try text(.gapsInWearing, spots + steps)?.hasPrefix("There are no steps from 12") == true)
    #expect(try !kinds(spots + daily("StepCount") { _ in 8000 }).contains(.gapsInWearing))
  }

  @Test func severalGapsAreCounted() throws {
    let elements = daily("HeartRate", unit: "count/min") {
      [10, 11, 12, 40, 41, 42, 43].contains($0) ? nil : 60
    }
    #expect(
      try text(.gapsInWearing, elements)
        == "There is no heart rate from 13 December to 16 December (4 days), nor in one more gap of "
        + "three days or more; averages are over the days with data.")
  }

  // Readings for a doctor.

  private func pressures(_ readings: [(Double, Double)]) -> String {
    readings.enumerated().map { index, value in
      daily("BloodPressureSystolic", unit: "mmHg", days: 80 + index..<81 + index) { _ in value.0 }
        + daily("BloodPressureDiastolic", unit: "mmHg", days: 80 + index..<81 + index) { _ in
          value.1
        }
    }.joined()
  }

  @Test func noBloodPressureIsSaidThatNobodyHad() throws {
    let found = try #require(try text(.bloodPressureHigh, pressures([(182, 80), (120, 110)])))
    #expect(!found.contains("182 over 110"))
    #expect(found.contains("182 mmHg (the upper value) on 22 January"))
    #expect(found.contains("the lower value reached 110 on 23 January"))
    let upper = try #require(try text(.bloodPressureHigh, pressures([(182, 80), (120, 70)])))
    #expect(!upper.contains("lower"))
  }

  @Test func aHighAverageDoesNotHideAVeryHighReading() throws {
    let found = try #require(
      try text(.bloodPressureHigh, pressures([(141, 88), (139, 92), (215, 130), (138, 85)])))
    #expect(found.contains("158 over 99 mmHg on average, on 4 days"))
    #expect(found.contains("215") && found.contains("130") && found.contains("24 January"))
  }

  @Test func readingsAtHomeAreMeasuredByTheLimitForHome() throws {
    #expect(try kinds(pressures([(136, 80), (137, 81), (136, 82)])) == [.bloodPressureHigh])
    #expect(try kinds(pressures([(134, 84), (133, 83), (132, 84)])).isEmpty)
    let upper = daily("BloodPressureSystolic", unit: "mmHg", days: 80..<84) { _ in 151 }
    #expect(
      try text(.bloodPressureHigh, upper)?.hasPrefix(
        "Your blood pressure was 151 mmHg (the upper value) on average, on 4 days.") == true)
  }

  private func weights(_ days: Int, _ weight: (Int) -> Double) -> String {
    stride(from: 0, to: days, by: 3).map {
      record(
        "BodyMass", "\(weight($0))", unit: "kg", start: day(90 - days + $0) + " 07:00:00 +0000")
    }.joined()
  }

  @Test func slowLossIsNotForADoctorAndFastLossIs() throws {
    let slow = weights(730) { 90 - Double($0) * 0.0075 }
    #expect(try finding(.weightFellFast, slow, options(days: 730)) == nil)
    #expect(try finding(.weightFell, slow, options(days: 730)) != nil)
    let atLast = weights(730) { $0 < 640 ? 90 : 90 - Double($0 - 640) * 0.08 }
    let fast = try #require(try finding(.weightFellFast, atLast, options(days: 730)))
    #expect(fast.isForDoctor && fast.text.contains("a year ago and now"))
  }

  @Test func threeWeighingsAnEndHaveToBeFurtherApart() throws {
    func three(_ spread: Double) -> String {
      let values = [0: 84.0, 10: 84 + spread, 20: 84 - spread]
      return daily("BodyMass", unit: "kg") { values[$0] ?? values[$0 - 65].map { $0 - 4 } }
    }
    #expect(try kinds(three(0.5)) == [.weightFell])
    #expect(try kinds(three(1.7)) == [.weightLevel], "2.9 standard errors of 4 degrees of freedom")
  }

  // Sleep and minors.

  private func nights(_ state: String, _ days: Range<Int> = 0..<40) -> String {
    days.map {
      sleep(
        state, "\(day($0)) 0\($0 % 2 == 0 ? 0 : 4):00:00 +0000",
        "\(day($0)) \($0 % 2 == 0 ? "08" : "12"):00:00 +0000")
    }.joined()
  }

  @Test func timeInBedIsSaidAsWhatItIs() throws {
    #expect(
      try text(.timeInBed, nights("InBed"))
        == "You are in bed about 8 h a night, over 40 nights; no device records how much of it you "
        + "sleep.")
    #expect(try kinds(nights("InBed", 0..<13)).isEmpty)
    #expect(try !kinds(nights("InBed") + nights("AsleepCore")).contains(.timeInBed))
  }

  @Test func ofAMinorNothingAtAllIsSaidAboutSleep() throws {
    let child = " <Me HKCharacteristicTypeIdentifierDateOfBirth=\"2012-05-01\"/>\n"
    #expect(try kinds(nights("AsleepCore")).contains(.sleepIrregular))
    #expect(try kinds(child + nights("AsleepCore")).isEmpty)
    #expect(try kinds(child + nights("InBed")).isEmpty)
    let json = try JSONEncoder().encode(
      try snapshot(
        of: " <Me HKCharacteristicTypeIdentifierDateOfBirth=\"2000-05-01\"/>\n"
          + nights("AsleepCore")))
    let minor = String(decoding: json, as: UTF8.self)
      .replacingOccurrences(of: #""age":26"#, with: #""age":13"#)
    let today = try #require(Day("2026-11-22"))
    let read = try HealthSnapshot.reading(Array(minor.utf8), name: "s.json", today: today)
    #expect(read.profile.isMinor && read.findings.isEmpty)
  }

  // Words.

  @Test func sentencesReadAsPeopleWriteThem() throws {
    let energy = daily("ActiveEnergyBurned", unit: "kcal") { wobbling(380, $0) }
    #expect(
      try text(.activityLevel, energy)?.hasPrefix("By moving, you burn about 380 kcal a day")
        == true)
    #expect(hours(1.0 / 3) == "20 min" && hours(1) == "1 h" && hours(6.5) == "6 h 30 min")
    let weight = daily("BodyMass", unit: "kg", days: 60..<61) { _ in 80 }
    #expect(try text(.weightLevel, weight) == "You weighed 80 kg on 2 January.")
    #expect(
      try finding(.weightLevel, weight, options(days: 400))?.text
        == "You weighed 80 kg on 2 January 2026.")
  }
}
