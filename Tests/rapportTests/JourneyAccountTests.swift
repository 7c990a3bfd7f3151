import CoachServer
import Foundation
import Glibc
import IncrementalJSON
import SupabaseMock
import SupabaseTestSupport
import TestSupport
import Testing

/// A journey with an account, through the built program.
@Suite(.serialized, .integration)
struct JourneyAccountTests {
  private static let signIn: [JSONValue] = [
    true, ["email": "sam@example.com", "consents": ["terms", "privacy"]], "123456",
  ]
  private static let talk: [JSONValue] = [
    "decline", "I want to drop about 20 lbs by june so I can keep up with my kids",
    "there's no time: 60h weeks, my right knee is shot, dinner is usually drive-thru",
    "love swimming, hate burpees, there is a pool next door. i'm 42, 4000 steps a day",
    "tue and thu mornings. be blunt, check in weekly", true, true, true, true, "skip", "Sam",
    true,
  ]

  private static func lines(_ answers: [JSONValue]) -> String {
    answers.map { (["answer": $0] as JSONValue).serialized() + "\n" }.joined()
  }

  private func screens(_ output: String) throws -> [JSONValue] {
    try output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
      .filter { $0["type"] == "screen" }
  }

  /// A household with a model server and a project.
  private func household(at project: MockProject) throws -> (Household, ChildProcess) {
    let household = try Household()
    household.environment.merge([
      "SUPABASE_URL": project.url, "SUPABASE_ANON_KEY": SupabaseAPI.anonKey,
    ]) { $1 }
    let mock = try household.start("mock")
    household.environment["RAPPORT_BASE_URL"] = mock.readLine()
    household.environment["RAPPORT_MODEL"] = "mock-coach"
    return (household, mock)
  }

  @Test func aCodeIsSentWithItsLastDigit() async throws {
    let project = try await MockProject { $0.code = "123456" }
    let (household, mock) = try household(at: project)
    defer { kill(mock.pid, SIGINT) }
    let terminal = try household.startOnTerminal("start", "trainer")
    terminal.type(" ")
    try terminal.expect("Enter: Begin Your Journey")
    terminal.type("\r")
    try terminal.expect("Your email, such as")
    terminal.type("sam@example.com\r")
    try terminal.expect("Terms of Service? (yes/no)")
    terminal.type("yes\r")
    try terminal.expect("Privacy Policy? (yes/no)")
    terminal.type("yes\r")
    try terminal.expect("[resend]")
    terminal.type("12345")
    try terminal.expect("12345")
    terminal.type("6")
    try terminal.expect("I'll Type Instead")
    terminal.type("\u{3}")
    _ = try terminal.expectExit()
  }

