import TestSupport
import Testing

@testable import HealthRecords

/// The hostile and awkward exports of the case file, each with what it says of them.
struct HealthCaseTests {
  private static func cases() throws -> [Case] {
    try CaseFile("hostile-cases").cases.filter { $0["surface"]?.string == "health-export" }
  }

  /// Cases that describe a file instead of giving one have tests of their own.
  private static let described = ["health-zip-slip", "health-zip-bomb", "health-size-116MB"]

  @Test func everyCaseIsThere() throws {
    let all = try Self.cases()
    #expect(all.count == 59)
    #expect(Self.described.allSatisfy { name in all.contains { $0.name == name } })
  }

  @Test(arguments: try cases().filter { !described.contains($0.name) })
  func isReadAsItSays(_ example: Case) throws {
    let bytes = try #require(example.input)
    let (seconds, result) = secondsOfWork {
      Result { () throws(HealthReadError) in try snapshot(bytes) }
    }
    if let limit = example["check"]?["maxSeconds"]?.double { #expect(seconds < limit) }
    #expect(Self.digest(result) == Self.expected[example.name])
    switch example["check"]?["exit"]?.string {
    case "ok": _ = try result.get()
    case "error": #expect(throws: HealthReadError.self) { try result.get() }
    default: break
    }
    guard let mass = example["check"]?["bodyMassKg"] else { return }
    let latest = try result.get().series[.bodyMass]?.latest
    if let expected = mass.double {
      #expect(abs((latest ?? 0) - expected) <= 0.05)
    } else {
      #expect(latest == nil)
    }
  }

  /// Everything that an export of a few records comes to, in a line: the error, or how many records
  /// there were, the days and the last value of each quantity, and what was left out.
  private static func digest(_ result: Result<HealthSnapshot, HealthReadError>) -> String {
    switch result {
    case .failure(let error):
      return "\(error.reason)"
    case .success(let found):
      let series = found.series.all.map { "\($0)\($1.days)=\($1.latest ?? -1)" }
      let left = found.leftOut.map { "\($0.what):\($0.reason)" }
      let profile = found.profile.isMinor ? ["minor"] : []
      return (["\(found.readings.records)"] + series + left + profile).joined(separator: " ")
    }
  }

  private static let expected: [String: String] = [
    "health-attribute-names-with-spaces": "2 bodyMass1=80.0 record:malformed",
    "health-bad-date": "1 body mass:date",
    "health-bad-utf8-in-name": "badName",
    "health-billion-laughs": "entity",
    "health-birth-date-in-future": "0",
    "health-bom": "1 bodyMass1=81.5",
    "health-cda-instead": "clinicalDocument",
    "health-correlation-duplicates": "2 systolic1=120.0",
    "health-date-no-zone": "1 body mass:date",
    "health-date-us": "1 body mass:date",
    "health-deep-nesting": "tooDeep",
    "health-double-counted-steps": "2 steps1=1040.0",
    "health-dst-gap-and-overlap": "3 steps:future",
    "health-empty-file": "empty",
    "health-end-before-start": "1 steps:endsBeforeStart",
    "health-entity-in-value": "entity",
    "health-glucose-unit": "1 glucose1=5.4",
    "health-heart-rate-zero": "1 resting heart rate:implausible",
    "health-height-units": "3 height3=1.78",
    "health-huge-attribute": "tooLong(\"a value of more than 64 KiB\")",
    "health-ios16-broken-dtd": "1 bodyMass1=81.5",
    "health-latin1-lie": "1 bodyMass1=81.5",
    "health-many-attributes": "1",
    "health-minor-by-birth-date": "1 bodyMass1=81.5 minor",
    "health-negative-steps": "1 steps:implausible",
    "health-negative-weight": "1 body mass:implausible",
    "health-other-people-names": "1 bodyMass1=81.5",
    "health-percent-scale": "2 bodyFat2=18.0",
    "health-predefined-entities": "1 bodyMass1=81.5",
    "health-quadratic-blowup": "entity",
    "health-sleep-categories": "2 sleep1=7.0",
    "health-travel-across-zones": "2 steps1=4000.0",
    "health-truncated": "endsEarly(records: 1)",
    "health-two-roots": "afterTheEnd",
    "health-unit-g": "1 bodyMass1=81.5",
    "health-unit-lb": "1 bodyMass1=81.6466",
    "health-unit-missing": "1 body mass:unit",
    "health-unit-unknown": "1 body mass:unit",
    "health-units-mixed": "2 bodyMass2=81.0",
    "health-unknown-type": "1",
    "health-utf16": "encoding(\"UTF-16\")",
    "health-value-comma-decimal": "1 body mass:notANumber",
    "health-value-exponent": "1 bodyMass1=81.5",
    "health-value-hex": "1 body mass:notANumber",
    "health-value-huge": "1 body mass:notANumber",
    "health-value-missing": "1 body mass:notANumber",
    "health-value-nan": "1 body mass:notANumber",
    "health-value-text": "1 body mass:notANumber",
    "health-value-thousands": "1 body mass:notANumber",
    "health-vertical-tab-in-attribute": "1 bodyMass1=81.5",
    "health-very-old-date": "1",
    "health-xxe-http": "0",
    "health-xxe-parameter-entity": "entity",
    "health-zero-weight": "1 body mass:implausible",
    "health-zone-absurd": "1 body mass:date",
    "health-zone-half-hour": "1 bodyMass1=81.5",
  ]

  private func read(_ name: String) throws -> HealthSnapshot {
    try snapshot(#require(Self.cases().first { $0.name == name }?.input))
  }

  private func reason(_ name: String) throws -> HealthReadError.Reason {
    let bytes = try #require(Self.cases().first { $0.name == name }?.input)
    return try #require(throws: HealthReadError.self) { try snapshot(bytes) }.reason
  }

  @Test(
    arguments: [
      [0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0], [0x3C, 0, 0, 0, 0x3F, 0, 0, 0],
      [0, 0, 0, 0x3C, 0, 0, 0, 0x3F],
      [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x3C],
    ] as [[UInt8]])
  func fourBytesALetterAreNamed(bytes: [UInt8]) throws {
    let error = try #require(throws: HealthReadError.self) { try snapshot(bytes) }
    #expect(error.reason == .encoding("UTF-32"))
  }

  @Test func refusalsSayWhatIsWrong() throws {
    #expect(try reason("health-empty-file") == .empty)
    #expect(try reason("health-cda-instead") == .clinicalDocument)
    #expect(try reason("health-truncated") == .endsEarly(records: 1))
    #expect(try reason("health-two-roots") == .afterTheEnd)
    #expect(try reason("health-deep-nesting") == .tooDeep)
    #expect(try reason("health-utf16") == .encoding("UTF-16"))
    #expect(try reason("health-bad-utf8-in-name") == .badName)
    for bomb in ["health-billion-laughs", "health-quadratic-blowup", "health-entity-in-value"] {
      #expect(try reason(bomb) == .entity)
    }
    guard case .tooLong = try reason("health-huge-attribute") else {
      Issue.record("a value of 20 MB was taken")
      return
    }
  }

  @Test func aBrokenRecordCostsItself() throws {
    let broken = try read("health-attribute-names-with-spaces")
    #expect(broken.series[.bodyMass]?.latest == 80)
    #expect(broken.leftOut.map(\.reason) == [.malformed])
  }

  @Test func whatMakesNoSenseIsCountedAndNamed() throws {
    let expected: [(String, String, LeftOut.Reason)] = [
      ("health-negative-weight", "-81.5 kg", .implausible),
      ("health-zero-weight", "0 kg", .implausible),
      ("health-negative-steps", "-500 count", .implausible),
      ("health-heart-rate-zero", "0 count/min", .implausible),
      ("health-value-nan", "NaN", .notANumber), ("health-value-comma-decimal", "81,5", .notANumber),
      ("health-value-hex", "0x51", .notANumber), ("health-value-huge", "1e400", .notANumber),
      ("health-value-thousands", "1,081.5", .notANumber),
      ("health-unit-unknown", "81.5 furlong", .unit), ("health-unit-missing", "81.5", .unit),
      ("health-bad-date", "2026-02-30 07:00:00 +0100", .date),
      ("health-date-us", "01/10/2026 7:00 AM", .date),
      ("health-date-no-zone", "2026-01-10 07:00:00", .date),
      ("health-zone-absurd", "2026-01-10 07:00:00 +9999", .date),
    ]
    for (name, example, reason) in expected {
      let left = try read(name).leftOut
      #expect(left.map(\.reason) == [reason], "\(name)")
      #expect(left.first?.example == example && left.first?.count == 1, "\(name)")
    }
    #expect(try read("health-end-before-start").leftOut.map(\.reason) == [.endsBeforeStart])
    #expect(try read("health-value-missing").leftOut.map(\.reason) == [.notANumber])
  }

  @Test func figuresAreTheRightOnes() throws {
    #expect(try read("health-value-exponent").series[.bodyMass]?.latest == 81.5)
    let weights = try #require(try read("health-units-mixed").series[.bodyMass])
    #expect((weights.lowest, weights.highest) == (81, 81.646627))
    let heights = try #require(try read("health-height-units").series[.height])
    #expect((heights.lowest, heights.highest) == (1.778, 1.78))
    let fat = try #require(try read("health-percent-scale").series[.bodyFat])
    #expect((fat.lowest, fat.highest) == (18, 18))
    #expect(try read("health-glucose-unit").series[.glucose]?.latest == 5.4)
    #expect(try read("health-double-counted-steps").series[.steps]?.mean == 1040)
    #expect(try read("health-correlation-duplicates").series[.systolic]?.readings == 1)
    #expect(try read("health-sleep-categories").series[.sleep]?.mean == 7)
    #expect(try read("health-sleep-categories").sleep?.hoursInBed == 8)
    #expect(try read("health-minor-by-birth-date").profile.isMinor)
    #expect(try read("health-birth-date-in-future").profile.age == nil)
    #expect(try read("health-very-old-date").leftOut.isEmpty)
  }

  @Test func clockChangesAndJourneysDoNotBendTime() throws {
    let bytes = try #require(
      Self.cases().first { $0.name == "health-dst-gap-and-overlap" }?.input)
    // The two at half past two are different moments of one day.
    let autumn = try snapshot(bytes, options(days: 7, until: "2025-10-27"))
    #expect(autumn.series[.steps]?.latest == 200)
    let journey = try read("health-travel-across-zones")
    #expect(journey.series[.steps]?.mean == 4000 && journey.series[.steps]?.days == 1)
  }

  @Test func namesOfPeopleAndDevicesStayOutside() throws {
    let json = outcome(
      try #require(Self.cases().first { $0.name == "health-other-people-names" }?.input))
    #expect(!json.contains("Ana") && !json.contains("iPhone"))
  }

  @Test func aHundredThousandAttributesTakeNoQuadraticTime() throws {
    func seconds(_ count: Int) throws -> Double {
      let many = String(repeating: " a=\"1\"", count: count)
      let bytes = Array(export(" <Record\(many)/>\n").utf8)
      let (seconds, found) = try secondsOfWork { try snapshot(bytes) }
      #expect(found.readings.records == 1)
      return seconds
    }
    _ = try seconds(1000)
    #expect(try seconds(100_000) < 1)
  }
}
