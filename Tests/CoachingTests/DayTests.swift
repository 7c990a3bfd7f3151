import Coaching
import HealthRecords
import Journeys
import Testing

/// The day that words name. Today is Monday, February 2, 2026.
struct DayTests {
  @Test(arguments: [
    ("ran 5k 3 days ago", -3), ("ran 5k two weeks ago", -14), ("3 days ago I ran 5k", -3),
    ("ran 5k a week ago", -7), ("ran 5k a couple of days ago", -2), ("ran 5k four days ago", -4),
    ("vor drei Tagen 5 km gelaufen", -3), ("bin vor 2 Wochen 5 km gelaufen", -14),
    ("vor einer Woche 5 km gelaufen", -7), ("hace tres días corrí 5 km", -3),
    ("corrí 5 km hace 2 semanas", -14), ("hace una semana corrí 5 km", -7),
    ("ran 5k on 24.1.", -9), ("ran 5k on 24/1", -9), ("ran 5k on 1/24", -9),
    ("am 24.1. 5 km gelaufen", -9), ("am 24.01.2026 5 km gelaufen", -9),
    ("24.1. 5 km gelaufen", -9), ("am 24. Januar 5 km gelaufen", -9), ("am 24. 5 km gelaufen", -9),
    ("bin am 24. gelaufen, 5 km", -9), ("el 24/1 corrí 5 km", -9), ("el 24 corrí 5 km", -9),
    ("el día 24 corrí 5 km", -9), ("ran 5k on January 24th", -9), ("ran 5k on the 24th", -9),
    ("ran 5k on the 24th of January", -9), ("24th January: ran 5k", -9), ("24/1: ran 5k", -9),
    ("24.1.: 5 km gelaufen", -9),
    ("ran 5k on 1/24/2026", -9), ("ran 5k on 24/11", -70), ("am 24.11. 5 km gelaufen", -70),
    ("am 1.2. 5 km gelaufen", -1), ("el 1/2 corrí 5 km", -1), ("ran 5k on 2/2", 0),
    ("ran 5k on Sat", -2), ("ran 5k on Tuesday last week", -6), ("ran 5k last Tuesday", -6),
    ("letzte Woche Dienstag 5 km gelaufen", -6), ("am Di 5 km gelaufen", -6),
    ("el martes de la semana pasada corrí 5 km", -6),
    ("ran 5k, faster than yesterday", 0), ("ran 5k, better than on Friday", 0),
    ("ran 5k, faster than last week", 0), ("slept badly last week, ran 5k", 0),
    ("ran 5k this morning", 0), ("5k run 25:30", 0), ("ran 5k in 24.11", 0), ("ran 5.5 km", 0),
    ("am See 5,5 km gelaufen", 0), ("ran 5k for the first time since 3 weeks ago", 0),
    ("did 3x5 squats at 60 kg on the 24th", -9), ("squats 3x5 at 60 kg 3 days ago", -3),
    ("ran 5k, 2nd run of the day", 0), ("bench 8/8/7 at 60 kg", 0), ("pullups 8/7/6", 0),
    ("trained 24/7, ran 5k", 0),
    ("rested yesterday, ran 5k today", 0), ("sore from yesterday, walked 2 km", 0),
    ("ran 5k today, rested yesterday", 0), ("slept badly yesterday, ran 5k", 0),
    ("sore after squats yesterday, walked 2 km", 0), ("Rested yesterday. Ran 5k.", 0),
    ("gestern ausgeruht, heute 5 km gelaufen", 0), ("Muskelkater von gestern, 5 km gelaufen", 0),
    ("ayer descansé, hoy corrí 5 km", 0), ("yesterday was great, ran 5k", -1),
    ("tired, ran 5k yesterday", -1), ("finally some sun yesterday, ran 5k", -1),
    ("11/24 squats 3x5 60 kg", -70), ("24/1 squats 3x5 at 60 kg", -9),
    ("11/24 bench 60 kg 3x8", -70), ("24.11. squats 3x5 at 60 kg", -70), ("Nov. 20 ran 5k", -74),
    ("ran 5k on Nov. 20", -74),
    ("On Nov. 20th I ran 5k", -74), ("Jan. 24: ran 5k", -9), ("5d ago ran 5k", -5),
    ("ran 5k 2w ago", -14), ("ran 5k 3d ago", -3), ("2 wks ago ran 5k", -14),
    ("Sat: ran 5k", -2), ("Sat ran 5k", -2), ("Sat. ran 5k", -2), ("Sun, ran 5k", -1),
    ("Sa: 5 km gelaufen", -2), ("So: 5 km gelaufen", -1), ("sáb: corrí 5 km", -2),
    ("Thu squats 3x5 at 60 kg", -4), ("ran 5k Sat", -2), ("so ran 5k", 0),
    ("sat all day, ran 5k", 0), ("ran 5k. Sun was out", 0),
  ])
  func isRead(_ words: String, _ ago: Int) throws {
    #expect(try read(words).map(\.day) == [monday + ago])
  }

