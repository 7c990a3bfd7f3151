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
    try ScoreRecords.parsed(output)
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

  @Test(arguments: [
    ["--turns"], ["--abstain"], ["--turns", "--scorer", "encoder"],
    ["--turns", "--scorer", "cascade", "--budget", "100%"],
  ])
  func everyMemberOfARecordIsInTheSchema(options: [String]) throws {
    let labelled = try String(
      contentsOf: Fixtures.root.appending(path: "Fixtures/labelled/dev.jsonl"), encoding: .utf8)
    let lines = labelled.split(separator: "\n").prefix(20).joined(separator: "\n") + "\n"
    let result = try Household().run(["score", "-"] + options, typing: lines)
    #expect(try records(result.output).count == 20)
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

  // MARK: Choosing

  /// Overall scores of 0, more, more still, and the same again.
  private static let choice =
    line("none", "hello") + line("some", "I want to lose 20 pounds")
    + line("most") + line("same") + line("none2", "hi")

  private func ids(_ result: RunResult) throws -> [String] {
    try records(result.output).compactMap { $0["id"]?.stringValue }
  }

  @Test func theBestComeFirstAndOfEqualsTheEarliest() throws {
    for jobs in ["1", "4"] {
      let best = try score(Self.choice, "--top", "3", "-j", jobs)
      #expect(try ids(best) == ["most", "same", "some"], "\(best.errors)")
      #expect(best.errors == "3 of 5 conversations selected; 2 left out.\n")
    }
    #expect(try ids(score(Self.choice, "--top", "1")) == ["most"])
    #expect(try ids(score(Self.choice, "--top", "4")) == ["most", "same", "some", "none"])
    let all = try score(Self.choice, "--top", "99")
    #expect(try ids(all) == ["most", "same", "some", "none", "none2"])
  }

  @Test func scoresAndReadinessChoose() throws {
    let most = try records(score(Self.line("most")).output)[0]["overall"]?.doubleValue ?? 0
    let high = try score(Self.choice, "--min-overall", "\(most)")
    #expect(try ids(high) == ["most", "same"])
    #expect(try ids(score(Self.choice, "--only", "not-ready")).count == 5)
    let none = try score(Self.choice, "--only", "ready")
    #expect(none.output.isEmpty && none.status == 0)
    #expect(none.errors == "0 of 5 conversations selected; 5 left out.\n")
    let both = try score(
      Self.choice, "--only", "not-ready", "--min-overall", "0.0001", "--top", "2")
    #expect(try ids(both) == ["most", "same"])
  }

  @Test func recordsSayHowSureTheyAre() throws {
    let record = try records(score(Self.line("a", "I want to lose 20 pounds by June")).output)[0]
    let overall = try #require(record["overall"]?.doubleValue)
    let range = try #require(record["range"]?.arrayValue).compactMap(\.doubleValue)
    #expect(range.count == 2 && range[0] <= overall && overall <= range[1])
    let chances = try #require(record["facets"]?.objectValue).map { $0.1["chance"]?.doubleValue }
    #expect(!chances.isEmpty && chances.allSatisfy { (0.01...0.99).contains($0 ?? 0) })
    let rows = try score(Self.line("a"), "--format", "csv").output.split(separator: "\n")
    #expect(rows[0].hasSuffix(",low,high"))
  }

  @Test func aCascadeReadsSomeTurnsWithTheEncoder() throws {
    let most = try score(Self.line("a"), "--scorer", "cascade", "--budget", "100%")
    let mostRecord = try records(most.output)[0]
    let encoder = try records(score(Self.line("a"), "--scorer", "encoder").output)[0]
    #expect(mostRecord["facets"] == encoder["facets"] && mostRecord["range"] == encoder["range"])
    #expect(mostRecord["tier"] == "encoder" && encoder["tier"] == nil)
    let least = try score(
      Self.line("a"), "--scorer", "cascade", "--budget", "0%", "--format", "csv")
    #expect(least.output.hasSuffix(",linear\n"))
    for refused in [["--budget", "50%"], ["--scorer", "cascade", "--budget", "many"]] {
      #expect(try Household().run(["score"] + refused, typing: "").status == 64)
    }
  }

  @Test func aScoreTooCloseToTellIsUnsureOnlyIfAsked() throws {
    let file = try CaseFile.packageRoot().appending(path: "Fixtures/unseen/conversations.jsonl")
    let household = try Household()
    func run(_ arguments: String...) throws -> [JSONValue] {
      try records(household.run(["score", file.path] + arguments, typing: "").output)
    }
    #expect(try run().allSatisfy { $0["ready"]?.stringValue == nil })
    let unsure = try run("--abstain", "--only", "unsure")
    #expect(!unsure.isEmpty)
    for record in unsure {
      let range = record["range"]?.arrayValue?.compactMap(\.doubleValue) ?? []
      #expect(record["ready"]?.stringValue == "unsure")
      #expect(range[0] <= 0.8 && range[1] > 0.8)
    }
    let summary = try household.run(["score", file.path, "--summary", "--abstain"], typing: "")
    #expect(summary.output.contains("unsure: \(unsure.count) ("))
    let refused = try household.run(["score", file.path, "--only", "unsure"], typing: "")
    #expect(refused.status == 64 && refused.errors.contains("--only unsure needs --abstain"))
  }

  @Test func theTotalsSayWhatWasLeftOut() throws {
    let total = try score(Self.choice, "--summary", "--top", "2")
    #expect(
      total.output.hasPrefix("2 of 5 conversations selected; 3 left out\n2 conversations, 2 "))
    #expect(total.errors.isEmpty)
    let page = try score(Self.choice, "--format", "html", "--min-overall", "0.0001")
    #expect(page.output.contains("2 conversations were left out by the choice of conversations."))
  }

  @Test(arguments: [
    ["--top", "0"], ["--min-overall", "1.1"], ["--only", "maybe"],
    ["--top", "3", "--format", "html"],
    ["--top", "3", "--inline-errors"], ["--only", "ready", "--scorer", "model", "--resume", "x"],
  ])
  func choicesThatMakeNoSenseAreRefused(options: [String]) throws {
    let result = try Household().run(["score", "-"] + options)
    #expect(result.status == 64 && result.output.isEmpty)
  }

  // MARK: Languages

  private static let spanish =
    "Quiero bajar de peso y correr diez kilometros, pero trabajo de noche y no tengo tiempo para cocinar"

  @Test func aLanguageThatIsNotReadIsSaid() throws {
    let household = try Household()
    try household.write(
      Self.line("en") + Self.line("es", Self.spanish) + Self.line("zh", "我想减肥，但是我没有时间去健身房"),
      to: "mixed.jsonl")
    try household.write(Self.line("en1") + Self.line("en2", "hi"), to: "english.jsonl")
    let result = try household.run("score", "mixed.jsonl", "english.jsonl")
    #expect(result.status == 0)
    #expect(
      result.errors
        == "mixed.jsonl: warning: 2 of 3 conversations don't look like English, so their scores mean "
        + "little; --scorer model reads other languages\n")
    let found = try records(result.output)
    #expect(
      found.map { $0["language"]?.stringValue } == [nil, "other", "other", nil, nil])
    let summary = try household.run("score", "mixed.jsonl", "--summary")
    #expect(summary.output.contains("\n2 conversations don't look like English"))
    let page = try household.run("score", "mixed.jsonl", "--format", "html")
    #expect(page.output.contains("2 conversations don’t look like English"))
    #expect(page.output.contains("not in English?"))
    let best = try household.run("score", "mixed.jsonl", "--top", "2", "--summary")
    #expect(best.output.contains("\n1 conversation doesn't look like English"))
  }

  @Test func theRecordedConversationsInOtherLanguagesAreNoticed() throws {
    let root = try CaseFile.packageRoot().path
    let household = try Household()
    let folder = root + "/Fixtures/conversations"
    var lines: [String: String] = [:]
    for kind in ["other-language", "happy-path", "terse"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(kind)") {
        let text = try String(contentsOfFile: "\(folder)/\(kind)/\(name)", encoding: .utf8)
        let said = try JSONValue(parsing: text)["transcript"]?.arrayValue ?? []
        let messages = said.map { message -> JSONValue in
          message["user"].map { ["role": "user", "content": $0] }
            ?? ["role": "assistant", "content": message["coach"] ?? ""]
        }
        let line: JSONValue = ["id": .string(name), "messages": .array(messages)]
        lines[kind, default: ""] += line.serialized() + "\n"
      }
    }
    for (kind, text) in lines {
      try household.write(text, to: kind + ".jsonl")
      let result = try household.run("score", kind + ".jsonl")
      let marked = try records(result.output).filter { $0["language"] != nil }
        .compactMap { $0["id"]?.stringValue }
      if kind == "other-language" {
        #expect(marked.count * 4 >= text.split(separator: "\n").count * 3, "\(marked)")
      } else {
        #expect(marked.isEmpty, "\(kind): \(marked)")
      }
    }
  }
}
