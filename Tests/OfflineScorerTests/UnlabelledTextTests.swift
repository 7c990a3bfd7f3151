import Foundation
import TestSupport
import Testing

/// The files of conversations without labels.
@Suite(.integration)
struct UnlabelledTextTests {
  @Test(
    arguments: [
      ("I run.\n", 1), ("C: Hi!\nC: Why?\nU: I run.\n", 2), ("C: Hi!\nU: I run.\nC: Why?\n", 4),
      ("C: Hi!\r\nU: I run.\r\n\r\nnothing\r\n", 4), ("C: Hi!\n\nU: I run.\n", 2),
    ])
  func aLineThatIsNoMessageIsNamed(text: String, line: Int) throws {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "unlabelled-text-\(UUID().uuidString)")
    defer { try? files.removeItem(at: folder) }
    try files.createDirectory(
      at: folder.appending(path: "talks"), withIntermediateDirectories: true)
    try text.write(
      to: folder.appending(path: "talks/a.txt"), atomically: true, encoding: .utf8)
    let (status, output) = try TrainScorer.run(["cv", "--unlabelled", "talks"], in: folder)
    #expect(status == 1)
    #expect(output.contains("train-scorer: talks/a.txt:\(line): expected C: and U: in turn"))
  }
}
