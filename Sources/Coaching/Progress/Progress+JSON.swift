import HealthRecords
public import IncrementalJSON
import Intake

extension Progress {
  /// For programs, in metric units; `docs/log.md` describes the members.
  public var json: JSONValue { json(nil) }

  /// The same, with titles and texts for a person.
  package func json(_ text: EntryText?) -> JSONValue {
    .members([
      ("today", .string(today.description)), ("sessions", JSONValue(sessions)),
      (
        "streak",
        ["weeks": JSONValue(streak.weeks), "longest": JSONValue(streak.longest)]
      ),
      (
        "adherence",
        adherence.map { ["planned": JSONValue($0.planned), "done": JSONValue($0.done)] }
      ),
      ("weeks", .array(weeks.map(\.json))),
      ("activities", .array(activities.map { $0.json(text) })),
      (
        "milestones",
        .array(
          milestones.map { milestone in
            .members([
              ("topic", .string(milestone.topic)), ("date", .string(milestone.day.description)),
              ("activity", .string(milestone.activity)), ("entry", JSONValue(milestone.entry)),
              ("text", text.map { .string($0.words(for: milestone)) }),
            ])
          })
      ),
      ("weight", weight?.json),
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
      ("activity", .string(activity)), ("title", text.map { .string($0.title(of: activity)) }),
      ("bestText", text.map { .string($0.figure(best.value, measure, of: activity)) }),
      ("paceOver", measure == .pace ? text.map { paceLength($0) } : nil),
      ("measure", .string(measure.rawValue)),
      ("best", best.json), ("heaviest", heaviest?.kilograms.map { .number(rounding: $0) }),
      ("farthest", farthest?.kilometers.map { .number(rounding: $0) }),
      (
        "trend",
        trend.map {
          [
            "direction": .string($0.direction.rawValue), "perWeek": .number(rounding: $0.perWeek),
            "noise": .number(rounding: $0.noise), "sessions": JSONValue($0.sessions),
          ]
        }
      ),
      (
        "plateau",
        plateau.map {
          [
            "from": .string($0.from.description), "through": .string($0.through.description),
            "entries": .array($0.entries.map { JSONValue($0) }),
          ]
        }
      ),
      ("sessions", .array(sessions.map(\.json))),
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
      (
        "days",
        .array(
          days.map {
            ["date": .string($0.day.description), "kilograms": .number(rounding: $0.kilograms)]
          })
      ),
      ("perWeek", perWeek.map { .number(rounding: $0) }),
      (
        "line",
        line.map {
          [
            ["date": .string($0.from.description), "kilograms": .number(rounding: $0.begins)],
            ["date": .string($0.through.description), "kilograms": .number(rounding: $0.ends)],
          ]
        }
      ),
    ])
  }
}

extension JSONValue {
  /// To hundredths.
  fileprivate static func number(rounding value: Double) -> JSONValue {
    JSONValue((value * 100).rounded() / 100) ?? .null
  }
}
