import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// What `rapport score` makes of input that is damaged, strange or comes in pieces.
@Suite(.integration)
struct ScoreInputTests {
  private static func line(_ id: String, _ text: String = "I want to lose 20 pounds by June")
    -> String
  {
    "{\"id\":\"\(id)\",\"messages\":[{\"role\":\"user\",\"content\":\"\(text)\"}]}\n"
  }

  private static func lines(_ count: Int, _ prefix: String = "c") -> String {
    (0..<count).map { line("\(prefix)\($0)", "I train \($0 % 7) days a week, \($0) of them") }
      .joined()
  }

  private func ids(_ text: String) throws -> [String] {
    try text.split(separator: "\n").map { line in
      try #require(JSONValue(parsing: String(line))["id"]?.stringValue)
    }
  }

  private func score(_ input: String, _ more: String...) throws -> RunResult {
    try Household().run(["score", "-"] + more, typing: input)
  }

  private func packed(_ text: String, as path: String, in household: Household) throws -> Data {
    try household.write(text, to: path)
    let packer = try Process.run(
      URL(filePath: "/usr/bin/gzip"), arguments: ["-kn", household.folder + "/" + path])
    packer.waitUntilExit()
    return try Data(contentsOf: URL(filePath: household.folder + "/" + path + ".gz"))
  }

  // MARK: Damage

  @Test func aDamagedFileCostsItselfFromTheDamageOnAtEveryNumberOfCores() throws {
    let household = try Household()
    let whole = Self.lines(30_000)
    let bytes = try packed(whole, as: "t.jsonl", in: household)
    let cut = URL(filePath: household.folder + "/cut.jsonl.gz")
    try bytes.prefix(bytes.count * 19 / 20).write(to: cut)
    try household.write(Self.line("after"), to: "z.jsonl")
    let alone = try household.run("score", "cut.jsonl.gz", "z.jsonl", "-j", "1")
    #expect(alone.status == 65)
    let found = try ids(alone.output)
    #expect(found.count > 27_000 && found.last == "after")
    #expect(found.dropLast().elementsEqual((0..<found.count - 1).map { "c\($0)" }))
    let named = alone.errors.split(separator: "\n").filter { $0.hasPrefix("cut.jsonl.gz") }
    #expect(named.count == 1)
    #expect(named.first?.hasPrefix("cut.jsonl.gz:\(found.count): ends in the middle") == true)
    for jobs in ["2", "8"] {
      let together = try household.run("score", "cut.jsonl.gz", "z.jsonl", "-j", jobs)
      #expect(together.output == alone.output && together.errors == alone.errors)
      #expect(together.status == 65)
    }
    let summary = try household.run("score", "cut.jsonl.gz", "z.jsonl", "--summary")
    #expect(summary.output.hasPrefix("\(found.count) conversations"))
  }

  @Test func zerosAfterGzipArePaddingAndOtherBytesAreNamed() throws {
    let household = try Household()
    let bytes = try packed(Self.lines(3), as: "t.jsonl", in: household)
    let file = URL(filePath: household.folder + "/p.jsonl.gz")
    try (bytes + Data(count: 4096)).write(to: file)
    let padded = try household.run("score", "p.jsonl.gz")
    #expect(padded.status == 0 && padded.errors.isEmpty, "\(padded.errors)")
    try (bytes + Data(count: 512) + bytes).write(to: file)
    #expect(try ids(household.run("score", "p.jsonl.gz").output).count == 6)
    try (bytes + Data("rubbish".utf8)).write(to: file)
    let trailed = try household.run("score", "p.jsonl.gz")
    #expect(try ids(trailed.output) == ["c0", "c1", "c2"])
    #expect(trailed.status == 65 && trailed.errors.contains("p.jsonl.gz:4: damaged gzip data"))
  }

  @Test func aFileThatCannotBeReadCostsItself() throws {
    let household = try Household()
    try household.write(Self.line("a"), to: "a.jsonl")
    try household.write(Self.line("c"), to: "c.jsonl")
    // Reading its first page fails although it opens.
    let unreadable = "/proc/self/mem"
    for jobs in ["1", "4"] {
      let result = try household.run("score", "a.jsonl", unreadable, "c.jsonl", "-j", jobs)
      #expect(try ids(result.output) == ["a", "c"])
      #expect(result.errors.contains("/proc/self/mem: Input/output error"), "\(result.errors)")
      #expect(result.status == 65)
    }
  }

