import Coaching
import HealthRecords
import Journeys
import Testing

/// What people add to what they did, and what doesn't make a session a skipped one.
struct BesideTrainingTests {
  private func typed(_ words: String) throws -> String {
    let text = EntryText(try pack(), units: .metric)
    return try EntryReader(pack()).entries(in: words, turn: nil, today: monday)
      .map { text.asTold($0) }.joined(separator: "; ")
  }

  @Test(arguments: [
    ("bench 3x5 60kg, can't do more", "bench press 3×5 at 60 kg"),
    (
      "bench 3x5 60kg, felt a pop in my shoulder and can't lift my arm", "bench press 3×5 at 60 kg"
    ),
    ("bench 3x5 60kg, will try 62.5 next time", "bench press 3×5 at 60 kg"),
    ("never felt better, bench 3x5 60kg", "bench press 3×5 at 60 kg"),
    ("can't complain, squats 3x5 60 kg, next time 65", "squats 3×5 at 60 kg"),
    ("squats 3x5 60kg? I think", "squats 3×5 at 60 kg"),
    ("ran 5k in 31 min, will run 10k tomorrow", "run 5 km in 31 min (6:12 min/km)"),
    ("bench 3x5 60kg, but I should have done more", "bench press 3×5 at 60 kg"),
    ("ran 5k, never doing that again", "run 5 km"),
    ("bench 3x5 60kg, never again", "bench press 3×5 at 60 kg"),
    ("bench 3x5 60kg, could be better", "bench press 3×5 at 60 kg"),
    ("bench 3x5 60kg, form could have been better", "bench press 3×5 at 60 kg"),
    ("bench 3x5 60kg, wouldn't recommend", "bench press 3×5 at 60 kg"),
    ("bench 3x5 60kg, should have slept more", "bench press 3×5 at 60 kg"),
    ("bench 3x5 60kg, if only I had slept", "bench press 3×5 at 60 kg"),
    ("bench 3x5 60kg, need more sleep", "bench press 3×5 at 60 kg"),
    ("squats 5x5 80kg but the weather could be nicer", "squats 5×5 at 80 kg"),
    ("ran 5k should have slept more", "run 5 km"), ("ran 5k would do again", "run 5 km"),
    ("plank 2 min, won't do that again", "plank 2 min"),
    ("Kniebeugen 3x5 60 kg, könnte besser sein", "squats 3×5 at 60 kg"),
    ("Kniebeugen 3x5 60 kg, nie wieder", "squats 3×5 at 60 kg"),
    ("sentadillas 3x5 60 kg, podría ir mejor", "squats 3×5 at 60 kg"),
    ("sentadillas 3x5 60 kg, nunca más", "squats 3×5 at 60 kg"),
    ("could have run 5k", ""), ("I should run 5k", ""), ("never ran 5k", ""),
    ("I must run 5k", ""), ("I could run 5k, should be fun", ""),
    ("would have run 5k, couldn't", ""), ("bench 3x5 60kg, would that work", ""),
    ("bench 3x5 60kg, would be nice", ""), ("bench 3x5 60kg, could I", ""),
    ("bench 3x5 60kg, can't wait", ""), ("squats 3x5 60 kg, tomorrow", ""),
    ("bench 3x5 60 kg, if I can", ""), ("is bench 3x5 at 60 kg ok? I think", ""),
    ("squats 3x5 60kg?", ""), ("I want to run 5k, can't today", ""),
    ("usually run 5k, will try 6", ""),
    ("lost 5 kg, weight 75 kg", "weight 75 kg"),
    ("cut 2 kg this month, weight 78 kg", "weight 78 kg"),
    ("weight 78 kg, lost 2 kg", "weight 78 kg"), ("lost 5 kg weight is 75 kg", "weight 75 kg"),
    ("75 kg on the scale, lost 5 kg", "weight 75 kg"),
  ])
  func isNoReasonToDropIt(_ words: String, _ expected: String) throws {
    #expect(try typed(words) == expected)
  }

  @Test(arguments: [
    ("bench 3x5 60kg, shouldn't have skipped warmup", "bench press 3×5 at 60 kg"),
    ("missed my PR on deadlift by 5kg, 1x1 at 135", "deadlifts 1×1 at 135 kg"),
    ("beat my 5k record by 10 s, ran 5k in 25 min", "run 5 km in 25 min (5:00 min/km)"),
    (
      "skipped today, knee hurts, squats 3x5 60 kg felt easy",
      "skipped training (knee hurts); squats 3×5 at 60 kg, felt easy"
    ),
    ("ran 5k but skipped the warmup", "run 5 km"), ("ran 5k, skipped my cool down", "run 5 km"),
    ("skipped rope for 10 min", "jump rope 10 min"),
    ("heart skipped a beat during run 5k", "run 5 km"),
    ("skipped squats 3x5 60 kg", "skipped squats"), ("skipped the run", "skipped run"),
  ])
  func isSkippedOnlyIfItSaysSo(_ words: String, _ expected: String) throws {
    #expect(try typed(words) == expected)
  }

