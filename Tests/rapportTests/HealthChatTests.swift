import CoachServer
import Foundation
import Glibc
import IncrementalJSON
import Intake
import SessionStore
import TestSupport
import Testing

/// `rapport chat` with health data, through the built program.
@Suite(.serialized, .integration)
struct HealthChatTests {
  /// Days before today, as the snapshot's last.
  static func snapshot(endingDaysAgo age: Int = 1, steps: Int = 7412) -> String {
    let last = Date().addingTimeInterval(-86_400 * Double(age))
    let first = last.addingTimeInterval(-86_400 * 89)
    func day(_ date: Date) -> String { String(date.formatted(.iso8601).prefix(10)) }
    return #"{"version": 1, "from": "\#(day(first))", "through": "\#(day(last))", "days": 90, "#
      + #""profile": {"age": 42}, "series": {"steps": {"unit": "steps", "days": 80, "mean": \#(steps)}, "#
      + #""sleep": {"unit": "hours", "days": 60, "mean": 6.4}}}"#
  }

  private func chatting(
    _ household: Household, _ model: CoachServer, _ lines: [String] = [], _ more: String...
  ) throws -> RunResult {
    try household.run(
      ["chat", "--json", "--base-url", model.baseURL, "--model", CoachServer.modelName] + more,
      typing: lines.map { $0 + "\n" }.joined())
  }

  private func codes(_ result: RunResult) throws -> [String] {
    try result.output.split(separator: "\n").compactMap {
      try JSONValue(parsing: String($0))["code"]?.stringValue
    }
  }

  private func sent(_ model: CoachServer) -> String {
    model.requests.map(\.text).joined(separator: "\n")
  }