  /// A date is no figure of the training.
  @Test(arguments: [
    ("squats 3x5 at 60 kg on 24/1", "squats 3×5 at 60 kg"), ("24.1. Kniebeugen", ""),
    ("am 24.1. Kniebeugen 3x5 mit 60 kg", "squats 3×5 at 60 kg"),
    ("squats 3x5 20 Jan", "squats 3×5"),
    ("squats on the 24th, 3x5 at 60 kg", "squats 3×5 at 60 kg"),
    ("3 days ago push-ups 20, 15", "push-ups 20, 15"),
    ("bench 60kg 8/8/7", "bench press 8, 8, 7 at 60 kg"),
    ("2026-01-30 squats 3x5", "squats 3×5"),
    ("ran 5k on the 1st in 25 min", "run 5 km in 25 min (5:00 min/km)"),
  ])
  func isNoFigure(_ words: String, _ entry: String) throws {
    #expect(try noted(words) == (entry.isEmpty ? [] : [entry]))
  }

  @Test(arguments: [
    ("ran 5k yesterday and swam 1 km today", [-1, 0]), ("ran 5k yesterday, swam 1 km", [-1, -1]),
    ("On Saturday I ran 5k, on Sunday I swam 1 km", [-2, -1]),
    ("rest day yesterday, ran 5k today", [-1, 0]),
    ("gestern 5 km gelaufen, heute 1 km geschwommen", [-1, 0]),
  ])
  func eachSessionHasItsOwn(_ words: String, _ ago: [Int]) throws {
    #expect(try read(words).map(\.day) == ago.map { monday + $0 })
  }

  /// Two numbers that are repetitions.
  @Test(arguments: [
    ("8/15 pull-ups", "pull-ups 8, 15"), ("did so. 5 push-ups", "push-ups 5 repetitions"),
  ])
  func whatLooksLikeADateIsnt(_ words: String, _ entry: String) throws {
    #expect(try noted(words) == [entry] && read(words).map(\.day) == [monday])
  }

  @Test(arguments: [
    "squats 3x5 at 60 kg next Tuesday", "next Monday ran 5k", "nächsten Dienstag 5 km gelaufen",
    "kommenden Freitag 5 km Lauf", "el próximo martes corrí 5 km", "el martes que viene corrí 5 km",
    "ran 5k coming Friday",
  ])
  func aDayToComeIsAPlan(_ words: String) throws {
    #expect(try EntryReader(pack()).notes(in: words, turn: 1, today: monday).isEmpty)
  }

  @Test(arguments: [
    ("ran 5k on 1/2", "1/2"), ("ran 5k last week", "last week"),
    ("ran 5k the other day", "the other day"),
    ("ran 5k 3 or 4 days ago", "4 days ago"), ("ran 5k a few days ago", "a few days ago"),
    ("letzte Woche 5 km gelaufen", "letzte woche"), ("neulich 5 km gelaufen", "neulich"),
    ("vor ein paar Tagen 5 km gelaufen", "vor ein paar tagen"),
    ("la semana pasada corrí 5 km", "semana pasada"),
    ("hace unos días corrí 5 km", "hace unos días"),
    ("el otro día corrí 5 km", "el otro día"), ("ran 5k in 31:75", "31:75"),
  ])
  func whatIsUnclearIsNamed(_ words: String, _ part: String) throws {
    let notes = try EntryReader(pack()).notes(in: words, turn: 1, today: monday)
    #expect(notes == [.unclear(words, part: part)])
    let given = try EntryReader(pack()).notes(in: words, turn: nil, today: monday, hasDay: true)
    #expect(given.count == 1 && (part.contains(":") || given != [.unclear(words, part: part)]))
  }

  /// Each day of a sentence has what was done on it, also where the name is said once.
  @Test(arguments: [
    ("Ran 5k yesterday and 10k today", ["run 5 km yesterday", "run 10 km"]),
    (
      "yesterday ran 5k, today 10k in 55 min",
      ["run 5 km yesterday", "run 10 km in 55 min (5:30 min/km)"]
    ),
    (
      "ran 5k sat, 8k sun, 10k today",
      ["run 5 km on January 31", "run 8 km yesterday", "run 10 km"]
    ),
    (
      "did 20 pushups yesterday and 30 today",
      ["push-ups 20 repetitions yesterday", "push-ups 30 repetitions"]
    ),
    (
      "squats 3x5 60kg yesterday and 3x5 65kg today",
      ["squats 3×5 at 60 kg yesterday", "squats 3×5 at 65 kg"]
    ),
    (
      "ran 5k on 2026-01-30 and 10k on 2026-01-31",
      ["run 5 km on January 30", "run 10 km on January 31"]
    ),
    ("gestern 5 km gelaufen und heute 10 km", ["run 5 km yesterday", "run 10 km"]),
    ("corrí 5 km ayer y 10 km hoy", ["run 5 km yesterday", "run 10 km"]),
    ("ran 5k yesterday, slept 8 hours today", ["run 5 km yesterday"]),
    (
      "ran 5k yesterday, 31 min, and today my legs are sore",
      ["run 5 km in 31 min (6:12 min/km) yesterday"]
    ),
    ("ran 5k yesterday and want to run 10k today", ["run 5 km yesterday"]),
    ("ran 5k yesterday and 10k tomorrow", ["run 5 km yesterday"]),
    ("ran 5k yesterday and today", []),
  ])
  func eachDayHasItsOwn(_ words: String, _ expected: [String]) throws {
    let text = EntryText(try pack())
    let found = try read(words)
    #expect(found.map { text.withDay($0, today: monday) } == expected)
    #expect(found.allSatisfy { words.contains($0.quote?.text ?? "?") })
  }
}
