import Coaching
import HealthRecords
import IncrementalJSON
import Journeys
import Testing

/// Which entry a correction changes, and to what.
struct CorrectionTests {
  /// What a message does to a log in which each of the lines was a message of its own.
  private func notes(_ message: String, after lines: [String]) throws -> [LogNote] {
    var entries: [LogEntry] = []
    for (index, line) in lines.enumerated() {
      entries += try EntryReader(pack()).entries(in: line, turn: index + 1, today: monday)
    }
    #expect(entries.count == lines.count)
    return try EntryReader(pack()).notes(
      in: message, turn: lines.count + 1, today: monday, log: state(entries).log)
  }

  /// As `#2 squats 3×5 at 65 kg` for an entry that was corrected, with `+` for a new one.
  private func said(_ notes: [LogNote]) throws -> String {
    let text = EntryText(try pack())
    return notes.map { note in
      switch note {
      case .new(let entry): "+ " + text(entry)
      case .corrected(let entry): "#\(entry.number) " + text(entry)
      case .unmatched(let words): "? " + words
      case .implausible(let entry, _): "! " + text(entry)
      case .unclear(_, let part): "~ " + part
      }
    }.joined(separator: "; ")
  }

  @Test(arguments: ["no, 65", "no 65kg", "no, 65 kg"])
  func aBareFigureCorrectsTheLatest(_ message: String) throws {
    let notes = try notes(message, after: ["squats 3x5 at 60 kg"])
    #expect(try said(notes) == "#1 squats 3×5 at 65 kg")
  }

  @Test func aNamedEntryIsMoved() throws {
    let notes = try notes("the squats were yesterday", after: Self.day)
    guard case .corrected(let entry)? = notes.first else {
      Issue.record("\(notes)")
      return
    }
    #expect(entry.number == 2 && entry.day == monday + -1 && notes.count == 1)
  }

  private static let day = [
    "bench 3x8 at 40 kg", "squats 3x5 at 60 kg", "ran 5k in 31 min", "weighed 80.2 kg",
  ]

  @Test(arguments: [
    ("no, 79.9", "#4 weight 79.9 kg"), ("no 79.9 kg", "#4 weight 79.9 kg"),
    ("no 5 minutes left", ""),
    ("the squats felt hard", "#2 squats 3×5 at 60 kg, felt hard"),
    ("the run was tough", "#3 run 5 km in 31 min (6:12 min/km), felt hard"),
    ("the squats felt fun", ""), ("i meant deadlift not bench", "#1 deadlifts 3×8 at 40 kg"),
    ("it was overhead press, not bench", "#1 overhead press 3×8 at 40 kg"),
    ("i meant running not bench", ""),
    ("actually the bench was 42.5", "#1 bench press 3×8 at 42.5 kg"),
    ("actually the squats were 65 kg", "#2 squats 3×5 at 65 kg"),
    ("the bench was 45 kg, not 40", "#1 bench press 3×8 at 45 kg"),
    ("bench wasn't 40 kg, it was 45", "#1 bench press 3×8 at 45 kg"),
    ("I meant 3x6 squats", "#2 squats 3×6 at 60 kg"),
    ("no, the run was 5.2 km", "#3 run 5.2 km in 31 min (5:58 min/km)"),
    ("it was 32 min", "#3 run 5 km in 32 min (6:24 min/km)"),
    ("it was 6 km, not 5", "#3 run 6 km in 31 min (5:10 min/km)"),
    ("no, it was 79.8 kg", "#4 weight 79.8 kg"),
    ("no, it was 65 kg", "#2 squats 3×5 at 65 kg"),
    ("actually my weight was 79.5", "#4 weight 79.5 kg"),
    ("make that 3x10 on the bench", "#1 bench press 3×10 at 40 kg"),
    ("Actually I ran 6k", "#3 run 6 km in 31 min (5:10 min/km)"),
    ("not 40 but 45 kg on the bench", "#1 bench press 3×8 at 45 kg"),
    ("actually it was 12 deadlifts", "? actually it was 12 deadlifts"),
    ("the deadlift was 100 kg, not 90", "? the deadlift was 100 kg, not 90"),
    ("actually the bench was 4200 kg", "! bench press 3×8 at 4200 kg"),
    ("squats felt great. actually they were 65 kg", "#2 squats 3×5 at 65 kg"),
    ("en realidad las sentadillas eran 65 kg", "#2 squats 3×5 at 65 kg"),
    ("eigentlich waren die Kniebeugen 65 kg", "#2 squats 3×5 at 65 kg"),
    ("oops, bench was 45kg", "#1 bench press 3×8 at 45 kg"),
    ("correction: squats 3x6 at 60 kg", "#2 squats 3×6 at 60 kg"),
    ("sorry, I meant 62.5 kg for the squats", "#2 squats 3×5 at 62.5 kg"),
    ("the run was actually 5.3 km", "#3 run 5.3 km in 31 min (5:51 min/km)"),
    ("make that 33 minutes", "#3 run 5 km in 33 min (6:36 min/km)"),
    ("it was 4 sets of bench, not 3", "#1 bench press 4×8 at 40 kg"),
    ("I actually benched 42 kg", "#1 bench press 3×8 at 42 kg"),
    ("wait, the bench was 8, 8, 6", "#1 bench press 8, 8, 6 at 40 kg"),
    ("bench: 45 instead of 40", "#1 bench press 3×8 at 45 kg"),
    ("my weight was 80.4, not 80.2", "#4 weight 80.4 kg"),
    ("I weighed 80.4 actually", "#4 weight 80.4 kg"),
    ("not 60 kg, 65 kg on squats", "#2 squats 3×5 at 65 kg"),
    ("typo, 6k not 5k", "#3 run 6 km in 31 min (5:10 min/km)"),
    ("I did 3x10 bench, not 3x8", "#1 bench press 3×10 at 40 kg"),
    ("actually 3x5 at 65", "#2 squats 3×5 at 65 kg"),
    ("las sentadillas fueron 65 kg, no 60", "#2 squats 3×5 at 65 kg"),
    ("perdón, press de banca 45 kg", "#1 bench press 3×8 at 45 kg"),
    ("Bankdrücken waren 45 kg, nicht 40", "#1 bench press 3×8 at 45 kg"),
    ("es waren 33 Minuten", "#3 run 5 km in 33 min (6:36 min/km)"),
    ("ran another 3k, actually slow", "+ run 3 km"),
    ("actually I like squats", ""), ("it was 30 degrees outside", ""),
    ("actually there were 3 people in the gym", ""), ("was that 65 kg?", ""),
    ("I actually want to run 10k", ""),
  ])
  func theEntryThatIsMeantChanges(_ message: String, _ expected: String) throws {
    #expect(try said(notes(message, after: Self.day)) == expected)
  }

