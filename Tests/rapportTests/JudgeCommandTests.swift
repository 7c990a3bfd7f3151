import CoachServer
import Foundation
import IncrementalJSON
import MockServer
import Synchronization
import TestSupport
import Testing
import WireFormats

/// `rapport judge`, as a process against scripted judges over the real wire format.
@Suite(.integration)
struct JudgeCommandTests {
  private static let input = """
    {"id":"a","messages":[{"role":"user","content":"I want to lose 20 pounds by June because \
    I'm tired all day"},{"role":"assistant","content":"What gets in the way?"},{"role":"user",\
    "content":"I work 60 hours a week and my knee hurts after running. I don't sleep much"}],\
    "facets":{"goalClarity.outcome":{"turn":1}}}
    {"id":"b","messages":[{"role":"user","content":"I'd like to run a marathon in October, I've \
    run three times a week since spring"},{"role":"assistant","content":"When do you have time?"},\
    {"role":"user","content":"mornings before work, I have two kids and a gym membership"}]}

    """

  /// A running judge, and how many readings it was asked for.
  private final class Bench: Sendable {
    let server: MockServer
    let requests: @Sendable () -> Int

    init(_ habits: CarelessJudge.Habits, faults: [FaultPlan.Planned] = []) async throws {
      let count = Mutex(0)
      var options = ModelAPI.Options()
      options.faults = faults
      let api = ModelAPI(recordings: CarelessJudge(habits), options: options) { record in
        if record.method == "POST" { count.withLock { $0 += 1 } }
      }
      server = try await MockServer { api.answer($0) }
      requests = { count.withLock { $0 } }
    }

    deinit { server.stop() }

    func household() throws -> Household {
      let household = try Household()
      try household.write(JudgeCommandTests.input, to: "in.jsonl")
      return household
    }

    func arguments(_ rest: String...) -> [String] {
      ["judge", "in.jsonl", "--base-url", server.baseURL, "--model", CarelessJudge.modelName] + rest
    }
  }

  private static func figure(_ card: JSONValue, _ change: String, _ name: String) -> Double? {
    card["changes"]?.arrayValue?.first { $0["change"]?.stringValue == change }?[name]?["value"]?
      .doubleValue
  }

  @Test(arguments: ["steady", "flicker=50%", "order=50%", "wording=50%", "coach-turn=50%"])
  func eachHabitMovesItsOwnFigure(_ habit: String) async throws {
    let bench = try await Bench(try #require(CarelessJudge.Habits(habit)))
    let run = try bench.household().run(bench.arguments("--format", "json"))
    #expect(run.status == 0, "\(run.errors)")
    let card = try JSONValue(parsing: run.output)
    #expect(card["readings"]?["done"]?.intValue == 12)
    let moved = ["again", "order", "wording", "coach-turn"].filter {
      Self.figure(card, $0, "facets") ?? 0 > 0
    }
    let flickers = (card["facets"]?.arrayValue ?? []).count { $0["flickered"]?.intValue ?? 0 > 0 }
    switch habit.split(separator: "=").first {
    case "flicker": #expect(moved.contains("again") && flickers > 0)
    case "steady": #expect(moved.isEmpty && flickers == 0)
    case let name: #expect(moved == [name.map(String.init)] && flickers == 0)
    }
    #expect(card["quotes"]?["refused"]?.intValue == 0)
    #expect(card["quotes"]?["snapped"]?.intValue == 0)
    #expect(card["labels"]?["conversations"]?.intValue == 1)
    #expect(bench.requests() == 12)
  }

  @Test func inventedQuotesAreRefusedAndMisspelledOnesSnapped() async throws {
    let bench = try await Bench(CarelessJudge.Habits(invent: 0.5, garble: 0.5))
    let household = try bench.household()
    let run = try household.run(bench.arguments("--changes", "none"))
    #expect(run.status == 0, "\(run.errors)")
    let refused = try #require(run.output.firstMatch(of: /refused +(\d+)/)?.1)
    let snapped = try #require(run.output.firstMatch(of: /snapped +(\d+)/)?.1)
    #expect(Int(refused) ?? 0 > 0 && Int(snapped) ?? 0 > 0)
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let page = try household.run(bench.arguments("--changes", "none", "--format", "html"))
    #expect(page.output.hasPrefix("<!DOCTYPE html>") && page.output.hasSuffix("</html>\n"))
    #expect(page.output.contains("quote notVerbatim") && !page.output.contains("<script"))
  }

  @Test func aFailedReadingIsNamedAndTheNextRunAsksForItAlone() async throws {
    let fault = FaultPlan.Planned(try Fault("refusal"), times: 1, only: nil)
    let bench = try await Bench(.init(), faults: [fault])
    let household = try bench.household()
    let arguments = bench.arguments("--changes", "none", "--resume", "readings.jsonl", "-j", "1")
    let first = try household.run(arguments)
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.contains("5 of 6 readings"))
    #expect(first.output.contains("Failed readings: 1\n  1 × the model or its provider refused"))
    let asked = bench.requests()
    let second = try household.run(arguments)
    #expect(second.output.contains("6 of 6 readings") && !second.output.contains("Failed"))
    #expect(bench.requests() == asked + 1)
    let other = try household.run(
      arguments.map { $0 == CarelessJudge.modelName ? "another" : $0 })
    #expect(other.status == 65 && other.errors.contains("has readings of careless-judge"))
  }

  @Test func whatCannotBeJudgedIsSaidBeforeAnythingIsSent() throws {
    let household = try Household()
    try household.write(Self.input, to: "in.jsonl")
    let dry = try household.run("judge", "in.jsonl", "--dry-run")
    #expect(dry.status == 0 && dry.output.contains("12 requests"), "\(dry.output)\(dry.errors)")
    let nothing = try household.run("judge", "in.jsonl", "--repeats", "1", "--changes", "none")
    #expect(nothing.status == 64 && nothing.errors.contains("nothing to compare"))
    let unknown = try household.run("judge", "in.jsonl", "--changes", "tone")
    #expect(unknown.status == 64 && unknown.errors.contains("order, wording, coach-turn"))
  }
}
