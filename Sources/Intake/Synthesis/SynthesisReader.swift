import ContextQuality
package import FoundationEssentials
import IncrementalJSON

/// Reads a coaching system from a model's JSON, field by field.
///
/// It omits and reports a field that is missing or has the wrong shape, without a default.
package struct SynthesisReader {
  struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// JSON Pointer of the field.
    var pointer: String
    var expected: String
    var found: String
    /// Whether the field was missing.
    var isAbsence: Bool { found == Problem.nothing }

    static let nothing = "nothing"

    var description: String { "\(pointer): expected \(expected), found \(found)" }
  }

  /// The `notedAt` day to use if the model gave none, as `yyyy-MM-dd`; nil reports it instead.
  let today: String?
  private(set) var problems: [Problem] = []

  init(today: String?) { self.today = today }

  package static let mostInitialFocus = 3

  mutating func read(_ root: JSONValue) -> CoachingSystem {
    problems = []
    var system = CoachingSystem()
    system.personaProfile = persona(root["personaProfile"])
    system.userGoals = goals(root["userGoals"])
    system.constraints = constraints(root["constraints"])
    system.coachingPlan = plan(root["coachingPlan"])
    return system
  }

  private mutating func persona(_ value: JSONValue?) -> PersonaProfile {
    let at = "/personaProfile"
    var profile = PersonaProfile()
    guard let value = object(value, at) else { return profile }
    profile.role = text(value, "role", at)
    profile.personality = texts(value, "personality", at)
    profile.philosophy = text(value, "philosophy", at)
    profile.communicationStyle = text(value, "communicationStyle", at)
    profile.toneModulation = toneShifts(value["toneModulation"], "\(at)/toneModulation")
    return profile
  }

  private mutating func toneShifts(
    _ value: JSONValue?, _ at: String
  ) -> [PersonaProfile.ToneShift]? {
    guard let items = array(value, at) else { return nil }
    return items.enumerated().compactMap { index, item in
      guard let when = text(item, "when", "\(at)/\(index)"),
        let tone = text(item, "tone", "\(at)/\(index)")
      else { return nil }
      return PersonaProfile.ToneShift(when: when, tone: tone)
    }
  }

  private mutating func goals(_ value: JSONValue?) -> UserGoals {
    let at = "/userGoals"
    var goals = UserGoals()
    guard let value = object(value, at) else { return goals }
    goals.primary = text(value, "primary", at, optional: true)
    goals.timeline = text(value, "timeline", at, optional: true)
    goals.deeper = text(value, "deeper", at, optional: true)
    goals.milestones = texts(value, "milestones", at)
    return goals
  }

  private mutating func constraints(_ value: JSONValue?) -> Constraints {
    let at = "/constraints"
    var constraints = Constraints()
    guard let value = object(value, at) else { return constraints }
    for (name, path) in Constraints.lists {
      guard let items = array(value[name], "\(at)/\(name)") else { continue }
      constraints[keyPath: path] = items.enumerated().compactMap { index, item in
        constraint(item, "\(at)/\(name)/\(index)")
      }
    }
    return constraints
  }

  private mutating func constraint(_ value: JSONValue, _ at: String) -> Constraint? {
    guard let value = object(value, at),
      let type = text(value, "type", at), let detail = text(value, "detail", at)
    else { return nil }
    let notedAt = day(value, "notedAt", at)
    if notedAt == nil, today == nil, isAbsent(value["notedAt"]) {
      report("\(at)/notedAt", "a day such as 2026-01-31", "nothing")
    }
    return Constraint(
      type: type, detail: detail,
      severity: text(value, "severity", at, optional: true),
      limitations: isAbsent(value["limitations"]) ? nil : texts(value, "limitations", at),
      impact: text(value, "impact", at, optional: true),
      availability: text(value, "availability", at, optional: true),
      notedAt: notedAt ?? today ?? "",
      startsAt: day(value, "startsAt", at), expiresAt: day(value, "expiresAt", at))
  }

  private mutating func plan(_ value: JSONValue?) -> CoachingPlan {
    let at = "/coachingPlan"
    var plan = CoachingPlan()
    guard let value = object(value, at) else { return plan }
    plan.approach = text(value, "approach", at)
    plan.checkInFrequency = text(value, "checkInFrequency", at, optional: true)
    plan.initialFocus = texts(value, "initialFocus", at)
    if let focus = plan.initialFocus, focus.count > Self.mostInitialFocus {
      report("\(at)/initialFocus", "at most \(Self.mostInitialFocus) items", "\(focus.count)")
      plan.initialFocus = Array(focus.prefix(Self.mostInitialFocus))
    }
    plan.styleNotes = texts(value, "styleNotes", at)
    plan.redFlags = texts(value, "redFlags", at)
    plan.firstAction = text(value, "firstAction", at)
    return plan
  }
}