  @Test func aNoWithAFigureCorrectsWhatWasJustNoted() throws {
    #expect(
      try said(notes("no, 65 kg", after: ["squats 3x5 at 60 kg"])) == "#1 squats 3×5 at 65 kg")
    #expect(try said(notes("no, 3 times", after: ["squats 3x5 at 60 kg"])) == "")
  }

  @Test(arguments: [
    ("actually the bench was 42.5", "? actually the bench was 42.5"),
    ("actually I ran 5k", "+ run 5 km"), ("it was 65 kg", ""),
    ("the squats were 65 kg", "+ squats at 65 kg"),
  ])
  func withoutSuchAnEntryNothingChanges(_ message: String, _ expected: String) throws {
    #expect(try said(notes(message, after: [])) == expected)
  }

  @Test func aCorrectedEntryRestsOnBothSentences() throws {
    let notes = try notes("Hm. Actually the squats were 65 kg!", after: Self.day)
    guard case .corrected(let entry)? = notes.first else { throw Missing() }
    #expect(entry.quote == .init(turn: 2, text: "squats 3x5 at 60 kg"))
    #expect(entry.corrections == [.init(turn: 5, text: "Actually the squats were 65 kg")])
    let json = entry.json["corrections"]?[0]
    #expect(json?["quote"] == "Actually the squats were 65 kg" && json?["turn"] == 5)
  }

  private struct Missing: Error {}

  @Test func theDayMovesToo() throws {
    let notes = try notes("no, that was yesterday", after: ["ran 5k in 31 min"])
    guard case .corrected(let entry)? = notes.first else { throw Missing() }
    #expect(entry.day == monday + -1 && entry.kilometers == 5)
  }

  /// "Make it 2" may answer a proposal.
  @Test func aNumberAloneCorrectsNothingWhileAnAnswerIsAwaited() throws {
    let log = try state([squat(60, on: monday)]).log
    let reader = try EntryReader(pack())
    for (allows, count) in [(true, 1), (false, 0)] {
      let notes = reader.notes(
        in: "I meant 65", turn: nil, today: monday, log: log, allowsBare: allows)
      #expect(notes.count == count)
    }
  }
}
