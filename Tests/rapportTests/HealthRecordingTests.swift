import CoachServer
import Foundation
import Glibc
import IncrementalJSON
import TestSupport
import Testing

/// `rapport chat --record` with health data, and `rapport test` of what it recorded.
@Suite(.serialized, .integration)
struct HealthRecordingTests {
  private let household: Household
  private let model: CoachServer

  init() async throws {
    household = try Household()
    model = try await CoachServer()
  }

  private static let day = String(
    Date().addingTimeInterval(-86_400).formatted(.iso8601).prefix(10))

  /// Ends yesterday; the finding's words are another program's.
  private static var snapshot: String {
    let first = String(Date().addingTimeInterval(-86_400 * 90).formatted(.iso8601).prefix(10))
    return #"{"version": 1, "from": "\#(first)", "through": "\#(day)", "days": 90, "#
      + #""profile": {"age": 42}, "series": {"sleep": {"unit": "hours", "days": 60, "mean": 6.4}}, "#
      + #""findings": [{"kind": "workoutHabit", "text": "You row with Marta, marta@example.com.", "#
      + #""numbers": {}, "isForDoctor": false}]}"#
  }

  private func arguments(_ more: String...) -> [String] {
    ["chat", "--json", "--base-url", model.baseURL, "--model", CoachServer.modelName] + more
  }

  private func tape() throws -> JSONValue {
    let file = URL(filePath: household.folder + "/tape.json")
    return try JSONValue(parsing: Array(try Data(contentsOf: file)))
  }

  private func expectThatItPlays(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
    for options in [["--strict"], ["--strict", "--wire"]] {
      let result = try household.run(["test", "tape.json"] + options)
      #expect(result.status == 0, "\(result)", sourceLocation: sourceLocation)
    }
  }

  @Test func theRecordingHoldsWhatTheCoachWasToldAndPlaysAgain() throws {
    defer { model.stop() }
    try household.write(Self.snapshot, to: "s.json")
    let result = try household.run(
      arguments("--health", "s.json", "--record", "tape.json", "--redact", "Marta"),
      typing: Walkthrough.lines.joined(separator: "\n") + "\n")
    #expect(result.status == 0, "\(result.errors)")
    let told = "includes the findings and figures from your health data"
    #expect(result.errors.components(separatedBy: told).count == 2, "said once")
    let tape = try tape()
    let health = try #require(tape["health"])
    #expect(health["beforeStep"] == nil, "it was there before the greeting")
    #expect(health["through"]?.stringValue == Self.day)
    #expect(health["findings"]?[0]?["text"]?.stringValue == "You row with [name-1], [email-1].")
    #expect(health["evidence"]?[1]?["facet"]?.stringValue == "lifestyle.recovery")
    #expect(!tape.serialized().lowercased().contains("marta"))
    #expect(tape["expect"]?["events"]?[1]?.stringValue == "healthNoted")
    #expect(
      tape["expect"]?["facets"]?["lifestyle.recovery"]?["source"]?.stringValue == "Apple Health")
    try expectThatItPlays()
  }

  /// The reading of the data ends when the pipe does, which is after the greeting.
  @Test func dataThatComeLaterAreRecordedWithTheStepTheyCameBefore() throws {
    defer { model.stop() }
    let pipe = household.folder + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    // Both ends, so that neither program waits for the other to open its own.
    let end = open(pipe, O_RDWR | O_CLOEXEC)
    let child = try household.start(arguments("--health", "pipe", "--record", "tape.json"))
    func answer() -> String? {
      var text = ""
      while let line = child.readLine() {
        text += line + "\n"
        if line.contains(#""type":"done""#) { return text }
      }
      return nil
    }
    #expect(answer()?.contains("health-noted") == false)
    let export = """
      <HealthData><ExportDate value="\(Self.day) 23:00:00 +0000"/>
      <Me HKCharacteristicTypeIdentifierDateOfBirth="1984-03-02"/></HealthData>
      """
    #expect(write(end, export, export.utf8.count) == export.utf8.count)
    close(end)
    var step = 0
    for line in Walkthrough.lines.dropLast(4) {
      step += 1
      #expect(child.write(line + "\n"))
      if answer()?.contains("health-noted") != false { break }
    }
    child.closeInput()
    #expect(child.readErrors().contains("findings and figures"))
    #expect(child.wait() == 0)
    #expect(try tape()["health"]?["beforeStep"]?.intValue == step)
    try expectThatItPlays()
  }

  @Test func withoutTheOptionNothingOfIt() throws {
    defer { model.stop() }
    try household.write(Self.snapshot, to: "s.json")
    let before = try household.run(arguments("--health", "s.json"), typing: "drop 20 lbs\n")
    #expect(before.status == 0, "\(before.errors)")
    let known = model.requests.count
    let result = try household.run(arguments("--record", "tape.json"), typing: "drop 20 lbs\n")
    #expect(result.status == 0 && !result.errors.contains("health data"), "\(result.errors)")
    #expect(try tape()["health"] == nil)
    #expect(!model.requests.dropFirst(known).contains { $0.text.contains("You row") })
  }

  @Test func whatIsWrongInItIsNamedWithItsPlace() throws {
    defer { model.stop() }
    let start = #"{"version": 1, "title": "t", "rubricVersion": 1, "script": [{"user": "x"}], "#
    for (health, words) in [
      (#"{"source": "Apple Health"}"#, "expected a value, found nothing"),
      (#"{"source": "x", "through": "2026-02-30"}"#, "expected a day such as 2026-01-30"),
      (#"{"source": "x", "through": "2026-02-03", "beforeStep": 2}"#, "health.beforeStep"),
      (
        #"{"source": "x", "through": "2026-02-03", "figures": [{"about": "sleep", "txt": "6 h"}]}"#,
        "health.figures[0].txt"
      ),
    ] {
      try household.write(start + #""health": \#(health)}"#, to: "tape.json")
      let result = try household.run("test", "tape.json")
      #expect(result.status != 0)
      #expect((result.output + result.errors).contains(words), "\(result)")
    }
  }
}
