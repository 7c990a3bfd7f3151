public import IncrementalJSON

/// One week of sessions, how many weeks it is repeated, and what changes on the way.
public struct TrainingProgram: Hashable, Sendable {
  public enum Day: String, Hashable, Sendable, CaseIterable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// From 1 for Monday to 7, as in ISO 8601.
    public var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
  }

  public struct Exercise: Hashable, Sendable {
    public var name: String
    public var sets: Int?
    /// Such as `8-10`.
    public var repetitions: String?
    /// Such as `12 kg`.
    public var load: String?
    /// Such as `RPE 7`.
    public var effort: String?
    public var minutes: Int?
    public var note: String?
  }

  public struct Session: Hashable, Sendable {
    public var day: Day
    /// In the person's time zone, as `18:00`; nil if it is open.
    public var time: String?
    public var title: String
    public var minutes: Int
    public var exercises: [Exercise]
  }

  /// What changes from a week on, counted from 1.
  public struct Change: Hashable, Sendable {
    public var week: Int
    public var change: String
  }

  /// What the program does about a limit.
  public struct Adaptation: Hashable, Sendable {
    public var constraint: String
    public var how: String
  }

  public var title: String
  public var weeks: Int
  /// One week of it, in order.
  public var sessions: [Session]
  public var progression: [Change] = []
  public var adaptations: [Adaptation] = []
  /// The words that it rests on.
  public var restsOn: [DocumentSupport] = []
}

extension TrainingProgram {
  /// Reads what is valid in it; nil without a session.
  public init?(json: JSONValue) {
    var fields = DocumentFields()
    self = fields.program(json)
    if sessions.isEmpty { return nil }
  }

  public var json: JSONValue {
    [
      "title": .string(title), "weeks": JSONValue(weeks),
      "sessions": .array(sessions.map(\.json)),
      "progression": .array(
        progression.map { ["week": JSONValue($0.week), "change": .string($0.change)] }),
      "adaptations": .array(
        adaptations.map { ["constraint": .string($0.constraint), "how": .string($0.how)] }),
      "restsOn": .array(restsOn.map(\.json)),
    ]
  }
}

extension TrainingProgram.Session {
  public var json: JSONValue {
    [
      "day": .string(day.rawValue), "time": .optional(time), "title": .string(title),
      "minutes": JSONValue(minutes), "exercises": .array(exercises.map(\.json)),
    ]
  }
}

extension TrainingProgram.Exercise {
  var json: JSONValue {
    [
      "name": .string(name), "sets": .optional(sets), "repetitions": .optional(repetitions),
      "load": .optional(load), "effort": .optional(effort), "minutes": .optional(minutes),
      "note": .optional(note),
    ]
  }
}
