import Foundation
import IncrementalJSON
import Intake
import NIOHTTP1
import SessionStore
import TestSupport
import Testing

@testable import RapportServer

/// The log, goals, reviews, progress and the program over HTTP.
@Suite(.integration) struct CoachingRouteTests {
  private func add(_ words: String, on date: String? = nil, _ person: CoachedPerson) async throws
    -> Client.Answer
  {
    var body: JSONObject = ["words": .string(words)]
    if let date { body["date"] = .string(date) }
    return try await person.client.json(.POST, "/conversations/\(person.id)/log", .object(body))
  }

  @Test func theLogIsKept() async throws {
    let person = try await CoachedPerson()
    _ = try await person.say("did 3x5 squats at 60 kg")
    let added = try await add("ran 5k in 31 min", on: "2026-01-30", person)
    #expect(added.status == 201 && added.json["care"] == .null, "\(added.text)")
    #expect(added.json["entries"]?[0]?["line"] == "run 5 km in 31 min (6:12 min/km)")
    let log = try await person.get("log").json
    #expect(log["entries"]?.arrayValue?.compactMap { $0["number"]?.intValue } == [1, 2])
    #expect(log["entries"]?[0]?["quote"] == "did 3x5 squats at 60 kg")
    #expect(try await person.get("log?limit=1").json["entries"]?.arrayValue?.count == 1)

    let path = "/conversations/\(person.id)/log"
    let corrected = try await person.client.json(
      .PUT, path + "/1", ["words": "squats 3x5 at 65 kg"])
    #expect(corrected.json["entries"]?[0]?["kilograms"] == 65, "\(corrected.text)")
    #expect(corrected.json["entries"]?[0]?["date"] == "2026-02-02")
    #expect(try await person.client.json(.DELETE, path + "/2").json["removed"] == "2")
    #expect(try await person.get("log").json["count"] == 1)

    let csv = try await person.get("log/export")
    #expect(csv.headers["content-type"] == ["text/csv; charset=utf-8"])
    #expect(csv.text.contains("\r\n1,2026-02-02,strength,squat,3,5,65,"))
    #expect(try await person.get("log/export?format=json").json[0]?["kilograms"] == 65)
    #expect(try await person.get("log/export?format=xls").status == 400)
  }

  @Test func careComesFirstWhateverIsSent() async throws {
    let person = try await CoachedPerson()
    let words = "I want to kill myself"
    let goal = try await person.client.json(
      .PATCH, "/conversations/\(person.id)/goals", ["goal": .string(words)])
    for answer in [try await add(words, person), goal] {
      #expect(answer.status == 422 && answer.json["error"]?["code"] == "care", "\(answer.text)")
    }
    #expect(try await !person.get("goals").text.contains(words))
    #expect(try await add("ran 5k in 31 min", on: "2999-01-01", person).status == 400)
  }

  @Test func whatCantBeNotedSaysWhy() async throws {
    let person = try await CoachedPerson()
    let path = "/conversations/\(person.id)/log"
    let nothing = try await add("what a day", person)
    #expect(nothing.status == 400 && nothing.json["error"]?["field"] == "words")
    #expect(try await add("ran 5k", on: "yesterday", person).json["error"]?["field"] == "date")
    let old = try await add("ran 5k", on: "1800-01-01", person)
    #expect(old.status == 400 && old.json["error"]?["field"] == "date")
    let far = try await add("ran 400 km", person)
    #expect(far.status == 400 && far.json["error"]?["field"] == "words")
    #expect(far.text.contains("250 km"))
    #expect(try await person.client.json(.POST, path, [:]).status == 400)
    #expect(try await person.client.json(.PUT, path + "/9", ["words": "ran 5k"]).code == "no-entry")
    #expect(try await person.client.json(.DELETE, path + "/x").code == "no-entry")
    #expect(try await person.get("log?limit=0").status == 400)
    #expect(try await person.get("log").json["count"] == 0)
  }