  @Test func theModelsDocumentsReachTheAccountThatTheJourneySignedInto() async throws {
    let project = try await MockProject(
      faults: [.init(try #require(SupabaseFault("server-error")), times: 3, only: .rows)]
    ) { $0.code = "123456" }
    let (household, mock) = try household(at: project)
    defer { kill(mock.pid, SIGINT) }
    let answers =
      Self.signIn + Self.talk + [
        "make it six months", "apply", "undo", "approve", true, "make Thursday shorter", "apply",
        "add running on Saturday", "discard", "approve", "decline", true, "skip",
      ]
    let result = try household.run(["start", "trainer", "--json"], typing: Self.lines(answers))
    #expect(result.status == 0, "\(result.errors)")
    let screens = try screens(result.output)
    #expect(screens.last?["kind"] == "end", "\(screens.suffix(2))")
    let refused = screens.filter { $0["refusal"] != nil }
    #expect(refused.count == 1 && refused[0]["refusal"]?.stringValue?.contains("knee") == true)
    #expect(screens.contains { $0["document"]?["state"] == "changing" && $0["diff"] != nil })
    // It failed three times on the way; nothing waited for it, and nothing is lost.
    for _ in 0..<6 where try household.run("sync").status != 0 {}
    let status = try household.run("sync", "--status", "--json")
    #expect(status.output.contains("\"waiting\":0"), "\(status.output)")
    let intake = try #require(project.api.rows(of: "intakes").first)
    #expect(intake["journey"] == "trainer" && intake["answers"]?["firstName"] == "Sam")
    #expect(project.api.rows(of: "goals").first?["body"]?["byWhen"] == "by June")
    let program = try #require(project.api.rows(of: "programs").first?["body"])
    #expect(program["sessions"]?[1]?["minutes"] == 20)
    #expect(project.api.rows(of: "intakes").count == 1)

    // The program is there to be shown.
    let all = try household.run("program", "all")
    #expect(all.status == 0 && all.output.contains("Week 8") && all.output.contains("Thursday"))
    let today = try household.run("program", "--json")
    #expect(today.output.contains("\"weeks\":8"))
    let calendar = try household.run("program", "--ics", "-")
    #expect(calendar.output.components(separatedBy: "BEGIN:VEVENT").count == 17)
    await project.stop()
  }

  @Test func aWrongCodeAndAnUnreachableProjectAreSaidAndCanBeTriedAgain() async throws {
    let project = try await MockProject { $0.code = "123456" }
    let (household, mock) = try household(at: project)
    defer { kill(mock.pid, SIGINT) }
    var answers = Self.signIn
    answers[2] = "654321"
    let wrong = try household.run(["start", "trainer", "--json"], typing: Self.lines(answers))
    #expect(try screens(wrong.output).last?["problem"]?.stringValue?.contains("wrong") == true)
    await project.stop()
    let gone = try household.run(["start", "--json"], typing: Self.lines(["123456"]))
    let last = try #require(try screens(gone.output).last)
    #expect(last["step"] == "code" && last["problem"]?.stringValue?.contains("reach") == true)
  }

  @Test func aRehearsalStaysOnThisMachine() async throws {
    let project = try await MockProject { $0.code = "123456" }
    let (household, mock) = try household(at: project)
    defer { kill(mock.pid, SIGINT) }
    let result = try household.run(
      ["start", "trainer", "--offline", "--json"], typing: Self.lines([true, true]))
    let screens = try screens(result.output)
    #expect(screens[1]["step"] == "signIn" && screens[1]["input"] == nil)
    #expect(screens[1]["body"]?.serialized().contains("started with --offline") == true)
    #expect(screens.last?["step"] == "voice")
    #expect(try household.run("sync", "--status").errors.contains("nothing to send"))
    await project.stop()
  }

  /// Only questions, and none of them asks whether to stay on this machine.
  @Test func answersGivenOfflineStayHereAfterALaterSignIn() async throws {
    let project = try await MockProject { $0.code = "123456" }
    let household = try Household()
    household.environment.merge([
      "SUPABASE_URL": project.url, "SUPABASE_ANON_KEY": SupabaseAPI.anonKey,
    ]) { $1 }
    let answers = Self.lines(["loseWeight", "1800", true, true, true])
    let offline = ["start", "matador", "--offline", "--json"]
    let walked = try household.run(offline, typing: answers)
    #expect(try screens(walked.output).last?["kind"] == "end", "\(walked.output)")
    _ = try household.run("account", "sign-in", "sam@example.com", typing: "123456\n")
    let result = try household.run("sync")
    #expect(result.status == 0 && project.api.count(.rows) == 0, "\(result.output)")
    #expect(result.errors.contains("1 journey stays on this machine"), "\(result.errors)")
    let status = try household.run("sync", "--status", "--json").output
    #expect(status.contains("\"kept\":1"), "\(status)")
    // The same answers with an account are sent.
    _ = try household.run(["start", "matador", "--new", "--json"], typing: answers)
    #expect(try household.run("sync").status == 0)
    #expect(project.api.rows(of: "intakes").map { $0["journey"] } == ["matador"])
    await project.stop()
  }

  @Test func anotherDeviceGoesOnWhereTheFirstOneLeft() async throws {
    let project = try await MockProject { $0.code = "123456" }
    let (first, mock) = try household(at: project)
    defer { kill(mock.pid, SIGINT) }
    let start = ["start", "trainer", "--json"]
    let begun = try screens(
      try first.run(start, typing: Self.lines(Self.signIn + Self.talk)).output)
    #expect(begun.last?["step"] == "goalReview", "\(begun.suffix(1))")
    #expect(try first.run("sync").status == 0)

    let second = try Household()
    second.environment = first.environment.merging(["HOME": second.folder]) { $1 }
    let there = try screens(try second.run(start, typing: Self.lines(Self.signIn)).output)
    #expect(there.last?["step"] == "goalReview", "\(there.suffix(1))")
    #expect(there.last?["title"] == begun.last?["title"])
    let rest: [JSONValue] = ["approve", true, "approve", "decline", true, "skip"]
    let ended = try screens(try second.run(start, typing: Self.lines(rest)).output)
    #expect(ended.last?["kind"] == "end", "\(ended.suffix(1))")
    #expect(try second.run("sync").status == 0)
    let row = try #require(project.api.rows(of: "intakes").first)
    #expect(project.api.rows(of: "intakes").count == 1 && row["is_complete"] == true)

    // The first one has the program now, and a third one that only signs in has it too.
    #expect(try screens(try first.run(start, typing: "").output).last?["kind"] == "end")
    #expect(try first.run("program", "all").output == second.run("program", "all").output)
    let third = try Household()
    third.environment = first.environment.merging(["HOME": third.folder]) { $1 }
    _ = try third.run("account", "sign-in", "sam@example.com", typing: "123456\n")
    #expect(try screens(try third.run(start, typing: "").output).last?["kind"] == "end")
    #expect(try third.run("program", "all").output == second.run("program", "all").output)
    // A calendar that is imported from two of them has each workout once.
    let calendars = try [first, second, third].map { try $0.run("program", "--ics", "-").output }
    #expect(calendars[0].contains("-week-1-session-1@rapport") && Set(calendars).count == 1)
    #expect(try third.run("profile", "--json").output == first.run("profile", "--json").output)
    // Begun anew, it begins at its beginning.
    let new = try screens(try third.run(start + ["--new"], typing: "").output)
    #expect(new.last?["step"] == "welcome", "\(new)")
    await project.stop()
  }

  @Test func whatTheAccountHoldsAndThisBuildCannotReadIsLeftAlone() async throws {
    let project = try await MockProject { $0.code = "123456" }
    let (household, mock) = try household(at: project)
    defer { kill(mock.pid, SIGINT) }
    let start = ["start", "trainer", "--json"]
    let begun = Self.signIn + [Self.talk[0], Self.talk[1]]
    _ = try household.run(start, typing: Self.lines(begun))
    #expect(try household.run("sync").status == 0)
    project.api.set("progress", to: ["version": "of another program"], in: "intakes")
    let before = project.api.rows(of: "intakes")
    #expect(before.map { $0["progress"] } == [["version": "of another program"]])
    let last = try screens(try household.run(start, typing: Self.lines([Self.talk[2]])).output)
    #expect(
      last.first?["problem"]?.stringValue?.contains("I leave them as they are") == true, "\(last)")
    #expect(last.last?["step"] == "intake", "\(last)")
    #expect(try household.run("sync").status == 0)
    #expect(project.api.rows(of: "intakes") == before)
    await project.stop()
  }
}
