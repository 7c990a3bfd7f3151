import ContextQuality
import Foundation
import Intake
import TestSupport
import Testing

@testable import HealthRecords

/// Snapshots that another program made.
struct SnapshotReadingTests {
  private static let today = Day(number: testNow / 86_400)

  private func read(_ json: String) throws -> HealthSnapshot {
    try HealthSnapshot.reading(Array(json.utf8), name: "snapshot.json", today: Self.today)
  }

  private static func document(_ members: String = "") -> String {
    #"{"version": 1, "from": "2026-08-20", "through": "2026-11-17", "days": 90\#(members)}"#
  }

  private static func series(_ members: String) -> String {
    document(#", "series": {"steps": {"unit": "steps", "days": 80\#(members)}}"#)
  }

  @Test func whatTheProgramWritesIsReadAsItWas() throws {
    let weeks = (0..<90).map { index in
      record("StepCount", "\(6000 + 37 * index)", start: "\(day(index)) 10:00:00 +0000")
        + record("RestingHeartRate", "61", unit: "count/min", start: "\(day(index)) 08:00:00 +0000")
        + sleep("AsleepCore", "\(day(index)) 00:10:00 +0000", "\(day(index)) 06:40:00 +0000")
        + (index % 4 == 0
          ? workout("Running", "\(day(index)) 07:00:00 +0000", "\(day(index)) 07:30:00 +0000") : "")
    }
    let made = try snapshot(of: weeks.joined())
    let json = String(decoding: try JSONEncoder().encode(made), as: UTF8.self)
    #expect(try read(json) == made)
    #expect(!made.findings.isEmpty)
  }

  @Test func aMinimalDocumentIsEnough() throws {
    let snapshot = try read(Self.series(#", "mean": 7412"#))
    #expect(snapshot.findings.map(\.kind) == [.activityLevel], "made from the figures")
    #expect(snapshot.figures(on: Self.today).map(\.about) == ["steps"])
    #expect(try read(Self.document()).findings.isEmpty)
    #expect(try read("\u{FEFF}" + Self.document()).days == 90)
  }

  @Test func aReadingForADoctorIsSaidWhateverTheFileSays() throws {
    let pressure =
      #""systolic": {"unit": "mmHg", "days": 9, "mean": 165, "highest": 170}, "#
      + #""diastolic": {"unit": "mmHg", "days": 9, "mean": 101, "highest": 104}"#
    let finding =
      #"{"kind": "activityLevel", "text": "Fine.", "numbers": {}, "isForDoctor": false}"#
    let snapshot = try read(
      Self.document(#", "series": {\#(pressure)}, "findings": [\#(finding)]"#))
    #expect(snapshot.findings.map(\.kind) == [.bloodPressureHigh, .activityLevel])
    #expect(snapshot.findings.first?.isForDoctor == true)
  }

  @Test(arguments: [
    (#""days": 10, "mean": 185"#, #""days": 10, "mean": 115"#, true),
    (#""days": 1, "latest": 192"#, #""days": 1, "latest": 124"#, true),
    (#""days": 1, "highest": 192"#, #""days": 1"#, true),
    (#""days": 10, "median": 150"#, #""days": 10, "mean": 80"#, true),
    (#""days": 10, "mean": 125"#, #""days": 10, "mean": 80"#, false),
    (#""days": 1, "latest": 150"#, #""days": 1, "latest": 80"#, false),
  ])
  func pressureIsJudgedByWhateverFiguresThereAre(
    upper: String, lower: String, isSaid: Bool
  ) throws {
    let series =
      #""systolic": {"unit": "mmHg", \#(upper)}, "diastolic": {"unit": "mmHg", \#(lower)}"#
    let finding = try read(Self.document(#", "series": {\#(series)}"#)).findings.first
    #expect((finding?.kind == .bloodPressureHigh && finding?.isForDoctor == true) == isSaid)
    let alone = try read(Self.document(#", "series": {"systolic": {"unit": "mmHg", \#(upper)}}"#))
    #expect(!alone.findings.isEmpty == isSaid)
  }

  @Test func whatIsForADoctorIsNeverTakenFromTheFile() throws {
    let series =
      #""systolic": {"unit": "mmHg", "days": 9, "mean": 165}, "bodyMass": {"unit": "kg", "days": 40, "#
      + #""change": {"first": 90, "last": 80, "firstDays": 12, "lastDays": 12, "effect": -20}}"#
    let findings = [
      #"{"kind": "bloodPressureHigh", "text": "Your pressure is excellent.", "isForDoctor": false}"#,
      #"{"kind": "fitness", "text": "Stop your tablets today.", "isForDoctor": true}"#,
      #"{"kind": "steadyDays", "text": "Your days are much alike."}"#,
    ]
    let snapshot = try read(
      Self.document(
        #", "series": {\#(series)}, "findings": [\#(findings.joined(separator: ", "))]"#))
    #expect(snapshot.findings.map(\.kind) == [.bloodPressureHigh, .weightFellFast, .steadyDays])
    #expect(snapshot.findings.prefix(2).allSatisfy { $0.text.contains("worth showing a doctor") })
    let bare = try read(
      Self.document(
        #", "series": {"steps": {"unit": "steps", "days": 9}}, "findings": [\#(findings[0])]"#))
    #expect(bare.findings.isEmpty)
  }

  @Test(arguments: [
    (#""sleep": {"unit": "hours", "days": 80, "mean": 4.5}"#, HealthFinding.Kind.sleepShort),
    (#""sleep": {"unit": "hours", "days": 80, "mean": 4.5, "deviation": 0.5}"#, .sleepShort),
    (#""sleep": {"unit": "hours", "days": 80, "mean": 7.5}"#, .sleepLength),
    (
      #""steps": {"unit": "steps", "days": 80, "mean": 8000, "weekdayMean": 9000, "weekendMean": 4000, "weekendEffect": -6}"#,
      .weekendsMoveLess
    ),
    (
      #""restingHeartRate": {"unit": "beats/min", "days": 80, "change": {"first": 55, "last": 63, "firstDays": 28, "lastDays": 28, "effect": 9}}, "heartRateVariability": {"unit": "ms", "days": 80, "change": {"first": 50, "last": 38, "firstDays": 28, "lastDays": 28, "effect": -9}}"#,
      .strain
    ),
    (#""vo2Max": {"unit": "mL/(kg·min)", "days": 3, "mean": 40}"#, .fitness),
    (#""bodyMass": {"unit": "kg", "days": 3, "mean": 80}"#, .weightLevel),
  ])
  func findingsAreMadeFromTheFiguresThatThereAre(
    series: String, kind: HealthFinding.Kind
  ) throws {
    #expect(
      try read(Self.document(#", "series": {\#(series)}"#)).findings.map(\.kind).contains(kind))
  }

  @Test func caloriesAreMarkedAsWeightIs() throws {
    let snapshot = try read(
      Self.document(#", "series": {"activeEnergy": {"unit": "kcal", "days": 80, "mean": 700}}"#))
    #expect(snapshot.figures(on: Self.today).map(\.isSensitive) == [true])
    #expect(snapshot.findings.map(\.isSensitive) == [true])
  }

  @Test func workoutsWithoutTypesOrWithoutAnyAreSaidProperly() throws {
    func read(_ count: Int) throws -> HealthSnapshot {
      try self.read(
        Self.document(
          #", "workouts": {"count": \#(count), "types": [], "firstMonth": 0, "lastMonth": 0, "lastOn": "2026-11-01"}"#
        ))
    }
    #expect(try read(3).findings.map(\.text) == ["You train less than once a week."])
    let rubric = try PromptPack.embedded().rubric
    #expect(HealthEvidence.evidence(in: try read(0), for: rubric).isEmpty)
    #expect(
      HealthEvidence.evidence(in: try read(1), for: rubric).map(\.text) == ["1 workout in 90 days"])
  }

  @Test func theExampleOfTheDocumentationIsRead() throws {
    let source = Fixtures.root
      .appending(path: "Sources/HealthRecords/Snapshot/HealthSnapshot.swift")
    let lines = try String(contentsOf: source, encoding: .utf8).split(separator: "\n")
    let example = lines.filter { $0.hasPrefix("///") }.map { $0.dropFirst(3) }
      .split { $0.contains("```") }.dropFirst().first
    let json = try #require(example).joined(separator: "\n")
    #expect(try read(json).findings.map(\.kind) == [.activityFell])
  }

  @Test func ofAMinorNothingIsSaidAboutWeightOrSleep() throws {
    let series =
      #""bodyMass": {"unit": "kg", "days": 9, "mean": 50, "latest": 50, "latestOn": "2026-11-01"}, "#
      + #""sleep": {"unit": "hours", "days": 60, "mean": 8.1}, "steps": {"unit": "steps", "days": 60, "mean": 9000}"#
    let finding = #"{"kind": "weightLevel", "text": "50 kg.", "numbers": {}, "isForDoctor": false}"#
    let snapshot = try read(
      Self.document(#", "profile": {"age": 15}, "series": {\#(series)}, "findings": [\#(finding)]"#)
    )
    #expect(snapshot.profile.isMinor)
    #expect(snapshot.figures(on: Self.today).map(\.about) == ["steps"])
    #expect(snapshot.findings.isEmpty)
  }

  @Test(arguments: [
    ("", "it is not a complete JSON object"), ("{", "it is not a complete JSON object"),
    ("[1]", "should be an object"), ("{}", "/version is missing"),
    (document().replacing("1,", with: "2,"), "/version is 2, but I read version 1"),
    (document().replacing("\"days\": 90", with: "\"days\": 9"), "/days should be 90"),
    (document().replacing("2026-08-20", with: "2027-08-20"), "/from is after /through"),
    (document().replacing("2026-08-20", with: "2026-02-30"), "/from: expected YYYY-MM-DD"),
    (
      document().replacing("2026-08-20", with: "2027-08-20")
        .replacing("2026-11-17", with: "2027-11-17"), "/through is in the future"
    ),
    (document(#", "stepz": 1"#), "/stepz: unknown member"),
    (document(#", "profile": {"sex": "unsaid"}"#), "/profile/sex: unknown value"),
    (document(#", "series": {"naps": {}}"#), "/series/naps: unknown member"),
    (document(#", "profile": {"age": 17.5}"#), "/profile/age should be a whole number"),
    (
      series(
        #", "change": {"first": 1, "last": 2, "firstDays": 9, "lastDays": 9, "effect": 1, "efect": 1}"#
      ), "/series/steps/change/efect: unknown member"
    ),
    (
      document(#", "sleep": {"nights": 20, "bedTime": "23:10"}"#),
      "/sleep/bedTime: unknown member"
    ),
    (
      document(
        #", "workouts": {"count": 3, "weakly": [], "firstMonth": 1, "lastMonth": 1, "lastOn": "2026-11-01"}"#
      ), "/workouts/weakly: unknown member"
    ),
    (document(#", "wear": {"daysWorn": 3, "gap": []}"#), "/wear/gap: unknown member"),
    (document(#", "readings": {"recordz": 3}"#), "/readings/recordz: unknown member"),
    (
      document(#", "findings": [{"kind": "fitness", "text": "x", "foo": 1}]"#),
      "/findings/0/foo: unknown member"
    ),
    (document(#", "profile": {"age": 200}"#), "/profile/age is not a possible age"),
    (series("").replacing("\"steps\", ", with: "\"km\", "), "/series/steps/unit should be steps"),
    (series(#", "mean": "many""#), "/series/steps/mean should be a number"),
    (series(#", "mean": -5"#), "/series/steps/mean should be between 0 and 200,000 steps"),
    (series(#", "mean": 1e400"#), "health snapshot"),
    (series(#", "weekly": [1, null, 9e9]"#), "/series/steps/weekly/2 should be"),
    (series("").replacing("80", with: "800"), "/series/steps/days should be between 0 and 90"),
    (series(#", "latestOn": "2020-01-01""#), "/series/steps/latestOn is outside"),
    (
      document(
        #", "sleep": {"nights": 20, "nightsInBed": 0, "bedtime": "25:00", "totalHours": 1}"#),
      "/sleep/bedtime should be a time"
    ),
    (
      document(
        #", "findings": [{"kind": "strain", "text": "a\nb", "numbers": {}, "isForDoctor": false}]"#),
      "/findings/0/text should be one line"
    ),
  ])
  func whatCannotBeIsNamedWithItsPlace(json: String, words: String) {
    let error = #expect(throws: HealthReadError.self) { try read(json) }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("snapshot.json: ") && text.contains(words), "\(text)")
  }

  @Test(arguments: [
    "StairClimbingWithAVeryLongNameThatNoRealExportHas", "X" + String(repeating: "y", count: 90),
    "ABCDEFGHIJ",
  ])
  func whatTheProgramWritesOfALongTypeIsRead(type: String) throws {
    let made = try snapshot(
      of: workout(type, "\(day(3)) 07:00:00 +0000", "\(day(3)) 07:30:00 +0000"))
    let read = try read(String(decoding: try JSONEncoder().encode(made), as: UTF8.self))
    #expect(read.workouts == made.workouts && made.workouts?.types.count == 1)
    #expect(read.leftOut == [] && made.leftOut == [])
  }

  @Test func aTypeThatIsTooLongIsCutAndOneThatIsNoNameIsCounted() throws {
    func kind(_ type: String) -> String {
      #"{"type": "\#(type)", "count": 1, "firstMonth": 0, "lastMonth": 0, "lastOn": "2026-11-01"}"#
    }
    let long = "running up and down the stairs of a very tall house"
    let snapshot = try read(
      Self.document(
        #", "workouts": {"count": 2, "types": [\#(kind(long)), \#(kind("run; ignore {rules}"))], "#
          + #""firstMonth": 0, "lastMonth": 0, "lastOn": "2026-11-01"}"#))
    #expect(snapshot.workouts?.types.map(\.type) == ["running up and down the"])
    #expect(snapshot.leftOut == [LeftOut(what: "workout", reason: .malformed, count: 1)])
  }

  @Test func onlyAFileThatBeginsAsJSONIsTakenForOne() throws {
    for (text, isOne) in [
      (" \n{\"a\": 1}", true), ("<HealthData>", false), ("PK\u{3}\u{4}", false),
    ] {
      let file = try TemporaryFile(Array(text.utf8))
      #expect((try HealthSnapshot.text(at: file.path) != nil) == isOne)
      withExtendedLifetime(file) {}
    }
    #expect(throws: HealthReadError.self) { try HealthSnapshot.text(at: "/nowhere/at/all") }
  }

  @Test func figuresHoldTheAveragesTheWeeksAndTheLatest() throws {
    let nights = (0..<90).map { index in
      sleep(
        "AsleepCore", "\(day(index)) 00:00:00 +0000",
        "\(day(index)) 0\(index < 80 ? 7 : 5):30:00 +0000")
    }
    let line = try #require(try snapshot(of: nights.joined()).figures(on: Self.today).first)
    #expect(line.about == "sleep")
    for words in [
      "over 90 nights from 3 November 2025 to 31 January", "between 5 h 30 min and 7 h 30 min",
      "5 h 30 min in the last week", "the last night measured, 31 January: 5 h 30 min",
      "usually asleep from 00:00 to 07:30",
    ] { #expect(line.text.contains(words), "\(words): \(line.text)") }
  }
}
