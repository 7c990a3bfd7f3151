import Foundation
import IncrementalJSON
import Testing

@testable import Plans

/// When a program's sessions are, and the calendar that is made of them.
struct ProgramScheduleTests {
  @Test func theScheduleFollowsTheClockOnTheWall() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let program = TrainingProgram(
      title: "T", weeks: 2,
      sessions: [
        .init(day: .sunday, time: "07:00", title: "S", minutes: 30, exercises: []),
        .init(day: .wednesday, title: "W", minutes: 30, exercises: []),
      ])
    // Friday, 2026-03-27 23:30 in Berlin; the clocks change on the 29th.
    let activated = Date(timeIntervalSince1970: 1_774_650_600)
    let schedule = ProgramSchedule(program, activatedAt: activated, timeZone: zone)
    #expect(
      schedule.sessions.map(\.day) == ["2026-03-29", "2026-04-01", "2026-04-05", "2026-04-08"])
    #expect(schedule.sessions.map(\.week) == [1, 1, 2, 2])
    // 07:00 in summer time is 05:00 UTC.
    #expect(schedule.sessions[0].start.timeIntervalSince1970 == 1_774_760_400)
    #expect(schedule.week(at: activated) == nil)
    #expect(schedule.week(at: schedule.start) == 1)
    #expect(schedule.week(at: schedule.start.addingTimeInterval(14 * 86_400)) == nil)
  }

  @Test func twoSessionsOfADayComeInTheOrderOfTheirTimes() {
    let program = TrainingProgram(
      title: "T", weeks: 1,
      sessions: [
        .init(day: .sunday, time: "18:00", title: "Evening", minutes: 30, exercises: []),
        .init(day: .sunday, time: "07:00", title: "Morning", minutes: 30, exercises: []),
      ])
    let schedule = ProgramSchedule(
      program, activatedAt: Date(timeIntervalSince1970: 1_774_650_600), timeZone: .gmt)
    #expect(schedule.sessions.map(\.session.title) == ["Morning", "Evening"])
  }

  @Test func theCalendarKeepsToItsFormat() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let program = TrainingProgram(
      title: "Kräfte; und, mehr", weeks: 1,
      sessions: [
        .init(
          day: .sunday, time: "07:00", title: "A, B; C\\D", minutes: 30,
          exercises: [.init(name: String(repeating: "é", count: 90), sets: 2)])
      ])
    let schedule = ProgramSchedule(
      program, activatedAt: Date(timeIntervalSince1970: 1_774_650_600), timeZone: zone)
    let text = ProgramCalendar(schedule, id: "s", stamp: schedule.start).text
    let lines = text.components(separatedBy: "\r\n")
    #expect(lines.allSatisfy { $0.utf8.count <= 75 } && lines.last == "")
    #expect(lines.contains("SUMMARY:A\\, B\\; C\\\\D"))
    #expect(lines.contains("DTSTART;TZID=Europe/Berlin:20260329T070000"))
    #expect(lines.contains("TRIGGER:-PT30M"))
    #expect(lines.count { $0 == "TZOFFSETTO:+0200" } == 1)
  }

  /// A second export updates what was imported: a session that is added or moved leaves none behind.
  @Test func aSessionKeepsItsNameInTheCalendar() throws {
    func uids(_ days: [TrainingProgram.Day]) throws -> [String] {
      let sessions = days.map {
        TrainingProgram.Session(
          day: $0, title: "S", minutes: 30, exercises: [.init(name: "E", sets: 1)])
      }
      let schedule = ProgramSchedule(
        TrainingProgram(title: "P", weeks: 2, sessions: sessions),
        activatedAt: Date(timeIntervalSince1970: 1_774_650_600), timeZone: .gmt)
      return ProgramCalendar(schedule, id: "s", stamp: schedule.start).text
        .components(separatedBy: "\r\n").filter { $0.hasPrefix("UID:") }
    }
    let (few, more) = (try uids([.monday, .friday]), try uids([.monday, .tuesday, .friday]))
    #expect(few.count == 4 && more.count == 6 && Set(few).isSubset(of: more))
    #expect(try Set(uids([.monday, .saturday])) == Set(few))
    #expect(Set(try uids([.monday, .monday])).count == 4)
  }
}
