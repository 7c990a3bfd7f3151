import Coaching
import HealthRecords
import Journeys
import Testing

/// What rules find in a person's words.
struct EntryReaderTests {
  @Test(arguments: [
    ("did 3x5 squats at 60 kg, felt easy", ["squats 3×5 at 60 kg, felt easy"]),
    ("ran 5k in 31 min", ["run 5 km in 31 min (6:12 min/km)"]),
    ("Ran 5 km in 31:20 this morning.", ["run 5 km in 31:20 min (6:16 min/km)"]),
    ("skipped today, back hurts", ["skipped training (back hurts)"]),
    ("I skipped my run because it rained", ["skipped run (it rained)"]),
    ("3 sets of 8 bench press with 40 kg", ["bench press 3×8 at 40 kg"]),
    ("deadlifts 5x5x100", ["deadlifts 5×5 at 100 kg"]),
    (
      "did squats 3x5 at 60 kg and bench 3x8 at 40 kg",
      ["squats 3×5 at 60 kg", "bench press 3×8 at 40 kg"]
    ),
    ("30 minutes of yoga", ["yoga 30 min"]),
    ("bench press 3x8 at 80 kg, RPE 8", ["bench press 3×8 at 80 kg, felt hard"]),
    ("squats 3x5 at 60 kg rpe 6.5", ["squats 3×5 at 60 kg, felt fine"]),
    ("ran 5k in 31 min, RPE 4", ["run 5 km in 31 min (6:12 min/km), felt easy"]),
    ("weighed 80.2 kg this morning", ["weight 80.2 kg"]),
    ("Did 12 pull-ups. Felt hard.", ["pull-ups 12 repetitions, felt hard"]),
    ("swam 800 m in 20 min", ["swim 800 m in 20 min (2:30 min/100 m)"]),
    ("rode 40 km in 1:45 h", ["ride 40 km in 1:45 h (22.9 km/h)"]),
    ("went to the gym", ["strength training"]),
    ("went to the gym and did 3x10 lunges", ["lunges 3×10"]),
    ("ran three miles", ["run 3 mi"]),
    ("Kniebeugen 3x5 mit 60 kg", ["squats 3×5 at 60 kg"]),
    ("corrí 5 km en 31 min", ["run 5 km in 31 min (6:12 min/km)"]),
    ("bench 3x5 at 100 kg, not easy", ["bench press 3×5 at 100 kg, felt hard"]),
    ("squats 3x5 at 60 kg, wasn't that hard", ["squats 3×5 at 60 kg, felt fine"]),
    ("Kniebeugen 3x5 mit 60 kg, war nicht leicht", ["squats 3×5 at 60 kg, felt hard"]),
    ("corrí 5 km, no fue fácil", ["run 5 km, felt hard"]),
    ("I did not skip today, I ran 4k", ["run 4 km"]),
    ("lunges 3x8 with two 12 kg dumbbells", ["lunges 3×8 at 12 kg"]),
    ("dumbbell press 3x10 2x20kg", ["overhead press 3×10 at 20 kg"]),
    ("3 sets of 8 lunges with 2x12kg", ["lunges 3×8 at 12 kg"]),
    ("lunges with 2x12 kg, 3x8", ["lunges 3×8 at 12 kg"]),
    ("swings 5x20 with a 24 kg kettlebell", ["kettlebell swings 5×20 at 24 kg"]),
    ("squats 3x5 60 kg, 2x70 kg", ["squats 5 at 60 kg, 5 at 60 kg, 5 at 60 kg, 2 at 70 kg"]),
  ])
  func notes(_ text: String, _ expected: [String]) throws {
    #expect(try noted(text) == expected)
  }

  @Test(arguments: OrdinaryLines.all)
  func ordinaryLinesAreRead(_ line: OrdinaryLines.Line) throws {
    let units: Units = line.isImperial ? .imperial : .metric
    let text = EntryText(try pack(), units: units)
    let noted = try EntryReader(pack(), units: units)
      .entries(in: line.words, turn: nil, today: monday)
    #expect(noted.map { text.asTold($0) } == line.entries)
  }

