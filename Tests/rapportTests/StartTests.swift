import CoachServer
import Foundation
import GRDB
import Glibc
import IncrementalJSON
import Intake
import Journeys
import Plans
import SessionStore
import Settings
import Startup
import TestSupport
import Testing

@testable import rapport

/// `rapport start` and `rapport journey` through the built program.
@Suite(.serialized, .integration)
struct StartTests {
  private static func line(_ answer: JSONValue) -> String {
    (["answer": answer] as JSONValue).serialized() + "\n"
  }

  private func records(_ output: String) throws -> [JSONValue] {
    try output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }

  private func steps(_ records: [JSONValue]) -> [String] {
    records.filter { $0["type"] == "screen" }.map { $0["step"]?.stringValue ?? "end" }
  }

  @Test func aProgramWalksThroughWithOneActionALine() throws {
    let talk = [
      "I want to lose 10 kg by June so I can keep up with my kids.", "/done", "let's go", "1",
    ]
    let result = try Household().run(
      ["start", "discovery", "--offline", "--json"],
      typing: Self.line(true) + talk.map { Self.line(.string($0)) }.joined())
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let records = try records(result.output)
    #expect(steps(records) == ["welcome", "talk", "end"])
    #expect(records.count { $0["discovery_complete"]?.boolValue == true } == 1)
    #expect(records.contains { $0["type"] == "paywall" })
    // As in a chat.
    #expect(records.contains { $0["type"] == "starters" })
  }