  @Test func strictWritesWhatStandsBeforeTheFirstBadLineAtEveryNumberOfCores() throws {
    let household = try Household()
    let text =
      Self.lines(20_000) + "nonsense\n" + Self.lines(20_000, "d") + "more nonsense\n"
      + Self.lines(20_000, "e")
    try household.write(text, to: "t.jsonl")
    for jobs in ["1", "2", "8"] {
      let result = try household.run("score", "t.jsonl", "--strict", "-j", jobs)
      #expect(result.status == 65)
      #expect(try ids(result.output).elementsEqual((0..<20_000).map { "c\($0)" }), "-j \(jobs)")
      #expect(result.errors.contains("t.jsonl:20001: "))
      #expect(!result.errors.contains("t.jsonl:40002: "))
    }
  }

  @Test func theLimitOfALineIsTheSameHoweverItsBytesArrive() throws {
    let limit = 1 << 20
    func padded(_ id: String, to length: Int) -> String {
      let rest = "\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
      let start = "{\"x\":\""
      let middle = "\",\"id\":\"\(id)"
      let fill = length - start.utf8.count - middle.utf8.count - rest.utf8.count
      return start + String(repeating: "x", count: fill) + middle + rest + "\n"
    }
    let household = try Household()
    try household.write(
      Self.line("first") + padded("fits", to: limit) + padded("over", to: limit + 1)
        + Self.line("between") + padded("much", to: 3 * limit) + Self.line("last"),
      to: "t.jsonl")
    let fromFile = try household.run("score", "t.jsonl", "--max-line", "1")
    let small = #"dd if=t.jsonl bs=1000 2>/dev/null | "$0" "$@""#
    let fromPipe = try household.run(["score", "-", "--max-line", "1"], shell: small)
    for result in [fromFile, fromPipe] {
      #expect(try ids(result.output) == ["first", "fits", "between", "last"])
      #expect(result.errors.contains(":3: longer than 1048576 bytes"))
      #expect(result.errors.contains(":5: longer than 1048576 bytes"))
    }
  }

  // MARK: What a file is

  @Test func gzipIsToldByItsBytesNotByItsName() throws {
    let household = try Household()
    let bytes = try packed(Self.lines(1000), as: "t.jsonl", in: household)
    try bytes.write(to: URL(filePath: household.folder + "/packed.jsonl"))
    try household.write(Self.lines(1000), to: "plain.gz")
    let plain = try household.run("score", "t.jsonl")
    #expect(try household.run("score", "packed.jsonl").output == plain.output)
    #expect(try household.run("score", "plain.gz").output == plain.output)
    let slowly = #"(head -c 1 packed.jsonl; tail -c +2 packed.jsonl) | "$0" "$@""#
    #expect(try household.run(["score", "-"], shell: slowly).output == plain.output)
    #expect(try household.run(["score", "-"], shell: #"printf '' | "$0" "$@""#).status == 0)
  }

