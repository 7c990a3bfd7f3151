import Cassettes
import ContextQuality
import IncrementalJSON
import LanguageModels
import RapportTesting
import TestSupport
import Testing
import WireFormats

/// Where other recorders failed: each of their failures must be one here.
@Suite struct MatchingTests {
  @Test func aConversationThatComesOutAsRecordedPasses() async throws {
    #expect(try await Small.complete().failures(isStrict: true).isEmpty)
  }

  @Test func theSameLastWordsInALongerConversationAreAnotherRecording() async throws {
    let cassette = try await Small.complete { draft in
      draft.script = [Cassette.Step(.say("hm, pizza")), Cassette.Step(.say("hm, pizza"))]
      draft.exchanges[1] = Small.evidence([])
      draft.exchanges[3] = Small.evidence([])
    }
    let words = cassette.exchanges.map { $0.request?.words }
    #expect(words[1] != words[3])
    #expect(words[2] != words[4])
    #expect(
      cassette.transcript.map(\.text).suffix(3).first == "Twenty is doable. What gets in the way?")
    #expect(try await cassette.failures().isEmpty)
  }

  @Test func equalRequestsGetTheirRecordingsInOrder() async throws {
    let cassette = try await Small.complete { draft in
      var busy = draft.exchanges[2]
      busy.fault = try? Fault("rate-limit:after=seconds")
      draft.exchanges.insert(busy, at: 2)
    }
    #expect(cassette.exchanges[2].request == cassette.exchanges[3].request)
    #expect(try await cassette.failures(isStrict: true).isEmpty)
    var swapped = cassette
    swapped.exchanges.swapAt(2, 3)
    let failures = try await swapped.failures()
    #expect(failures.contains { $0.actual == "never requested" })
  }

  @Test func aRecordingStrippedOfItsPromptsStaysSoAndNoticesAChange() async throws {
    var cassette = try await Small.complete()
    #expect(!cassette.prompts.isEmpty)
    cassette.prompts = []
    #expect(try await Small.completed(cassette).prompts.isEmpty)
    cassette.exchanges[1].request?.prompt = "another"
    let failures = try await cassette.failures(isStrict: true)
    #expect(failures.map(\.remark) == ["the prompt has changed since it was recorded"])
  }

  /// A total of 4,096, say, is what a server counts that cut the prompt.
  @Test func anEstimateOfTokensIsNeverTakenForAFullWindow() async throws {
    for bytes in 0..<16 {
      let cassette = try await Small.complete { draft in
        draft.exchanges[4] = Small.text(.ask, String(repeating: "x", count: 160 + 4 * bytes))
      }
      for exchange in cassette.exchanges {
        guard case .answer(let answer) = exchange.response.content else { continue }
        let usage = try #require(answer.usage)
        #expect((usage.input + usage.output) % 2 == 1)
      }
    }
  }

  @Test func aRequestWithoutARecordingFailsWithBothConversations() async throws {
    var cassette = try await Small.complete()
    cassette.script[1] = Cassette.Step(.say("nothing is stopping me"))
    let failures = try await cassette.failures()
    try #require(!failures.isEmpty)
    #expect(failures.allSatisfy { $0.path.hasPrefix("a request for") }, "\(failures)")
    #expect(failures[0].expected.contains(Small.second))
    #expect(failures[0].actual.contains("nothing is stopping me"))
  }

  @Test func whenTheRecordingsAreUsedUpTheRunFailsAndNothingIsSent() async throws {
    var cassette = try await Small.complete()
    cassette.exchanges.removeLast()
    let failures = try await cassette.failures()
    #expect(failures.first?.path == "a request for ask")
    #expect(failures.first?.remark == "no unused answer was recorded for this purpose")
  }

  @Test func aRecordingThatNobodyAskedForFails() async throws {
    var cassette = try await Small.complete()
    cassette.exchanges.append(cassette.exchanges[4])
    #expect(try await cassette.failures().map(\.actual) == ["never requested"])
  }

  @Test func framesThatAreNotReadFail() async throws {
    var cassette = try await Small.complete()
    cassette.exchanges[4].response.content = .frames([
      .init(
        .event(nil, ["choices": [["index": 0, "delta": ["content": "Where could you train?"]]]])),
      .init(.event(nil, ["choices": [["index": 0, "delta": [:], "finish_reason": "stop"]]])),
      .init(.event(nil, "[DONE]")),
      .init(.event(nil, ["choices": [["index": 0, "delta": ["content": "unheard"]]]])),
    ])
    let failures = try await cassette.failures()
    #expect(failures.contains { $0.actual == "1 recorded frame was not read" })
  }

  @Test func aBlankRecordingFails() async throws {
    var cassette = try await Small.complete()
    cassette.exchanges[4].response.content = .frames([])
    let failures = try await cassette.failures()
    #expect(failures.contains { $0.actual.hasPrefix("the recording is blank") })
  }

  @Test func aChangedPromptIsToldWithItsLinesAndFailsOnlyWhereThatIsWished() async throws {
    var cassette = try await Small.complete()
    let place = try #require(cassette.prompts.firstIndex { $0.purpose == "ask" })
    cassette.prompts[place].lines[0] += " Be kind."
    for index in cassette.exchanges.indices where cassette.exchanges[index].purpose == .ask {
      cassette.exchanges[index].request?.prompt = "0000000000000000"
    }
    let run = await ConversationRunner(pack: try Shipped.pack.get()).run(cassette)
    let verdict = ConversationVerdict(of: run, for: cassette)
    #expect(verdict.failures.isEmpty)
    #expect(verdict.drift.map(\.exchanges) == [[2, 4]])
    #expect(verdict.drift[0].recorded[0].hasSuffix(" Be kind."))
    #expect(!verdict.drift[0].sent[0].hasSuffix(" Be kind."))
    #expect(try await !cassette.failures(isStrict: true).isEmpty)
  }

  @Test func anotherModelIsToldAsDrift() async throws {
    var cassette = try await Small.complete()
    cassette.settings.models.coach = "another"
    let run = await ConversationRunner(pack: try Shipped.pack.get()).run(cassette)
    let drift = ConversationVerdict(of: run, for: cassette).drift
    #expect(Set(drift.map(\.what)) == ["the model is another; recorded with recorded"])
    #expect(drift.map(\.purpose) == [.greet, .ask])
  }

  @Test(.integration) func runnersThatShareAServerDoNotDisturbEachOther() async throws {
    let cassette = try await Small.complete()
    let runner = ConversationRunner(pack: try Shipped.pack.get())
    let stage = try await WireStage(runner)
    let alone = await runner.run(cassette)
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<12 {
        group.addTask { await stage.run(cassette).difference(from: alone) == nil }
      }
      for await isSame in group { #expect(isSame) }
    }
    await stage.close()
  }
}