  @Test(arguments: [
    "I want to run 5k in 25 min", "should I do squats at 60 kg?", "I usually run 5 km",
    "tomorrow I'll do 3x5 squats at 60 kg", "I used to squat 100 kg", "I like running",
    "my goal is a 100 kg squat", "If I run 5 km my knee hurts", "I can do 10 push-ups",
    "thanks, that helps", "I have 30 minutes on Monday", "could you plan 3x5 squats?", "",
    "squats are great", "I'd rather run a 10k instead of squatting", "thinking of running 10k",
    "need to run 5k", "signed up for a 10k run", "let's do 3x5 squats at 60 kg",
    "preferiría correr 10 km", "I'd prefer to swim 1 km", "almost ran 10k but stopped at 7",
    "I run every day for 30 min", "quiero correr 5 km", "ich will 5 km laufen",
  ])
  func plansHabitsAndQuestionsArent(_ text: String) throws {
    #expect(try noted(text) == [])
  }

  @Test(arguments: [
    ("yesterday I ran 5 km", -1), ("I ran 5k last Monday", -7), ("I ran 5k on Monday", 0),
    ("ran 5 km on Friday", -3), ("ran 5 km two days ago", -2),
    ("ran 5 km", 0), ("gestern 5 km gelaufen", -1), ("yoga 45 min on 2026-01-30", -3),
    ("2026-01-30 yoga 45 min", -3), ("ran 5 km on January 30", -3), ("30 Jan: ran 5 km", -3),
    ("ran 5 km on 20 November", -74), ("ran 5 km on Nov 20 2025, easy", -74),
    ("corrí 5 km el 30 de enero", -3), ("am 30 Januar 5 km gelaufen", -3),
    ("may have run 5 km", 0), ("ran 12k because I ate too much yesterday", 0),
  ])
  func theDayIsRead(_ text: String, _ ago: Int) throws {
    #expect(try read(text).map(\.day) == [monday + ago])
  }

  @Test(arguments: [
    ("ran 3 1/2 miles", 5.633), ("ran 3½ miles", 5.633), ("ran 5½ km", 5.5), ("ran 5 ½ km", 5.5),
    ("ran 1/2 mile", 0.805), ("ran ¾ mile", 1.207), ("5 1/2 km gelaufen", 5.5),
    ("corrí 5 1/2 km", 5.5), ("ran 10 1/4 km", 10.25), ("ran 3 miles", 4.828),
  ])
  func fractionsAreRead(_ text: String, _ kilometers: Double) throws {
    #expect(try read(text).map(\.kilometers) == [kilometers])
  }

  @Test(arguments: [
    ("squats 3x5 at 62 1/2 kg", "squats 3×5 at 62.5 kg"), ("yoga 1 1/2 hours", "yoga 1:30 h"),
    ("pull-ups 8/7/6", "pull-ups 8, 7, 6"), ("yoga ½ hour", "yoga 30 min"),
  ])
  func fractionsOfLoadsAndTimesToo(_ text: String, _ entry: String) throws {
    #expect(try noted(text) == [entry])
  }

  @Test func whatIsToComeIsNoEntry() throws {
    #expect(try read("ran 5 km on 2026-12-01").isEmpty)
    #expect(try read("ran 5 km today. Race on December 1, 2026: 10 km").map(\.day) == [monday])
  }

  @Test func theQuoteIsVerbatim() throws {
    let text = "Hey! Did squats 3x5 at 60 kg, then bench 3x8 at 40 kg. See you."
    let entries = try read(text)
    #expect(entries.count == 2)
    for entry in entries {
      let quote = try #require(entry.quote)
      #expect(quote.turn == 7 && text.contains(quote.text), "\(quote.text)")
    }
  }

  @Test func aLoadWithoutAUnitIsInThePersonsUnits() throws {
    #expect(try noted("3x5 squats at 135", units: .imperial) == ["squats 3×5 at 135 lb"])
    #expect(try noted("3x5 squats at 135 lb") == ["squats 3×5 at 135 lb"])
  }

  @Test func whatCantBeRightIsNotNoted() throws {
    #expect(try noted("did 3x5 squats at 6000 kg") == [])
    #expect(try noted("ran 5000 km") == [])
  }

  @Test(arguments: [
    ("Squat 100 kg by June", "squats at 100 kg"), ("run a 10k under 55 min", "run 10 km in 55 min"),
  ])
  func aGoalsFiguresAreRead(_ goal: String, _ start: String) throws {
    let target = try #require(try EntryReader(pack()).target(in: goal))
    #expect(EntryText(try pack())(target).hasPrefix(start))
    #expect(try EntryReader(pack()).target(in: "feel better") == nil)
  }
}
