import Foundation
import TestSupport
import Testing

/// What training must not read.
@Suite(.integration)
struct UnseenTextTests {
  private static let said = "I open the bakery at four and my left knee gives up on the stairs."

  private static func conversation(_ id: String, _ text: String) -> String {
    """
    {"id":"\(id)","messages":[{"role":"user","content":"\(text)"}],"facets":{}}

    """
  }

  /// Cross-validates on a file, beside a folder of unseen text with the one conversation.
  private static func refusal(
    _ path: String, _ text: String, _ more: String...
  ) throws -> (Int32, String) {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "unseen-text-\(UUID().uuidString)")
    defer { try? files.removeItem(at: folder) }
    let fixtures = folder.appending(path: "Fixtures")
    let file = folder.appending(path: path)
    for place in [fixtures.appending(path: "unseen"), file.deletingLastPathComponent()] {
      try files.createDirectory(at: place, withIntermediateDirectories: true)
    }
    for shared in ["Lexicon", "Fixtures/labelled"] {
      try files.createSymbolicLink(
        at: folder.appending(path: shared),
        withDestinationURL: Fixtures.root.appending(path: shared))
    }
    try conversation("unseen-1", said).write(
      to: fixtures.appending(path: "unseen/conversations.jsonl"), atomically: true, encoding: .utf8)
    if !files.fileExists(atPath: file.path) {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    return try TrainScorer.run(["cv", path] + more, in: folder)
  }

  @Test(
    arguments: [
      ("Fixtures/unseen/conversations.jsonl", ""),
      ("copies/unseen/more.jsonl", conversation("other", "I want to run.")),
      ("Training/ids.jsonl", conversation("unseen-1", "Another text.")),
      ("Training/text.jsonl", conversation("other", said)),
      ("Training/case.jsonl", conversation("other", said.uppercased() + "!")),
      ("Training/sentences.txt", "What is in your way? | \(said) | barrier\n"),
    ])
  func isRefused(path: String, text: String) throws {
    let (status, output) = try Self.refusal(path, text)
    #expect(status == 1)
    #expect(output.contains("train-scorer: \(path): ") && output.contains("for training"))
  }

  @Test func otherTextIsNot() throws {
    // The second file stops the run before it trains.
    let (_, output) = try Self.refusal(
      "Training/a.jsonl", Self.conversation("other", "I want to run."),
      "Fixtures/unseen/conversations.jsonl")
    #expect(output.hasPrefix("train-scorer: Fixtures/unseen/conversations.jsonl: "))
  }
}
