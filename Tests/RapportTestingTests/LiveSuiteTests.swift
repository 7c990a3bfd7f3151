import Cassettes
import ContextQuality
import Foundation
import IncrementalJSON
import Intake
import LanguageModels
import RapportTesting
import Synchronization
import TestSupport
import Testing
import WireFormats

/// Two sides of the same conversations.
@Suite struct LiveSuiteTests {
  @Test func whatTheSidesKnowAndAskIsCompared() async throws {
    let folder = try await Shelf(["two-turns": Small.complete()])
    let model = Listener(facets: [
      ("goalClarity.outcome", "drop about 20 lbs"), ("goalClarity.timeframe", "by june"),
    ])
    let comparison = try #require(try await folder.compare(model.runner()).first?.comparison)
    #expect(comparison.gained.map(\.facet.description) == ["goalClarity.timeframe"])
    #expect(comparison.gained.map(\.text) == ["by june"])
    #expect(comparison.lost.map(\.facet.description) == ["obstacles.barrier"])
    #expect(comparison.left.asks.count == 2)
    #expect(comparison.right.asks.map(\.text) == ["And then?", "And then?"])
    #expect(comparison.right.asks.allSatisfy { !$0.components.isEmpty && $0.known.isEmpty })
    #expect(comparison.turns.map { $0.left?.text } == [Small.first, Small.second])
    #expect(comparison.turns.map { $0.right?.text } == [Small.first, Small.second])
    #expect(comparison.right.usage.input > 0)
  }

  @Test func theUserIsTheOneOfTheScriptWhateverTheModelAsks() async throws {
    let folder = try await Shelf(["two-turns": Small.complete()])
    let model = Listener(facets: [])
    _ = try await folder.compare(model.runner())
    let last = try #require(model.requests.last { $0.purpose == .ask })
    #expect(
      last.messages.filter { $0.author == .user }.map(\.text).suffix(2) == [
        Small.first, Small.second,
      ])
  }

  @Test func onlyTheScriptsWaitsPass() async throws {
    let cassette = try await Small.complete { $0.script[1].wait = 100 }
    let pack = try Shipped.pack.get()
    let recorded = await ConversationRunner(pack: pack).run(cassette)
    let script = LiveScript(cassette, recorded: recorded, consent: pack.consent)
    let (run, ending) = await (try Listener(facets: []).runner()).run(cassette, script)
    #expect(ending == .whole)
    let start = Double(cassette.settings.startsAt)
    let seconds = run.events.map { $0.at.timeIntervalSince1970 - start }
    #expect(Set(seconds) == [0, 100])
    #expect(seconds == seconds.sorted())
  }

  @Test func theScriptsOwnWaitsRunIntoTheTimeLimit() async throws {
    func asks(waiting wait: Double) async throws -> [RunSummary.Ask] {
      let folder = try await Shelf([
        "two-turns": Small.complete {
          $0.settings.timeLimit = 60
          $0.script[1].wait = wait
        }
      ])
      let runner = try Listener(facets: []).runner()
      let result = await folder.compare(runner, left: .live(runner)).first
      return try #require(result?.comparison?.right.asks)
    }
    // When the time is up, one critical component is asked about in so many words.
    #expect(try await asks(waiting: 0).map(\.components.count) == [2, 2])
    #expect(try await asks(waiting: 100).map(\.components.count) == [2, 1])
  }

  @Test func aFailureIsToldOfItsConversationAndTheOthersGoOn() async throws {
    let folder = try await Shelf([
      "a": Small.complete(), "b": Small.complete(), "c": Small.complete(),
    ])
    let model = Listener(facets: [], failingFirst: true)
    let results = try await folder.compare(model.runner(), width: 1)
    #expect(results.map(\.name) == ["a", "b", "c"])
    guard case .failed(let place, let reason) = results[0].outcome else {
      Issue.record("the first one should have failed")
      return
    }
    #expect(place == .right)
    #expect(reason.contains("scripted failure"))
    #expect(results.dropFirst().allSatisfy { $0.comparison != nil })
  }

  @Test func whereNobodyAnswersNotEverythingIsTried() async throws {
    let one = try await Small.complete()
    let folder = try Shelf(Dictionary(uniqueKeysWithValues: (10..<40).map { ("c\($0)", one) }))
    let model = ScriptedModel { _ in .failure(ModelError(.unauthorized, detail: "no")) }
    let runner = LiveRunner(pack: try Shipped.pack.get(), models: ModelRoles(all: model))
    let results = await folder.compare(runner, width: 2)
    #expect((4...6).contains(results.count))
  }

  @Test func aRecordingThatCannotBePlayedIsNotTheModelsFault() async throws {
    let folder = try await Shelf(["two-turns": Small.complete { $0.exchanges.removeLast() }])
    let result = try await folder.compare(Listener(facets: []).runner()).first
    guard case .failed(.recording, _)? = result?.outcome else {
      Issue.record("it was \(String(describing: result?.outcome))")
      return
    }
  }

  @Test func anInterruptEndsWithWhatThereIs() async throws {
    let folder = try await Shelf(["a": Small.complete(), "b": Small.complete()])
    let runner = try Listener(facets: []).runner()
    let results = await Task {
      await folder.compare(runner, width: 1) { _ in withUnsafeCurrentTask { $0?.cancel() } }
    }.value
    #expect(results.map(\.name) == ["a"])
  }

  @Test func filtersAndTagsChoose() async throws {
    let folder = try await Shelf([
      "apple": Small.complete { $0.tags = ["x"] }, "pear": Small.complete { $0.tags = ["y"] },
    ])
    var options = SuiteRunner.Options()
    options.tags = ["y"]
    let tagged = await folder.compare(try Listener(facets: []).runner(), options: options)
    #expect(tagged.map(\.name) == ["pear"])
    options.tags = []
    options.filters = ["app"]
    let filtered = await folder.compare(try Listener(facets: []).runner(), options: options)
    #expect(filtered.map(\.name) == ["apple"])
  }

  @Test func totalsCountOnlyWhatBecameReadyInTheMedian() async throws {
    let pack = try Shipped.pack.get()
    func summary(_ name: String) async throws -> RunSummary {
      RunSummary(await ConversationRunner(pack: pack).run(try Shipped.cassette(name)))
    }
    let ready = try await summary("happy-path/organ-loft")
    let never = RunSummary(await ConversationRunner(pack: pack).run(try await Small.complete()))
    let totals = SideTotals([ready, never])
    #expect(ready.turnsToReady != nil && never.turnsToReady == nil)
    #expect(totals.ready == 1)
    #expect(totals.medianTurnsToReady == ready.turnsToReady.map(Double.init))
    #expect(totals.questions == ready.asks.count + never.asks.count)
    #expect(ready.profile?.goal != nil && ready.outcome == .ready && never.outcome == nil)
  }
}