// Shapes.
extension SynthesisReader {
  private mutating func object(_ value: JSONValue?, _ at: String) -> JSONValue? {
    guard let value, value.objectValue != nil else {
      report(at, "an object", value)
      return nil
    }
    return value
  }

  private mutating func array(_ value: JSONValue?, _ at: String) -> [JSONValue]? {
    guard let items = value?.arrayValue else {
      report(at, "an array", value)
      return nil
    }
    return items
  }

  private mutating func text(
    _ object: JSONValue, _ key: String, _ at: String, optional: Bool = false
  ) -> String? {
    if optional && isAbsent(object[key]) { return nil }
    guard let text = object[key]?.stringValue?.trimmed, !text.isEmpty else {
      report("\(at)/\(key)", "a text", object[key])
      return nil
    }
    return text
  }

  private mutating func texts(_ object: JSONValue, _ key: String, _ at: String) -> [String]? {
    guard let items = array(object[key], "\(at)/\(key)") else { return nil }
    return items.enumerated().compactMap { index, item in
      guard let text = item.stringValue?.trimmed, !text.isEmpty else {
        report("\(at)/\(key)/\(index)", "a text", item)
        return nil
      }
      return text
    }
  }

  /// A day as `yyyy-MM-dd`; a longer timestamp is cut to its day.
  private mutating func day(_ object: JSONValue, _ key: String, _ at: String) -> String? {
    guard !isAbsent(object[key]) else { return nil }
    guard let day = object[key]?.stringValue.flatMap({ CalendarDay($0) }) else {
      report("\(at)/\(key)", "a day such as 2026-03-14", object[key])
      return nil
    }
    return day.description
  }

  private func isAbsent(_ value: JSONValue?) -> Bool {
    value == nil || value == .null || value?.stringValue?.trimmed.isEmpty == true
  }

  private mutating func report(_ at: String, _ expected: String, _ value: JSONValue?) {
    report(at, expected, value.map { String($0.serialized().prefix(60)) } ?? Problem.nothing)
  }

  private mutating func report(_ at: String, _ expected: String, _ found: String) {
    problems.append(Problem(pointer: at, expected: expected, found: found))
  }
}

/// A day in the Gregorian calendar, without a time or time zone.
public struct CalendarDay: Hashable, Sendable, CustomStringConvertible {
  /// Days since 1970-01-01.
  let number: Int
  /// As `yyyy-MM-dd`.
  public let description: String

  /// Reads `yyyy-MM-dd`, alone or at the start of a timestamp.
  public init?(_ text: String) {
    let day = String(text.prefix(10))
    let rest = text.utf8.dropFirst(10).first
    // Dates that don't exist, such as February 30, are read as other days.
    guard rest == nil || rest == UInt8(ascii: "T") || rest == UInt8(ascii: " "),
      let date = try? Date(day, strategy: .iso8601.year().month().day()),
      Self.text(of: date) == day
    else { return nil }
    (number, description) = (Int((date.timeIntervalSince1970 / 86_400).rounded(.down)), day)
  }

  /// `Sunday, 2026-11-29`; text that is no day as it is.
  static func withWeekday(_ day: String) -> String {
    guard let date = CalendarDay(day) else { return day }
    // The first day was a Thursday.
    return "\(weekdays[((date.number % 7) + 7) % 7]), \(date.description)"
  }

  private static let weekdays = [
    "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
  ]

  /// The day of a time, in UTC.
  package static func text(of date: Date) -> String {
    String(date.formatted(.iso8601.year().month().day()).prefix(10))
  }
}