  /// Errors end up in logs, so nothing that was sent is in them.
  @Test func aRefusalRepeatsNoWords() async throws {
    let person = try await CoachedPerson { constraints in
      constraints.temporary = ["1", "2"].map {
        Constraint(type: "canary \($0)", detail: "a canary \($0)", notedAt: "2026-02-02")
      }
    }
    _ = try await add("did 3x5 squats at 60 kg", person)
    let (log, goals) = ("/conversations/\(person.id)/log", "/conversations/\(person.id)/goals")
    let tried: [(HTTPMethod, String, JSONValue, String)] = [
      (.POST, log, ["words": "ran 5k", "date": "canary"], "date"),
      (.POST, log, ["words": "ran 5k on 1/2"], "words"),
      (.POST, log, ["words": "the bench was 45 kg, not 40"], "words"),
      (.PUT, log + "/canary", ["words": "ran 5k"], "number"),
      (.PATCH, goals, ["limit": "canary 3", "holds": true], "limit"),
      (.PATCH, goals, ["limit": "canary", "holds": true], "limit"),
      (.PATCH, goals, ["limit": 1, "holds": true, "until": "canary"], "date"),
    ]
    for (method, path, body, field) in tried {
      let answer = try await person.client.json(method, path, body)
      #expect([400, 404].contains(answer.status), "\(body)")
      #expect(answer.json["error"]?["field"]?.stringValue == field, "\(answer.text)")
      #expect(!answer.text.lowercased().contains("canary"), "\(answer.text)")
      #expect(!answer.text.contains("1/2") && !answer.text.contains("45"), "\(answer.text)")
    }
  }

  /// The log's words are no way around care.
  @Test func wordsThatNeedCareGetIt() async throws {
    let person = try await CoachedPerson()
    let urgent = try await add("ran 5k, then had chest pain and fainted", person)
    #expect(urgent.status == 422 && urgent.code == "care", "\(urgent.text)")
    #expect(try await person.get("log").json["count"] == 0)
    let noted = try await add("ran 5k (and I make myself throw up after meals)", person)
    #expect(noted.status == 201 && noted.json["care"]?.stringValue?.isEmpty == false)
  }

  /// What care rules out holds for words in the log and in a goal as in the conversation.
  @Test(arguments: ["log", "goals"])
  func careOutsideTheConversationLeavesItsMark(_ place: String) async throws {
    let person = try await CoachedPerson()
    _ = try await add("weighed 80 kg", person)
    #expect(try await person.get("progress").json["hidesWeight"] == false)
    let words: JSONValue = "I make myself throw up after meals"
    let path = "/conversations/\(person.id)/\(place)"
    let answer =
      place == "log"
      ? try await person.client.json(.POST, path, ["words": words])
      : try await person.client.json(.PATCH, path, ["goal": words])
    #expect(answer.status == 422 && answer.code == "care", "\(answer.text)")
    let progress = try await person.get("progress").json
    #expect(progress["hidesWeight"] == true && progress["weight"] == nil)
    let review = try await person.client.json(.POST, "/conversations/\(person.id)/review")
    #expect(review.status == 201 && !review.text.contains("80 kg"), "\(review.text)")
  }

