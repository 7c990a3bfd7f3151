import Testing

@testable import HealthRecords

/// Which days are looked at, and which records are in them.
struct WindowTests {
  private func weight(_ kilograms: String, _ time: String) -> String {
    record("BodyMass", kilograms, unit: "kg", source: "Scale", start: time)
  }

  @Test func theDayOfTheExportCountsButIsNotAveraged() throws {
    let found = try snapshot(
      of: weight("80", "2026-01-31 07:00:00 +0000") + weight("70", "2026-02-01 07:00:00 +0000"))
    #expect(found.series[.bodyMass]?.latest == 70 && found.series[.bodyMass]?.mean == 80)
    #expect(found.from == Day("2025-11-03") && found.through == Day("2026-01-31"))
    #expect(found.days == 90 && found.exportedOn == Day("2026-02-01"))
  }

  @Test func bothEndsOfTheWindowAreExact() throws {
    let found = try snapshot(
      of: weight("80", "2025-11-02 23:59:59 +0000") + weight("81", "2025-11-03 00:00:00 +0000")
        + weight("82", "2026-02-01 10:00:00 +0000") + weight("83", "2026-02-01 10:00:01 +0000"))
    #expect(found.series[.bodyMass]?.lowest == 81 && found.series[.bodyMass]?.highest == 82)
    #expect(found.leftOut.map(\.reason) == [.future])
  }

  @Test func aLastDayByWishIsWhole() throws {
    let elements =
      weight("80", "2026-01-10 07:00:00 +0000") + weight("81", "2026-01-11 23:00:00 +0000")
      + weight("82", "2026-01-12 00:00:00 +0000")
    let found = try snapshot(of: elements, options(days: 7, until: "2026-01-11"))
    #expect(found.series[.bodyMass]?.latest == 81 && found.series[.bodyMass]?.days == 2)
    #expect(found.from == Day("2026-01-05") && found.leftOut.isEmpty)
  }

  @Test func whoIsGrownUpNowIsNoMinorInEarlierDays() throws {
    let person = " <Me HKCharacteristicTypeIdentifierDateOfBirth=\"2004-05-01\"/>\n"
    let found = try snapshot(of: person, options(until: "2020-01-01"))
    #expect(found.profile.age == 22 && !found.profile.isMinor)
    let child = try snapshot(of: person.replacing("2004", with: "2012"))
    #expect(child.profile.isMinor)
  }

  @Test func aDateOfExportThatIsNoneIsNamed() throws {
    let text = weight("80", "2026-01-10 7:00:00 AM +0100")
    let twelve = try snapshot(
      Array(export(text, date: "2026-02-01 10:00:00 AM +0100").utf8))
    #expect(twelve.leftOut.map(\.what) == ["body mass", "date of the export"])
    #expect(twelve.leftOut.allSatisfy { $0.reason == .date && $0.example?.contains("AM") == true })
    let future = try snapshot(Array(export("", date: "2199-02-01 10:00:00 +0000").utf8))
    #expect(future.leftOut.map(\.reason) == [.future] && future.exportedOn == nil)
  }

  @Test func whatLiesOutsideOfTheDaysIsNotLeftOut() throws {
    let text =
      weight("8O", "2026-01-12 07:00:00 +0000") + weight("8O", "2026-01-04 07:00:00 +0000")
      + record(
        "StepCount", "5", start: "2026-01-12 07:00:00 +0000", end: "2026-01-12 06:00:00 +0000")
    #expect(try snapshot(of: text, options(days: 7, until: "2026-01-11")).leftOut.isEmpty)
  }

