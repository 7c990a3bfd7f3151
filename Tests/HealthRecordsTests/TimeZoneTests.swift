import Testing

@testable import HealthRecords

/// An export has every date at the phone's present offset. A sample that names its zone happened on
/// that zone's clock.
struct TimeZoneTests {
  private func zone(_ name: String) -> String {
    "<MetadataEntry key=\"HKTimeZone\" value=\"\(name)\"/>"
  }

  private func night(_ start: String, _ end: String, _ zone: String?) -> String {
    let tag = sleep("AsleepCore", start, end)
    guard let zone else { return tag }
    return tag.replacing("/>\n", with: ">\n\(self.zone(zone))</Record>\n")
  }

  /// Thirty nights from 23 to 6 in Tokyo, exported in London.
  @Test func nightsAreThoseOnTheClockOfTheZone() throws {
    let nights = (0..<30).map {
      night("\(day($0)) 14:00:00 +0000", "\(day($0)) 21:00:00 +0000", "Asia/Tokyo")
    }
    let found = try snapshot(of: nights.joined())
    #expect(found.sleep?.bedtime == "23:00" && found.sleep?.wakeTime == "06:00")
    #expect(found.series[.sleep]?.latestOn == Day(day(30)) && found.sleep?.nights == 30)
  }

  /// Asleep at 23 each night, first in Los Angeles and then in Berlin.
  @Test func aMoveIsNoIrregularSleep() throws {
    let west = (0..<30).map {
      night("\(day($0 + 1)) 08:00:00 +0100", "\(day($0 + 1)) 15:00:00 +0100", "America/Los_Angeles")
    }
    let east = (31..<60).map {
      night("\(day($0)) 23:00:00 +0100", "\(day($0 + 1)) 06:00:00 +0100", "Europe/Berlin")
    }
    let found = try #require(try snapshot(of: (west + east).joined()).sleep)
    #expect(found.bedtime == "23:00" && found.wakeTime == "06:00")
    #expect(found.irregularityMinutes == 0)
  }

  @Test func summerTimeIsTheZonesToo() throws {
    // Exported in winter; on 1 July, Berlin is two hours ahead of UTC.
    let found = try snapshot(
      of: night("2026-07-01 22:00:00 +0100", "2026-07-02 05:00:00 +0100", "Europe/Berlin"),
      options(days: 30, until: "2026-07-10"), date: "2026-11-20 10:00:00 +0100")
    #expect(found.sleep?.bedtime == "23:00" && found.sleep?.wakeTime == "06:00")
  }

  @Test(arguments: ["", "Nowhere/Land", "../../etc/passwd", "☃"])
  func aNameThatIsNoZonesChangesNothing(name: String) throws {
    let found = try snapshot(
      of: night("2026-01-10 22:00:00 +0100", "2026-01-11 05:00:00 +0100", name))
    #expect(found.sleep?.bedtime == "22:00")
  }

  @Test func workoutsAndMeasurementsMoveWithTheirZone() throws {
    let inner = zone("Asia/Tokyo")
    let found = try snapshot(
      of: workout("Running", "2026-01-10 22:00:00 +0000", "2026-01-10 23:00:00 +0000", inner: inner)
        + record(
          "BodyMass", "80", unit: "kg", start: "2026-01-10 22:00:00 +0000", inner: inner))
    #expect(found.workouts?.lastOn == Day("2026-01-11"))
    #expect(found.workouts?.parts.map(\.part) == [.morning])
    #expect(found.series[.bodyMass]?.latestOn == Day("2026-01-11"))
  }

  /// In the window by its zone and not by its offset, and the other way round.
  @Test func theZoneDecidesWhatIsInTheWindow() throws {
    let inner = zone("Asia/Tokyo")
    let found = try snapshot(
      of: record(
        "BodyMass", "80", unit: "kg", start: "2026-01-04 20:00:00 +0000", inner: inner)
        + record(
          "BodyMass", "81", unit: "kg", start: "2026-01-11 20:00:00 +0000", inner: inner),
      options(days: 7, until: "2026-01-11"))
    #expect(found.series[.bodyMass]?.latest == 80 && found.series[.bodyMass]?.readings == 1)
    #expect(found.leftOut.isEmpty)
  }
}
