import Coaching
import ContextQuality
import FoundationEssentials
import HealthRecords
import Intake
import Journeys
import Plans
import Testing

/// The small grammar of the typed log.
struct LogGrammarTests {
  private func book(_ language: String, _ units: Units = .metric) throws -> CoachingBook {
    try CoachingBook(
      PromptPack.embedded(), pack(), events: [], for: .init(units: units, language: language),
      at: Date(timeIntervalSince1970: Double(monday.number) * 86_400 + 43_200))
  }

  /// The lines that show what was added, each behind its day if that isn't today.
  private func added(
    _ words: String, _ language: String = "en", _ units: Units = .metric
  ) throws -> [String] {
    let text = EntryText(try pack(), units: units)
    return try book(language, units).adding(words).entries.map { entry in
      (entry.day == monday ? "" : "\(entry.day - monday): ") + text.asTold(entry)
    }
  }

  @Test(arguments: [
    ("squats 3x5 60kg", "squats 3×5 at 60 kg"), ("3x5 squats at 60 kg", "squats 3×5 at 60 kg"),
    ("Squats 3 x 5 x 62,5", "squats 3×5 at 62.5 kg"),
    ("bench 3x8 at 40", "bench press 3×8 at 40 kg"),
    ("bench 3x8 @ 40kg", "bench press 3×8 at 40 kg"),
    ("squats 3 sets of 8 with 40 kg", "squats 3×8 at 40 kg"),
    ("pull-ups 8, 7, 6", "pull-ups 8, 7, 6"), ("12 pull-ups", "pull-ups 12 repetitions"),
    ("squats 5 at 60 kg, 3 at 65 kg", "squats 5 at 60 kg, 3 at 65 kg"),
    ("run 5k 31:00", "run 5 km in 31 min (6:12 min/km)"),
    ("ran 5 km in 31 min", "run 5 km in 31 min (6:12 min/km)"),
    ("run 21.1 km 1:45:30", "run 21.1 km in 1:45:30 h (5:00 min/km)"),
    ("ride 40 km in 1:45 h", "ride 40 km in 1:45 h (22.9 km/h)"), ("run 1h05", "run 1:05 h"),
    ("run 6x800m", "run 6×800 m"), ("swim 40 laps", "swim 40 laps"),
    ("walk 10,000 steps", "walk 10000 steps"), ("yoga 30 min, easy", "yoga 30 min, felt easy"),
    ("plank 3x45 s", "plank 3 sets 45 s"),
    ("rows 2000m 8:12", "rowing 2 km in 8:12 min (2:03 min/500 m)"),
    ("squats 3x5 60kg rpe 8", "squats 3×5 at 60 kg, felt hard"), ("yoga", "yoga"),
    ("weight 75 kg", "weight 75 kg"), ("weighed 80.2kg", "weight 80.2 kg"),
    ("skipped sick", "skipped training (sick)"),
    ("skipped: run, 2 kids ill", "skipped run (2 kids ill)"),
    ("skipped today, back hurts", "skipped training (back hurts)"),
    ("yesterday: run 5k", "-1: run 5 km"), ("Sat squats 3x5 60kg", "-2: squats 3×5 at 60 kg"),
    ("monday run 5k", "run 5 km"), ("2026-01-30 run 5k", "-3: run 5 km"),
    ("yesterday skipped tired", "-1: skipped training (tired)"),
    ("face pulls 3x15", "face pulls 3×15"), ("run 5k (new shoes)", "run 5 km"),
  ])
  func aLineIsRead(_ words: String, _ expected: String) throws {
    #expect(try added(words) == [expected])
  }

