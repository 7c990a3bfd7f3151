import HealthRecords
public import IncrementalJSON
import Intake

extension Progress {
  /// For programs, in metric units; `docs/log.md` describes the members.
  public var json: JSONValue { json(nil) }

  /// The same, with titles and texts for a person.
  package func json(_ text: EntryText?) -> JSONValue {
    .members([
      "today": today.description, "sessions": sessions,
      "streak": JSONValue.members(["weeks": streak.weeks, "longest": streak.longest]),
      "adherence": adherence.map {
        JSONValue.members(["planned": $0.planned, "done": $0.done])
      },
      "weeks": weeks.map(\.json),
      "activities": activities.map { $0.json(text) },
      "milestones": milestones.map { milestone in
        JSONValue.members([
          "topic": milestone.topic, "date": milestone.day.description,
          "activity": milestone.activity, "entry": milestone.entry,
          "text": text?.words(for: milestone),
        ])
      },
      "weight": weight?.json,
    ])
  }
}

extension Progress.Week {
  fileprivate var json: JSONValue {
    [
      "monday": .string(monday.description), "sessions": JSONValue(sessions),
      "skipped": JSONValue(skipped), "kilograms": .number(rounding: kilograms),
      "kilometers": .number(rounding: kilometers), "minutes": .number(rounding: minutes),
    ]
  }
}

extension ActivityProgress {
  /// The distance that a pace is for, such as 100 m of swimming.
  private func paceLength(_ text: EntryText) -> JSONValue {
    let length = text.paceLength(of: activity)
    return ["kilometers": JSONValue(length.kilometers) ?? .null, "unit": .string(length.unit)]
  }

  fileprivate func json(_ text: EntryText?) -> JSONValue {
    .members([
      "activity": activity, "title": text?.title(of: activity),
      "bestText": text?.figure(best.value, measure, of: activity),
      "paceOver": measure == .pace ? text.map { paceLength($0) } : nil,
      "measure": measure.rawValue, "best": best.json,
      "heaviest": heaviest?.kilograms.map { JSONValue.number(rounding: $0) },
      "farthest": farthest?.kilometers.map { JSONValue.number(rounding: $0) },
      "trend": trend.map {
        JSONValue.members([
          "direction": $0.direction.rawValue, "perWeek": JSONValue.number(rounding: $0.perWeek),
          "noise": JSONValue.number(rounding: $0.noise), "sessions": $0.sessions,
        ])
      },
      "plateau": plateau.map {
        JSONValue.members([
          "from": $0.from.description, "through": $0.through.description, "entries": $0.entries,
        ])
      },
      "sessions": sessions.map(\.json),
    ])
  }
}

extension ActivityProgress.Session {
  fileprivate var json: JSONValue {
    [
      "date": .string(day.description), "value": .number(rounding: value),
      "entry": JSONValue(entry),
    ]
  }
}

extension WeightTrend {
  fileprivate var json: JSONValue {
    .members([
      "days": days.map { Self.point($0.day, $0.kilograms) },
      "perWeek": perWeek.map { JSONValue.number(rounding: $0) },
      "line": line.map { [Self.point($0.from, $0.begins), Self.point($0.through, $0.ends)] },
    ])
  }

  private static func point(_ day: Day, _ kilograms: Double) -> JSONValue {
    .members(["date": day.description, "kilograms": JSONValue.number(rounding: kilograms)])
  }
}

extension JSONValue {
  /// To hundredths.
  fileprivate static func number(rounding value: Double) -> JSONValue {
    JSONValue((value * 100).rounded() / 100) ?? .null
  }
}
