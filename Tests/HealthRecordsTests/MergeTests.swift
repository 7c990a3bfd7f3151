import Testing

@testable import HealthRecords

/// Several sources of the same thing are not added up.
struct MergeTests {
  private func steps(_ elements: String) throws -> [Double] {
    let series = try #require(try snapshot(of: elements).series[.steps])
    return [series.mean ?? -1, Double(series.days), series.asWritten ?? -1]
  }

  private func at(_ clock: String, _ day: String = "2026-01-10", _ zone: String = "+0100") -> String
  {
    "\(day) \(clock):00 \(zone)"
  }

  @Test func theWatchGoesBeforeThePhoneAndThePhoneFillsTheGaps() throws {
    let found = try steps(
      record("StepCount", "600", source: "Ben's iPhone", start: at("08:00"), end: at("09:00"))
        + record("StepCount", "500", source: "Ben's Watch", start: at("08:30"), end: at("09:00")))
    #expect(found == [800, 1, 1100])
  }

  @Test func appsComeLastWhateverStandsFirstInTheFile() throws {
    let found = try steps(
      record("StepCount", "9000", source: "Strider", start: at("08:00"), end: at("10:00"))
        + record("StepCount", "100", source: "iPhone", start: at("09:00"), end: at("10:00")))
    #expect(found[0] == 4600)
  }

  @Test func aRenamedWatchIsKnownByItsDevice() throws {
    let device = "&lt;&lt;HKDevice: 0x1&gt;, name:Apple Watch, model:Watch, hardware:Watch6,7&gt;"
    let found = try steps(
      record("StepCount", "70", source: "Zap", start: at("08:00"), end: at("09:00"), device: device)
        + record("StepCount", "90", source: "iPhone", start: at("08:00"), end: at("09:00")))
    #expect(found[0] == 70)
  }

  private func device(_ model: String, _ hardware: String, at address: Int = 1) -> String {
    "&lt;&lt;HKDevice: 0x\(address)&gt;, name:Kim, manufacturer:Apple Inc., model:\(model), "
      + "hardware:\(hardware), software:26.1&gt;"
  }

  /// 1,000 of the watch, and 300 in three records beside it.
  private func hour(
    _ watch: String?, of owner: String, beside name: String, _ other: String?
  ) throws -> [Double] {
    let small = [("08:00", "08:20"), ("08:20", "08:40"), ("08:40", "09:00")].map {
      record("StepCount", "100", source: name, start: at($0), end: at($1), device: other)
    }
    return try steps(
      record(
        "StepCount", "1000", source: owner, start: at("08:00"), end: at("09:00"), device: watch)
        + small.joined())
  }

  @Test(arguments: ["Nightwatch", "Sam's Apple Watch II", "Watchtower"])
  func aPhoneIsKnownByItsModelWhateverItsName(name: String) throws {
    let watch = device("Watch", "Watch6,2")
    let phone = device("iPhone", "iPhone15,2")
    #expect(try hour(watch, of: "Sam's Apple Watch", beside: name, phone)[0] == 1000)
  }

