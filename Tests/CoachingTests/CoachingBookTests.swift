import Coaching
import FoundationEssentials
import HealthRecords
import IncrementalJSON
import Intake
import Journeys
import Testing

/// What a client shows and changes.
struct CoachingBookTests {
  private func book(
    _ entries: [LogEntry], _ reader: CoachingBook.Reader = .init(), on day: Day = monday
  ) throws -> CoachingBook {
    let events = try entries.enumerated().map { index, entry in
      var entry = entry
      entry.number = index + 1
      return try RecordedEvent(
        position: index + 1, at: Date(timeIntervalSince1970: Double(index)),
        envelope: EventEnvelope(CoachingEvent.noted(entry)))
    }
    return try CoachingBook(
      PromptPack.embedded(), pack(), events: events, for: reader,
      at: Date(timeIntervalSince1970: Double(day.number) * 86_400 + 43_200))
  }

  /// What an entry is corrected from reads as the same entry again, in each language and unit.
  @Test(arguments: ["en", "es", "de"], [Units.metric, .imperial])
  func anEntrysWordsReadAsTheEntry(_ language: String, _ units: Units) throws {
    var weight = LogEntry(day: monday, kind: .weight, activity: "weight")
    weight.kilograms = 80
    var yoga = LogEntry(day: monday, kind: .timed, activity: "yoga")
    yoga.seconds = 2_400
    var hard = squat(62.5, on: monday)
    hard.effort = .hard
    let entries = [
      hard, squat(0, on: monday, repetitions: 12), run(5, minutes: 31, on: monday), yoga, weight,
    ]
    let book = try book(entries, .init(units: units, language: language))
    let shown = try #require(book.log()["entries"]?.arrayValue)
    #expect(shown.count == entries.count)
    for (json, entry) in zip(shown.reversed(), entries) {
      let words = try #require(json["words"]?.stringValue)
      let number = "\(json["number"]?.intValue ?? 0)"
      guard case .corrected(let again)? = try book.correcting(number, words).first else {
        Issue.record("\(words) isn't read")
        continue
      }
      #expect(again.kind == entry.kind && again.activity == entry.activity, "\(words)")
      #expect(again.sets == entry.sets && again.repetitions == entry.repetitions, "\(words)")
      #expect(abs((again.kilograms ?? 0) - (entry.kilograms ?? 0)) < 0.05, "\(words)")
      #expect(abs((again.kilometers ?? 0) - (entry.kilometers ?? 0)) < 0.01, "\(words)")
      #expect(again.seconds == entry.seconds && again.effort == entry.effort, "\(words)")
    }
  }

  @Test func changesAreEventsOrRefusals() throws {
    let book = try book([squat(60, on: monday)])
    guard case .noted(let run)? = try book.adding("ran 5k in 31 min", on: "2026-01-30").first else {
      Issue.record("nothing is added")
      return
    }
    #expect(run.number == 2 && run.day.description == "2026-01-30")
    #expect(try book.removing("1") == [.removed(entry: 1)])
    #expect(throws: CoachingRefusal.noEntry("7")) { try book.removing("7") }
    #expect(throws: CoachingRefusal.noAmount) { try book.adding("what a day") }
    #expect(throws: CoachingRefusal.blank) { try book.adding(" \u{200B}") }
    #expect(throws: CoachingRefusal.badDate) { try book.adding("ran 5k", on: "yesterday") }
    #expect(throws: CoachingRefusal.severalEntries(2)) {
      try book.correcting("1", "did 3x5 squats at 60 kg and ran 5k in 31 min")
    }
    #expect(throws: CoachingRefusal.noLimit("c9")) { try book.settling(limit: "c9", holds: true) }
    #expect(throws: CoachingRefusal.notCoaching) { try book.reviewing() }
    #expect(
      throws: CoachingRefusal.tooLong(limit: 2_000),
      performing: { try book.changing(goal: String(repeating: "x", count: 2_001)) })
  }

  @Test func progressHasTitlesTextsAndAWeightsLine() throws {
    let weights = (0..<4).map { week -> LogEntry in
      var entry = LogEntry(day: monday + -28 + week * 7, kind: .weight, activity: "weight")
      entry.kilograms = 84 - Double(week)
      return entry
    }
    let book = try book(weights + [squat(60, on: monday)], .init(language: "de"))
    let progress = book.progress
    #expect(progress["activities"]?[0]?["title"] == "Kniebeugen")
    #expect(progress["activities"]?[0]?["bestText"] == "70 kg")
    #expect(progress["milestones"]?[0]?["text"] == "Dein erster Trainingstag.")
    let line = progress["weight"]?["line"]
    #expect(line?[0]?["kilograms"] == 84 && line?[1]?["kilograms"] == 81)
    #expect(line?[0]?["date"]?.stringValue == (monday + -28).description)
    #expect(progress["units"] == "metric" && progress["sessionsPerWeek"] == .null)
  }
}
