import Foundation
import IncrementalJSON
import Intake
import SessionStore
import Signals
import TestSupport
import Testing

/// `rapport log`: what a person keeps by hand.
@Suite(.integration)
struct LogCommandTests {
  /// A household with a conversation to keep a log for.
  private func household(saying words: String = "hi") throws -> Household {
    let household = try Household()
    let store = try SessionStore(path: household.store)
    let id = try store.createSession(at: Date())
    let start = SessionStart(pack: "fitness", packVersion: "1", rubricVersion: 1)
    _ = try store.log(for: id).append(
      [.started(start), .userSaid(UserTurn(turn: 1, text: words))], at: Date())
    return household
  }

  @Test func careComesFirstWhateverIsTyped() throws {
    let household = try household()
    let words = "I want to kill myself"
    _ = try household.run("log", "add", "ran 5k in 31 min", "--on", "2026-01-06")
    for command in [
      ["log", "add", words], ["log", "correct", "1", words], ["goals", "set", words],
      ["review", "--answer", words],
    ] {
      let output = try household.run(command).output
      #expect(output.contains("988"), "\(command): \(output)")
    }
    #expect(try !household.run("goals").output.contains(words))
    let eating = try household.run(
      "log", "add", "weighed 80 kg (I make myself throw up after meals)", "--on", "2026-01-06")
    #expect(eating.output.contains("Noted: #2"), "\(eating.output)\(eating.errors)")
    #expect(try !household.run("log", "progress").output.contains("Weight"))
    #expect(try household.run("review").output.contains("How you are comes first"))
    let future = try household.run("log", "add", "ran 5k in 31 min", "--on", "2999-01-01")
    #expect(future.status == 64 && future.errors.contains("January 1, 2999 is to come"))
  }

