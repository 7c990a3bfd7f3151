import Journeys
import Testing

/// The days and hours that somebody names for training, and those that they rule out.
struct TrainingTimesTests {
  private static let plain = [
    "goal": "Lose 5 kg by October", "hurts": "nothing hurts", "gear": "nothing at home",
    "hates": "no dislikes",
  ]

  private func program(_ days: String) async throws -> TrainingProgram {
    let (_, screen) = try await Plan.reviewing(
      try Plan.walk(), Self.plain.merging(["days": days]) { $1 })
    return try #require(screen.program)
  }

  @Test(
    arguments: [
      ("any day but Sunday, 30 min", [.monday, .thursday]),
      ("any day except Monday", [.thursday, .sunday]),
      ("every day but Sunday", Array(TrainingProgram.Day.allCases.dropLast())),
      ("weekdays except Wednesday", [.monday, .tuesday, .thursday, .friday]),
      ("Monday to Friday but not Wednesday", [.monday, .tuesday, .thursday, .friday]),
      ("no day but Sunday", [.sunday]), ("nothing but Tuesday", [.tuesday]),
      ("not Monday but Tuesday", [.tuesday]),
      ("Weekends are out, Monday and Wednesday work", [.monday, .wednesday]),
      ("Mondays don't work, Tuesday and Friday do", [.tuesday, .friday]),
      ("Sundays off, Tuesday and Friday are fine", [.tuesday, .friday]),
      ("I'm off on Fridays, so Friday", [.friday]),
      ("I work Monday to Friday, so only weekends", [.saturday, .sunday]),
      ("I work Monday to Friday. So weekends.", [.saturday, .sunday]),
      ("Only weekends, because I work Monday to Friday", [.saturday, .sunday]),
      ("my kids have soccer on Saturday, so Sunday", [.sunday]),
      ("Saturday is choir practice, Sunday works", [.sunday]),
      ("I work nine to five and could train Tuesday and Thursday evenings", [.tuesday, .thursday]),
      ("I could, but I work Monday to Friday. Saturday is best", [.saturday]),
      ("I work out on Tuesday and Friday", [.tuesday, .friday]),
      ("Monday and Tuesday while the kids are at school", [.monday, .tuesday]),
      ("after work on Monday and Thursday", [.monday, .thursday]),
      ("Not before 9, Wednesdays and Fridays", [.wednesday, .friday]),
      ("not before 9 on Wednesdays", [.wednesday]),
      ("no mornings, Monday and Friday evenings", [.monday, .friday]),
      ("not on Monday, Tuesday or Wednesday", [.thursday, .sunday]),
      ("Monday through Friday, 20 min", Array(TrainingProgram.Day.allCases.prefix(5))),
      ("Mon-Fri", Array(TrainingProgram.Day.allCases.prefix(5))),
      ("Monday – Wednesday", [.monday, .tuesday, .wednesday]),
      ("Saturday to Monday", [.monday, .saturday, .sunday]),
      ("Tuesday and Friday, 30 minutes or so", [.tuesday, .friday]),
    ] as [(String, [TrainingProgram.Day])])
  func theDaysAreThoseThatWereSaid(words: String, expected: [TrainingProgram.Day]) async throws {
    let days = try await program(words).sessions.map(\.day)
    #expect(days == expected)
  }

  @Test(
    arguments: [
      ("Monday and Wednesday evenings for 30 minutes", ["18:30", "18:30"]),
      ("Tuesday mornings and Thursday evenings", ["07:00", "18:30"]),
      ("Tuesday evenings, Saturday at 10", ["18:30", "10:00"]),
      ("Fridays at lunchtime", ["12:30"]), ("Tuesday, after work", ["18:30"]),
      ("no mornings, Monday and Friday evenings", ["18:30", "18:30"]),
      ("Tues & Thurs 6:30-7:15pm", ["18:30", "18:30"]),
      ("Tuesdays from 6 to 7 pm", ["18:00"]),
      ("Tuesdays between 6 and 7 in the evening", ["18:00"]),
      ("Tuesdays 11-1pm", ["11:00"]), ("Tuesdays at 6.30 am", ["06:30"]),
      ("Tuesdays at 7 p.m., 40 minutes", ["19:00"]),
      ("Sat at 10, Sun at 4pm", ["10:00", "16:00"]),
      ("Saturday at 10 and Sunday at 4 pm", ["10:00", "16:00"]),
      ("At 7 on Monday and at 6 pm on Friday", ["07:00", "18:00"]),
      ("Monday, Wednesday and Friday at 7", ["07:00", "07:00", "07:00"]),
      ("Tuesday evenings, at 7", ["19:00"]),
      ("I work from 9 to 5, Tuesday and Friday", [nil, nil]),
      ("Tuesday and Friday, 20 to 30 minutes", [nil, nil]),
      ("Tuesday, 2 to 3 sets", [nil]),
    ] as [(String, [String?])])
  func aTimeGoesWithItsDays(words: String, expected: [String?]) async throws {
    let times = try await program(words).sessions.map(\.time)
    #expect(times == expected)
  }
}
