import HealthRecords
import Testing

@Suite struct HealthRecordsSample {
  @Test func aSnapshotSaysWhatItShows() throws {
    let json = """
      {"version": 1, "from": "2025-11-02", "through": "2026-01-30", "days": 90,
       "profile": {"age": 38},
       "series": {"steps": {"unit": "steps", "days": 84, "mean": 7412}}}
      """
    let snapshot = try HealthSnapshot.reading(
      Array(json.utf8), name: "snapshot.json", today: try #require(Day("2026-02-01")))
    for finding in snapshot.findings { print(finding.text) }
    #expect(snapshot.findings.contains { $0.text.contains("7,400 steps") })
  }

  /// Reads an export of any size in constant memory.
  func findings(inExport path: String, now: Int) throws -> [String] {
    try HealthExport(path).snapshot(HealthReadOptions(now: now)).findings.map(\.text)
  }
}
