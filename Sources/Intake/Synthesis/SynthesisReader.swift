import ContextQuality
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
    read(.personaProfile, of: root, &system)
    read(.userGoals, of: root, &system)
    system.constraints = constraints(root["constraints"])
    read(.coachingPlan, of: root, &system)
    return system
  }

  private mutating func read(
    _ section: ProfileField.Section, of root: JSONValue, _ system: inout CoachingSystem
  ) {
    let at = "/\(section.rawValue)"
    guard let value = object(root[section.rawValue], at) else { return }
    for field in ProfileField.all(in: section) {
      switch field.content {
      case .text(let path):
        system[keyPath: path] = text(value, field.name, at, optional: field.isOptional)
      case .list(let path):
        var items = texts(value, field.name, at)
        if let most = field.most, let found = items, found.count > most {
          report(field.pointer, "at most \(most) items", "\(found.count)")
          items = Array(found.prefix(most))
        }
        system[keyPath: path] = items
      case .tones(let path):
        system[keyPath: path] = toneShifts(value[field.name], field.pointer)
      }
    }
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
