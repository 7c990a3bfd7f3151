import Foundation
import TestSupport
import Testing

@testable import ContextQuality
@testable import OfflineScorer

/// The word lists and the model that was made from them.
@Suite(.integration)
struct LexiconTests {
  private static let notes = Result {
    try TrainScorer.run(["notes"], in: Fixtures.root).output.split(separator: "\n").map(String.init)
  }

  @Test func theModelWasMadeFromThisLexicon() throws {
    let fingerprint = try #require(Self.notes.get().last?.split(separator: " ").last)
    #expect(
      String(fingerprint) == String(ScorerModel.builtIn.lexiconFingerprint),
      "Lexicon/ has changed since the model was made: run make train")
  }

  @Test func entriesThatNeverFireAreThoseOnFile() throws {
    let file = Fixtures.root.appending(path: "Lexicon/never-fire.list")
    let onFile = Set(
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init))
    let found = Set(try Self.notes.get().dropLast())
    #expect(found.subtracting(onFile).sorted() == [], "new entries that never fire")
    #expect(onFile.subtracting(found).sorted() == [], "no longer true: take them out of the file")
  }

  @Test func classesThatTheRulesNameAreInTheLexicon() throws {
    let folder = Fixtures.root.appending(path: "Lexicon").path
    let text = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".txt") }
      .map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }.joined()
    for name in GuardClasses.names {
      #expect(text.contains("[\(name) ") || text.contains("[\(name)]"), "\(name)")
    }
  }
}