  /// Some exports name a device by its hardware alone.
  @Test(arguments: ["Watch of Ada", "Nightwatch"])
  func hardwareTellsTheModel(name: String) throws {
    func hardware(_ type: String) -> String {
      "&lt;&lt;HKDevice: 0x1&gt;, name:\(name), manufacturer:Apple Inc., hardware:\(type), software:26.1&gt;"
    }
    #expect(
      try hour(hardware("Watch6,1"), of: "Zap", beside: name, hardware("iPhone14,5"))[0] == 1000)
    #expect(
      try hour(hardware("Watch6,1"), of: name, beside: name, hardware("iPhone14,5"))[0] == 1000)
  }

  @Test(arguments: ["NapWatch", "Sleep Watch", "WatchMe"])
  func anAppIsNoWatchBecauseOfItsName(name: String) throws {
    let watch = device("Watch", "Watch6,2")
    #expect(try hour(watch, of: "Zap", beside: name, nil)[0] == 1000)
  }

  @Test func aWordInsideOfAnotherMakesNoWatch() throws {
    #expect(try hour(nil, of: "Ben's Watch", beside: "NapWatch", nil)[0] == 1000)
    #expect(try hour(nil, of: "iPhone", beside: "Nightwatch", nil)[0] == 1000)
  }

  @Test func aWatchAndAPhoneOfOneNameAreTwo() throws {
    let phone = device("iPhone", "iPhone15,2")
    #expect(try hour(device("Watch", "Watch6,2"), of: "Kim", beside: "Kim", phone)[0] == 1000)
    let other = device("Watch", "Watch7,1")
    #expect(try hour(device("Watch", "Watch6,2"), of: "Kim", beside: "Kim", other)[0] == 300)
  }

  /// The address in a device's description changes, and records may lack the device.
  @Test func oneDeviceStaysOneSource() throws {
    let found = try steps(
      record("StepCount", "5", source: "Kim", start: at("07:00"), end: at("07:30"))
        + record(
          "StepCount", "70", source: "Kim", start: at("08:00"), end: at("08:30"),
          device: device("Watch", "Watch6,2", at: 1))
        + record(
          "StepCount", "30", source: "Kim", start: at("08:10"), end: at("08:20"),
          device: device("Watch", "Watch6,2", at: 2))
        + record("StepCount", "7", source: "Kim", start: at("08:00"), end: at("08:20")))
    #expect(found[0] == 112)
  }

  @Test func whatWasEnteredByHandGoesBeforeAll() throws {
    let entered = "<MetadataEntry key=\"HKWasUserEntered\" value=\"1\"/>"
    let found = try steps(
      record("StepCount", "70", source: "Watch", start: at("08:00"), end: at("09:00"))
        + record(
          "StepCount", "90", source: "iPhone", start: at("08:00"), end: at("09:00"), inner: entered)
    )
    #expect(found[0] == 90)
  }

  @Test func recordsOfOneSourceAreAddedUpButNotTwice() throws {
    let one = record("StepCount", "70", start: at("08:00"), end: at("08:30"))
    let other = record("StepCount", "30", start: at("08:10"), end: at("08:20"))
    #expect(try steps(one + other + one)[0] == 100)
  }

  @Test func aRecordOverMidnightIsSharedOut() throws {
    let series = try #require(
      try snapshot(
        of: record(
          "StepCount", "300", start: at("23:40"), end: at("00:10", "2026-01-11"))
      ).series[.steps])
    #expect(series.days == 2 && series.highest == 200 && series.lowest == 100)
  }

  @Test func daysAreThoseOnTheClockOfTheRecord() throws {
    let east = try snapshot(
      of: record("StepCount", "5", start: at("23:50", "2026-01-10", "+0900")))
    let west = try snapshot(
      of: record("StepCount", "5", start: at("23:50", "2026-01-10", "-0800")))
    #expect(east.series[.steps]?.latestOn == Day("2026-01-10"))
    #expect(west.series[.steps]?.latestOn == Day("2026-01-10"))
  }

  // Sleep.

  @Test func sleepOfSeveralSourcesIsCountedOnce() throws {
    let found = try snapshot(
      of: sleep("AsleepCore", at("23:00"), at("02:00", "2026-01-11"))
        + sleep("AsleepREM", at("01:30", "2026-01-11"), at("03:00", "2026-01-11"))
        + sleep("Asleep", at("22:30"), at("07:00", "2026-01-11"), source: "SleepApp"))
    // The watch from 23 to 3; the app before and after.
    #expect(found.series[.sleep]?.mean == 8.5 && found.sleep?.nights == 1)
  }

  @Test func whenTheWatchSaysAwakeNobodySleeps() throws {
    let found = try snapshot(
      of: sleep("AsleepDeep", at("23:00"), at("02:00", "2026-01-11"))
        + sleep("Awake", at("02:00", "2026-01-11"), at("03:00", "2026-01-11"))
        + sleep("AsleepDeep", at("03:00", "2026-01-11"), at("06:00", "2026-01-11"))
        + sleep("Asleep", at("23:00"), at("06:00", "2026-01-11"), source: "iPhone"))
    #expect(found.series[.sleep]?.mean == 6)
  }

  @Test func aNightBelongsToTheDayItEndsOn() throws {
    let found = try snapshot(
      of: sleep("InBed", at("22:00"), at("06:00", "2026-01-11"))
        + sleep("Asleep", at("23:10"), at("05:50", "2026-01-11")))
    #expect(found.series[.sleep]?.latestOn == Day("2026-01-11"))
    #expect(found.sleep?.bedtime == "23:10" && found.sleep?.wakeTime == "05:50")
    #expect(found.sleep?.hoursInBed == 8)
  }

  @Test func awakeInTheMiddleOfSleepIsNotAsleep() throws {
    let night = sleep("AsleepUnspecified", at("23:00"), at("07:00", "2026-01-11"))
    let awake = sleep("Awake", at("02:00", "2026-01-11"), at("04:00", "2026-01-11"))
    for elements in [night + awake, awake + night, night + awake + awake] {
      #expect(try snapshot(of: elements).series[.sleep]?.mean == 6)
    }
    let other = sleep(
      "Awake", at("02:00", "2026-01-11"), at("04:00", "2026-01-11"), source: "SleepApp")
    #expect(try snapshot(of: night + other).series[.sleep]?.mean == 8)
  }

  @Test func eachEndOfSleepIsOnItsOwnClock() throws {
    let found = try snapshot(
      of: sleep("AsleepCore", at("23:00", "2025-10-25", "+0200"), at("07:00", "2025-10-26")),
      options(until: "2025-10-30"))
    #expect(found.sleep?.bedtime == "23:00" && found.sleep?.wakeTime == "07:00")
    #expect(found.series[.sleep]?.mean == 9)
    // Over the Atlantic: three hours of sleep, and six of the clock.
    let flight = try snapshot(
      of: sleep("Asleep", at("02:00"), at("00:00", "2026-01-10", "-0200"))
        + sleep("Asleep", at("00:10", "2026-01-10", "-0200"), at("22:00", "2026-01-09", "-0500")))
    #expect(flight.sleep?.bedtime == "02:00" && flight.sleep?.wakeTime == "22:00")
    #expect(flight.sleep?.totalHours == 1.83)
  }

  /// Whenever somebody goes to bed, a night is one night.
  @Test(arguments: 0..<24)
  func aStretchOfSleepIsOneNight(hour: Int) throws {
    func clock(_ hours: Int, _ minute: String = "00") -> (String, Int) {
      ((hours % 24 < 10 ? "0" : "") + "\(hours % 24):\(minute)", hours / 24)
    }
    func time(_ index: Int, _ clock: (String, Int)) -> String {
      "\(day(index + clock.1)) \(clock.0):00 +0000"
    }
    let nights = (40..<85).map { index in
      sleep("AsleepCore", time(index, clock(hour)), time(index, clock(hour + 3)))
        + sleep("Awake", time(index, clock(hour + 3)), time(index, clock(hour + 3, "05")))
        + sleep("AsleepREM", time(index, clock(hour + 3, "05")), time(index, clock(hour + 8)))
    }
    let found = try snapshot(of: nights.joined())
    #expect(found.sleep?.nights == 45 && found.sleep?.irregularityMinutes == 0)
    #expect(found.sleep?.bedtime == clock(hour).0 && found.sleep?.wakeTime == clock(hour + 8).0)
    #expect(found.series[.sleep]?.lowest == 7.92 && found.series[.sleep]?.highest == 7.92)
  }

  @Test func aSleepThatNeverEndsIsNoLongerThanADay() throws {
    let days = (40..<50).map {
      sleep("Asleep", "\(day($0)) 00:00:00 +0000", "\(day($0 + 1)) 00:00:00 +0000")
    }
    #expect(try snapshot(of: days.joined()).series[.sleep]?.highest == 24)
  }

  @Test func theLastNightOfAChosenDayIsWhole() throws {
    let night =
      sleep("Asleep", at("20:00"), at("23:55"))
      + sleep("Asleep", at("00:05", "2026-01-11"), at("04:00", "2026-01-11"))
    #expect(try snapshot(of: night, options(until: "2026-01-11")).sleep?.nights == 1)
    #expect(try snapshot(of: night, options(until: "2026-01-10")).sleep == nil)
  }

  @Test func sleepThatBeginsBeforeTheFirstDayBelongsToItsNight() throws {
    let found = try snapshot(
      of: sleep("Asleep", at("23:00", "2025-11-02"), at("06:00", "2025-11-03")))
    #expect(found.from == Day("2025-11-03") && found.series[.sleep]?.mean == 7)
  }

  // Workouts.

  @Test func oneRunOnTwoDevicesIsOneRun() throws {
    let found = try snapshot(
      of: workout("Running", at("07:00"), at("07:40"), source: "Strider")
        + workout("Running", at("07:01"), at("07:41"), source: "Watch")
        + workout("Yoga", at("07:42"), at("08:00"), source: "Strider"))
    #expect(found.workouts?.count == 2)
    #expect(found.workouts?.types.map(\.type) == ["running", "yoga"])
  }

  @Test func oldAndNewLayoutsOfAWorkoutSayTheSame() throws {
    let old = workout(
      "Running", at("07:00"), at("07:40"),
      attributes: "duration=\"0.5\" durationUnit=\"hr\" totalDistance=\"5\" "
        + "totalDistanceUnit=\"mi\" totalEnergyBurned=\"300\" totalEnergyBurnedUnit=\"kcal\"")
    let distance =
      "type=\"HKQuantityTypeIdentifierDistanceWalkingRunning\" sum=\"8046.72\" unit=\"m\""
    let new = workout(
      "Running", at("07:00"), at("07:40"), attributes: "duration=\"30\" durationUnit=\"min\"",
      inner: "<WorkoutStatistics \(distance)/>"
        + "<WorkoutActivity uuid=\"1\"><WorkoutStatistics \(distance)/></WorkoutActivity>")
    for layout in [old, new] {
      let run = try #require(try snapshot(of: layout).workouts?.types.first)
      #expect(run.minutes == 30 && run.kilometres == 8.05)
    }
    let bare = try snapshot(of: workout("Running", at("07:00"), at("07:40")))
    #expect(bare.workouts?.minutes == 40 && bare.workouts?.measured == 0)
  }
}