  @Test(arguments: ["8\u{0}0", "8\u{B}0", "8&#11;0", "80\u{1}", "8&#1;0", "8\n0", "\u{1F}80"])
  func controlsMakeNoNumberOfTwo(value: String) throws {
    let time = "2026-01-10 07:00:00 +0000"
    let found = try snapshot(of: weight(value, time))
    #expect(found.series[.bodyMass] == nil && found.leftOut.map(\.reason) == [.notANumber])
    let day = try snapshot(of: weight("80", time.replacing("01-10", with: "01-1\u{B}0")))
    #expect(day.series[.bodyMass] == nil && day.leftOut.map(\.reason) == [.date])
    let unit = try snapshot(of: record("BodyMass", "80", unit: "k\u{B}g", start: time))
    #expect(unit.leftOut.map(\.reason) == [.unit])
    let name = try snapshot(
      of: record("Body\u{B}Mass", "80", unit: "kg", source: "Sc\u{B}ale", start: time))
    #expect(name.series[.bodyMass]?.latest == 80)
  }

  @Test func withoutADateOfExportTheLatestRecordIsTheEnd() throws {
    let elements =
      weight("80", "2026-01-10 07:00:00 +0000") + weight("81", "2099-01-11 23:00:00 +0000")
    let text = export(elements).replacing(
      " <ExportDate value=\"2026-02-01 10:00:00 +0000\"/>\n", with: "")
    let found = try snapshot(Array(text.utf8))
    #expect(found.series[.bodyMass]?.latest == 80 && found.through == Day("2026-01-09"))
    #expect(found.exportedOn == nil && found.leftOut.map(\.reason) == [.future])
  }

  @Test func anExportFromTheFutureIsNotBelieved() throws {
    let text = export(weight("80", "2026-01-10 07:00:00 +0000"), date: "2199-02-01 10:00:00 +0000")
    #expect(try snapshot(Array(text.utf8)).series[.bodyMass]?.latest == 80)
  }

  @Test func anExportWithoutRecordsIsNoError() throws {
    let found = try snapshot(of: "")
    #expect(found.readings.records == 0 && found.findings.isEmpty)
  }

  @Test(arguments: [
    ("2026-01-10 07:00:00 +0545", 1_768_007_700), ("2026-01-10 07:00:00 -0330", 1_768_041_000),
    ("1970-01-01 00:00:00 +0000", 0), ("1969-12-31 23:59:59 +0000", -1),
    ("2024-02-29 12:00:00 +1400", 1_709_157_600),
  ])
  func datesAreReadToTheSecond(text: String, instant: Int) {
    #expect(ZonedTime(text)?.instant == instant)
  }

