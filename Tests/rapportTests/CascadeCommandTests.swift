import Foundation
import Glibc
import IncrementalJSON
import Synchronization
import TestSupport
import Testing

/// `rapport score --scorer cascade=linear,model`, as a process against a real socket.
@Suite(.integration)
struct CascadeCommandTests {
  private func arguments(_ baseURL: String, _ rest: String...) -> [String] {
    [
      "score", "in.jsonl", "--scorer", "cascade=linear,model", "--base-url", baseURL, "--model",
      "m",
    ]
      + rest
  }

  private func records(_ output: String) throws -> [JSONValue] {
    try ScoreRecords.parsed(output)
  }

  private func tiers(_ records: [JSONValue]) -> [String?] {
    records.map { $0["tier"]?.stringValue }
  }

  @Test func onlyTheBudgetIsSentAndEveryRecordTellsWhoAnswered() throws {
    let asked = Mutex<[String]>([])
    let server = try ModelBatch.server { exchange, name in
      asked.withLock { $0.append(name) }
      try ModelBatch.answer(exchange)
    }
    defer { server.stop() }
    let household = try ModelBatch.household(10)
    let run = try household.run(
      arguments(server.url("/v1"), "--budget", "20%", "--resume", "out.jsonl"))
    #expect(run.status == 0, "\(run.errors)")
    let sent = asked.withLock { Set($0) }
    #expect(sent.count == 2)
    #expect(
      run.errors.contains("The model was sent 2 of 10 conversations; budget: 2 conversations"))
    let output = try String(contentsOfFile: household.folder + "/out.jsonl", encoding: .utf8)
    #expect(ModelBatch.ids(output) == (0..<10).map { "c\($0)" })
    let all = try records(output)
    for record in all {
      let isSent = sent.contains(record["id"]?.stringValue ?? "")
      let tier: JSONValue = isSent ? "model" : "linear"
      #expect(record["tier"] == tier)
      #expect(record["turns"]?.arrayValue?.first?["tier"] == tier)
      #expect((record["scorer"] == "m") == isSent && (record["range"] == nil) == isSent)
    }

    // A second run asks nothing again.
    let again = try household.run(
      arguments(server.url("/v1"), "--budget", "20%", "--resume", "out.jsonl"))
    #expect(
      again.status == 0 && again.errors.contains("0 conversations scored, 10 already finished"))
    #expect(asked.withLock { $0.count } == 2)
  }

  @Test func whereTheModelFailsTheCheaperAnswerStays() throws {
    let server = try ModelBatch.server { exchange, name in
      guard name == "c1" else { return try ModelBatch.answer(exchange) }
      try exchange.respond(
        status: "400 Bad Request",
        body: #"{"error":{"message":"flagged","type":"invalid_request_error"}}"#)
    }
    defer { server.stop() }
    let household = try ModelBatch.household(4)
    let run = try household.run(
      arguments(server.url("/v1"), "--budget", "model=100%", "--format", "jsonl"))
    #expect(run.status == 0, "\(run.errors)")
    let all = try records(run.output)
    #expect(tiers(all) == ["model", "linear", "model", "model"])
    #expect(all[1]["modelError"]?.stringValue?.contains("flagged") == true)
    #expect(all[1]["facets"]?["goalClarity.outcome"] != nil)
    #expect(run.errors.contains("1 chosen for it kept the offline answer"))
  }

  @Test func withoutAModelEverythingIsStillScoredAndTheExitCodeTells() throws {
    let household = try ModelBatch.household(5)
    let mock = try household.start(["mock", "--fault", "status:401"])
    let address = try #require(mock.readLine(), "\(mock.readErrors())")
    defer { kill(mock.pid, SIGINT) }
    let run = try household.run(
      arguments(address, "--budget", "100%", "--format", "jsonl", "-j", "1"))
    #expect(run.status == 69)
    #expect(tiers(try records(run.output)) == Array(repeating: "linear", count: 5))
    #expect(run.errors.contains("All records are complete"))
  }

  @Test func tokensAreABudgetToo() throws {
    let server = try ModelBatch.server { exchange, _ in try ModelBatch.answer(exchange) }
    defer { server.stop() }
    let household = try ModelBatch.household(6)
    let dry = try household.run(
      arguments(server.url("/v1"), "--budget", "8k-tokens", "--dry-run", "--format", "jsonl"))
    let requests = try #require(try JSONValue(parsing: dry.output)["requests"]?.intValue)
    #expect((1...5).contains(requests), "\(dry.output)")
    let run = try household.run(
      arguments(server.url("/v1"), "--budget", "8k-tokens", "--format", "csv"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.split(separator: "\n").count { $0.hasSuffix(",model") } == requests)
    let spent = 105 * requests
    #expect(run.errors.contains("budget: 8000 tokens, \(spent) spent, \(8000 - spent) left"))
  }

  @Test(
    arguments: [
      (["-"], "cascade=linear,model", "10%", "reads its input twice"),
      (["in.jsonl"], "cascade", "5k-tokens", "Give the encoder a share"),
      (["in.jsonl"], "cascade=linear,model", "encoder=5%", "encoder isn't a tier"),
      (["in.jsonl"], "model", "10%", "--budget needs --scorer cascade"),
    ])
  func whatMakesNoSenseIsRefused(
    inputs: [String], scorer: String, budget: String, reason: String
  ) throws {
    let household = try Household()
    let run = try household.run(
      ["score"] + inputs + ["--scorer", scorer, "--budget", budget], typing: "")
    #expect(run.status == 64)
    #expect(run.errors.replacing("\n", with: " ").contains(reason), "\(run.errors)")
  }
}
