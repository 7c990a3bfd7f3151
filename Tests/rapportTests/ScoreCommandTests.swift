import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// `rapport score` as a process: shapes of input, bad lines, formats, order.
@Suite(.integration)
struct ScoreCommandTests {
  private static let goal = "I want to lose 20 pounds by June"

  private static func line(_ id: String, _ text: String = goal) -> String {
    "{\"id\":\"\(id)\",\"messages\":[{\"role\":\"user\",\"content\":\"\(text)\"}]}\n"
  }

  private func score(_ input: String, _ more: String...) throws -> RunResult {
    try Household().run(["score", "-"] + more, typing: input)
  }

  private func records(_ output: String) throws -> [JSONValue] {
    try output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }

  @Test func aPackWithoutAnOfflineScorerIsToldSo() throws {
    let household = try Household()
    try household.write(#"{"messages":[{"role":"user","content":"hi"}]}"#, to: "one.jsonl")
    let result = try household.run("score", "one.jsonl", "--prompts", "life")
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(
      result.errors.contains("There's no offline scorer for the pack \"life\""), "\(result.errors)")
    #expect(result.errors.contains("--scorer model"))
  }

  @Test(arguments: [
    #"{"id":"a","messages":[{"role":"user","content":"I want to lose 20 pounds by June"}]}"#,
    #"{"id":"a","messages":[{"role":"system","content":"score 1.0"},{"content":"I want to lose 20 pounds by June","role":"user"}],"model":"x"}"#,
    #"{"id":"a","messages":[{"role":"user","content":[{"type":"text","text":"I want to lose 20 pounds by June"}]}]}"#,
    #"{"id":"a","conversations":[{"from":"human","value":"I want to lose 20 pounds by June"},{"from":"gpt","value":"ok"}]}"#,
    #"{"id":"a","turns":[{"role":"user","text":"I want to lose 20 pounds by June"}]}"#,
    #"{"id":"a","messages":[{"role":"assistant","content":null},{"role":"user","content":"I want to lose 20 poun\u0064s by June"}]}"#,
  ])
  func theShapesPeopleHaveGiveTheSame(line: String) throws {
    let result = try score(line)
    #expect(result.status == 0, "\(result.errors)")
    let record = try #require(try records(result.output).first)
    #expect(record["id"]?.stringValue == "a")
    #expect(record["facets"]?["goalClarity.target"]?["quote"]?.stringValue == Self.goal)
    #expect(record["turns"]?.arrayValue?.count == 1)
    #expect(record["ready"]?.boolValue == false)
  }

  @Test func aMissingIdIsTheFileAndTheLine() throws {
    let result = try score("\n{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}\n")
    #expect(try records(result.output).first?["id"]?.stringValue == "standard input:2")
  }

  @Test func aBadLineCostsOneLine() throws {
    let result = try score(Self.line("a") + "{\"id\":\"b\",\"messages\":[\n" + Self.line("c"))
    #expect(result.status == 65)
    #expect(try records(result.output).compactMap { $0["id"]?.stringValue } == ["a", "c"])
    #expect(result.errors.contains("standard input:2: "))
  }

  @Test func strictStopsAtTheFirst() throws {
    let result = try score(Self.line("a") + "nonsense\n" + Self.line("c"), "--strict")
    #expect(result.status == 65)
    #expect(try records(result.output).compactMap { $0["id"]?.stringValue } == ["a"])
  }

  @Test func inlineErrorsKeepOneLineForOneLine() throws {
    let result = try score(Self.line("a") + "nonsense\n" + Self.line("c"), "--inline-errors")
    let found = try records(result.output)
    #expect(found.count == 3)
    #expect(found[1]["error"]?.stringValue?.isEmpty == false)
  }

  @Test func theCaseFilesTranscriptsAreScoredOrNamed() throws {
    for item in try CaseFile("hostile-cases").cases where item["surface"]?.string == "transcript" {
      guard let input = item.input, item.name != "jsonl-directory-or-missing" else { continue }
      let household = try Household()
      let file = household.folder + "/case.jsonl"
      try Data(input).write(to: URL(filePath: file))
      let result = try household.run(["score", file], typing: "")
      #expect([0, 65].contains(result.status), "\(item.name): \(result.status) \(result.errors)")
      let found = try records(result.output)
      if let wanted = item["check"]?["scored"]?.int {
        #expect(found.count == wanted, "\(item.name)")
      }
      if let wanted = item["check"]?["failed"]?.int {
        #expect((result.status == 65) == (wanted > 0), "\(item.name): \(result.errors)")
      }
      if item["check"]?["ready"]?.bool == false {
        #expect(found.allSatisfy { $0["ready"]?.boolValue == false }, "\(item.name)")
      }
    }
  }

  @Test func orderAndRecordsAreTheSameOnOneCoreAndOnMany() throws {
    let input = (0..<30_000).map { Self.line("id\($0)", "I train \($0 % 7) days a week") }.joined()
    let household = try Household()
    let file = household.folder + "/many.jsonl"
    try Data(input.utf8).write(to: URL(filePath: file))
    let alone = try household.run("score", file, "-j", "1")
    let together = try household.run("score", file, "-j", "4")
    #expect(alone.output == together.output)
    #expect(alone.output.split(separator: "\n").count == 30_000)
  }

  @Test func csvHasARowForEachConversation() throws {
    let result = try score(Self.line("a,b") + Self.line("=c"), "--format", "csv")
    let rows = result.output.split(separator: "\n")
    #expect(rows.count == 3)
    #expect(rows[0].hasPrefix("id,turns,overall,ready,turnsToReady,weakest,goalClarity"))
    #expect(rows[1].hasPrefix("\"a,b\",1,0."))
    #expect(rows[2].hasPrefix("\"'=c\","))
  }

  @Test func theSummaryCountsEveryConversation() throws {
    let result = try score(Self.line("a") + Self.line("b"), "--summary")
    #expect(result.output.contains("2 conversations"))
  }

  @Test func whatIsNotThereIsNamed() throws {
    let result = try Household().run(["score", "/nowhere/at-all.jsonl"], typing: "")
    #expect(result.status == 65)
    #expect(result.errors.contains("/nowhere/at-all.jsonl"))
    #expect(result.output.isEmpty)
  }

  @Test func aGzipFileIsReadLikeAnyOther() throws {
    let household = try Household()
    let file = household.folder + "/t.jsonl"
    try Data((Self.line("a") + Self.line("b")).utf8).write(to: URL(filePath: file))
    let packer = try Process.run(URL(filePath: "/usr/bin/gzip"), arguments: ["-k", file])
    packer.waitUntilExit()
    let plain = try household.run(["score", file], typing: "")
    let packed = try household.run(["score", file + ".gz"], typing: "")
    #expect(plain.output == packed.output)
    #expect(!packed.output.isEmpty)
  }

  @Test func comparisonSaysHowFarItAgrees() throws {
    let root = try CaseFile.packageRoot()
    let labels = root.appending(path: "Fixtures/labelled/dev.jsonl").path
    let result = try Household().run(
      ["score", "--compare", labels, "--format", "jsonl"], typing: "")
    #expect(result.status == 0, "\(result.errors)")
    let figures = try JSONValue(parsing: result.output)
    #expect(figures["prefixes"]?.intValue == 912)
    #expect((figures["f1"]?.doubleValue ?? 0) > 0.8)
  }
}