  @Test func backInfoAndMistakesAreActionsToo() throws {
    let lines =
      Self.line(true) + Self.line(true) + Self.line(true) + Self.line(true)
      + "{\"info\": true}\nnonsense\n" + Self.line("Kim") + "{\"back\": true}\n"
    let result = try Household().run(
      ["start", "trainer-structured", "--offline", "--json"], typing: lines)
    #expect(result.status == 0)
    let records = try records(result.output)
    #expect(
      steps(records) == [
        "intro1", "intro2", "intro3", "intro4", "name", "name", "age", "name",
      ])
    #expect(records.contains { $0["info"]?.stringValue != nil })
    #expect(records.contains { $0["code"] == "not-an-action" })
    #expect(records.last?["input"]?["value"] == "Kim")
  }

  @Test func anActionForAnotherStepDoesNothing() throws {
    let lines = [
      #"{"answer": true, "step": "welcome"}"#,
      #"{"answer": "I want to lose 10 kg by June.", "step": "talk"}"#,
      #"{"answer": "Kim", "step": "name"}"#,
      #"{"back": true, "step": "nowhere"}"#,
    ].map { $0 + "\n" }.joined()
    let household = try Household()
    let result = try household.run(["start", "discovery", "--offline", "--json"], typing: lines)
    let records = try records(result.output)
    #expect(steps(records).suffix(1) == ["talk"])
    let refused = records.filter { $0["code"] == "not-an-action" }
    #expect(refused.count == 2)
    #expect(refused[0]["text"]?.stringValue?.contains("step name, but we're at talk") == true)
    #expect(try !household.run("sessions", "show").output.contains("Kim"))
  }

  @Test func theListSaysWhatWasAnsweredAndLeavesOutWhatWasOnlyLookedAt() throws {
    let household = try Household()
    _ = try household.run(
      ["start", "trainer-structured", "--offline", "--json"], typing: Self.line(true))
    let empty = try household.run("sessions")
    #expect(empty.output.isEmpty && empty.errors.contains("No conversations yet."))
    let lines = [true, true, true, "Kim", 35].map { Self.line($0) }.joined()
    _ = try household.run(["start", "trainer-structured", "--offline", "--json"], typing: lines)
    let list = try household.run("sessions").output
    #expect(list.contains("  2 answers  (journey trainer-structured)"), "\(list)")
    let json = try records(household.run("sessions", "list", "--json").output)
    #expect(json.map { $0["answers"] } == [2] && json[0]["journey"] == "trainer-structured")
  }

  /// Up to the sign-in, nothing but this machine is involved.
  @Test func theStructuredQuestionsSendNoRequest() throws {
    let server = try LoopbackServer { try $0.respond(body: "{}") }
    defer { server.stop() }
    let household = try Household()
    household.environment.merge([
      "RAPPORT_BASE_URL": server.url("/v1"), "RAPPORT_MODEL": "some-model",
      "OPENAI_API_KEY": "sk-test-canary-abcdefghijkl",
      "SUPABASE_URL": server.url(""), "SUPABASE_ANON_KEY": "sb_publishable_canary",
    ]) { $1 }
    let child = try household.start("start", "trainer-structured", "--json")
    var shown: [String] = []
    while let line = child.readLine(), let screen = try? JSONValue(parsing: line) {
      let step = screen["step"]?.stringValue ?? "end"
      shown.append(step)
      if step == "signIn" { break }
      child.write(Self.line(Self.answer(to: screen)))
      if shown.count > 60 { break }
    }
    #expect(shown.last == "signIn", "\(shown)")
    #expect(Set(shown).count == 31, "\(shown)")
    #expect(server.connections.value == 0)
    kill(child.pid, SIGKILL)
    // Killed here, it resumes here.
    let again = try household.run(["start", "--json"], typing: "")
    #expect(try steps(records(again.output)) == ["signIn"])
    #expect(server.connections.value == 0)
  }

  private static func answer(to screen: JSONValue) -> JSONValue {
    if screen["kind"] == "choice" { return "create" }
    switch screen["input"]?["kind"]?.stringValue {
    case "text": return "Kim"
    case "select": return screen["options"]?[0]?["id"] ?? true
    case "open": return "It changes from week to week, really."
    default: return true
    }
  }

  /// What was told in a form holds afterwards: in the profile, among the limits, and against the log.
  @Test func aKneeToldInAFormIsRespectedAfterTheProgramBegan() throws {
    let household = try Household()
    let child = try household.start("start", "trainer-structured", "--offline", "--json")
    var (last, steps): (JSONValue, Set<String>) = (.null, [])
    for _ in 0..<200 {
      guard let line = child.readLine(), let record = try? JSONValue(parsing: line) else { break }
      if record["type"] == "screen" { last = record } else if record["type"] != "done" { continue }
      if record["busy"] == true { continue }
      if record["kind"] == "end" { break }
      if let step = last["step"]?.stringValue { steps.insert(step) }
      // The coach's first question follows the screen.
      if record["kind"] == "conversation" { continue }
      child.write(Self.line(Self.knee(at: last)))
    }
    child.closeInput()
    #expect(steps.isSuperset(of: ["injuries", "goalReview", "programReview", "success"]))
    let profile = try household.run("profile")
    #expect(profile.output.contains("knee"), "\(profile.output)\(profile.errors)")
    let goals = try household.run("goals", "show", "--json").output
    let limits = try JSONValue(parsing: goals)["limits"]?.arrayValue ?? []
    let knee = limits.first { $0["detail"]?.stringValue?.contains("knee") == true }
    #expect(knee?["status"] == "active" && knee?["step"] == "injuries", "\(goals)")
    let chat = try records(
      household.run(
        ["chat", "--offline", "--json"],
        typing: "squats 5x5 120 kg, hard\n"
      ).output)
    #expect(!chat.contains { $0["type"] == "paywall" || $0["purpose"] == "summary" })
    #expect(chat.last { $0["type"] == "done" }?["phase"] == "coaching")
    let asked = chat.contains {
      $0["type"] == "message" && $0["text"]?.stringValue?.contains("knee") == true
    }
    #expect(asked && chat.contains { $0["type"] == "choices" }, "\(chat)")
  }

  private static func knee(at screen: JSONValue) -> JSONValue {
    switch screen["step"]?.stringValue {
    case "injuries": "My left knee hurts when I squat."
    case "healthNuances": "I have mild asthma."
    case "frequency": "3 times a week, mon wed fri, 40 minutes"
    case "goals": "I want to squat 100 kg by summer because I miss being strong."
    case "gaps": "I'd rather not say."
    case "goalReview", "programReview": "approve"
    case "notifications": "decline"
    default: answer(to: screen)
    }
  }

  @Test func aPipeReadsLinesAndPrintsText() throws {
    let household = try Household()
    let result = try household.run(
      ["start", "trainer-structured", "--offline"], typing: "\n\n\n\nKim\n35\n2\n<\n?\n")
    #expect(result.status == 0)
    #expect(result.output.contains("What should I call you?\n"))
    #expect(result.output.contains("[2] Man\n"))
    #expect(result.output.contains("or type a number, 13 to 100"), "\(result.output)")
    #expect(result.output.contains("Enter: "))
    #expect(result.output.hasSuffix("I'd rather not say\n") || result.output.contains("? "))
    #expect(!result.output.contains("\u{1B}"))
  }

  /// A default is shown beside the line, so that what is typed isn't put behind it.
  @Test func aNumberIsTypedInPlaceOfItsDefault() throws {
    let household = try Household()
    let terminal = try household.startOnTerminal("start", "matador")
    try terminal.expect("What's your main goal?")
    // A digit only chooses, so that Enter behind it doesn't answer the next question.
    terminal.type("3")
    try terminal.expect("> [3]")
    terminal.type("1\r")
    try terminal.expect("  1800 kcal")
    terminal.type("999\r")
    try terminal.expect("Calorie target must be at least 1000")
    terminal.type("?\r")
    try terminal.expect("? On feeding days")
    // The same closes it.
    try terminal.expect("? and Enter: close")
    terminal.type("?\r")
    try terminal.expect("? and Enter: why")
    terminal.type("1750\r")
    try terminal.expect("When do you usually eat?")
    terminal.type("<\r")
    try terminal.expect("  1750 kcal")
    terminal.type("\u{3}")
    _ = try terminal.expectExit()
  }

  @Test func theNutritionJourneyEndsHome() throws {
    let household = try Household()
    let answers: [JSONValue] = ["gainMuscle", true, true, true, true]
    let result = try household.run(
      ["start", "matador", "--json"], typing: answers.map(Self.line).joined())
    #expect(result.status == 0)
    let steps = try steps(records(result.output))
    #expect(steps == ["goal", "calories", "window", "matador", "reveal", "end"])
    let row = try DatabaseQueue(path: household.store).read {
      try Row.fetchOne($0, sql: "SELECT * FROM user_profiles")
    }
    #expect(row?["goal"] == "gainMuscle")
    #expect(row?["calorie_target"] == 2_000)
    #expect(row?["eating_window_start"] == "12:00")
    #expect(row?["eating_window_end"] == "20:00")
    #expect(row?["onboarding_completed"] == true)
    // Home is the day that it is, in each place.
    let program = try household.run("program").output
    #expect(program.contains("Feeding, day 1 of 5") && program.contains("Daily target: 2000 kcal"))
    let week = try records(household.run("program", "week", "--json").output)
    #expect(week.first?["type"] == "cycle" && week.first?["days"]?.arrayValue?.count == 7)
    #expect(try household.run("goals").output.contains("Feeding, day 1 of 5. Daily target: 2000"))
    #expect(try household.run("program", "--ics", "-").status != 0)
    // The coach goes on in the same session.
    let chat = try household.run(
      ["chat", "--offline", "--prompts", "nutrition"], typing: "I skip breakfast.\n")
    #expect(chat.status == 0)
    #expect(
      try household.run("sessions", "list", "--json").output.split(separator: "\n").count == 1)
  }

  /// Also without color, and where every line must fit into forty columns.
  @Test(arguments: [["TERM": "xterm"], ["TERM": "dumb"], ["TERM": "xterm", "NO_COLOR": "1"]])
  func fortyColumnsAreEnough(variables: [String: String]) throws {
    let household = try Household()
    let terminal = try PseudoTerminal(
      ["start", "trainer", "--offline"],
      environment: household.environment.merging(variables) { $1 }, program: "rapport",
      folder: household.folder, columns: 40)
    try terminal.expect("Begin Your Journey")
    terminal.type("\r")
    try terminal.expect("Where should I keep what you tell me?")
    try terminal.expect("Keep it here")
    terminal.type("1\r")
    try terminal.expect("I can't use a microphone")
    terminal.type("\u{3}")
    _ = try terminal.expectExit()
    if variables["TERM"] == "dumb" { #expect(!terminal.screen.contains("\u{1B}["), "no escapes") }
    if variables["NO_COLOR"] != nil {
      #expect(terminal.screen.matches(of: #/\u{1B}\[[0-9;]+m/#).isEmpty, "no color")
    }
    let plain = terminal.screen.replacing(#/\u{1B}\[[0-9;?]*[A-Za-z]/#, with: "")
    for line in plain.split(whereSeparator: \.isNewline) {
      #expect(line.trimmingCharacters(in: .whitespaces).count <= 40, "\(line)")
    }
  }

  @Test func unknownJourneysAreNamed() throws {
    let result = try Household().run("start", "nowhere")
    #expect(result.status == 64)
    #expect(result.errors.contains("There is no journey nowhere."))
    let file = try Household().run("start", "mine/journeys/hello.json")
    #expect(file.status == 64)
    #expect(file.errors.contains("`rapport start hello --prompts PACK`"))
    #expect(result.errors.contains("discovery"))
  }

  @Test func journeysAreListedCheckedAndDrawn() throws {
    let list = try Household().run("journey", "list").output
    for name in ["discovery", "trainer", "trainer-structured"] {
      #expect(list.contains("\(name) (fitness)  "), "\(list)")
    }
    let json = try JSONValue(parsing: Household().run("journey", "list", "--json").output)
    #expect((json.arrayValue?.count ?? 0) >= 3)
    let drawn = try Household().run("journey", "show", "discovery", "--mermaid").output
    #expect(drawn.hasPrefix("flowchart TD\n  s_welcome"))
    #expect(try Household().run("journey", "check").status == 0)
    #expect(
      try Household().run("journey", "check", "matador").output.hasPrefix("matador (nutrition): "))
    #expect(try Household().run("journey", "check", "nobody").errors.contains("no journey nobody"))
  }

  @Test(arguments: [
    ("try.json", "nowhere", "try.json:1: step hi: next: there is no step nowhere"),
    ("other.json", "end", "other.json: name: expected other, as the file is called"),
  ])
  func aBrokenJourneyNamesFilePlaceAndReason(file: String, next: String, error: String) throws {
    let household = try Household()
    try household.write(
      #"{"name": "try", "version": 1, "title": "Try", "steps": ["#
        + #"{"id": "hi", "kind": "intro", "title": "Hi", "next": "\#(next)"}]}"#, to: file)
    for command in ["check", "show"] {
      let result = try household.run("journey", command, file)
      #expect(result.status == 65)
      #expect(result.errors.contains(error), "\(result.errors)")
    }
  }

  private static func journey(_ name: String, step: String) -> String {
    #"{"name": "\#(name)", "version": 1, "title": "Try", "steps": [{"id": "hi", "kind": "intro", "#
      + #""title": "Hi", \#(step)}]}"#
  }

  /// A pack of one's own with a single journey, and later a broken one beside it.
  @Test func aPackOfOnesOwnBeginsWithItsJourney() throws {
    let household = try Household()
    let pack = household.folder + "/mine"
    try FileManager.default.copyItem(
      atPath: Fixtures.root.appending(path: "Prompts/fitness").path, toPath: pack)
    let journeys = pack + "/journeys"
    for file in try FileManager.default.contentsOfDirectory(atPath: journeys) {
      try FileManager.default.removeItem(atPath: journeys + "/" + file)
    }
    try household.write(
      Self.journey("hello", step: #""next": "end""#), to: "mine/journeys/hello.json")
    let begun = try household.run(
      ["start", "--prompts", "mine", "--offline", "--json"], typing: Self.line(true))
    #expect(try steps(records(begun.output)) == ["hi", "end"], "\(begun.errors)")
    let shown = try household.run("journey", "show", "mine/journeys/hello.json")
    #expect(shown.output.hasPrefix("hello 1: Try"))

    try household.write(
      Self.journey("a", step: #""next": "x", "section": "y", "info": 3"#),
      to: "mine/journeys/a.json")
    let list = try household.run("journey", "list", "--prompts", "mine")
    #expect(list.status == 65 && list.output.hasPrefix("hello ("))
    #expect(list.errors.contains("a.json:1: step hi: info: expected a text"), "\(list.errors)")
    #expect(try household.run("start", "--prompts", "mine", "--new").errors.contains("a, hello"))
  }

  @Test func withoutANameAJourneyThatIsDueOrWasLastInIsResumed() throws {
    let household = try Household()
    let pack = household.folder + "/mine"
    try FileManager.default.copyItem(
      atPath: Fixtures.root.appending(path: "Prompts/fitness").path, toPath: pack)
    let skip =
      #""next": "end", "remind": {"after": 7, "from": "hi", "to": "hi", "text": "Now?", "now": "Now", "#
      + #""later": "Later", "laterAfter": 3, "never": "Never"}"#
    try household.write(
      #"{"name": "check", "version": 1, "title": "Check", "steps": [{"id": "ask", "kind": "choice", "#
        + #""title": "Check?", "options": [{"id": "do", "label": "Do it", "next": "hi"}, "#
        + #"{"id": "skip", "label": "Skip", \#(skip)}]}, {"id": "hi", "kind": "intro", "title": "Hi", "#
        + #""next": "end"}]}"#, to: "mine/journeys/check.json")
    func start(_ arguments: String..., typing: String) throws -> [String] {
      let result = try household.run(
        ["start", "--prompts", "mine", "--offline", "--json"] + arguments, typing: typing)
      #expect(result.status == 0, "\(result.errors)")
      return try steps(records(result.output))
    }
    #expect(try start("check", typing: Self.line("skip")) == ["ask", "end"])
    // Who finished isn't taken to another journey.
    #expect(try start(typing: "") == ["end"])
    #expect(try start("discovery", typing: "") == ["welcome"])

    let context = try CommandContext(flags: [.prompts: pack], readsCredentials: false)
    func choice(inDays days: Double) throws -> String {
      try JourneyChoice(
        store: SessionStore(path: household.store), pack: context.promptPack(),
        isPackSet: true, now: Date().addingTimeInterval(days * 86_400)
      ).choose(nil, new: false).journey.name
    }
    #expect(try choice(inDays: 6) == "discovery", "one that isn't finished")
    #expect(try choice(inDays: 8) == "check", "one with a reminder that is due")
  }

  /// The disk fills up: the answer isn't taken, the same question stands there, and whoever leaves is told
  /// how to come back.
  @Test func aFullDiskLeavesTheQuestionOpenAndNamesTheJourney() throws {
    let household = try Household()
    let child = try household.start(
      ["start", "trainer-structured", "--offline", "--json"], fileLimit: 256 * 1_024)
    var (last, refused): (JSONValue, JSONValue?) = (.null, nil)
    for turn in 0..<2_000 {
      guard let line = child.readLine() else { break }
      last = try JSONValue(parsing: line)
      if last["problem"] != nil {
        refused = last
        break
      }
      // There and back, with another name each time.
      child.write(
        last["step"] == "age"
          ? "{\"back\": true}\n" : Self.line(last["step"] == "name" ? .string("Kim \(turn)") : true)
      )
    }
    let problem = refused?["problem"]?.stringValue ?? ""
    #expect(problem.hasPrefix("I couldn't save that"), "\(last)")
    #expect(problem.contains("`rapport start trainer-structured --offline`"))
    child.closeInput()
    _ = child.readRest()
    let errors = child.readErrors()
    #expect(child.wait() == 73)
    #expect(
      errors.contains("resume with `rapport start trainer-structured --offline`"), "\(errors)")
    let again = try household.run(["start", "--json"], typing: "")
    #expect(try steps(records(again.output)) == [refused?["step"]?.stringValue ?? ""])
  }

  @Test func whatFailsInAJourneyNamesItsCommand() throws {
    let household = try Household()
    let failed = try household.run(
      ["start", "discovery", "--base-url", "http://127.0.0.1:9/v1", "--model", "x"], typing: "\n")
    #expect(failed.errors.contains("Resume with `rapport start discovery`."), "\(failed)")
    let child = try household.start("start", "trainer", "--offline", "--json")
    #expect(child.readLine()?.contains("welcome") == true)
    let second = try household.run("start", "trainer")
    #expect(
      second.errors.contains("`rapport start trainer` then picks up here."), "\(second.errors)")
    child.closeInput()
    _ = child.wait()
  }

  /// At the end a person knows where to write, and what they tell isn't taken for a question.
  @Test func whoFinishedIsToldWhereToWriteAndIsHeard() throws {
    let household = try Household()
    let told = try household.run(
      ["start", "discovery", "--offline"],
      typing: "\nI want to lose 10 kg by June so I can keep up with my kids.\n/done\nlet's go\n1\n")
    #expect(
      told.errors.contains("`rapport chat --offline` is where you write to me."), "\(told.errors)")
    let talk = try household.run(
      ["chat", "--offline"],
      typing: "My boss is being difficult.\nI slept badly.\nI bought new shoes.\nIt rains a lot.\n")
    for words in ["answered that", "advice for that", "first time"] {
      #expect(!talk.output.contains(words), "\(talk.output)")
    }
  }

  private static let tips = [
    "Your next workout starts here.", "This is what you've done so far.",
    "Write to me here, whenever you like.", "Your weeks are here.",
  ]

  /// - Parameter last: The tip at which it's skipped; nil to see all four.
  @Test(arguments: [nil, 0, 1, 2, 3])
  func theTourShowsItsTipsOneAfterAnotherAndEndsForGoodAtAny(last: Int?) throws {
    let household = try Household()
    let start = ["start", "trainer", "--offline"]
    let talk: [JSONValue] = [
      true, true, "decline",
      "I want to drop about 20 lbs by june so I can keep up with my kids",
      "there's no time: 60h weeks, my right knee is shot, dinner is usually drive-thru",
      "love swimming, hate burpees, there is a pool next door. i'm 42, 4000 steps a day",
      "tue and thu mornings. be blunt, check in weekly", "/done", true, true, true, true, "skip",
      "Sam", true,
      "approve", true, "approve", "decline", true,
    ]
    let led = try household.run(start + ["--json"], typing: talk.map(Self.line).joined())
    #expect(try steps(records(led.output)).last == "tour", "\(led.output.suffix(600))")
    let terminal = try household.startOnTerminal(start[0], start[1], start[2])
    for place in 0...(last ?? 3) {
      try terminal.expect("\(place + 1). \(Self.tips[place])")
      if place < last ?? 3 { terminal.type("\r") }
    }
    terminal.type(last == nil ? "\r" : "1")
    #expect(try terminal.expectExit() == 0)
    let after = Self.tips.dropFirst((last ?? 3) + 1)
    #expect(!after.contains { terminal.screen.contains($0) })
    let again = try household.run(start + ["--json"], typing: "")
    #expect(try records(again.output).last?["kind"] == "end", "\(again.output)")
  }

  @Test func anOptionCanBeTypedInItsOwnWords() throws {
    let household = try Household()
    let terminal = try household.startOnTerminal("start", "matador", "--offline")
    try terminal.expect("What's your main goal?")
    terminal.type("fly\r")
    try terminal.expect("Please choose one of these.")
    terminal.type("gain muscle\r")
    try terminal.expect("  2000 kcal")
    terminal.type("\u{3}")
    _ = try terminal.expectExit()
  }

  @Test func theHintAtTheSignInNamesTheEmailOnce() throws {
    let household = try Household()
    household.environment.merge([
      "RAPPORT_BASE_URL": "http://127.0.0.1:9/v1", "RAPPORT_MODEL": "some-model",
      "SUPABASE_URL": "http://127.0.0.1:9", "SUPABASE_ANON_KEY": "sb_publishable_canary",
    ]) { $1 }
    let terminal = try household.startOnTerminal("start", "trainer")
    try terminal.expect("Begin Your Journey")
    terminal.type("\r")
    try terminal.expect("Your email, such as you@example.com")
    #expect(!terminal.screen.contains("such as Your email"))
    terminal.type("\u{3}")
    _ = try terminal.expectExit()
  }

  @Test func optionsBreakBetweenTwoOfThem() {
    let options = ["[1] Continue my coaching journey", "[2] Not now"]
    #expect(options.rows(columns: 40) == options)
    #expect(options.rows(columns: 80) == [options.joined(separator: "   ")])
  }

  @Test func theTopicsFillWhileSomebodyTalks() throws {
    let result = try Household().run(
      ["start", "trainer", "--offline", "--json"],
      typing: ([
        true, true, "decline", "I want to lose 10 kg by June so I can keep up with my kids.",
      ] as [JSONValue]).map(Self.line).joined())
    let records = try records(result.output)
    let shown = records.filter { $0["kind"] == "conversation" }
    let fills = shown.map { screen in
      (screen["segments"]?.arrayValue ?? []).compactMap { $0["fill"]?.doubleValue }.reduce(0, +)
    }
    #expect(fills.count == 2 && fills.first == 0 && (fills.last ?? 0) > 0, "\(fills)")
    #expect(records.last { $0["type"] != "starters" }?["type"] == "done")
  }
}