  @Test func entriesAreAddedCorrectedRemovedAndExported() throws {
    let household = try household()
    let added = try household.run(
      "log", "add", "3x5 squats at 60 kg, felt easy", "--on", "2026-01-05")
    #expect(added.output == "Noted: #1    2026-01-05  squats 3×5 at 60 kg, felt easy.\n")
    _ = try household.run("log", "add", "ran 5k in 31 min", "--on", "2026-01-06")
    _ = try household.run("log", "add", "weighed 80.2 kg", "--on", "2026-01-07")
    let corrected = try household.run("log", "correct", "1", "3x5 squats at 65 kg")
    #expect(
      corrected.output == "Corrected: #1    2026-01-05  squats 3×5 at 65 kg, felt easy.\n")
    #expect(try household.run("log", "remove", "3").status == 0)
    #expect(
      try household.run("log").output == """
        #2    2026-01-06  run 5 km in 31 min (6:12 min/km)
        #1    2026-01-05  squats 3×5 at 65 kg, felt easy

        """)
    #expect(try household.run("log", "list", "--activity", "squats").output.hasPrefix("#1"))
    let csv = try household.run("log", "export").output
    #expect(csv.contains("1,2026-01-05,strength,squat,3,5,65,,,easy,,,typed"))
    let json = try JSONValue(parsing: household.run("log", "export", "--format", "json").output)
    #expect(json.arrayValue?.map { $0["activity"]?.stringValue } == ["squat", "running"])
  }

  @Test func unitsAreThePersons() throws {
    let household = try household()
    _ = try household.run("log", "add", "deadlift 5 reps at 100 kg", "--on", "2026-01-05")
    #expect(try household.run("log", "units", "imperial").status == 0)
    #expect(try household.run("log").output.contains("deadlifts 5 repetitions at 220.5 lb"))
    let added = try household.run("log", "add", "3x5 squats at 135", "--on", "2026-01-06")
    #expect(added.output.contains("squats 3×5 at 135 lb"))
    let told = try household.run("log", "add", "3x5 squats at 60 kg", "--on", "2026-01-07")
    #expect(told.output.contains("squats 3×5 at 60 kg"), "what was typed isn't converted")
  }

  @Test func progressIsShownAsAPageAndAsJSON() throws {
    let household = try household()
    #expect(try household.run("log", "progress").output.contains("Nothing is noted yet"))
    for (day, load) in [("2026-01-05", 60), ("2026-01-12", 60), ("2026-01-19", 60)] {
      _ = try household.run("log", "add", "3x5 squats at \(load) kg", "--on", day)
    }
    let page = try household.run("log", "progress").output
    #expect(page.contains("squats: best estimated one-rep maximum 70 kg on 2026-01-05"), "\(page)")
    #expect(page.contains("no gain over the last three comparable sessions"), "\(page)")
    let json = try JSONValue(parsing: household.run("log", "progress", "--json").output)
    #expect(json["activities"]?[0]?["plateau"]?["from"] == "2026-01-05")
  }

  @Test(arguments: [
    (
      "quiero volver a correr porque me siento mejor cuando entreno", "Esta semana", "en total",
      "Anotado: #1",
      "Todavía no hay ningún objetivo anotado."
    ),
    (
      "Ich möchte wieder laufen, weil ich mich dann besser fühle", "Diese Woche", "insgesamt",
      "Notiert: #1",
      "Es ist noch kein Ziel notiert."
    ),
  ])
  func pagesComeInThePersonsLanguage(
    words: String, week: String, all: String, noted: String, goal: String
  ) throws {
    let household = try household(saying: words)
    let added = try household.run("log", "add", "3x5 squats at 60 kg", "--on", "2026-01-05")
    #expect(added.output.hasPrefix(noted), "\(added)")
    let page = try household.run("log", "progress").output
    #expect(page.hasPrefix(week) && page.lowercased().contains("\n\(all)"), "\(page)")
    #expect(try household.run("goals").output == goal + "\n")
  }

  /// A single message isn't the answer to a review: one line says that it's due.
  @Test func aSingleMessageIsToldOfADueReview() throws {
    let household = try Household()
    let store = try SessionStore(path: household.store)
    let begun = Date(timeIntervalSinceNow: -9 * 86_400)
    let id = try store.createSession(at: begun)
    var system = CoachingSystem(source: .rehearsal)
    system.userGoals.primary = "run 10k"
    let start = SessionStart(
      pack: "fitness", packVersion: "1", rubricVersion: 1, source: .rehearsal)
    _ = try store.log(for: id).append(
      [
        .started(start), .greeted(CoachReply(text: "Hi.")),
        .userSaid(UserTurn(turn: 1, text: "I want to run 10k")), .scored(Scoring(turns: [1])),
        .synthesised(Synthesis(system: system, throughTurn: 1, isMinimal: false)),
        .summarised(CoachReply(text: "So that's it.")),
        .userSaid(UserTurn(turn: 2, text: "yes", intent: .goAhead)), .discoveryCompleted,
        .entitled(Entitlement(source: "stub", grantedAt: begun)),
        .coached(CoachReply(text: "Let's begin.")),
      ], at: begun)
    let line = "It's time to look back at what you did: `rapport review`."
    let chat = ["chat", "--offline", "--session", "\(id)"]
    let types = try household.run(chat + ["--json", "--message", "ran 5k"]).output
      .split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    #expect(types.suffix(2).map { $0["type"]?.stringValue } == ["notice", "done"])
    #expect(types.dropLast().last?["code"]?.stringValue == "review-due")
    #expect(types.dropLast().last?["text"]?.stringValue == line)
    let again = try household.run(chat + ["--message", "ran 6k"])
    #expect(again.status == 0 && !(again.output + again.errors).contains(line), "once a day")
  }

  @Test func aReviewWithLittleToCompareSaysSo() throws {
    let household = try household()
    let empty = try household.run("review").output
    #expect(empty.contains("What would you like to do this week?"), "\(empty)")
    _ = try household.run("log", "add", "3x5 squats at 60 kg")
    let review = try household.run("review").output
    #expect(review.contains("one day of training on record"), "\(review)")
    // Asked again, nothing is new.
    #expect(try household.run("review").output == review)
    _ = try household.run("log", "add", "ran 10 km")
    #expect(try household.run("review").output != review)
  }

  @Test func mistakesNameTheWayOut() throws {
    let empty = try Household().run("log")
    #expect(empty.status == 64 && empty.errors.contains("rapport chat"), "\(empty.errors)")
    let household = try household()
    let unread = try household.run("log", "add", "hello there")
    #expect(unread.status == 64 && unread.errors.contains("squats 3x5 60kg"))
    let missing = try household.run("log", "remove", "9")
    #expect(missing.status == 64 && missing.errors.contains("There's no entry of this number"))
    let date = try household.run("log", "add", "ran 5 km", "--on", "monday")
    #expect(date.status == 64 && date.errors.contains("2026-01-31"))
  }

  @Test func workoutsOfAnExportComeOnce() throws {
    let household = try household()
    let now = ISO8601DateFormatter().string(from: Date()).prefix(10)
    let export = """
      <?xml version="1.0" encoding="UTF-8"?>
      <HealthData locale="en_US">
       <ExportDate value="\(now) 00:00:01 +0000"/>
       <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="31" durationUnit="min" \
      totalDistance="5" totalDistanceUnit="km" sourceName="Watch" \
      startDate="\(yesterday) 07:00:00 +0000" endDate="\(yesterday) 07:31:00 +0000"/>
      </HealthData>
      """
    try household.write(export, to: "export.xml")
    let path = household.folder + "/export.xml"
    let first = try household.run("log", "import", path)
    #expect(first.output == "Added 1 of 1 workouts.\n", "\(first.output)\(first.errors)")
    #expect(try household.run("log").output.contains("run 5 km in 31 min (6:12 min/km)  (health"))
    let again = try household.run("log", "import", path)
    #expect(again.output == "Added 0 of 1 workouts; the others were in the log already.\n")
  }

  private var yesterday: String {
    String(ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -86_400)).prefix(10))
  }
}
