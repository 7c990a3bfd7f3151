import Journeys
import Plans
import Testing

/// The days and hours that somebody names for training.
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

  /// What a sentence denies isn't told apart, so nothing is planned on its days.
  @Test(
    arguments: [
      ("Tuesday and Friday, 30 minutes or so", [.tuesday, .friday]),
      ("weekends", [.saturday, .sunday]),
      ("Monday through Friday, 20 min", Array(TrainingProgram.Day.allCases.prefix(5))),
      ("Mon-Fri", Array(TrainingProgram.Day.allCases.prefix(5))),
      ("Monday – Wednesday", [.monday, .tuesday, .wednesday]),
      ("Saturday to Monday", [.monday, .saturday, .sunday]),
      ("martes y jueves por la tarde", [.tuesday, .thursday]),
      ("Dienstag bis Donnerstag", [.tuesday, .wednesday, .thursday]),
      ("Tuesday and Thursday mornings, not on Fridays", [.tuesday, .thursday]),
      ("Monday to Friday but not Wednesday", [.monday, .tuesday, .thursday, .friday]),
      ("weekdays except Wednesday", [.monday, .tuesday, .thursday, .friday]),
      ("every day but Sunday", Array(TrainingProgram.Day.allCases.dropLast())),
      ("not on Monday, Tuesday or Wednesday", [.thursday, .sunday]),
      ("Mondays don't work, Tuesday and Friday do", [.thursday, .sunday]),
      ("any day except Monday", [.thursday, .sunday]),
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
      ("Tuesday and Friday, 20 to 30 minutes", [nil, nil]),
      ("Tuesday, 2 to 3 sets", [nil]), ("Dienstag um 19 Uhr", ["19:00"]),
      ("martes a las 19", ["19:00"]),
    ] as [(String, [String?])])
  func aTimeGoesWithItsDays(words: String, expected: [String?]) async throws {
    let times = try await program(words).sessions.map(\.time)
    #expect(times == expected)
  }
}