  @Test func goalsAndLimitsShowWhatTheyWere() async throws {
    let person = try await CoachedPerson { constraints in
      constraints.temporary = [
        Constraint(
          type: "cold", detail: "a cold", notedAt: "2026-02-02", expiresAt: "2026-02-05")
      ]
    }
    let goals = try await person.get("goals").json
    #expect(goals["goal"] == "squat 100 kg" && goals["limits"]?[0]?["status"] == "active")
    #expect(goals["limits"]?[0]?["notedAt"] == "2026-02-02")
    #expect(goals["limits"]?[0]?["expiresAt"] == "2026-02-05")
    let path = "/conversations/\(person.id)/goals"
    let moved = try await person.client.json(.PATCH, path, ["goal": "squat 120 kg"]).json
    #expect(moved["goal"] == "squat 120 kg" && moved["original"] == "squat 100 kg")
    let limit = goals["limits"]?[0]?["id"] ?? .null
    let over = try await person.client.json(.PATCH, path, ["limit": limit, "holds": false]).json
    #expect(over["limits"]?[0]?["archivedAt"] == "2026-02-02")
    #expect(
      try await person.client.json(.PATCH, path, ["limit": "x", "holds": true]).status == 404)
    #expect(try await person.client.json(.PATCH, path, [:]).status == 400)
    let both = try await person.client.json(
      .PATCH, path, ["goal": "squat 140 kg", "limit": limit, "holds": true])
    #expect(both.status == 400 && both.json["error"]?["field"] == "limit", "\(both.text)")
    #expect(try await person.get("goals").json["goal"] == "squat 120 kg")
    let kept = try await person.client.json(.PATCH, path, ["limit": "cold", "holds": true])
    #expect(kept.json["limits"]?[0]?["status"] == "active", "\(kept.text)")
    // By its number in the list, too. A day that is over is refused.
    let late = try await person.client.json(
      .PATCH, path, ["limit": 1, "holds": true, "until": "2026-02-01"])
    #expect(late.status == 400 && late.json["error"]?["field"] == "until", "\(late.text)")
    let until = try await person.client.json(
      .PATCH, path, ["limit": 1, "holds": true, "until": "2026-02-20"])
    #expect(until.json["limits"]?[0]?["expiresAt"] == "2026-02-20", "\(until.text)")
  }

  @Test func aReviewThatIsAskedForIsSaidInTheConversation() async throws {
    let person = try await CoachedPerson()
    #expect(try await person.get("review").json["review"] == .null)
    for _ in 0..<3 {
      _ = try await add("did 3x5 squats at 60 kg", person)
      person.wait(days: 5)
    }
    // The page may be in another language than the conversation.
    _ = try await person.client.json(.PATCH, "/me", ["language": "de"])
    let path = "/conversations/\(person.id)/review"
    let asked = try await person.client.json(.POST, path)
    #expect(asked.status == 201 && asked.json["review"]?["open"] == true, "\(asked.text)")
    #expect(asked.json["review"]?["proposal"]?["restsOn"] == [1, 2, 3])
    #expect(asked.json["review"]?["text"]?.stringValue?.hasPrefix("Here's where you stand") == true)
    let again = try await person.client.json(.POST, path)
    #expect(again.status == 200 && again.json == asked.json, "\(again.text)")
    let stored = try person.server.stored(person.id.rawValue)
    #expect(stored.last?.text == asked.json["review"]?["text"]?.stringValue)
    #expect(try await person.visit().offered == ["accept", "change", "refuse"])
    _ = try await person.choose("accept")
    let answered = try await person.get("review").json["review"]
    #expect(answered?["open"] == false && answered?["answer"]?["outcome"] == "accepted")
  }

  @Test func progressAddsUpInThePersonsLanguageAndUnits() async throws {
    let person = try await CoachedPerson()
    _ = try await add("did 3x5 squats at 60 kg", person)
    let progress = try await person.get("progress?language=de").json
    #expect(progress["weeks"]?[0]?["kilograms"] == 900)
    #expect(progress["activities"]?[0]?["title"] == "Kniebeugen")
    #expect(progress["units"] == "metric")
    _ = try await person.client.json(.PATCH, "/me", ["units": "imperial"])
    let again = try await person.get("progress").json
    #expect(again["units"] == "imperial" && again["weeks"]?[0]?["kilograms"] == 900)
    #expect(again["activities"]?[0]?["bestText"]?.stringValue?.hasSuffix(" lb") == true)
  }

  @Test func afterCareAboutEatingNoWeightIsShown() async throws {
    let person = try await CoachedPerson()
    _ = try await add("weighed 80 kg", person)
    #expect(try await person.get("progress").json["weight"]?["days"]?.arrayValue?.count == 1)
    _ = try await person.say("I make myself throw up after meals")
    let progress = try await person.get("progress").json
    #expect(progress["hidesWeight"] == true && progress["weight"] == nil)
  }

  @Test func withoutAProgramThereIsNone() async throws {
    let person = try await CoachedPerson()
    #expect(try await person.get("program").code == "no-program")
    #expect(try await person.get("program.ics").code == "no-program")
    let optional = try await person.get("program?optional=true")
    #expect(optional.status == 200 && optional.json == .null)
    #expect(try await person.get("program?span=year").json["error"]?["field"] == "span")
  }

  @Test func beforeCoachingNoReviewIsMade() async throws {
    let server = try await TestServer(TestFolder())
    let id = try await server.client.chat(["first_message": true]).conversation
    let asked = try await server.client.json(.POST, "/conversations/\(id)/review")
    #expect(asked.status == 409 && asked.code == "not-coaching")
    let noted = try await server.client.json(
      .POST, "/conversations/\(id)/log", ["words": "ran 5k in 31 min"])
    #expect(noted.status == 201, "what was done can be noted before")
    #expect(try await server.client.json(.GET, "/conversations/\(id)/log").json["count"] == 1)
  }
}
