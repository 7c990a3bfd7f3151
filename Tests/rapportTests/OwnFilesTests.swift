import CoachServer
import Foundation
import Glibc
import IncrementalJSON
import TestSupport
import Testing

/// Files that people write themselves: profiles to check, and packs of prompts.
@Suite(.integration)
struct OwnFilesTests {
  /// A profile as the program prints it after a whole conversation.
  private static let profile = Task { () throws -> String in
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    _ = try household.run(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName,
      typing: Walkthrough.lines.prefix(5).map { $0 + "\n" }.joined())
    return try household.run("profile", "--json").output
  }

  private func validate(_ text: String) throws -> RunResult {
    let household = try Household()
    try household.write(text, to: "profile.json")
    return try household.run("profile", "--validate", "profile.json")
  }

  @Test func whatTheProgramPrintsIsValid() async throws {
    let result = try validate(try await Self.profile.value)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "profile.json: valid\n")
  }

  @Test(arguments: [
    (
      #""checkInFrequency": ""#, #""checkInFrequency": 7, "old": ""#,
      "/coachingPlan/checkInFrequency"
    ),
    (#""primary": "#, #""primmary": "#, "/userGoals/primmary"),
    (#""primary": "drop about 20 lbs""#, #""primary": 7"#, "/userGoals/primary"),
    (#""notedAt": ""#, #""notedAt": "never "#, "/constraints/physical/0/notedAt"),
    (#""medicalDisclaimer": "#, #""disclaimer": "#, "/personaProfile/medicalDisclaimer"),
  ])
  func aProblemIsNamedByItsPlace(good: String, bad: String, place: String) async throws {
    let profile = try await Self.profile.value
    let range = try #require(profile.firstRange(of: good), "\(profile)")
    let result = try validate(profile.replacingCharacters(in: range, with: bad))
    #expect(result.status == 65)
    #expect(result.errors.contains("profile.json: \(place): expected"), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test(arguments: [
    "", "{", "[]", "null", "{\"a\":1,}", "\u{0}",
    "{\"personaProfile\":\(String(repeating: "[", count: 5_000))",
  ])
  func whatIsNoProfileIsSaidToBeNone(text: String) throws {
    let result = try validate(text)
    #expect(result.status == 65)
    #expect(result.errors.hasPrefix("profile.json: "))
  }

  @Test func aProfileThatIsNotThereIsNamed() throws {
    let result = try Household().run("profile", "--validate", "nowhere.json")
    #expect(result.status == 65)
    #expect(result.errors.contains("nowhere.json"))
  }

  /// A file of the built-in pack, what to replace in it, by what, and what the program must say.
  struct Spoiled: Sendable, CustomTestStringConvertible {
    var file: String
    var good: String
    var bad: String
    var line: Int?
    var testDescription: String { "\(file): \(bad)" }
  }

  @Test(arguments: [
    Spoiled(file: "pack.json", good: #""fitness""#, bad: "7", line: nil),
    Spoiled(file: "pack.json", good: #""1","#, bad: #""1""#, line: 5),
    Spoiled(file: "pack.json", good: "currentState.body", bad: "currentState.mind", line: nil),
    Spoiled(file: "rubric.json", good: "{", bad: "{,", line: 1),
    Spoiled(
      file: "rubric.json", good: #""name": "goalClarity""#, bad: #""name": "obstacles""#, line: nil),
    Spoiled(
      file: "texts/offer-go-on.mustache", good: "{{/missing}}", bad: "{{/missing}", line: nil),
    Spoiled(file: "prompts/ask.mustache", good: "\n", bad: "\n{{#nothing}}\n", line: nil),
    Spoiled(file: "prompts/greet.mustache", good: "\n", bad: "\n{{unheardOf}}\n", line: nil),
    Spoiled(file: "care.txt", good: "\n", bad: "\nunmistakable nonsense [[\n", line: nil),
  ])
  func aWrongFileOfAPackIsNamedWithItsReason(_ spoiled: Spoiled) throws {
    let household = try Household()
    try copyPack(to: household)
    let path = household.folder + "/pack/" + spoiled.file
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let range = try #require(text.firstRange(of: spoiled.good))
    try household.write(
      text.replacingCharacters(in: range, with: spoiled.bad), to: "pack/" + spoiled.file)
    try expectRefusal(household, spoiled.file, line: spoiled.line)
  }

  @Test(arguments: [
    ("care/crisis.md", ""), ("care/crisis.md", "<!-- to be written -->\n\n"), ("care.txt", ""),
    ("care.txt", "# nothing yet\n"), ("care.txt", "[crisis crisis]\n"),
    ("prompts/ask.mustache", " \n"), ("texts/paywall-note.mustache", ""),
    ("texts/medical-disclaimer.md", "\n"),
    ("pack.json", #"{"name":"x","version":"1","bodyfacet":"a.b"}"#),
    ("pack.json", #"{"name":"x","version":"1","carePhrases":"nowhere"}"#),
  ])
  func aFileWithNothingInItIsNamed(file: String, text: String) throws {
    let household = try Household()
    try copyPack(to: household)
    try household.write(text, to: "pack/" + file)
    try expectRefusal(household, file)
  }

  @Test func aTextWithoutVariablesSaysSo() throws {
    let household = try Household()
    try copyPack(to: household)
    try household.write("Hi {{name}}", to: "pack/texts/paywall-note.mustache")
    try expectRefusal(
      household, "texts/paywall-note.mustache", line: 1,
      saying: "{{name}} is not known here; this template has no variables")
  }

  /// A conversation with a pack of one's own, in the store that everything uses.
  @Test func commandsTakeThePackOfAConversation() throws {
    let household = try Household()
    try copyPack(to: household)
    let manifest = try String(
      contentsOfFile: household.folder + "/pack/pack.json", encoding: .utf8)
    try household.write(
      manifest.replacing(#""name": "fitness""#, with: #""name": "mine""#), to: "pack/pack.json")
    let lines = "I want to run a 10k by May\n/done\n"
    _ = try household.run("chat", "--offline", typing: lines)
    _ = try household.run("chat", "--offline", "--new", "--prompts", "pack", typing: "hi\n")
    // Another one without a profile stands in nobody's way.
    #expect(try household.run("profile").output.contains("10k"))
    _ = try household.run("chat", "--offline", "--prompts", "pack", typing: lines)
    let profile = try household.run("profile")
    #expect(profile.status == 64 && profile.errors.contains("--prompts"), "\(profile.errors)")
    for command in [["profile"], ["sessions", "show"], ["sessions", "export"]] {
      let result = try household.run(command + ["--prompts", "pack"])
      #expect(result.status == 0 && result.output.contains("10k"), "\(result.errors)")
    }
    let resumed = try household.run("chat", "--offline", typing: "hi\n")
    #expect(resumed.errors.contains("or name their folder in --prompts"), "\(resumed.errors)")
  }

  @Test func whatAPackDoesNotHoldComesFromTheSharedOnes() throws {
    let household = try Household()
    try copyPack(to: household)
    try FileManager.default.removeItem(atPath: household.folder + "/pack/care/crisis.md")
    let result = try household.run(
      "chat", "--offline", "--prompts", "pack", "--message", "I want to kill myself")
    #expect(result.output.contains("988"), "\(result.output)\(result.errors)")
  }

  @Test func aPipeInAPackIsNamedAndNotWaitedFor() throws {
    let household = try Household()
    try copyPack(to: household)
    let crisis = household.folder + "/pack/care/crisis.md"
    try FileManager.default.removeItem(atPath: crisis)
    #expect(mkfifo(crisis, 0o600) == 0)
    try expectRefusal(household, "care/crisis.md")
  }

  @Test func aFileThatIsMissingOrNoTextIsNamed() throws {
    let household = try Household()
    try copyPack(to: household)
    let crisis = household.folder + "/pack/care/crisis.md"
    try Data([0xFF, 0xFE, 0x00]).write(to: URL(filePath: crisis))
    try expectRefusal(household, "care/crisis.md")
    let rubric = household.folder + "/pack/rubric.json"
    try FileManager.default.removeItem(atPath: crisis)
    try FileManager.default.removeItem(atPath: rubric)
    try expectRefusal(household, "rubric.json")
    try FileManager.default.removeItem(atPath: household.folder + "/pack")
    try expectRefusal(household, "")
  }

  private func copyPack(to household: Household) throws {
    let prompts = try CaseFile.packageRoot().appending(path: "Prompts")
    for part in ["shared", "fitness"] {
      let source = prompts.appending(path: part).path
      for path in try FileManager.default.subpathsOfDirectory(atPath: source) {
        let (from, to) = (source + "/" + path, household.folder + "/pack/" + path)
        guard let text = try? String(contentsOfFile: from, encoding: .utf8) else { continue }
        try FileManager.default.createDirectory(
          at: URL(filePath: to).deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(toFile: to, atomically: true, encoding: .utf8)
      }
    }
  }

  private func expectRefusal(
    _ household: Household, _ file: String, line: Int? = nil, saying words: String = ""
  ) throws {
    let result = try household.run(
      "chat", "--prompts", "pack", "--base-url", "http://127.0.0.1:9/v1", "--model", "x",
      "--message", "hi")
    #expect(result.status == 65, "\(result.errors)")
    let place = (file.isEmpty ? "pack" : "pack/" + file) + (line.map { ":\($0)" } ?? "")
    #expect(result.errors.hasPrefix(place + ":"), "\(result.errors)")
    let reason = result.errors.dropFirst(place.count + 1)
    #expect(reason.count > 10 && (words.isEmpty || reason.contains(words)), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: household.store), "nothing was begun")
  }
}
