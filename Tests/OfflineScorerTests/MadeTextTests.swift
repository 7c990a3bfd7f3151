import Foundation
import TestSupport
import Testing

/// Turns that are put together by dice for training.
@Suite(.integration)
struct MadeTextTests {
  @Test func theSameTurnsAreMadeEveryTime() throws {
    let first = try TrainScorer.run(["made", "300"], in: Fixtures.root)
    #expect(first.status == 0)
    #expect(try TrainScorer.run(["made", "300"], in: Fixtures.root).output == first.output)
    let lines = first.output.split(separator: "\n").filter { $0.contains(" | ") }
    #expect(lines.contains { $0.hasSuffix("| ") && $0.lowercased().contains("thank") })
    #expect(lines.contains { $0.contains("lifestyle.availability") })
    #expect(!first.output.contains("{") && !first.output.contains("}"))
  }

  @Test(
    arguments: [
      ("told", " | outcome target | words | and more\n", "told.txt:1: 3 parts"),
      ("told", " | result | I want to run\n", "told.txt: no facet result"),
      ("quiet", "talk | weather | it's raining\n", "no question for weather"),
    ])
  func aPieceThatCannotBeUsedIsRefused(name: String, text: String, says: String) throws {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "made-\(UUID().uuidString)")
    defer { try? files.removeItem(at: folder) }
    let made = folder.appending(path: "Training/made")
    try files.createDirectory(
      at: made.deletingLastPathComponent(), withIntermediateDirectories: true)
    try files.copyItem(at: Fixtures.root.appending(path: "Training/made"), to: made)
    try files.createSymbolicLink(
      at: folder.appending(path: "Lexicon"),
      withDestinationURL: Fixtures.root.appending(path: "Lexicon"))
    try text.write(to: made.appending(path: "\(name).txt"), atomically: true, encoding: .utf8)
    let (status, output) = try TrainScorer.run(["made"], in: folder)
    #expect(status == 1)
    #expect(output.contains(says), "\(output)")
  }
}