  @Test(arguments: [
    ("Kniebeugen 3x5 60kg", "de", "squats 3×5 at 60 kg"),
    ("gestern: Laufen 5k 31:00", "de", "-1: run 5 km in 31 min (6:12 min/km)"),
    ("Gewicht 75,5 kg", "de", "weight 75.5 kg"),
    ("ausgelassen krank", "de", "skipped training (krank)"),
    ("sentadillas 3x5 con 60 kg", "es", "squats 3×5 at 60 kg"),
    ("ayer correr 5 km en 31 min", "es", "-1: run 5 km in 31 min (6:12 min/km)"),
    ("peso 75 kg", "es", "weight 75 kg"),
    ("saltado resfriado", "es", "skipped training (resfriado)"),
    // Any of the languages will do.
    ("Kniebeugen 3x5 mit 60 kg", "en", "squats 3×5 at 60 kg"), ("run 5k", "de", "run 5 km"),
  ])
  func eachLanguageHasItsWords(_ words: String, _ language: String, _ expected: String) throws {
    #expect(try added(words, language) == [expected])
  }

  @Test func severalLinesAreSeveralEntries() throws {
    #expect(
      try added("squats 3x5 60kg; yesterday run 5k\nweight 75 kg") == [
        "squats 3×5 at 60 kg", "-1: run 5 km", "weight 75 kg",
      ])
  }

  @Test func loadsWithoutAUnitAreInThePersonsUnits() throws {
    #expect(try added("squats 3x5x135", "en", .imperial) == ["squats 3×5 at 135 lb"])
    #expect(try added("run 3 mi", "en", .metric) == ["run 3 mi"])
  }

  /// What isn't wholly read isn't read at all.
  @Test(arguments: [
    "what a day", "I want to run 5k", "no, it was 65 kg", "my wife ran 10k",
    "the bench was 45 kg, not 40", "squats 3x5 at 60 kg and ran 5k", "squats 100", "135x5, 145x5",
    "run 31:75", "run 5k on 1/2", "squats 3x5 60k", "weight 75", "weight 75 kg 80 kg",
    "it wasn't ten minutes, it was seven", "2 sets of 8 bridges today, and the stairs once",
    "at my parents in ottawa dec 18 til jan 3, theres no gym there", "run 5k; and then some",
  ])
  func theRestIsRefusedWithAnExample(_ words: String) throws {
    for (language, example) in [
      ("en", "“squats 3x5 60kg”"), ("es", "«sentadillas 3x5 60kg»"),
      ("de", "„Kniebeugen 3x5 60kg“"),
    ] {
      let error = try #require(throws: CoachingRefusal.self, "\(words)") {
        try book(language).adding(words)
      }
      #expect(error.description.contains(example))
    }
  }

  @Test(arguments: [
    ("run 5k yesterday", "en", "The day goes in front: “yesterday: run 5k”."),
    ("run 5k 31:00 on monday", "en", "“squats 3x5 60kg”"),
    ("squats 3x5 60kg 2026-01-30", "en", "The day goes in front"),
    ("correr 5k ayer", "es", "El día va delante: «ayer: correr 5k»."),
    ("Laufen 5k gestern", "de", "Der Tag steht vorn: „gestern: Laufen 5k“."),
    ("tomorrow: run 5k", "en", "February 3, 2026 is to come"),
    ("run 5k tomorrow", "en", "February 3, 2026 is to come"),
    ("morgen: Laufen 5k", "de", "der 3. Februar 2026 kommt erst noch"),
    ("mañana: correr 5k", "es", "el 3 de febrero de 2026 aún está por llegar"),
    ("Laufen 400 km", "de", "400 km kann nicht stimmen: Ich nehme 20 m bis 250 km"),
    ("correr 400 km", "es", "400 km no puede ser: admito de 20 m a 250 km"),
  ])
  func aRefusalSaysWhatIsWrong(_ words: String, _ language: String, _ part: String) throws {
    let error = try #require(throws: CoachingRefusal.self) { try book(language).adding(words) }
    #expect(error.reason.contains(part), "\(error)")
  }

  @Test func whatLiesBehindTheNameOfAPacksOwnWordsIsNamed() throws {
    var files = try PromptPack.embedded().coachingFiles
    files["coaching/words.json"] = "{}"
    let error = try #require(throws: PackError.self) {
      try CoachingPack(files: files, folder: "my-pack")
    }
    #expect(error.description.contains("my-pack/coaching/words.json"))
    #expect(error.description.contains("no longer read"))
  }
}
