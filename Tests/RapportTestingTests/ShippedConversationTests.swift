import Cassettes
import Coaching
import Foundation
import IncrementalJSON
import Intake
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

  @Test func twelveConversationsOfCoachingLastAWeek() throws {
    let lasting = try Shipped.entries().filter { $0.name.hasPrefix("coaching/") }.filter { entry in
      let waits = try entry.load().script.map(\.wait)
      return waits.reduce(0, +) >= 7 * 86_400
    }
    #expect(lasting.count >= 12, "\(lasting.map(\.name))")
  }

  /// Told by their events, not by their names.
  @Test func eachKindOfCoachingIsThere() async throws {
    var kinds: Set<String> = []
    for (_, cassette, run) in try await Shipped.runs() {
      let isAYear = cassette.script.contains { $0.wait >= 360 * 86_400 }
      for recorded in run.events {
        switch try recorded.event(as: CoachingEvent.self) {
        case .reviewed(let review) where review.reason == .plateau: kinds.insert("plateau")
        case .reviewed(let review) where review.reason == .absence && isAYear:
          kinds.insert("back after a year")
        case .constraintAsked(let question) where question.reason == .lapsed:
          kinds.insert("lapsed constraint")
        case .constraintAsked(let question) where question.reason == .contradicted:
          kinds.insert("injury contradicted by the log")
        case .proposalAnswered(let answer) where answer.outcome == .refused:
          kinds.insert("refused change")
        default: break
        }
        if case .amended = recorded.event { kinds.insert("changed goal") }
      }
    }
    #expect(
      kinds == [
        "plateau", "back after a year", "lapsed constraint", "injury contradicted by the log",
        "refused change", "changed goal",
      ])
  }

  /// A fact from the first message is used a month later, when only a note still has it.
  @Test func theFirstMessagesFactIsInTheLastPromptAsANote() async throws {
    let name = "coaching/her-sisters-wedding"
    let run = try #require(try await Shipped.runs().first { $0.name == name }?.run)
    let last = try #require(run.requests.compactMap(\.self).last)
    let words = "My sister Ines gets married on 6 June"
    #expect(last.system.contains("(message 1) \"\(words)"))
    #expect(
      !last.messages.contains { $0.text.contains(words) }, "it's no longer told word for word")
  }

  /// Strict structured output has each member that the schema asks for.
  @Test func everyReadingHasTheEntriesItIsAskedFor() throws {
    for entry in try Shipped.entries() {
      for exchange in try entry.load().exchanges where exchange.purpose == .score {
        guard exchange.request?.structure?.contains("entries") == true,
          case .answer(let answer) = exchange.response.content, case .json(let json) = answer.body
        else { continue }
        #expect(json["entries"] != nil, "\(entry.name)")
      }
    }
  }

  /// What coaching adds to a reading's reply, in tokens of the recorded replies, stays under 150.
  @Test func coachingAddsFewTokensToAReading() throws {
    let added = ["understanding", "notes", "answers", "entries"]
    var tokens: [Double] = []
    for entry in try Shipped.entries() {
      for exchange in try entry.load().exchanges where exchange.purpose == .score {
        guard case .answer(let answer) = exchange.response.content,
          case .json(let json) = answer.body, let reply = json.objectValue,
          let all = answer.usage?.output
        else { continue }
        let more = JSONObject(reply.filter { added.contains($0.name) }.map { ($0.name, $0.value) })
        guard !more.isEmpty else { continue }
        let share =
          Double(JSONValue.object(more).serialized().utf8.count)
          / Double(JSONValue.object(reply).serialized().utf8.count)
        tokens.append(share * Double(all))
      }
    }
    tokens.sort()
    #expect(tokens.count >= 50)
    #expect(tokens[tokens.count / 2] < 150 && tokens.last ?? 0 < 300, "\(tokens.suffix(3))")
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
