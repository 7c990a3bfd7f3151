import ContextQuality
import Foundation
import IntakeTestSupport
import TestSupport
import Testing

@testable import Intake
@testable import Rehearsal

/// Rehearsals of `Fixtures/rehearsals`: people who write unlike the labeled ones, word for word.
///
/// `RAPPORT_RECORD=1` writes down what the coach says now. What each message tells is written by hand.
struct RehearsedConversationTests {
  static let names = [
    "desk-and-an-erg", "beekeeper", "tram-driver", "new-dad", "choir-and-a-hip", "rugby-chair",
  ]

  @Test(arguments: names)
  func itComesToASummaryAndAsksAgainOnlyForWhatTheFileNames(name: String) async throws {
    let file = Fixtures.root.appending(path: "Fixtures/rehearsals/\(name).txt")
    let script = RehearsalScript(try String(contentsOf: file, encoding: .utf8))
    let coach = try RehearsalCoach(pack: try PromptPack.embedded())
    let session = try await OfflineRehearsal()
    try await session.open()
    var played = RehearsalScript(comments: script.comments)
    played.coach.append(await session.coachMessages)
    var told: Set<String> = []
    for message in script.messages {
      let before = await session.coachMessages.count
      try await session.say(message.text)
      let said = Array(await session.coachMessages.dropFirst(before))
      told.formUnion(message.tells)
      let again = told.intersection(said.flatMap { coach.facets(askedBy: $0) }.map(\.name))
      #expect(again == Set(message.again), "after \"\(message.text)\": \(said)")
      played.messages.append(message)
      played.coach.append(said)
    }
    #expect(await session.state.synthesis != nil, "no summary")
    if ProcessInfo.processInfo.environment["RAPPORT_RECORD"] != nil {
      try Data(played.text.utf8).write(to: file)
    }
    #expect(played.text == (try String(contentsOf: file, encoding: .utf8)))
  }
}

extension RehearsalCoach {
  /// What a message of the coach's asks for.
  fileprivate func facets(askedBy text: String) -> [Facet] {
    bank.all(.ask).filter { $0.lines.contains { text.contains($0.tune) } }.flatMap(\.facets)
  }
}

/// `coach:` and `you:` lines. A `tells:` line names the facets that the message above it tells, and an
/// `asks again:` line what the coach asks for next all the same.
private struct RehearsalScript {
  struct Message {
    var text: String
    var tells: [String] = []
    /// What the coach asks for next although it was told: a known weakness.
    var again: [String] = []
  }

  var comments: [String]
  var messages: [Message] = []
  /// What the coach says first, and after each message.
  var coach: [[String]] = []

  init(comments: [String]) { self.comments = comments }

  init(_ text: String) {
    let lines = text.split(separator: "\n").map(String.init)
    comments = lines.filter { $0.hasPrefix("#") }
    for line in lines {
      if let said = line.after("you: ") { messages.append(Message(text: said)) }
      guard !messages.isEmpty else { continue }
      if let told = line.after("tells: ") { messages[messages.count - 1].tells = told.words }
      if let again = line.after("asks again: ") { messages[messages.count - 1].again = again.words }
    }
  }

  var text: String {
    var lines = comments
    for (index, said) in coach.enumerated() {
      if index > 0 {
        let message = messages[index - 1]
        lines.append("you: " + message.text)
        for (name, facets) in [("tells", message.tells), ("asks again", message.again)]
        where !facets.isEmpty { lines.append(name + ": " + facets.joined(separator: " ")) }
      }
      lines += said.map { "coach: " + $0.replacing("\n", with: "\n  ") }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension String {
  fileprivate var words: [String] { split(separator: " ").map(String.init) }

  fileprivate func after(_ prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
