import CoachServer
import Foundation
import Glibc
import IncrementalJSON
import Intake
import Synchronization
import TestSupport
import Testing

/// `rapport score --scorer model`, as a process against a real socket.
@Suite(.integration)
struct ModelScoreTests {
  @Test func aRecordedChatGivesWhatItGaveLive() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    _ = try Walkthrough.talk(household, model)
    let export = try household.run("sessions", "export", "--format", "jsonl")
    let live = try JSONValue(parsing: export.output)
    let points = try Walkthrough.events(household).compactMap { recorded -> Double? in
      guard case .scored(let scoring) = recorded.event else { return nil }
      return Double(scoring.points) / 10_000
    }
    #expect(points.count == 6)
    try household.write(export.output, to: "chat.jsonl")

    let run = try household.run(ModelBatch.arguments(model.baseURL, "chat.jsonl"))
    #expect(run.status == 0, "\(run.errors)")
    let record = try #require(try ScoreRecords.parsed(run.output).first)
    #expect(record["id"] == live["id"])
    #expect(record["facets"] == live["facets"])
    #expect(record["overall"]?.doubleValue == points.last)
    let turns = try #require(record["turns"]?.arrayValue?.compactMap { $0["overall"]?.doubleValue })
    #expect(Array(turns.prefix(6)) == points)
  }

  @Test func recordsStandInTheOrderOfTheInputWhoeverAnswersFirst() throws {
    let lastMayAnswer = Gate()
    let server = try ModelBatch.server { exchange, name in
      // The first conversation is answered only after the last one has been.
      if name == "c0" { lastMayAnswer.wait() }
      try ModelBatch.answer(exchange)
      if name == "c3" { lastMayAnswer.open() }
    }
    defer { server.stop() }
    let household = try ModelBatch.household(12)
    let run = try household.run(ModelBatch.arguments(server.url("/v1"), "in.jsonl", "-j", "4"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(ModelBatch.ids(run.output) == (0..<12).map { "c\($0)" })
    #expect(run.errors.contains("12 conversations scored; 12 requests, 1200 input and 60 output"))
  }

  @Test func noMoreRequestsAreUnderWayThanWereAskedFor() throws {
    let running = Mutex(0)
    let most = Mutex(0)
    let server = try ModelBatch.server { exchange, _ in
      let now = running.withLock { running in
        running += 1
        return running
      }
      most.withLock { $0 = max($0, now) }
      try ModelBatch.answer(exchange)
      running.withLock { $0 -= 1 }
    }
    defer { server.stop() }
    let household = try ModelBatch.household(40)
    let run = try household.run(ModelBatch.arguments(server.url("/v1"), "in.jsonl", "-j", "3"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(most.withLock { $0 } <= 3)
  }

  @Test func aKilledRunGoesOnWhereItWasAndAsksNothingTwiceThatWasWritten() throws {
    let hasStalled = Gate()
    let hasGoneOn = Gate()
    let asked = Mutex<[String]>([])
    let server = try ModelBatch.server { exchange, name in
      let isFirstTime = asked.withLock { asked in
        defer { asked.append(name) }
        return !asked.contains(name)
      }
      if name == "c7", isFirstTime {
        hasStalled.open()
        return exchange.waitForClientToClose()
      }
      try ModelBatch.answer(exchange)
      if name == "c8" || name == "c9" { hasGoneOn.open() }
    }
    defer { server.stop() }
    let household = try ModelBatch.household(20)
    let arguments = ModelBatch.arguments(
      server.url("/v1"), "in.jsonl", "-j", "3", "--resume", "out.jsonl")
    let child = try household.start(arguments)
    // The seventh hangs, so nothing after it is written; what is before it is.
    hasStalled.wait()
    hasGoneOn.wait()
    let output = household.folder + "/out.jsonl"
    while ModelBatch.ids(try String(contentsOfFile: output, encoding: .utf8)).count < 7 {
      sched_yield()
    }
    kill(child.pid, SIGKILL)
    #expect(child.wait() == 128 + SIGKILL)
    // A power cut may leave half a line.
    let torn = try String(contentsOfFile: output, encoding: .utf8) + #"{"id":"c7","overa"#
    try household.write(torn, to: "out.jsonl")

    let run = try household.run(arguments)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.isEmpty)
    let whole = try String(contentsOfFile: output, encoding: .utf8)
    #expect(ModelBatch.ids(whole) == (0..<20).map { "c\($0)" })
    let again = Dictionary(grouping: asked.withLock { $0 }, by: \.self).filter {
      $0.value.count > 1
    }
    #expect(again.count <= 3, "only what was under way: \(again.keys.sorted())")
    #expect(again.keys.allSatisfy { ["c7", "c8", "c9"].contains($0) })

    let idle = try household.run(arguments)
    #expect(idle.status == 0)
    #expect(idle.errors.contains("0 conversations scored, 20 already finished; 0 requests"))
    #expect(try String(contentsOfFile: output, encoding: .utf8) == whole)
  }

  @Test func aDryRunSendsNothingAndComesNearToWhatIsUsed() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try ModelBatch.household(5)
    let dry = try household.run(
      ModelBatch.arguments(model.baseURL, "in.jsonl", "--dry-run", "--format", "jsonl"))
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(model.requests.isEmpty)
    let estimate = try JSONValue(parsing: dry.output)
    #expect(estimate["conversations"]?.intValue == 5)
    #expect(estimate["requests"]?.intValue == 5)

    // The scripted model counts a token for four bytes of the request's body.
    let run = try household.run(ModelBatch.arguments(model.baseURL, "in.jsonl"))
    #expect(run.status == 0, "\(run.errors)")
    let used = model.requests.map { $0.body.count / 4 }.reduce(0, +)
    let guessed = try #require(estimate["inputTokens"]?.intValue)
    #expect(run.errors.contains("\(used) input"))
    #expect(abs(guessed - used) * 5 < used, "\(guessed) against \(used)")
  }

  @Test func aDryRunNeedsNoKeyAndNoServer() throws {
    let household = try ModelBatch.household(3)
    let run = try household.run("score", "in.jsonl", "--scorer", "model", "--dry-run")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("3 requests"))
    #expect(run.output.contains("Nothing was sent."))
  }

  @Test func aServerThatLimitsTheRateIsWaitedForAndEverythingIsScored() throws {
    let answered = Mutex(0)
    let refusals = Mutex(0)
    let server = try ModelBatch.server { exchange, _ in
      // Three of four requests are refused, as by a server with room for one.
      let isRefused = answered.withLock { count in
        count += 1
        return count % 4 != 0
      }
      guard isRefused else { return try ModelBatch.answer(exchange) }
      refusals.withLock { $0 += 1 }
      try exchange.respond(
        status: "429 Too Many Requests", headers: ["retry-after-ms: 5"],
        body: #"{"error":{"message":"slow down","type":"rate_limit_error"}}"#)
    }
    defer { server.stop() }
    let household = try ModelBatch.household(30)
    let run = try household.run(ModelBatch.arguments(server.url("/v1"), "in.jsonl", "-j", "8"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(ModelBatch.ids(run.output) == (0..<30).map { "c\($0)" })
    #expect(run.errors.contains("(\(refusals.withLock { $0 }) retried)"))
  }

  @Test func aServerThatGoesAwayEndsTheRunAndWhatWasWrittenIsWhole() throws {
    let server = Mutex<LoopbackServer?>(nil)
    let loopback = try ModelBatch.server { exchange, name in
      if name == "c5" { server.withLock { $0?.stop() } } else { try ModelBatch.answer(exchange) }
    }
    server.withLock { $0 = loopback }
    let household = try ModelBatch.household(10)
    let arguments = ModelBatch.arguments(loopback.url("/v1"), "in.jsonl", "-j", "1")
    let run = try household.run(arguments)
    #expect(run.status == 69)
    #expect(ModelBatch.ids(run.output) == (0..<5).map { "c\($0)" })
    #expect(run.output.hasSuffix("}\n"))
    #expect(run.errors.contains("5 conversations scored"))
    #expect(run.errors.contains("couldn't reach the model"))
  }

  @Test func oneConversationThatFailsCostsOneRecord() throws {
    let server = try ModelBatch.server { exchange, name in
      guard name == "c1" else { return try ModelBatch.answer(exchange) }
      try exchange.respond(
        status: "400 Bad Request",
        body: #"{"error":{"message":"flagged","type":"invalid_request_error"}}"#)
    }
    defer { server.stop() }
    let household = try ModelBatch.household(3)
    try household.write("not json\n", to: "bad.jsonl")
    let run = try household.run(
      ModelBatch.arguments(server.url("/v1"), "in.jsonl", "bad.jsonl", "--inline-errors"))
    #expect(run.status == 65)
    #expect(ModelBatch.ids(run.output) == ["c0", "c1", "c2", "bad.jsonl:1"])
    let records = try ScoreRecords.parsed(run.output)
    #expect(records[1]["error"]?.stringValue?.contains("flagged") == true)
    #expect(records[2]["overall"] != nil)
  }

  @Test func wordsThatAProviderFiltersAreNoReasonToStop() throws {
    let server = try ModelBatch.server { exchange, name in
      let number = Int(name.dropFirst()) ?? 0
      guard (3..<29).contains(number) else { return try ModelBatch.answer(exchange) }
      if number % 2 == 0 {
        try exchange.respond(
          status: "400 Bad Request",
          body: #"{"error":{"message":"filtered","code":"content_filter"}}"#)
      } else {
        try exchange.respondWithEvents([
          #"{"id":"r","choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}"#,
          "[DONE]",
        ])
      }
    }
    defer { server.stop() }
    let household = try ModelBatch.household(30)
    let run = try household.run(ModelBatch.arguments(server.url("/v1"), "in.jsonl", "-j", "4"))
    #expect(run.status == 65, "\(run.errors)")
    #expect(ModelBatch.ids(run.output) == ["c0", "c1", "c2", "c29"])
  }

  @Test func recordsOfTheOfflineScorerAreNotTakenForTheModels() throws {
    let household = try ModelBatch.household(2)
    let offline = try household.run("score", "in.jsonl").output
    try household.write(offline, to: "out.jsonl")
    let run = try household.run(
      ModelBatch.arguments("http://127.0.0.1:1/v1", "in.jsonl", "--resume", "out.jsonl"))
    #expect(
      run.status == 65 && run.errors.contains("not a record from `rapport score --scorer model`"))
    #expect(
      try String(contentsOfFile: household.folder + "/out.jsonl", encoding: .utf8) == offline)
  }

  @Test func aFileThatHoldsNoScoresIsLeftAlone() throws {
    let household = try ModelBatch.household(2)
    let before = try String(contentsOfFile: household.folder + "/in.jsonl", encoding: .utf8)
    try household.write(before, to: "copy.jsonl")
    try household.write("a note without an end", to: "note.txt")
    for (output, status) in [("in.jsonl", 64), ("copy.jsonl", 65), ("note.txt", 65)] {
      let text = try String(contentsOfFile: household.folder + "/" + output, encoding: .utf8)
      let run = try household.run(
        ModelBatch.arguments("http://127.0.0.1:1/v1", "in.jsonl", "--resume", output))
      #expect(run.status == Int32(status), "\(output): \(run.errors)")
      #expect(
        try String(contentsOfFile: household.folder + "/" + output, encoding: .utf8) == text)
    }
  }

  @Test func aReportMarksWhatTheModelFound() throws {
    let server = try ModelBatch.server { exchange, _ in try ModelBatch.answer(exchange) }
    defer { server.stop() }
    let household = try ModelBatch.household(3)
    let run = try household.run(
      ModelBatch.arguments(server.url("/v1"), "in.jsonl", "--format", "html"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("<!DOCTYPE html>") && run.output.hasSuffix("</html>\n"))
    let marked = run.output.matches(of: /<mark[^>]*>(.*?)<\/mark>/).map(\.1)
    #expect(marked.count == 3 && marked.allSatisfy { $0.contains("drop about 20 lbs") })
  }

  @Test func aModelsAgreementWithLabelsCountsWhatItFoundAndMissed() throws {
    let server = try ModelBatch.server { exchange, name in
      if name == "c2" {
        return try exchange.respond(
          status: "400 Bad Request", body: #"{"error":{"message":"flagged"}}"#)
      }
      try ModelBatch.answer(exchange)
    }
    defer { server.stop() }
    let household = try ModelBatch.household(3)
    let both =
      #""facets":{"goalClarity.outcome":{"turn":1,"quote":"drop about 20 lbs"},"#
      + #""goalClarity.timeframe":{"turn":1,"quote":"by june"}}}"#
    let labels = try String(contentsOfFile: household.folder + "/in.jsonl", encoding: .utf8)
      .split(separator: "\n").map { $0.dropLast() + "," + both + "\n" }
    // A blank line is nobody's conversation.
    try household.write(labels.joined(separator: "\n"), to: "labels.jsonl")
    let run = try household.run(
      ModelBatch.arguments(
        server.url("/v1"), "--compare", "labels.jsonl", "--format", "jsonl", "-j", "1"))
    #expect(run.status == 65, "one could not be scored: \(run.errors)")
    let agreement = try JSONValue(parsing: run.output)
    #expect(agreement["prefixes"]?.intValue == 2)
    #expect(agreement["precision"]?.doubleValue == 1)
    #expect(agreement["recall"]?.doubleValue == 0.5)
  }

  @Test func withoutAKeyTheRunSaysHowToSetOne() throws {
    let household = try ModelBatch.household(1)
    let run = try household.run("score", "in.jsonl", "--scorer", "model")
    #expect(run.status == 78)
    #expect(run.output.isEmpty)
  }
}

/// Conversations with a name in them, and a server that knows which one it is asked about.
enum ModelBatch {
  static func household(_ count: Int) throws -> Household {
    let household = try Household()
    let lines = (0..<count).map { number in
      #"{"id":"c\#(number)","messages":[{"role":"assistant","content":"What would you like?"},"#
        + #"{"role":"user","content":"I am c\#(number). drop about 20 lbs by june"}]}"# + "\n"
    }
    try household.write(lines.joined(), to: "in.jsonl")
    return household
  }

  static func arguments(_ baseURL: String, _ rest: String...) -> [String] {
    let model = ["--base-url", baseURL, "--model", CoachServer.modelName]
    return ["score", "--scorer", "model"] + model + rest
  }

  static func server(
    _ answer: @escaping @Sendable (ServerExchange, String) throws -> Void
  ) throws -> LoopbackServer {
    try LoopbackServer { exchange in
      let name = exchange.request.text.firstMatch(of: /I am (c\d+)/)?.1
      try answer(exchange, String(name ?? ""))
    }
  }

  static func answer(_ exchange: ServerExchange) throws {
    let evidence =
      #"{\"evidence\":[{\"facet\":\"goalClarity.outcome\",\"turn\":1,\"quote\":\"drop about 20 lbs\"}],\"retracted\":[],\"care\":\"none\"}"#
    try exchange.respondWithEvents([
      #"{"id":"r","choices":[{"index":0,"delta":{"content":"\#(evidence)"},"finish_reason":null}]}"#,
      #"{"id":"r","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
      #"{"id":"r","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105}}"#,
      "[DONE]",
    ])
  }

  static func ids(_ output: String) -> [String] {
    output.split(separator: "\n").compactMap {
      try? JSONValue(parsing: String($0))["id"]?.stringValue
    }
  }
}
