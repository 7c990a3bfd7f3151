import Testing

@testable import rapport

/// What is said about a calendar's reminders.
struct ProgramReminderTests {
  @Test(
    arguments: [
      (["07:00", "18:30"], "The reminder comes 30 minutes before."),
      ([nil, nil], "The reminder comes at 8:00 on the day, because no session has a time yet."),
      (
        ["07:00", nil],
        "The reminder comes 30 minutes before, or at 8:00 on the day for a session without a time."
      ),
    ] as [([String?], String)])
  func theWordsSayWhenTheAlarmGoesOff(times: [String?], words: String) {
    #expect(ProgramCommand.reminders(times) == words)
  }
}
