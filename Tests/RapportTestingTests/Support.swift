import Cassettes
import ContextQuality
import Foundation
import Intake
import LanguageModels
import RapportTesting
import TestSupport
import WireFormats

/// The cassettes that come with the project.
enum Shipped {
  static let folder = Result {
    try CaseFile.packageRoot().appending(path: "Fixtures/conversations").path
  }

  static func entries() throws -> [ConversationSuite.Entry] {
    try ConversationSuite(paths: [try folder.get()]).entries
  }

  static func cassette(_ name: String) throws -> Cassette {
    try ConversationSuite.Entry(name: name, path: try folder.get() + "/\(name).json").load()
  }

  static let pack = Result { try PromptPack.embedded() }

  /// What came of each cassette, by its name, for all the tests that look at it.
  static func runs() async throws -> [(name: String, cassette: Cassette, run: ConversationRun)] {
    try await played.value
  }

  private static let played = Task {
    let runner = ConversationRunner(pack: try pack.get())
    var runs: [(name: String, cassette: Cassette, run: ConversationRun)] = []
    for entry in try entries() {
      let cassette = try entry.load()
      runs.append((entry.name, cassette, await runner.run(cassette)))
    }
    return runs
  }
}

/// A small conversation of two turns, written as a draft.
enum Small {
  static let first = "I want to drop about 20 lbs by june"
  static let second = "no time, new job with 60h weeks"

  static func draft() throws -> Cassette {
    Cassette(
      title: "Two turns", rubricVersion: 1,
      script: [Cassette.Step(.say(first)), Cassette.Step(.say(second))],
      exchanges: [
        text(.greet, "Hey, good to meet you. What would you like to change?"),
        evidence([("goalClarity.outcome", 1, "drop about 20 lbs")]),
        text(.ask, "Twenty is doable. What gets in the way?"),
        evidence([("obstacles.barrier", 2, "no time")]),
        text(.ask, "Sixty hours is a lot. Where could you train?"),
      ])
  }

  /// The draft with its keys and everything that comes of it as expectations.
  static func complete(_ change: (inout Cassette) -> Void = { _ in }) async throws -> Cassette {
    var draft = try draft()
    change(&draft)
    return try await completed(draft)
  }

  static func completed(_ draft: Cassette) async throws -> Cassette {
    let pack = try Shipped.pack.get()
    let run = await ConversationRunner(pack: pack, matching: .purpose).run(draft)
    let keyed = draft.completed(by: run, pack: pack)
    return keyed.expecting(await ConversationRunner(pack: pack).run(keyed))
  }

  static func text(_ purpose: RequestPurpose, _ text: String) -> Exchange {
    Exchange(
      purpose: purpose, response: RecordedResponse(content: .answer(ModelAnswer(.text(text)))))
  }

  static func evidence(_ claims: [(String, Int, String)]) -> Exchange {
    let items = claims.map { facet, turn, quote in
      #"{"facet":"\#(facet)","turn":\#(turn),"quote":"\#(quote)"}"#
    }
    return text(
      .score, #"{"evidence":[\#(items.joined(separator: ","))],"retracted":[],"care":"none"}"#)
  }
}

extension Cassette {
  /// The failures of a run in the process.
  func failures(isStrict: Bool = false) async throws -> [Mismatch] {
    let run = await ConversationRunner(pack: try Shipped.pack.get()).run(self)
    return ConversationVerdict(of: run, for: self, isStrict: isStrict).failures
  }
}
