import Coaching
import FoundationEssentials
import HealthRecords
import IncrementalJSON
import Intake
import Journeys
import Testing

/// Figures beyond anything that people do: refused, and never the end of the process.
struct LargeFigureTests {
  private static let figure = "1" + String(repeating: "0", count: 30)

  @Test(arguments: [
    "weighed * kg", "weighed * lb", "I'm * kg", "weighed * stone 4", "ran * km", "ran *k",
    "ran * miles", "ran * m", "ran * yards", "ran 5k in * min", "ran 5k in *:30", "ran 5k in * h",
    "ran 5k in *:10:10", "ran for *", "ran 5k at *:30/km", "ran * km in 30 min at * km/h",
    "ran 30 min at * km/h", "swam * laps", "walked * steps", "walked *k steps", "yoga * min",
    "yoga * hours", "yoga * hours and a half", "yoga for * seconds", "bench at * kg",
    "bench 3x5 at * lb", "squats *x5", "squats 5x*", "squats 5x*x60", "squats 5x5x*",
    "squats * sets of 5", "squats 3 sets of *", "squats *, *, *", "squats 5x5 *, *, *, *, *",
    "bench 60x*, 60x*", "* push ups", "plank *x60s", "plank 3x*s", "ran 800m x *",
    "bench 60 kg for *", "squats 3x5 at 60 kg rpe *", "rode * km each way", "rowed * m in 8:12",
    "ran 5k on * November", "ran 5k on November *", "corrí * km en 31 min",
    "* km gelaufen in 30 Minuten", "Kniebeugen 3x5 mit * kg", "ran 5k * days ago",
    "vor * Tagen 5 km gelaufen", "hace * días corrí 5 km",
  ])
  func wordsAreReadAndSaid(_ form: String) throws {
    let words = form.replacing("*", with: Self.figure)
    for units in [Units.metric, .imperial] {
      for language in ["en", "de", "es"] {
        let text = EntryText(try pack(), language: language, units: units)
        let notes = try EntryReader(pack(), units: units).notes(
          in: words, turn: 1, today: monday, log: state([squat(60, on: monday)]).log)
        for note in notes {
          switch note {
          case .new(let entry), .corrected(let entry):
            #expect(text.withDay(entry, today: monday).isEmpty == false)
          case .implausible(let entry, let breach):
            #expect(text(entry).isEmpty == false && !text.words(for: breach, of: entry).isEmpty)
          case .unmatched, .unclear: break
          }
        }
      }
    }
  }

  /// They are asked about, and no session without a figure is noted.
  @Test(arguments: ["walked * steps", "walked *k steps", "swam * laps", "swam * lengths"])
  func countsAreAskedAbout(_ form: String) throws {
    let words = form.replacing("*", with: Self.figure)
    let notes = try EntryReader(pack()).notes(in: words, turn: 1, today: monday)
    guard notes.count == 1, case .implausible(_, let breach)? = notes.first else {
      Issue.record("\(notes)")
      return
    }
    #expect([.steps, .laps].contains(breach.figure))
  }

  @Test(arguments: [
    "sets", "repetitions", "kg", "lb", "km", "mi", "m", "h", "min", "s", "laps", "steps",
  ])
  func modelsClaimsToo(_ unit: String) throws {
    let quote = "squats \(Self.figure) \(unit)"
    let text = EntryText(try pack())
    for activity in ["squat", "running", "yoga", ""] {
      for value in [1e30, -1e30, 1e300] {
        let claim: JSONValue = [
          "what": "done", "activity": .string(activity), "day": "today", "turn": 1,
          "figures": [["unit": .string(unit), "value": JSONValue(value) ?? .null]],
          "effort": "unsaid", "note": "", "quote": .string(quote),
        ]
        for note in try EntryCheck(pack(), today: monday).notes(
          [claim], fit: { .init(turn: $1, text: $0) })
        {
          guard case .implausible(let entry, let breach) = note else { continue }
          #expect(!text(entry).isEmpty && !text.words(for: breach, of: entry).isEmpty)
        }
      }
    }
  }

  /// As in a log that another program wrote.
  @Test func storedFiguresAreShown() throws {
    var entries: [LogEntry] = []
    for kind in LogEntry.Kind.allCases {
      var entry = LogEntry(day: monday, kind: kind, activity: kind == .weight ? "weight" : "squat")
      (entry.sets, entry.repetitions, entry.laps, entry.steps) = (.max, .max, .max, .min)
      (entry.kilograms, entry.kilometers, entry.seconds) = (1e300, 1e-300, -1e300)
      entry.eachSet = [.init(repetitions: .max, kilograms: 1e308), .init(repetitions: .min)]
      entry.quote = .init(turn: .min, text: "lots")
      entries.append(entry)
      entry.day = monday + 1
      entries.append(entry)
    }
    var events: [RecordedEvent] = []
    for (index, var entry) in entries.enumerated() {
      entry.number = .max - index
      events.append(
        try RecordedEvent(
          position: index + 1, at: Date(timeIntervalSince1970: 0),
          envelope: EventEnvelope(CoachingEvent.noted(entry))))
    }
    for units in [Units.metric, .imperial] {
      let book = try CoachingBook(
        PromptPack.embedded(), pack(), events: events, for: .init(units: units),
        at: Date(timeIntervalSince1970: Double(monday.number + 2) * 86_400))
      #expect(book.log()["entries"]?.arrayValue?.isEmpty == false)
      #expect(try book.adding("ran 5k").entries.first?.number == 1_000_000_001)
      _ = (book.progress, book.goals)
    }
  }

  /// The message stays in the conversation, and is read again whenever that is opened.
  @Test(arguments: ["squats 999999999999999999999x5", "ran 99999999999999999999 km"])
  func aConversationWithOneOpensAgain(_ words: String) async throws {
    let client = try CompanionTests.Client()
    _ = try await client.visit()
    #expect(try await client.visit(words).contains { $0.contains("can't be right") })
    client.wait(days: 1)
    _ = try await client.visit()
    #expect(try await client.visit("ran 5k").contains { $0.contains("run 5 km") })
  }
}