  @Test func theModelGetsFindingsAndFiguresAndIsNotToldMore() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let day = String(Date().addingTimeInterval(-86_400).formatted(.iso8601).prefix(10))
    let steps = (8...21).map { hour in
      " <Record type=\"HKQuantityTypeIdentifierStepCount\" sourceName=\"Ana\u{2019}s Watch\" "
        + "unit=\"count\" startDate=\"\(day) \(hour < 10 ? "0" : "")\(hour):00:00 +0000\" "
        + "endDate=\"\(day) \(hour < 10 ? "0" : "")\(hour):30:00 +0000\" value=\"613\"/>\n"
    }.joined()
    try household.write(
      "<HealthData>\n<ExportDate value=\"\(day) 23:00:00 +0000\"/>\n"
        + "<Me HKCharacteristicTypeIdentifierDateOfBirth=\"1984-03-02\"/>\n\(steps)"
        + "<Workout workoutActivityType=\"HKWorkoutActivityTypeRunning\" sourceName=\"Ana\u{2019}s Watch\" "
        + "startDate=\"\(day) 07:00:00 +0000\" endDate=\"\(day) 07:30:00 +0000\"/></HealthData>\n",
      to: "export.xml")
    let result = try chatting(
      household, model, [Walkthrough.lines[0]], "--health", "export.xml")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try codes(result) == ["health-noted"])
    #expect(sent(model).contains("1 workout in 90 days"))
    for secret in ["Ana", "1984", "613", "HKQuantity"] {
      #expect(!sent(model).contains(secret))
      for (path, bytes) in try household.files() where !path.hasSuffix("export.xml") {
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(path)")
      }
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: household.store)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func aSnapshotIsRememberedForTheNextConversation() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(Self.snapshot(), to: "s.json")
    let lines = Walkthrough.lines
    let first = try chatting(
      household, model, Array(lines[0..<5]) + ["1"], "--health", "s.json")
    #expect(first.status == 0, "\(first.errors)")
    unlink(household.folder + "/s.json")
    let second = try chatting(household, model, [], "--new")
    #expect(try codes(second) == ["health-noted"])
    // The request for suggestions may come after it.
    let greeting = try #require(model.requests.last { !$0.text.contains("\"starters\"") }?.text)
    #expect(greeting.contains("You walk about 7,400 steps a day"))
    // Going on with it says nothing anew.
    #expect(try codes(chatting(household, model)) == [])
  }

  @Test func aChangedFileIsReadAnewAndAnOldOneIsSaidToBeOld() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(Self.snapshot(endingDaysAgo: 12), to: "s.json")
    let first = try chatting(household, model, ["I want to run"], "--health", "s.json")
    #expect(first.output.contains("12 days ago"))
    #expect(try codes(first) == ["health-noted", "health-old"])
    #expect(!first.output.contains("12 days old"))
    let second = try chatting(household, model)
    #expect(try codes(second) == ["health-old"])
    #expect(second.output.contains("12 days old"))
    try household.write(Self.snapshot(endingDaysAgo: 1, steps: 9100), to: "s.json")
    let later = timespec(tv_sec: 2_000_000_000, tv_nsec: 0)
    let times = [later, later]
    #expect(utimensat(AT_FDCWD, household.folder + "/s.json", times, 0) == 0)
    let third = try chatting(household, model, ["by June"])
    #expect(try codes(third) == ["health-noted"])
    #expect(model.requests.last?.text.contains("9,100 steps a day") == true)
  }

  @Test func noHealthIsANoForGood() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(Self.snapshot(), to: "s.json")
    _ = try chatting(household, model, ["I want to run"], "--health", "s.json")
    let before = model.requests.count
    let refused = try chatting(household, model, ["by June"], "--no-health")
    #expect(refused.status == 0)
    #expect(try codes(refused) == ["health-withdrawn"])
    let after = model.requests.dropFirst(before).map(\.text).joined()
    #expect(!after.contains("7,4") && !after.contains("health data show"))
    #expect(try codes(chatting(household, model)) == [])
    #expect(try SessionStore(path: household.store).health() == HealthMemory())
  }

  @Test func aProgramIsToldOfTheOptionUntilSomebodyDecides() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    #expect(try codes(chatting(household, model)) == ["health-offer"])
    #expect(try codes(chatting(household, model, [], "--new", "--no-health")) == [])
    #expect(try codes(chatting(household, model, [], "--new")) == [])
  }

  @Test(arguments: [
    ("gone.zip", nil, "gone.zip: No such file"), ("s.json", "{}", "/version is missing"),
  ])
  func whatIsNoHealthDataIsSaidBeforeAnythingBegins(
    name: String, text: String?, words: String
  ) throws {
    let household = try Household()
    if let text { try household.write(text, to: name) }
    let result = try household.run(
      "chat", "--base-url", "http://127.0.0.1:9/v1", "--model", "x", "--health", name)
    #expect(result.status == 65 && result.errors.contains(words), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: household.store))
    let both = try household.run("chat", "--health", name, "--no-health")
    #expect(both.status == 64)
  }

  @Test func aReadingThatFailsIsToldWithTheGreeting() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write("<HealthData>\n<Record type=", to: "half.xml")
    let result = try chatting(household, model, [], "--health", "half.xml")
    #expect(try codes(result) == ["health-unread"])
    let once = try household.run(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName, "--new", "--health",
      "half.xml", "--message", "I want to run")
    #expect((once.output + once.errors).contains("I couldn't read your health data"))
  }

  @Test(arguments: [
    "please don't use my health data any more", "Stop using my health data.",
    "I want to run. Can you forget my health data?", "I don't want you to look at my health data",
    "keep my apple health data out of this please",
  ])
  func whoeverTakesTheirDataBackIsTakenAtTheirWord(words: String) async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(Self.snapshot(), to: "s.json")
    _ = try chatting(household, model, ["I want to run"], "--health", "s.json")
    let before = model.requests.count
    let result = try chatting(household, model, [words, "by June"])
    #expect(try codes(result) == ["health-withdrawn"])
    let after = model.requests.dropFirst(before).map(\.text).joined()
    #expect(!after.isEmpty && !after.contains("health data show"))
    #expect(try SessionStore(path: household.store).health() == HealthMemory())
    #expect(try codes(chatting(household, model, [], "--new")) == [])
  }

  @Test(arguments: [
    "I don't use my health data much", "should I stop looking at my health data?",
    "what do you see in my health data?", "my doctor said not to read too much into health data",
  ])
  func whoeverOnlySpeaksOfThemKeepsThem(words: String) async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(Self.snapshot(), to: "s.json")
    let result = try chatting(household, model, [words], "--health", "s.json")
    #expect(try codes(result) == ["health-noted"])
  }

  @Test func aFileThatIsBrokenNowIsSaidToBe() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(Self.snapshot(), to: "s.json")
    _ = try chatting(household, model, ["I want to run"], "--health", "s.json")
    try household.write("{\"version\": 1, ", to: "s.json")
    let later = timespec(tv_sec: 2_000_000_000, tv_nsec: 0)
    #expect(utimensat(AT_FDCWD, household.folder + "/s.json", [later, later], 0) == 0)
    let result = try chatting(household, model, ["by June"])
    #expect(try codes(result) == ["health-unread"])
    #expect(result.output.contains("I'm using what I saw before"))
    #expect(model.requests.last?.text.contains("7,400 steps a day") == true)
  }

  @Test func whatARehearsalWasToldIsNoModels() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(Self.snapshot(), to: "s.json")
    let rehearsed = try household.run("chat", "--offline", "--health", "s.json", "--message", "hi")
    #expect(rehearsed.status == 0 && rehearsed.errors.contains("had a look"), "\(rehearsed)")
    #expect(try codes(chatting(household, model, ["I want to run"])) == ["health-offer"])
    #expect(!sent(model).contains("7,400"))
  }

  @Test func somebodyElsesDataAreForgotten() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(Self.snapshot().replacing("42", with: "15"), to: "s.json")
    let result = try chatting(
      household, model, ["I am 34 years old. The phone belongs to my daughter."], "--health",
      "s.json")
    #expect(try codes(result).contains("health-not-yours"))
    #expect(try SessionStore(path: household.store).health() == nil)
  }
}
