import Cassettes
import Foundation
import LanguageModels
import RapportTesting
import TestSupport
import Testing
import WireFormats

/// The recorded conversations of the project, as a reviewer would go through them.
@Suite(.slow)
struct ShippedConversationTests {
  @Test func allComeOutAsWritten() async throws {
    for (name, cassette, run) in try await Shipped.runs() {
      let verdict = ConversationVerdict(of: run, for: cassette, isStrict: true)
      #expect(verdict.failures.isEmpty, "\(name): \(verdict.failures)")
    }
  }

  @Test(.integration) func theSocketAndTheProcessGiveTheSameEventsAndOutputs() async throws {
    let stage = try await WireStage(ConversationRunner(pack: try Shipped.pack.get()))
    for (index, played) in try await Shipped.runs().enumerated()
    where Soak.isOn || index % 9 == 0 {
      let difference = played.run.difference(from: await stage.run(played.cassette))
      #expect(difference == nil, "\(played.name)")
    }
    await stage.close()
  }

  @Test func eachFileIsWrittenAsItWasRead() throws {
    for entry in try Shipped.entries() {
      let text = try String(contentsOfFile: entry.path, encoding: .utf8)
      #expect(try Cassette(parsing: Array(text.utf8)).text == text, "\(entry.name)")
    }
  }

  @Test func lineEndsOfAnotherSystemChangeNothing() throws {
    for entry in try Shipped.entries() {
      let text = try String(contentsOfFile: entry.path, encoding: .utf8)
      let converted = Array(text.replacing("\n", with: "\r\n").utf8)
      #expect(try Cassette(parsing: converted) == Cassette(parsing: Array(text.utf8)))
    }
  }

  @Test(arguments: [
    "happy-path", "out-of-order", "several-facts", "correction", "retraction", "digression",
    "question-back", "refusal", "non-answer", "repetition", "cancellation", "small-talk",
    "off-topic", "gaming", "care", "health", "monologue", "terse", "other-language",
  ])
  func eachKindOfConversationIsThereTwice(_ kind: String) throws {
    let count = try Shipped.entries().count { $0.name.hasPrefix(kind + "/") }
    #expect(count >= 2)
  }

  @Test func bothWireFormatsAndEveryFaultAreThere() throws {
    let cassettes = try Shipped.entries().map { try $0.load() }
    #expect(cassettes.count >= 36)
    for format in WireFormat.allCases {
      #expect(cassettes.count { $0.wireFormat == format } >= 12, "\(format)")
    }
    let faults = Set(cassettes.flatMap(\.exchanges).compactMap(\.fault?.name))
    #expect(faults == Set(Fault.Name.allCases))
    #expect(cassettes.contains { $0.script.count >= 20 })
    #expect(cassettes.contains { cassette in cassette.script.contains { $0.kill != nil } })
  }
}
