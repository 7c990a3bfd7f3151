import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// Where the records of `rapport score` go, and what happens when they cannot.
@Suite(.integration)
struct ScoreOutputTests {
  private static let text = "I want to lose 20 pounds by June, my knee hurts when I run"

  /// A household with `in.jsonl` in it.
  private func household(_ count: Int) throws -> Household {
    let household = try Household()
    let lines = (0..<count).map {
      "{\"id\":\"c\($0)\",\"messages\":[{\"role\":\"user\",\"content\":\"\(Self.text)\"}]}\n"
    }
    try household.write(lines.joined(), to: "in.jsonl")
    return household
  }

  private func ids(_ text: String) throws -> [String] {
    try text.split(separator: "\n").map { line in
      try #require(JSONValue(parsing: String(line))["id"]?.stringValue)
    }
  }

  @Test func aFullDiskLeavesWholeRecordsAndSaysSo() throws {
    let household = try household(400)
    let limited = #"trap '' XFSZ; ulimit -f 16; exec "$0" "$@" > out.jsonl"#
    let result = try household.run(["score", "in.jsonl"], shell: limited)
    #expect(result.status == 73, "\(result.errors)")
    #expect(result.errors.contains("I couldn't write the scores: File too large."))
    let output = try String(contentsOfFile: household.folder + "/out.jsonl", encoding: .utf8)
    #expect(output.hasSuffix("}\n"))
    let written = try ids(output)
    #expect(written == (0..<written.count).map { "c\($0)" } && (10..<400).contains(written.count))

    let device = try household.run(["score", "in.jsonl"], shell: #""$0" "$@" > /dev/full"#)
    #expect(device.status == 73)
    #expect(device.errors.contains("I couldn't write the scores: No space left on device."))
  }

  @Test func aReaderThatHasSeenEnoughIsNoError() throws {
    let household = try household(20_000)
    let result = try household.run(
      ["score", "in.jsonl"], shell: #""$0" "$@" | head -n 2; exit ${PIPESTATUS[0]}"#)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(try ids(result.output) == ["c0", "c1"])
  }

  @Test func errorsGoToAFileOfTheirOwn() throws {
    let household = try household(2)
    try household.write("{oops\n\nnothing\n", to: "bad.jsonl")
    let result = try household.run("score", "in.jsonl", "bad.jsonl", "--errors", "errors.txt")
    #expect(result.status == 65)
    #expect(try ids(result.output) == ["c0", "c1"])
    let named = try String(contentsOfFile: household.folder + "/errors.txt", encoding: .utf8)
    let lines = named.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("bad.jsonl:1: ") && lines[1].hasPrefix("bad.jsonl:3: "))
    #expect(!result.errors.contains("bad.jsonl:1"))
    let nowhere = try household.run("score", "in.jsonl", "--errors", "no/such/folder.txt")
    #expect(nowhere.status == 73 && nowhere.output.isEmpty)
  }

  @Test func theErrorsNeverGoToAFileThatIsReadOrWritten() throws {
    let household = try household(2)
    let before = try household.files().map(\.bytes)
    for (arguments, shell) in [
      (["score", "in.jsonl", "--errors", "in.jsonl"], #""$0" "$@""#),
      (["score", "-", "--errors", "./in.jsonl"], #""$0" "$@" < in.jsonl"#),
      (["score", "--compare", "in.jsonl", "--errors", "in.jsonl"], #""$0" "$@""#),
      (["score", "in.jsonl", "--errors", "in.jsonl"], #""$0" "$@" >> in.jsonl"#),
    ] {
      let result = try household.run(arguments, shell: shell)
      #expect(result.status == 64, "\(arguments): \(result.errors)")
      #expect(try household.files().map(\.bytes) == before)
    }
    let nowhere = ["score", "in.jsonl", "--errors", "/dev/null"]
    #expect(try household.run(nowhere, shell: #""$0" "$@" > /dev/null"#).status == 0)
  }

  @Test(arguments: [
    ["--turns", "--summary"], ["--turns", "--format", "html"], ["--turns", "--format", "table"],
    ["--sample", "5"], ["--summary", "--format", "csv"], ["--summary", "--inline-errors"],
    ["in.jsonl", "--compare", "in.jsonl"], ["--compare", "in.jsonl", "--summary"],
    ["--compare", "in.jsonl", "--format", "html"],
  ])
  func optionsThatWouldDoNothingAreRefused(options: [String]) throws {
    let result = try household(1).run(["score"] + options)
    #expect(result.status == 64 && result.output.isEmpty, "\(result.output)")
  }

  @Test func labelsAreReadFromAPipeAndTheAgreementNeedsRoom() throws {
    let household = try Household()
    let line =
      #"{"id":"a","messages":[{"role":"user","content":"I want to run a 10k"}],"facets":{}}"#
    let run = ["score", "--compare", "-", "--format", "jsonl"]
    let agreement = try JSONValue(parsing: household.run(run, typing: line + "\n").output)
    #expect(agreement["prefixes"]?.intValue == 1)
    #expect(try household.run(run, typing: line, shell: #""$0" "$@" > /dev/full"#).status == 73)
    let none = try household.run("score", "--compare", "none.jsonl")
    #expect(
      none.status == 65
        && none.errors.contains("none.jsonl: No such file or directory"))
  }

  @Test func foldersAndPatternsAreReadInTheOrderOfTheirNames() throws {
    let household = try Household()
    func put(_ id: String, _ path: String) throws {
      let folder = URL(filePath: household.folder + "/" + path).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try household.write(
        "{\"id\":\"\(id)\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}\n", to: path)
    }
    try put("a", "logs/a.jsonl")
    try put("c", "logs/c.jsonl")
    try put("b", "logs/b/deep.ndjson")
    try put("hidden", "logs/.hidden.jsonl")
    try put("other", "logs/other.txt")
    try put("w", "what[ever].jsonl")
    #expect(try ids(household.run("score", "logs").output) == ["a", "b", "c"])
    #expect(try ids(household.run("score", "logs/?.jsonl").output) == ["a", "c"])
    #expect(try ids(household.run("score", "logs/*/*").output) == ["b"])
    #expect(try ids(household.run("score", "what[ever].jsonl").output) == ["w"])
    let none = try household.run("score", "logs/*.gz")
    #expect(none.status == 65 && none.errors.contains("logs/*.gz: matches no file"))
  }

  /// An input that never ends.
  @Test func aLongRunTellsATerminalHowFarItIs() throws {
    let household = try household(500)
    let terminal = try household.startOnTerminal(
      "score", "-", shell: #"{ while cat in.jsonl; do :; done; } 2> /dev/null | "$@" > /dev/null"#)
    try terminal.expect(" conversations  ")
    try terminal.expect("/s")
    terminal.type("\u{3}")
    _ = try terminal.expectExit()
  }

  @Test func aShortRunShowsATerminalNothing() throws {
    let household = try household(3)
    let terminal = try household.startOnTerminal(
      "score", "in.jsonl", shell: #"exec "$@" > /dev/null"#)
    #expect(try terminal.expectExit() == 0)
    #expect(terminal.screen.isEmpty)
  }
}
