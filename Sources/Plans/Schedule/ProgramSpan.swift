public import FoundationEssentials
public import IncrementalJSON

/// How much of a program is shown.
public enum ProgramSpan: String, Hashable, Sendable, CaseIterable {
  case today, week, all
}

extension ActivePlan {
  /// The sessions of a span, and the program; nil without an active one. `rapport program --json` prints it.
  public func json(_ span: ProgramSpan, at now: Date) -> JSONValue? {
    guard let schedule else { return nil }
    return .members([
      "type": "program", "span": span.rawValue, "title": schedule.program.title,
      "weeks": schedule.program.weeks,
      "week": schedule.week(at: now).map { JSONValue($0) } ?? JSONValue.null,
      "start": schedule.day(of: schedule.start), "end": schedule.lastDay,
      "isOver": schedule.isOver(at: now), "timeZone": schedule.timeZone.identifier,
      "source": programSource, "note": programNote,
      "sessions": schedule.sessions(span, at: now).map { planned in
        var session = planned.session.json.objectValue ?? [:]
        session["week"] = JSONValue(planned.week)
        session["date"] = .string(planned.day)
        return JSONValue.object(session)
      },
      "program": schedule.program.json,
    ])
  }
}

extension ProgramSchedule {
  /// Before the program starts, its first week counts as this one.
  public func sessions(_ span: ProgramSpan, at now: Date) -> [Planned] {
    let today = day(of: now)
    switch span {
    case .today: return sessions.filter { $0.day == today }
    case .week:
      let week = week(at: now) ?? (isOver(at: now) ? nil : 1)
      return sessions.filter { $0.week == week }
    case .all: return sessions
    }
  }
}
