public import FoundationEssentials

/// A program as a calendar that other programs open: RFC 5545, with an alarm before each session.
public struct ProgramCalendar: Sendable {
  private let schedule: ProgramSchedule
  private let id: String
  private let stamp: Date

  /// Before a session with a time.
  public static let alarmMinutes = 30
  /// On the day of a session without one.
  public static let alarmHour = 8

  /// - Parameters:
  ///   - id: Names the events, so that importing a newer version replaces them: the same on every device.
  ///   - stamp: When the program was activated or last changed.
  public init(_ schedule: ProgramSchedule, id: String, stamp: Date) {
    (self.schedule, self.id, self.stamp) = (schedule, id, stamp)
  }

  /// With CRLF at the end of each line, none longer than 75 bytes.
  public var text: String {
    var lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Rapport//Program//EN", "CALSCALE:GREGORIAN",
      "X-WR-CALNAME:\(Self.escaped(schedule.program.title))",
    ]
    lines += zone
    // Counted within its week, so that a session that moves to another day keeps its name.
    var counts: [Int: Int] = [:]
    for planned in schedule.sessions {
      counts[planned.week, default: 0] += 1
      lines += event(planned, counts[planned.week, default: 1])
    }
    lines.append("END:VCALENDAR")
    return lines.map(Self.folded).joined()
  }

  private func event(_ planned: ProgramSchedule.Planned, _ place: Int) -> [String] {
    let session = planned.session
    let date = planned.day.filter { $0 != "-" }
    let start: [String]
    let trigger: String
    if let time = session.time {
      let clock = time.filter { $0 != ":" }
      start = [
        "DTSTART;TZID=\(schedule.timeZone.identifier):\(date)T\(clock)00",
        "DURATION:PT\(session.minutes)M",
      ]
      trigger = "-PT\(Self.alarmMinutes)M"
    } else {
      start = ["DTSTART;VALUE=DATE:\(date)"]
      trigger = "PT\(Self.alarmHour)H"
    }
    let title = Self.escaped(session.title)
    let name = "\(Self.escaped(id))-week-\(planned.week)-session-\(place)"
    return ["BEGIN:VEVENT", "UID:\(name)@rapport", "DTSTAMP:\(utc(stamp))"] + start
      + [
        "SUMMARY:\(title)", "DESCRIPTION:\(Self.escaped(description(of: planned)))",
        "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:\(trigger)", "DESCRIPTION:\(title)",
        "END:VALARM", "END:VEVENT",
      ]
  }

  private func description(of planned: ProgramSchedule.Planned) -> String {
    let exercises = planned.session.exercises.map { "\($0.name): \(DocumentWords.load(of: $0))" }
    let changes = schedule.program.progression.filter { $0.week <= planned.week }
      .map { "\(DocumentWords.fromWeek($0.week)): \($0.change)" }
    return (exercises + changes).joined(separator: "\n")
  }
}

// The time zone.
extension ProgramCalendar {
  /// The offsets that hold while the program runs.
  private var zone: [String] {
    guard schedule.sessions.contains(where: { $0.session.time != nil }) else { return [] }
    let zone = schedule.timeZone
    let end = schedule.sessions.last?.start ?? schedule.start
    var lines = ["BEGIN:VTIMEZONE", "TZID:\(zone.identifier)"]
    // A day early, so that the first session lies behind it wherever that is.
    var date = schedule.start.addingTimeInterval(-86_400)
    lines += observance(at: date, from: zone.secondsFromGMT(for: date))
    while let next = zone.nextDaylightSavingTimeTransition(after: date), next <= end, next > date {
      lines += observance(at: next, from: zone.secondsFromGMT(for: next.addingTimeInterval(-1)))
      date = next
    }
    return lines + ["END:VTIMEZONE"]
  }

  private func observance(at date: Date, from: Int) -> [String] {
    let zone = schedule.timeZone
    let name = zone.isDaylightSavingTime(for: date) ? "DAYLIGHT" : "STANDARD"
    // By the clock before the change.
    let local = date.addingTimeInterval(Double(from))
    return [
      "BEGIN:\(name)", "DTSTART:\(utc(local).dropLast())",
      "TZOFFSETFROM:\(Self.offset(from))",
      "TZOFFSETTO:\(Self.offset(zone.secondsFromGMT(for: date)))", "END:\(name)",
    ]
  }

  private static func offset(_ seconds: Int) -> String {
    let minutes = abs(seconds) / 60
    return (seconds < 0 ? "-" : "+") + twoDigits(minutes / 60) + twoDigits(minutes % 60)
  }
}

// Text.
extension ProgramCalendar {
  /// `20261129T070000Z`.
  private func utc(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", ";", ",": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static let longestLine = 75

  /// Cut between characters; what follows begins with a space.
  private static func folded(_ line: String) -> String {
    var (result, length) = ("", 0)
    for scalar in line.unicodeScalars {
      let bytes = String(scalar).utf8.count
      if length + bytes > longestLine {
        result += "\r\n "
        length = 1
      }
      result.unicodeScalars.append(scalar)
      length += bytes
    }
    return result + "\r\n"
  }
}
