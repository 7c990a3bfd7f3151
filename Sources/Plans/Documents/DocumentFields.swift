import ContextQuality
import IncrementalJSON
import Intake

/// Why a document is not right: a field's place, and what is wrong with it.
struct DocumentProblem: Hashable, Sendable, CustomStringConvertible {
  /// A JSON Pointer.
  var pointer: String
  /// For a model and a person alike.
  var words: String

  var description: String { "\(pointer): \(words)" }
}

/// Reads a document from JSON, field by field. It leaves out and reports what is missing or wrong, and
/// makes nothing up.
struct DocumentFields {
  private(set) var problems: [DocumentProblem] = []

  static let longestText = 600
  static let mostItems = 40
  static let weeks = 1...26
  static let minutes = 5...240

  mutating func goal(_ root: JSONValue) -> GoalContract {
    GoalContract(
      primary: text(root["primary"], "/primary") ?? "",
      measure: optional(root["measure"], "/measure"),
      byWhen: optional(root["byWhen"], "/byWhen"), date: day(root["date"], "/date"),
      why: optional(root["why"], "/why"),
      milestones: list(root["milestones"], "/milestones") { fields, item, at in
        fields.text(item["what"], "\(at)/what").map {
          .init(what: $0, byWhen: fields.optional(item["byWhen"], "\(at)/byWhen"))
        }
      },
      restsOn: supports(root["restsOn"]))
  }

  mutating func program(_ root: JSONValue) -> TrainingProgram {
    TrainingProgram(
      title: text(root["title"], "/title") ?? "",
      weeks: number(root["weeks"], Self.weeks, "/weeks") ?? 1,
      sessions: list(root["sessions"], "/sessions") { fields, item, at in
        fields.session(item, at)
      },
      progression: list(root["progression"], "/progression") { fields, item, at in
        guard let week = fields.number(item["week"], Self.weeks, "\(at)/week"),
          let change = fields.text(item["change"], "\(at)/change")
        else { return nil }
        return .init(week: week, change: change)
      },
      adaptations: list(root["adaptations"], "/adaptations") { fields, item, at in
        guard let constraint = fields.text(item["constraint"], "\(at)/constraint"),
          let how = fields.text(item["how"], "\(at)/how")
        else { return nil }
        return .init(constraint: constraint, how: how)
      },
      restsOn: supports(root["restsOn"]))
  }

  private mutating func session(_ item: JSONValue, _ at: String) -> TrainingProgram.Session? {
    let day = item["day"]?.stringValue.flatMap(TrainingProgram.Day.init(rawValue:))
    if day == nil { report("\(at)/day", "a day such as monday", item["day"]) }
    let title = text(item["title"], "\(at)/title")
    let minutes = number(item["minutes"], Self.minutes, "\(at)/minutes")
    let exercises = list(item["exercises"], "\(at)/exercises") { fields, item, at in
      fields.exercise(item, at)
    }
    guard let day, let title, let minutes, !exercises.isEmpty else { return nil }
    return .init(
      day: day, time: time(item["time"], "\(at)/time"), title: title, minutes: minutes,
      exercises: exercises)
  }

  private mutating func exercise(
    _ item: JSONValue, _ at: String
  ) -> TrainingProgram.Exercise? {
    guard let name = text(item["name"], "\(at)/name") else { return nil }
    let exercise = TrainingProgram.Exercise(
      name: name, sets: optionalNumber(item["sets"], 1...20, "\(at)/sets"),
      repetitions: optional(item["repetitions"], "\(at)/repetitions"),
      load: optional(item["load"], "\(at)/load"),
      effort: optional(item["effort"], "\(at)/effort"),
      minutes: optionalNumber(item["minutes"], 1...240, "\(at)/minutes"),
      note: optional(item["note"], "\(at)/note"))
    guard exercise.sets != nil || exercise.minutes != nil else {
      report(at, "sets or minutes", nil)
      return nil
    }
    return exercise
  }

  private mutating func supports(_ value: JSONValue?) -> [DocumentSupport] {
    list(value, "/restsOn") { fields, item, at in
      guard let path = fields.text(item["path"], "\(at)/path"),
        let quote = fields.text(item["quote"], "\(at)/quote")
      else { return nil }
      return .init(path: path, quote: quote)
    }
  }
}

// The kinds of value.
extension DocumentFields {
  mutating func text(_ value: JSONValue?, _ at: String) -> String? {
    guard let text = value?.stringValue?.trimmed, !PlainText.isBlank(text) else {
      report(at, "a text", value)
      return nil
    }
    guard text.count <= Self.longestText else {
      report(at, "at most \(Self.longestText) characters", JSONValue(text.count))
      return nil
    }
    return PlainText.line(text)
  }

  private mutating func optional(_ value: JSONValue?, _ at: String) -> String? {
    isAbsent(value) ? nil : text(value, at)
  }

  private mutating func number(
    _ value: JSONValue?, _ range: ClosedRange<Int>, _ at: String
  ) -> Int? {
    guard let number = value?.intValue, range.contains(number) else {
      report(at, "a whole number from \(range.lowerBound) to \(range.upperBound)", value)
      return nil
    }
    return number
  }

  private mutating func optionalNumber(
    _ value: JSONValue?, _ range: ClosedRange<Int>, _ at: String
  ) -> Int? {
    isAbsent(value) ? nil : number(value, range, at)
  }

  private mutating func day(_ value: JSONValue?, _ at: String) -> String? {
    guard !isAbsent(value) else { return nil }
    guard let day = value?.stringValue.flatMap({ CalendarDay($0) }) else {
      report(at, "a day such as 2026-03-14", value)
      return nil
    }
    return day.description
  }

  private mutating func time(_ value: JSONValue?, _ at: String) -> String? {
    guard !isAbsent(value) else { return nil }
    guard let minutes = value?.stringValue.flatMap({ ClockRange.minutes($0) }) else {
      report(at, "a time such as 18:00", value)
      return nil
    }
    return ClockRange.text(minutes)
  }

  private mutating func list<Item>(
    _ value: JSONValue?, _ at: String,
    _ read: (inout DocumentFields, JSONValue, String) -> Item?
  ) -> [Item] {
    guard let items = value?.arrayValue else {
      report(at, "a list", value)
      return []
    }
    if items.count > Self.mostItems {
      report(at, "at most \(Self.mostItems) items", JSONValue(items.count))
    }
    var result: [Item] = []
    for (index, item) in items.prefix(Self.mostItems).enumerated() {
      if let item = read(&self, item, "\(at)/\(index)") { result.append(item) }
    }
    return result
  }

  private func isAbsent(_ value: JSONValue?) -> Bool {
    value == nil || value == .null || value?.stringValue?.trimmed.isEmpty == true
  }

  private mutating func report(_ at: String, _ expected: String, _ value: JSONValue?) {
    let found = value.map { String($0.serialized().prefix(60)) } ?? "nothing"
    problems.append(.init(pointer: at, words: "expected \(expected), found \(found)"))
  }
}