  @Test(arguments: [
    ("skipped wed and fri", "wed and fri"), ("skipped Monday and Friday", "monday and friday"),
    ("ran 5k on feb 30", "feb 30"), ("ran 5k on 99/99/9999", "99/99/9999"),
    ("no gym this week, on holiday", "this week"),
    ("diese Woche kein Training", "diese woche"), ("skipped today", nil),
    ("ran 5k on jan 30", nil), ("ran 5k this week", nil),
  ])
  func aDayThatIsNoneIsAskedAbout(_ words: String, _ expected: String?) throws {
    let notes = try EntryReader(pack()).notes(in: words, turn: nil, today: monday)
    let parts = notes.map { note in
      if case .unclear(_, let part) = note { part.lowercased() } else { "" }
    }
    #expect(parts == [expected ?? ""])
  }

  @Test(arguments: [
    ("ran 5k, avg 5:30", "run 5 km in 27:30 min (5:30 min/km)"),
    ("ran 8k, avg 5:30", "run 8 km in 44 min (5:30 min/km)"),
    ("ran 8k at an average of 5:30", "run 8 km in 44 min (5:30 min/km)"),
    ("rowed 2k, avg 2:05", "rowing 2 km in 8:20 min (2:05 min/500 m)"),
    ("ran a half in 1:58", "run 21.1 km in 1:58 h (5:36 min/km)"),
    ("ran a half mile", "run 0.5 mi"), ("ran an hour and a half in the park", "run 1:30 h"),
    ("bench 5x5 @ 60%", "bench press 5×5"), ("bench 5x5 at 60 percent", "bench press 5×5"),
    ("swam 20 laps of 50m pool", "swim 1 km"), ("swam 40 lengths in a 25 m pool", "swim 1 km"),
    ("swam 20 laps", "swim 20 laps"), ("swam 20 laps in 25 min", "swim 20 laps 25 min"),
    ("deadlift 3x5 @100kg, rest 3 min", "deadlifts 3×5 at 100 kg"),
    (
      "3 rounds: 10 burpees, 20 squats, 30 situps",
      "burpees 3×10; squats 3×20; sit-ups 3×30"
    ),
    ("3 sets of 10 curls, 20 situps", "curls 3×10; sit-ups 20 repetitions"),
    ("bench press 3 x 5, 60", "bench press 3×5 at 60 kg"),
    ("bench 3x5, 8", "bench press 3×5"),
    ("intervals 6x400m @ 1:45", "intervals 6 sets 400 m in 1:45 min (4:23 min/km)"),
    ("ran 6x400m at 1:45", "run 6 sets 400 m in 1:45 min (4:23 min/km)"),
    ("intervals 5x1k @ 4:30, 2 min recovery", "intervals 5 sets 1 km in 4:30 min (4:30 min/km)"),
    ("ran 8x400m in 95s, 90s rest", "run 8 sets 400 m in 1:35 min (3:58 min/km)"),
    ("ran 8 x 400m off 90s", "run 8 sets 400 m"), ("ran 6x400m at 7:30 am", "run 6 sets 400 m"),
    ("ran 5k at 7:30", "run 5 km"),
    ("8 miler sunday, 1h12", "run 8 mi in 1:12 h (9:00 min/mi)"),
    ("easy 8 miler", "run 8 mi, felt easy"), ("want to do a 10 miler", ""),
    ("30 lengths of 25m", "swim 750 m"), ("40 laps of a 25 yd pool", "swim 0.57 mi"),
    ("64 lengths", "swim 64 laps"), ("40 Bahnen", "swim 40 laps"), ("20 laps of 400m", ""),
    ("swam 1 lap", "swim 1 lap"), ("walked 1 step", "walk 1 step"),
    ("12km bike + 3km run", "ride 12 km; run 3 km"), ("dips +10 kg 3x8", "dips 3×8 at 10 kg"),
    ("farmers walk 2x40m 24kg", "farmer's walk 2 sets 40 m at 24 kg"),
    ("sq 3x5 60", "squats 3×5 at 60 kg"), ("dl 1x5 100", "deadlifts 1×5 at 100 kg"),
    ("dead hang 60s", "dead hang 1 min"), ("leg day 1 hour", "strength training 1:00 h"),
    ("yoga", "yoga"), ("yoga class yesterday", "yoga"), ("bench", ""), ("yoga mat", ""),
    ("stomach bug, threw up, skipped", "skipped training (stomach bug, threw up)"),
    ("Knie tut weh, Training ausgelassen", "skipped training (Knie tut weh)"),
    ("skipped, knee hurts, bad night", "skipped training (knee hurts, bad night)"),
  ])
  func figuresAreRead(_ words: String, _ expected: String) throws {
    #expect(try typed(words) == expected)
  }
}