/// Cassettes in a folder of their own.
final class Shelf: Sendable {
  let folder: String

  init(_ cassettes: [String: Cassette]) throws {
    folder = FileManager.default.temporaryDirectory.path + "/rapport-live-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, cassette) in cassettes {
      try Data(cassette.text.utf8).write(to: URL(filePath: "\(folder)/\(name).json"))
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func compare(
    _ runner: LiveRunner, left: LiveSuite.Side = .recording, width: Int = 2,
    options: SuiteRunner.Options = SuiteRunner.Options(),
    told: (LiveSuite.Result) -> Void = { _ in }
  ) async -> [LiveSuite.Result] {
    var options = options
    options.width = width
    guard let suite = try? ConversationSuite(paths: [folder]) else { return [] }
    return await LiveSuite(
      left: left, right: .live(runner), packs: [runner.pack], options: options
    ).run(suite, told: told)
  }
}

/// A model that finds the facets it knows phrases for, and always asks the same.
final class Listener: Sendable {
  private let model: ScriptedModel

  init(facets: [(facet: String, quote: String)], failingFirst: Bool = false) {
    let isFirst = Mutex(failingFirst)
    model = ScriptedModel { request in
      let fails = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if fails { return .failure(ModelError(.unreachable, detail: "scripted failure")) }
      let usage = TokenUsage(input: 100, output: 10)
      guard request.purpose == .score else {
        return .text(request.purpose == .greet ? "Hello." : "And then?", usage: usage)
      }
      return .text(Self.evidence(facets, request.messages.last?.text ?? ""), usage: usage)
    }
  }

  var requests: [ModelRequest] { model.requests }

  func runner() throws -> LiveRunner {
    LiveRunner(pack: try Shipped.pack.get(), models: ModelRoles(all: model))
  }

  private static func evidence(
    _ facets: [(facet: String, quote: String)], _ prompt: String
  ) -> String {
    let input = (try? JSONValue(parsing: prompt)) ?? .null
    let new = Set((input["newUserTurns"]?.arrayValue ?? []).compactMap(\.intValue))
    var items: [JSONValue] = []
    for message in input["conversation"]?.arrayValue ?? [] {
      guard let turn = message["turn"]?.intValue, new.contains(turn),
        let said = message["user"]?.stringValue
      else { continue }
      for (facet, quote) in facets where said.contains(quote) {
        items.append(["facet": .string(facet), "turn": JSONValue(turn), "quote": .string(quote)])
      }
    }
    let answer: JSONValue = ["evidence": .array(items), "retracted": [], "care": "none"]
    return answer.serialized()
  }
}
