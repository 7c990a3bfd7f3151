import BatchScoring
import ContextQuality
import Foundation
import IncrementalJSON
import Intake
import ModelScoring
import OfflineScorer
import Testing

/// Both ways to score write the same records, and lose no line.
struct LedgerRecordTests {
  private struct Collected: BatchSink, Sendable {
    var bytes: [UInt8] = []
    var problems: [LineProblem] = []

    mutating func write(_ records: UnsafeRawBufferPointer) { bytes += records }
    mutating func report(_ problem: LineProblem) { problems.append(problem) }
    mutating func progress(_ progress: BatchProgress) {}

    var lines: [String] {
      String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  private static let labelled = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fixtures/labelled/dev.jsonl").standardized.path

  private func offline(
    _ path: String, _ rubric: Rubric, _ change: (inout BatchOptions) -> Void
  ) async throws -> Collected {
    var options = BatchOptions()
    change(&options)
    var sink = Collected()
    _ = try await BatchRun(table: ScoreTable(rubric), options: options).score([path], into: &sink)
    return sink
  }

  private func ledger(_ record: JSONValue) throws -> Ledger {
    var ledger = Ledger()
    for (name, value) in try #require(record["facets"]?.objectValue) {
      let facet = try #require(Facet(name))
      let turn = try #require(value["turn"]?.intValue)
      let quote = try #require(value["quote"]?.stringValue)
      ledger.record(Evidence(facet: facet, quote: quote, turn: turn))
      if let until = value["until"]?.intValue {
        ledger.retract(Retraction(facet: facet, quote: "no", turn: until))
      }
    }
    return ledger
  }

  @Test(arguments: [(ScoreFormat.jsonl, false), (.jsonl, true), (.csv, false), (.table, false)])
  func aRecordLooksTheSameWhoeverFoundItOut(_ format: ScoreFormat, _ details: Bool) async throws {
    let rubric = try PromptPack.embedded().rubric
    let records = try await offline(Self.labelled, rubric) { $0.turnDetails = details }.lines
    let expected = try await offline(Self.labelled, rubric) {
      ($0.format, $0.turnDetails) = (format, details)
    }
    let writer = LedgerRecord(rubric: rubric, format: format, turnDetails: details)
    var written = String(decoding: writer.header, as: UTF8.self)
    for line in records {
      let record = try JSONValue(parsing: line)
      let ledger = try ledger(record)
      let scores = writer.scores(ledger, turns: record["turns"]?.arrayValue?.count ?? 0)
      let id = try #require(record["id"]?.stringValue)
      written += String(decoding: writer.bytes(id: id, ledger, scores), as: UTF8.self)
    }
    #expect(records.count > 100)
    let lines = written.split(separator: "\n").map(String.init)
    let differing = zip(lines, expected.lines).filter { $0 != $1 }.map { $0.0.prefix(20) }
    #expect(lines.count == expected.lines.count)
    // A record holds the latest stretch of a facet only: those with an earlier one differ in turns.
    #expect(differing.count <= 3, "\(differing)")
  }

  @Test(arguments: [1, 3])
  func withErrorsInlineEveryLineGivesOneRecordInItsPlace(jobs: Int) async throws {
    let good = #"{"id":"a","messages":[{"role":"user","content":"I run"}]}"#
    let lines = [
      good, "", "nonsense", #"{"id":"named"}"#, "  ", "[]",
      String(repeating: "x", count: 3_000_000),
      #"{"id":"nobody","messages":[]}"#, "\u{FEFF}", good,
    ]
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).jsonl"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
    let sink = try await offline(path, try PromptPack.embedded().rubric) {
      ($0.writesErrorsInline, $0.longestLine, $0.jobs) = (true, 1 << 20, jobs)
    }
    let records = try sink.lines.map { try JSONValue(parsing: $0) }
    let ids = records.map { $0["id"]?.stringValue ?? "" }
    #expect(
      ids == [
        "a", "\(path):2", "\(path):3", "named", "\(path):5", "\(path):6", "\(path):7", "nobody",
        "\(path):9", "a",
      ])
    #expect(
      records.map { $0["error"] == nil }
        == [0, 7, 9].reduce(
          into: [Bool](repeating: false, count: 10)
        ) { $0[$1] = true })
  }

  @Test func onlyScoresCountAsFinished() {
    var finished = FinishedRecords()
    func take(_ text: String) -> Bool { finished.take(Array(text.utf8)) }
    #expect(take(#"{"id":"a","overall":0.5,"turns":[],"scorer":"m"}"#))
    #expect(!take(#"{"id":"a","overall":0.5,"turns":[]}"#), "the offline scorer's")
    #expect(take(#"{"id":"b","error":"no messages"}"#))
    #expect(!take(#"{"id":"c","messages":[]}"#))
    #expect(!take(#"{"overall":0.5,"turns":[]}"#))
    #expect(!take("not json"))
    #expect(finished.count == 1)
  }
}