  @Test func aNamedPipeIsOpenedOnce() throws {
    let household = try Household()
    try household.write(Self.lines(2000), to: "t.jsonl")
    let result = try household.run(
      ["score", "pipe"],
      shell: #"mkfifo pipe; cat t.jsonl > pipe & timeout 20 "$0" "$@" < /dev/null"#)
    #expect(result.status == 0)
    #expect(try ids(result.output).count == 2000)
  }

  // MARK: What a line says

  @Test(arguments: [
    #""role":"user","content":"i want to run a 10k by june","text":"hello""#,
    #""text":"hello","content":"i want to run a 10k by june","role":"user""#,
    #""from":"gpt","role":"user","content":"i want to run a 10k by june""#,
    #""role":"user","from":"gpt","content":"i want to run a 10k by june""#,
  ])
  func aMessageWithTwoNamesForOneThingIsReadTheSameUnderEveryId(message: String) throws {
    let result = try score(
      "{\"id\":\"5\",\"messages\":[{\(message)}]}\n{\"id\":5,\"messages\":[{\(message)}]}\n")
    let records = result.output.split(separator: "\n").map(String.init)
    #expect(records.count == 2 && records[0] == records[1])
    #expect(!records[0].contains("\"overall\":0,"))
  }

  @Test func rolesAreKnownInAnyCase() throws {
    let result = try score(
      #"{"id":"a","messages":[{"role":"User","content":"i want to run a 10k by june"}]}"# + "\n"
        + #"{"id":"b","conversations":[{"from":"HUMAN","value":"i want to run a 10k by june"}]}"#)
    #expect(result.status == 0)
    #expect(!result.output.contains("\"overall\":0,"))
  }

  @Test func aLineInWhichNobodyIsTheUserIsNamed() throws {
    let result = try score(
      #"{"id":"a","messages":[{"role":"customer","content":"hi"},{"role":"x","content":"y"}]}"#
        + "\n" + #"{"id":1,"messages":[{"role":"customer","content":"hi"}]}"#
        + "\n" + #"{"id":"c","messages":[{"role":"System","content":"hi"}]}"#
        + "\n" + #"{"id":"d","messages":[{"role":"customer","content":"hi"},{"role":"tool"}]}"#
        + "\n" + #"{"id":"e","messages":[]}"#)
    #expect(try ids(result.output) == ["c", "e"])
    #expect(result.status == 65)
    for line in [1, 2, 4] {
      let reason = "standard input:\(line): no known role for the user: found \"customer\""
      #expect(result.errors.contains(reason), "\(result.errors)")
    }
  }

  private static func talk(_ role: String) -> String {
    #"{"id":"\#(role)","messages":[{"role":"assistant","content":"What would you like to change?"},"#
      + #"{"role":"\#(role)","content":"I want to run a 10k by June so I can keep up with my kids."}]}"#
      + "\n"
  }

  /// The coach is known, but who is the user?
  @Test func aStrangerBesideTheCoachIsNoUserWhoSaysNothing() throws {
    let text = ["user", "prompter", "customer", "patient"].map(Self.talk).joined()
    let result = try score(text)
    #expect(try ids(result.output) == ["user"] && result.status == 65)
    for role in ["prompter", "customer", "patient"] {
      #expect(result.errors.contains("found \"\(role)\""), "\(result.errors)")
    }
    let summary = try score(text, "--summary")
    #expect(summary.output.hasPrefix("1 conversation, 1 user turn\n"), "\(summary.output)")
  }

  @Test func aStrangerBesideTheUserIsNoProblem() throws {
    let result = try score(
      #"{"turns":[{"role":"narrator","text":"x"},{"role":"user","text":"I want to run."}]}"#)
    #expect(result.status == 0 && result.errors.isEmpty)
  }

  /// Nothing to read is something else than a user who tells nothing.
  @Test func withoutAUserTurnThereIsNoScore() throws {
    let text =
      #"{"id":"a","messages":[{"role":"assistant","content":"What would you like to change?"}]}"#
      + "\n" + #"{"id":"b","messages":[{"role":"user","content":null}]}"#
      + "\n" + #"{"id":"c","messages":[{"role":"user","content":[{"type":"image_url"}]}]}"#
      + "\n" + #"{"id":"d","messages":[{"role":"user","content":"hi"}]}"#
      + "\n" + #"{"id":"e","messages":[{"role":"user","content":""}]}"# + "\n"
    let result = try score(text)
    #expect(result.status == 0)
    #expect(try ids(result.output) == ["a", "b", "c", "d", "e"])
    let silent = result.output.split(separator: "\n").map { $0.contains("\"overall\":null") }
    #expect(silent == [true, true, true, false, false])
    for line in 1...3 {
      #expect(result.errors.contains("standard input:\(line): warning: no user turn"))
    }
    #expect(!result.errors.contains("standard input:4"))
    let summary = try score(text, "--summary").output
    #expect(summary.hasPrefix("2 conversations, 2 user turns\n3 conversations have no user turn"))
    let table = try score(text, "--format", "csv").output.split(separator: "\n")
    #expect(table.map { $0.count { $0 == "," } } == Array(repeating: 17, count: 6), "\(table)")
    #expect(try ids(score(text, "--only", "not-ready").output) == ["d", "e"])
  }

  @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian], [true, false])
  func utf16IsNamedOnce(encoding: String.Encoding, hasMark: Bool) throws {
    let household = try Household()
    let mark: [UInt8] = encoding == .utf16BigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]
    let text = Self.talk("user") + Self.talk("user")
    let bytes = try #require(text.replacing("\n", with: "\r\n").data(using: encoding))
    try (Data(hasMark ? mark : []) + bytes).write(to: URL(filePath: household.folder + "/t.jsonl"))
    let result = try household.run("score", "t.jsonl")
    #expect(result.status == 65 && result.output.isEmpty)
    #expect(
      result.errors.contains("t.jsonl: its encoding is UTF-16; save it as UTF-8"),
      "\(result.errors)")
    #expect(!result.errors.contains("UTF-8 at byte"))
  }

  @Test(arguments: [String.Encoding.utf32LittleEndian, .utf32BigEndian])
  func utf32IsNamed(encoding: String.Encoding) throws {
    let household = try Household()
    let bytes = try #require(Self.talk("user").data(using: encoding))
    try bytes.write(to: URL(filePath: household.folder + "/t.jsonl"))
    let result = try household.run("score", "t.jsonl")
    #expect(result.status == 65)
    #expect(result.errors.contains("its encoding is UTF-32; save it as UTF-8"), "\(result.errors)")
  }

