import Coaching
import HealthRecords
import Journeys
import Testing

/// Figures that are written in less common ways.
struct FigureTests {
  @Test(arguments: [
    ("ran five and a half k", "run 5.5 km"), ("ran 5 and a half km", "run 5.5 km"),
    ("ran 5 km and a half", "run 5.5 km"), ("corrí 5 kilómetros y medio", "run 5.5 km"),
    ("fünfeinhalb km gelaufen", "run 5.5 km"),
    ("benched 80 and a half kilos", "bench press at 80.5 kg"),
    ("weighed 12 st 8", "weight 79.8 kg"), ("weighed 12st 8", "weight 79.8 kg"),
    ("weighed 80 kg and a half", "weight 80.5 kg"),
    ("ran 5k -31:20", "run 5 km in 31:20 min (6:16 min/km)"),
    ("ran 5 km and did half an hour of yoga", "run 5 km; yoga 30 min"),
    ("squats 3x5 - 60 kg", "squats 3×5 at 60 kg"), ("ran 5k at -5 degrees", "run 5 km"),
    ("did my 1st 5k", "run 5 km"), ("squats 3x5-60kg", "squats 3×5 at 60 kg"),
  ])
  func areRead(_ words: String, _ expected: String) throws {
    #expect(try noted(words).joined(separator: "; ") == expected)
  }

  @Test(arguments: [
    "ran -5k", "ran -5 km", "squats 3x5 at -60 kg", "weighed -80 kg", "weighed 1e3 kg",
    "ran 1e4 km",
    "corrí -5 km", "Kniebeugen 3x5 mit -60 kg", "bench @-60 kg 3x5",
  ])
  func cantBe(_ words: String) throws {
    let notes = try EntryReader(pack()).notes(in: words, turn: nil, today: monday)
    guard case .implausible? = notes.first, notes.count == 1 else {
      Issue.record("\(notes)")
      return
    }
  }
}
