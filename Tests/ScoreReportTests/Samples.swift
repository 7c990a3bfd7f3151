import ContextQuality
import FoundationEssentials
import Intake
import OfflineScorer
import ScoreReport
import TestSupport

@testable import BatchScoring

/// Keeps what a run reports.
struct CollectingSink: BatchSink, Sendable {
  var bytes = 0
  var problems: [LineProblem] = []

  mutating func write(_ records: UnsafeRawBufferPointer) { bytes += records.count }
  mutating func report(_ problem: LineProblem) { problems.append(problem) }
  mutating func progress(_ progress: BatchProgress) {}
}

enum Samples {
  static func rubric() throws -> Rubric { try PromptPack.embeddedRubric() }

  /// The report of JSON Lines.
  static func page(
    _ input: [UInt8], jobs: Int = 1, conversations: Int = ReportData.conversationLimit,
    rubric: Rubric? = nil
  ) async throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID()).jsonl")
    try Data(input).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var options = BatchOptions()
    options.format = .html
    options.jobs = jobs
    options.reportConversations = conversations
    let rubric = try rubric ?? Self.rubric()
    var sink = CollectingSink()
    let run = BatchRun(table: ScoreTable(rubric), options: options)
    let outcome = try await run.score([file.path], into: &sink)
    return page(outcome, rubric).replacing(file.path, with: "input")
  }

  static func page(_ outcome: BatchOutcome, _ rubric: Rubric) -> String {
    var page = ""
    ScoreReport(outcome: outcome, rubric: rubric).write { page += $0 }
    return page
  }

  /// The report of conversations that were put together by hand.
  static func page(_ conversations: [ReportConversation]) throws -> String {
    let rubric = try rubric()
    let table = ScoreTable(rubric)
    var outcome = BatchOutcome(totals: ScoreTotals(table: table))
    var data = ReportData()
    for (index, conversation) in conversations.enumerated() {
      let known = [UInt32](repeating: conversation.known, count: conversation.turns)
      outcome.totals.count(known)
      data.count(known: known, table: table, sample: (UInt64(index), conversation))
    }
    outcome.report = data
    return page(outcome, rubric)
  }

  /// The labelled conversations, as often as wanted, with ids of their own.
  static func labelled(_ count: Int) throws -> [UInt8] {
    let path = try CaseFile.packageRoot().appending(path: "Fixtures/labelled/dev.jsonl")
    let lines = try Data(contentsOf: path).split(separator: 0x0A)
    return (0..<count).flatMap { index -> [UInt8] in
      let line = String(decoding: lines[index % lines.count], as: UTF8.self)
      return Array(line.replacing("\"id\": \"dev-", with: "\"id\": \"c\(index)-").utf8) + [0x0A]
    }
  }

  static func line(id: String, coach: String, user: String) throws -> [UInt8] {
    struct Turn: Encodable { var role: String, text: String }
    struct Line: Encodable { var id: String, turns: [Turn] }
    let line = Line(
      id: id, turns: [.init(role: "coach", text: coach), .init(role: "user", text: user)])
    return Array(try JSONEncoder().encode(line)) + [0x0A]
  }
}