  @Test(arguments: [
    "2026-02-29 07:00:00 +0100", "2026-13-10 07:00:00 +0100", "2026-00-10 07:00:00 +0100",
    "2026-01-32 07:00:00 +0100", "2026-01-10 24:00:00 +0100", "2026-01-10 07:60:00 +0100",
    "2026-01-10 07:00:00 +1430", "2026-01-10 07:00:00 -1300", "2026-01-10 07:00:00 +0160",
    "2026-01-10T07:00:00 +0100", "2026-01-10 07:00:00 0100", "2026-01-10 07:00:00 +01:00",
    "", "2026-01-10", " 2026-01-10 07:00:00 +010", "0000-01-10 07:00:00 +0100",
  ])
  func datesThatDoNotExistAreNone(text: String) { #expect(ZonedTime(text) == nil) }

  @Test func daysGoThereAndBack() {
    for number in stride(from: -700_000, through: 2_900_000, by: 997) {
      let (year, month, day) = Day(number: number).parts
      if (1...9999).contains(year) {
        #expect(Day(year: year, month: month, day: day)?.number == number)
      }
    }
    #expect(Day("2026-01-10")?.isWeekend == true && Day("2026-01-12")?.isWeekend == false)
  }

  @Test(arguments: [
    ("0", 0), ("81.5", 81_500_000), ("-0.5", -500_000), ("8.15e1", 81_500_000),
    ("815E-1", 81_500_000), ("0.0000004", 0), ("0.0000005", 1), ("1e-99999", 0),
    ("123456789012.123456", 123_456_789_012_123_456), ("0081", 81_000_000),
  ])
  func numbersAreReadExactly(text: String, expected: Int) {
    #expect(millionths(text) == expected)
  }

  @Test(arguments: [
    "", "-", ".5", "5.", "1e", "1e+", "+5", "NaN", "inf", "0x1p3", "1,5", "1.5.2", " 1", "1 ",
    "1_0",
    "1e400", "99999999999999999999", "١٢", "--1", "1e1e1",
  ])
  func everythingElseIsNoNumber(text: String) { #expect(millionths(text) == nil) }

  private func millionths(_ text: String) -> Int? {
    var text = text
    return text.withUTF8 { DecimalText.millionths($0) }
  }

  @Test(arguments: [
    ("BodyMass", "13", "st", 82.553811), ("BodyMass", "2880", "oz", 81.646627),
    ("Height", "5.9", "ft", 1.7983), ("Height", "178", "cm", 1.78),
    ("BodyFatPercentage", "0.22", "%", 22), ("BodyFatPercentage", "22", "%", 22),
    ("BloodGlucose", "97.3", "mg/dL", 5.4009), ("BloodPressureSystolic", "16", "kPa", 120.0099),
    ("VO2Max", "41.2", "mL/min·kg", 41.2), ("RestingHeartRate", "1", "count/s", 60),
    ("HeartRateVariabilitySDNN", "0.045", "s", 45),
  ])
  func unitsAreConverted(type: String, value: String, unit: String, expected: Double) throws {
    let series = try snapshot(
      of: record(type, value, unit: unit, start: "2026-01-10 07:00:00 +0100")
    ).series
    let all = [
      series[.bodyMass], series[.height], series[.bodyFat], series[.glucose], series[.systolic],
      series[.vo2Max], series[.restingHeartRate], series[.heartRateVariability],
    ].compactMap { $0?.latest }
    #expect(all.count == 1)
    #expect(abs((all.first ?? 0) - expected) < 0.0001)
  }

  @Test func energyAndDistanceAreKeptInOneUnit() throws {
    let found = try snapshot(
      of: record("ActiveEnergyBurned", "418.4", unit: "kJ", start: "2026-01-10 07:00:00 +0100")
        + record("DistanceWalkingRunning", "2", unit: "mi", start: "2026-01-10 07:00:00 +0100"))
    #expect(
      found.series[.activeEnergy]?.mean == 100 && found.series[.walkingDistance]?.mean == 3.22)
  }

  @Test(arguments: [
    ("BodyMass", "19.9", "kg"), ("BodyMass", "651", "kg"), ("Height", "3", "m"),
    ("BodyFatPercentage", "76", "%"), ("BodyFatPercentage", "1", "%"),
    ("HeartRate", "261", "count/min"),
    ("VO2Max", "4.9", "mL/min·kg"), ("BloodPressureSystolic", "301", "mmHg"),
    ("StepCount", "200001", "count"), ("BodyMass", "81500", "kg"),
  ])
  func whatNobodyHasIsLeftOut(type: String, value: String, unit: String) throws {
    let found = try snapshot(
      of: record(type, value, unit: unit, start: "2026-01-10 07:00:00 +0100"))
    #expect(found.leftOut.map(\.reason) == [.implausible] && found.series == HealthSeriesList([:]))
  }

  @Test func appleSumsOfADayFillInForRecords() throws {
    let summary =
      " <ActivitySummary dateComponents=\"2026-01-10\" activeEnergyBurned=\"500\" "
      + "activeEnergyBurnedUnit=\"kcal\" appleExerciseTime=\"31\" appleStandHours=\"11\"/>\n"
    let found = try snapshot(of: summary)
    #expect(found.series[.activeEnergy]?.mean == 500 && found.series[.exerciseMinutes]?.mean == 31)
    #expect(found.series[.standHours]?.mean == 11)
    let both = try snapshot(
      of: record("ActiveEnergyBurned", "400", unit: "kcal", start: "2026-01-10 07:00:00 +0100")
        + summary)
    #expect(both.series[.activeEnergy]?.mean == 400)
  }
}