  @Test func anAssistantThreadsPartsAreRead() throws {
    let result = try score(
      #"{"id":"a","messages":[{"role":"user","content":[{"type":"text","text":{"value":"i want to run a 10k by june","annotations":[]}}]}]}"#
    )
    #expect(result.output.contains("i want to run a 10k by june"))
  }

  @Test(arguments: ["5", "5.5", "5.0", "9223372036854775808", "1e3", "-12345678901234567890123"])
  func aNumberIsAnIdInItsOwnDigits(number: String) throws {
    let messages = #""messages":[{"role":"user","content":"my \"id\": 4","id":7}]"#
    let result = try score("{\(messages), \"id\" : \(number)}\n")
    #expect(try ids(result.output) == [number])
  }

  @Test func manyProblemsAreReportedWholeAndInOrder() throws {
    let household = try Household()
    try household.write(String(repeating: "{x\n", count: 50_000), to: "t.jsonl")
    _ = try household.run(
      ["score", "t.jsonl", "-j", "3", "--errors", "errors.txt"])
    let errors = try String(contentsOfFile: household.folder + "/errors.txt", encoding: .utf8)
    let named = errors.split(separator: "\n")
    #expect(named.count == 50_000)
    #expect(
      zip(named, 1...50_000).allSatisfy { $0.hasPrefix("t.jsonl:\($1): ") })
  }

  @Test func aFileThatIsSomethingElseIsOneLine() throws {
    let household = try Household()
    try household.write("# Notes\n" + String(repeating: "some words\n", count: 28), to: "notes.md")
    try household.write("{x\n", to: "one.jsonl")
    let result = try household.run("score", "notes.md", "one.jsonl")
    let errors = result.errors.split(separator: "\n")
    #expect(errors.count == 3, "\(errors)")
    let first = "notes.md:1: not valid JSON at column 1: expected a value, found \"#\" "
    #expect(errors.first.map(String.init) == first + "(no line of this file can be read)")
    #expect(errors.dropFirst().first?.hasPrefix("one.jsonl:1: this looks like") == true)
    #expect(errors.last == "30 of 30 lines could not be scored.")
  }

  @Test(arguments: ["", "--summary"])
  func theFirstBadLinesAreShownAndTheRestCounted(option: String) throws {
    let household = try Household()
    let bad = String(repeating: "[x]\n", count: 4)
    try household.write(Self.line("a") + bad + Self.line("b") + bad, to: "t.jsonl")
    try household.write(Self.line("c") + bad, to: "u.jsonl")
    let result = try household.run(
      ["score", "t.jsonl", "u.jsonl"] + (option.isEmpty ? [] : [option]))
    let errors = result.errors.split(separator: "\n").map(String.init)
    #expect(errors.count == 9, "\(errors)")
    #expect(zip(errors, [2, 3, 4]).allSatisfy { $0.hasPrefix("t.jsonl:\($1): not valid JSON") })
    #expect(
      errors.dropFirst(3).first
        == "t.jsonl: 5 more lines have errors, up to line 10; --errors FILE keeps all of them")
    #expect(errors.dropFirst(7).first == "u.jsonl:5: 1 more line has an error")
    #expect(errors.last == "12 of 15 lines could not be scored.")
  }

  // MARK: What a terminal or a spreadsheet is shown

  @Test(arguments: ["table", "csv"])
  func nothingInAnIdIsObeyed(format: String) throws {
    let id = #"a\u001b[2J\u0000\u007f\#u{9B}31m\#u{202E}b\#u{2066}c\u0085d é"#
    let result = try score(Self.line(id), "--format", format)
    let forbidden = result.output.unicodeScalars.filter {
      $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value)
        || (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value)
    }
    #expect(forbidden.isEmpty)
    #expect(result.output.contains("a[2J31mbcd é"))
    let bad = try score(
      "{\"id\":\"x\",\"messages\":[{\"role\":\"\u{202E}\u{9B}r\",\"content\":1}]}")
    #expect(bad.errors.contains("found \"r\""), "\(bad.errors)")
  }

  @Test(arguments: [#"\n=1+1"#, #"\t=1+1"#, #"\r\n@x"#, #" =1"#, #"\u0000=1"#, "=1", "+1", "-1"])
  func aFormulaIsDisarmedWhateverStandsBeforeIt(id: String) throws {
    let result = try score(Self.line(id), "--format", "csv")
    let row = try #require(result.output.split(separator: "\n", maxSplits: 1).last)
    #expect(row.hasPrefix("\"'"), "\(row)")
  }
}
