import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// `rapport test` as a process.
@Suite(.integration)
struct TestCommandTests {
  /// A household with two of the shipped conversations, by other names.
  private func household() throws -> Household {
    let household = try Household()
    let folder = try CaseFile.packageRoot().appending(path: "Fixtures/conversations")
    for (name, copy) in [
      ("correction/brothers-number", "tapes/correction"),
      ("terse/night-porter-deadlift", "tapes/terse"),
    ] {
      let text = try String(
        contentsOf: folder.appending(path: name + ".json"), encoding: .utf8)
      try household.write(text, to: copy + ".json")
    }
    return household
  }

  private func change(
    _ household: Household, _ path: String, _ old: String, _ new: String
  ) throws {
    let text = try String(contentsOfFile: household.folder + "/" + path, encoding: .utf8)
    #expect(text.contains(old))
    try household.write(text.replacing(old, with: new, maxReplacements: 1), to: path)
  }

  @Test func aPackThatNoRecordingIsForIsNotSaidToBeTested() throws {
    let household = try Household()
    let root = try CaseFile.packageRoot()
    try FileManager.default.copyItem(
      atPath: root.appending(path: "Prompts/fitness").path, toPath: household.folder + "/mine")
    let manifest = try String(contentsOfFile: household.folder + "/mine/pack.json", encoding: .utf8)
    try household.write(
      manifest.replacing(#""fitness""#, with: #""mine""#), to: "mine/pack.json")
    let recording = root.appending(path: "Fixtures/conversations/happy-path/organ-loft.json").path
    let result = try household.run("test", recording, "--prompts", "mine")
    #expect(result.status == 64, "\(result.output)")
    #expect(result.errors.contains("No recording is for the pack \u{201C}mine\u{201D}"))
  }

  @Test func aJourneyOfOnesOwnPackIsTested() throws {
    let household = try Household()
    let root = try CaseFile.packageRoot()
    for (file, copy) in [
      ("Prompts/fitness", "mine"), ("Prompts/shared", "shared"),
      ("Fixtures/journeys/recorded/discovery-whole.json", "walk.json"),
    ] {
      try FileManager.default.copyItem(
        atPath: root.appending(path: file).path, toPath: "\(household.folder)/\(copy)")
    }
    for file in ["mine/pack.json", "walk.json"] {
      try change(household, file, #""fitness""#, #""mine""#)
    }
    let result = try household.run("test", "walk.json", "--prompts", "mine")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("1 passed"))
    let update = try household.run("test", "walk.json", "--prompts", "mine", "--update")
    #expect(update.status == 0, "\(update.output)\(update.errors)")
  }

  @Test(arguments: [[], ["--wire"], ["--repeat", "3"], ["--strict", "-j", "1"]])
  func conversationsThatComeOutAsRecordedPass(_ options: [String]) throws {
    let result = try household().run(["test", "tapes"] + options)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("✓ correction"))
    #expect(result.output.contains("\n2 passed, 0 failed, 0 skipped\n"))
    #expect(!result.output.contains("\u{1B}"))
  }

  @Test func aWrongExpectationFailsWithBothSidesBesideEachOther() throws {
    let household = try household()
    try change(household, "tapes/correction.json", #""overall": 0.565"#, #""overall": 0.7"#)
    let result = try household.run("test", "tapes")
    #expect(result.status == 1)
    #expect(result.output.contains("✗ correction"))
    #expect(result.output.contains("turns[1].overall"))
    let row = result.output.split(separator: "\n").first { $0.contains("0.565") }
    #expect(row?.hasPrefix("  0.7 ") == true)
    #expect(result.output.contains("1 passed, 1 failed, 0 skipped"))
  }

  @Test func aWordChangedInAPromptIsShownAndFailsWhereThatIsWished() throws {
    let household = try household()
    let prompts = try CaseFile.packageRoot().appending(path: "Prompts/fitness").path
    try FileManager.default.copyItem(atPath: prompts, toPath: household.folder + "/pack")
    let ask = try CaseFile.packageRoot().appending(path: "Prompts/shared/prompts/ask.mustache").path
    try FileManager.default.copyItem(
      atPath: ask, toPath: household.folder + "/pack/prompts/ask.mustache")
    try change(household, "pack/prompts/ask.mustache", "direct and curious", "direct and nosy")
    let lenient = try household.run("test", "tapes", "--prompts", "pack")
    #expect(lenient.status == 0)
    #expect(lenient.output.contains("ask: the prompt has changed since it was recorded"))
    #expect(lenient.output.contains("nosy"))
    #expect(try household.run("test", "tapes", "--prompts", "pack", "--strict").status == 1)
  }

  @Test func thePromptsOfTheWorkingFolderAreTheOnesThatAreTested() throws {
    let household = try household()
    let prompts = try CaseFile.packageRoot().appending(path: "Prompts").path
    try FileManager.default.copyItem(atPath: prompts, toPath: household.folder + "/Prompts")
    try FileManager.default.copyItem(
      atPath: prompts + "/shared/prompts/greet.mustache",
      toPath: household.folder + "/Prompts/fitness/prompts/greet.mustache")
    try change(household, "Prompts/fitness/prompts/greet.mustache", "warm, direct", "warm, blunt")
    let result = try household.run("test", "tapes")
    #expect(result.output.contains("greet: the prompt has changed since it was recorded"))
    #expect(result.output.contains("with the prompts in Prompts/fitness"))
  }

  @Test func updatingWritesWhatComesOfThemAndNeverPassesInCI() throws {
    let household = try household()
    #expect(try household.run("test", "tapes", "--update").status == 0)
    try change(household, "tapes/correction.json", #""overall": 0.565"#, #""overall": 0.7"#)
    let first = try household.run("test", "tapes", "--update")
    #expect(first.status == 1)
    #expect(first.output.contains("~ correction"))
    #expect(first.output.contains("0.565"))
    #expect(try household.run("test", "tapes", "--update").status == 0)
    #expect(try household.run("test", "tapes").status == 0)
  }

  @Test func filtersAndTagsChooseAndNothingChosenIsNoSuccess() throws {
    let household = try household()
    let byName = try household.run("test", "tapes", "--filter", "ters")
    #expect(byName.output.contains("1 passed, 0 failed, 0 skipped"))
    let byTag = try household.run("test", "tapes", "--tag", "correction")
    #expect(byTag.output.contains("1 passed, 0 failed, 0 skipped"))
    let none = try household.run("test", "tapes", "--filter", "nobody")
    #expect(none.status == 64)
    #expect(none.errors.contains("nothing was tested"))
  }

  @Test func resultsGoToJUnitAndToProgramsAsRecords() throws {
    let household = try household()
    try change(household, "tapes/correction.json", #""overall": 0.565"#, #""overall": 0.7"#)
    let result = try household.run("test", "tapes", "--json", "--junit", "report.xml")
    #expect(result.status == 1)
    let records = try result.output.split(separator: "\n").map {
      try JSONValue(parsing: String($0))
    }
    #expect(records.count == 3)
    #expect(records.last?["passed"]?.intValue == 1)
    #expect(records.last?["failed"]?.intValue == 1)
    let xml = try String(contentsOfFile: household.folder + "/report.xml", encoding: .utf8)
    #expect(xml.contains("tests=\"2\" failures=\"1\""))
    #expect(xml.contains("<failure message=\"turns[1].overall\">"))
  }

  @Test func aFileThatIsNoCassetteFailsByItselfAndSaysWhere() throws {
    let household = try household()
    try household.write(#"{"version": 999, "interactions": []}"#, to: "tapes/old.json")
    try household.write("PK\u{3}\u{4}", to: "tapes/zip.json")
    try household.write("", to: "tapes/empty.json")
    let result = try household.run("test", "tapes")
    #expect(result.status == 1)
    #expect(result.output.contains("2 passed, 3 failed, 0 skipped"))
    #expect(result.output.contains("I read version 1, this has 999"))
  }

  @Test func recordingsOfAPackThatIsNotHereAreNamedInOneLine() throws {
    let household = try household()
    for copy in ["one", "two", "three"] {
      let text = try String(
        contentsOfFile: household.folder + "/tapes/terse.json", encoding: .utf8)
      try household.write(
        text.replacing(#""pack": "fitness""#, with: #""pack": "chess""#),
        to: "tapes/chess/\(copy).json")
    }
    let result = try household.run("test", "tapes")
    #expect(result.status == 1, "\(result.errors)")
    #expect(
      result.output.split(separator: "\n").filter { $0.contains("chess") } == [
        "✗ 3 recordings need the prompt pack \u{201C}chess\u{201D}, which isn't here. "
          + "Choose its folder with --prompts."
      ])
    #expect(result.output.contains("\n2 passed, 3 failed, 0 skipped\n"))
    let one = try household.run("test", "tapes/chess", "--filter", "two")
    #expect(one.output.contains("✗ 1 recording needs the prompt pack \u{201C}chess\u{201D}"))
  }

  @Test func keysAreFoundAndFail() throws {
    let household = try household()
    #expect(try household.run("test", "tapes", "--check-secrets").status == 0)
    try change(
      household, "tapes/terse.json", #""title": ""#, #""title": "sk-proj-Ab3dEf6hIj9kLm2nOp5q "#)
    let result = try household.run("test", "tapes", "--check-secrets")
    #expect(result.status == 1)
    #expect(result.output.contains("terse.json: title: key"))
    #expect(!result.output.contains("Ab3dEf6hIj9kLm2nOp5q"))
  }

  @Test func failFastStopsAtTheFirstFailure() throws {
    let household = try household()
    for number in 0..<6 { try household.write("no", to: "tapes/a\(number).json") }
    let result = try household.run("test", "tapes", "--fail-fast", "-j", "1")
    #expect(result.status == 1)
    #expect(result.output.contains("0 passed, 1 failed, 0 skipped"))
  }

  @Test func watchingRunsAgainWhenACassetteChanges() throws {
    let household = try household()
    let child = try household.start("test", "tapes", "--watch")
    func readTotals() -> String? {
      while let line = child.readLine() {
        if line.contains(" passed, ") { return line }
      }
      return nil
    }
    #expect(readTotals() == "2 passed, 0 failed, 0 skipped")
    try household.write("no", to: "tapes/another.json")
    #expect(readTotals() == "2 passed, 1 failed, 0 skipped")
    kill(child.pid, SIGINT)
    #expect(child.wait() == 130)
  }

  @Test func aFailureNamesTheLineOfItsExpectation() throws {
    let household = try household()
    try change(household, "tapes/correction.json", #""overall": 0.565"#, #""overall": 0.7"#)
    let text = try String(
      contentsOfFile: household.folder + "/tapes/correction.json", encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.contains(#""overall": 0.7"#) }) + 1
    let result = try household.run("test", "tapes", "--junit", "report.xml")
    #expect(result.output.contains("turns[1].overall  tapes/correction.json:\(line)\n"))
    let xml = try String(contentsOfFile: household.folder + "/report.xml", encoding: .utf8)
    #expect(xml.contains("tapes/correction.json:\(line)"))
    let records = try household.run("test", "tapes", "--json").output.split(separator: "\n")
      .map { try JSONValue(parsing: String($0)) }
    let failed = try #require(records.first { $0["status"]?.stringValue == "failed" })
    #expect(failed["failures"]?[0]?["line"]?.intValue == line)
  }

  @Test func theWordsThatDifferAreMarked() throws {
    let household = try household()
    try change(
      household, "tapes/terse.json", #"{"coach": "Hi. What would you like to change?"}"#,
      #"{"coach": "Hi. What would you love to change?"}"#)
    let result = try household.run("test", "tapes")
    let lines = result.output.split(separator: "\n")
    let place = try #require(lines.firstIndex { $0.contains("you love to") })
    let words = lines[place].distance(
      from: lines[place].startIndex,
      to: lines[place].range(of: "love")?.lowerBound ?? lines[place].startIndex)
    let marks = Array(lines[place + 1])
    #expect(String(marks[words..<(words + 4)]) == "^^^^" && marks[words - 1] == " ")
    let terminal = try household.startOnTerminal("test", "tapes")
    try terminal.expect("you \u{1B}[36mlove\u{1B}[0m to")
    try terminal.expect("you \u{1B}[31mlike\u{1B}[0m to")
  }

  @Test func onlyWhatFailedRunsAgain() throws {
    let household = try household()
    let fresh = try household.run("test", "tapes", "--last-failed")
    #expect(fresh.errors == "Nothing failed in the last run, so everything runs.\n")
    #expect(fresh.output.contains("2 passed, 0 failed"))
    try change(household, "tapes/correction.json", #""overall": 0.565"#, #""overall": 0.7"#)
    #expect(try household.run("test", "tapes").status == 1)
    let again = try household.run("test", household.folder + "/tapes", "--last-failed")
    #expect(again.output.contains("\n0 passed, 1 failed, 0 skipped\n"))
    try change(household, "tapes/correction.json", #""overall": 0.7"#, #""overall": 0.565"#)
    let mended = try household.run("test", "tapes", "--last-failed")
    #expect(mended.status == 0 && mended.output.contains("\n1 passed, 0 failed, 0 skipped\n"))
    #expect(try household.run("test", "tapes", "--last-failed").output.contains("2 passed"))
    // A list that is no list costs nothing.
    try household.write("oops", to: ".local/state/rapport/failed-tests.json")
    #expect(try household.run("test", "tapes", "--last-failed").status == 0)
  }

  @Test func updatingKeepsWhatAPersonWroteUnlessToldToDropIt() throws {
    let household = try household()
    #expect(try household.run("test", "tapes", "--update").status == 0)
    try change(
      household, "tapes/terse.json", #""replyLacks": ["because", "also"]"#,
      #""replyLacks": ["because", "also"], "replyContains": ["bananas"]"#)
    let path = household.folder + "/tapes/terse.json"
    let before = try String(contentsOfFile: path, encoding: .utf8)
    let kept = try household.run("test", "tapes", "--update")
    #expect(kept.status == 1)
    #expect(kept.output.contains("✗ terse  not updated: it would still fail"))
    #expect(kept.output.contains("turns[0].replyContains[0]  tapes/terse.json:"))
    #expect(kept.output.contains("or drop it with --update --drop."))
    #expect(kept.output.contains("2 conversations, 0 changed, 1 still fails, 0 can't be replayed"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == before)
    let dropped = try household.run("test", "tapes", "--update", "--drop")
    #expect(dropped.status == 1)
    #expect(dropped.output.contains("! terse  dropped turns[0].replyContains[0]: bananas"))
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("bananas"))
    #expect(try household.run("test", "tapes", "--update", "--drop").status == 0)
    #expect(try household.run("test", "tapes", "--drop").status == 64)
  }

  @Test func keysSteerAWatch() throws {
    let household = try household()
    try change(household, "tapes/correction.json", #""overall": 0.565"#, #""overall": 0.7"#)
    let terminal = try household.startOnTerminal("test", "tapes", "--watch")
    let help = "a all, f failed only, u update, Enter rerun, q quit"
    try terminal.expect("1 passed, 1 failed")
    try terminal.expect(help)
    terminal.type("f")
    try terminal.expect("0 passed, 1 failed")
    try terminal.expect(help)
    terminal.type("\r")
    try terminal.expect("0 passed, 1 failed")
    try terminal.expect(help)
    terminal.type("u")
    try terminal.expect("1 conversation, 1 changed")
    try terminal.expect(help)
    terminal.type("a")
    try terminal.expect("2 passed, 0 failed")
    try terminal.expect(help)
    terminal.type("f")
    try terminal.expect("Nothing failed.")
    terminal.type("xq")
    #expect(try terminal.expectExit() == 0)
    #expect(terminal.hasItsModesBack)
  }
}
