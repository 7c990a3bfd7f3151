import ContextQuality
import IncrementalJSON
import Intake
import Signals

/// A change that is written as `FIELD: VALUE`, with a day in front for one session of a program. It's read
/// without a model; what isn't wholly read changes nothing.
struct FieldEdit {
  enum Field: String, CaseIterable {
    case goal, measure, deadline, why, milestones
    case title, weeks, day, time, minutes, exercises

    fileprivate var kind: DocumentKind {
      switch self {
      case .goal, .measure, .deadline, .why, .milestones: .goal
      case .title, .weeks, .day, .time, .minutes, .exercises: .program
      }
    }
    fileprivate var example: String {
      switch self {
      case .goal: "goal: Run 10 km"
      case .measure: "measure: 70 kg"
      case .deadline: "deadline: 1 June"
      case .why: "why: my kids"
      case .milestones: "milestones: 5 km; 8 km"
      case .title: "title: Strong legs"
      case .weeks: "weeks: 6"
      case .day: "day: Tue Thu"
      case .time: "time: 18:30"
      case .minutes: "minutes: 30"
      case .exercises: "exercises: Plank 3x20 s; Walk 10 min"
      }
    }
  }

  private typealias Day = TrainingProgram.Day

  private let field: Field
  private let day: Day?
  private let value: String
  private let words: FieldWords
  private let today: String

  /// Nil if the words don't begin with a field of the document and a colon.
  ///
  /// - Parameter today: `yyyy-MM-dd`.
  init?(_ text: String, of kind: DocumentKind, _ words: FieldWords, today: String) {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    var name = Words(String(text[..<colon])).all[...]
    day = name.first.flatMap { words.days[$0] }
    if day != nil { name = name.dropFirst() }
    let said = name.joined(separator: " ")
    guard let field = Field.allCases.first(where: { words.names[$0]?.contains(said) == true }),
      field.kind == kind, day == nil || ![.title, .weeks].contains(field)
    else { return nil }
    (self.field, self.words, self.today) = (field, words, today)
    value = PlainText.line(String(text[text.index(after: colon)...])).trimmed
  }

  /// What a document's fields are called, each with an example.
  static func help(_ kind: DocumentKind) -> String {
    let fields = Field.allCases.filter { $0.kind == kind }.map(\.rawValue)
    return DocumentWords.fields(
      fields, example: (kind == .goal ? Field.deadline : .minutes).example,
      ofOneDay: kind == .goal ? nil : "Thu \(Field.minutes.example)")
  }

  private var misread: DraftError {
    DraftError(words: DocumentWords.misread(value, field.rawValue, example: field.example))
  }

  private var items: [String] {
    value.split(separator: ";").map { String($0).trimmed }.filter { !$0.isEmpty }
  }

  /// The text, or nil to leave the field out.
  private var text: String? {
    get throws(DraftError) {
      guard value.count <= DocumentFields.longestText else { throw misread }
      return value.isEmpty ? nil : value
    }
  }

  private func needed(_ text: String?) throws(DraftError) -> String {
    guard let text else { throw misread }
    return text
  }

  /// A number, alone or with the field's unit.
  private func number(in range: ClosedRange<Int>, _ outside: String) throws(DraftError) -> Int {
    guard let match = value.wholeMatch(of: /(\d{1,6})\s*(\p{L}*)\.?/), let number = Int(match.1),
      match.2.isEmpty || words.names[field]?.contains(Words(String(match.2)).all.joined()) == true
    else { throw misread }
    guard range.contains(number) else { throw DraftError(words: outside) }
    return number
  }
}

// Goals.
extension FieldEdit {
  func applied(to goal: GoalContract) throws(DraftError) -> GoalContract {
    var goal = goal
    var place = field.rawValue
    switch field {
    case .goal: (goal.primary, place) = (try needed(try text), "primary")
    case .measure: goal.measure = try text
    case .why: goal.why = try text
    case .milestones: goal.milestones = try text == nil ? [] : items.map { .init(what: $0) }
    default:
      (goal.date, place) = (try date, "byWhen")
      goal.byWhen = try text
    }
    // What a quote supported no longer stands there.
    goal.restsOn.removeAll { $0.path.hasPrefix("/\(place)") }
    return goal
  }

  /// `2027-06-01`, or a day and a month in any of the languages: the next one, if the year is left out.
  private var date: String? {
    get throws(DraftError) {
      guard !value.isEmpty else { return nil }
      var (day, month, year): (Int?, Int?, Int?) = (nil, nil, Int(today.prefix(4)))
      var years = year.map { [$0, $0 + 1] } ?? []
      if let iso = value.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)/) {
        (day, month, year) = (Int(iso.3), Int(iso.2), Int(iso.1))
        years = year.map { [$0] } ?? []
      } else {
        for word in Words(value).all where word != "de" && word != "of" {
          let number = word.wholeMatch(of: /(\d{1,4})(?:st|nd|rd|th)?/).flatMap { Int($0.1) }
          if month == nil, let named = words.months[word] {
            month = named
          } else if day == nil, let number, number < 32 {
            day = number
          } else if years.count == 2, let number, number > 999 {
            years = [number]
          } else {
            throw misread
          }
        }
      }
      guard let day, let month else { throw misread }
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let next = years.lazy.compactMap { CalendarDay("\($0)-\(two(month))-\(two(day))") }
        .first { $0.description >= today }
      return try needed(next?.description)
    }
  }
}

// Programs.
extension FieldEdit {
  func applied(to program: TrainingProgram) throws(DraftError) -> TrainingProgram {
    var program = program
    let meant = program.sessions.indices.filter { day == nil || program.sessions[$0].day == day }
    guard !meant.isEmpty else {
      throw DraftError(words: DocumentWords.noSession(on: day ?? .monday))
    }
    switch field {
    case .title: program.title = try needed(try text)
    case .weeks:
      program.weeks = try number(
        in: DocumentFields.weeks, DocumentWords.weeks(DocumentFields.weeks))
    case .day: try move(&program, meant)
    case .time:
      let time = ClockRange.minutes(value).map(ClockRange.text)
      if time == nil, !value.isEmpty { throw misread }
      for index in meant { program.sessions[index].time = time }
    case .exercises:
      for index in meant {
        program.sessions[index].exercises = try exercises(program.sessions[index].exercises)
      }
    default:
      let minutes = try number(
        in: DocumentFields.minutes, DocumentWords.minutes(DocumentFields.minutes))
      for index in meant { program.sessions[index].minutes = minutes }
    }
    program.sessions.sort { $0.day.number < $1.day.number }
    return program
  }

  /// Sessions on the days stay, the others come to the days that are left, and the last one is repeated on days
  /// beyond that.
  private func move(_ program: inout TrainingProgram, _ meant: [Int]) throws(DraftError) {
    let names = Words(value).all
    let days = Set(names.compactMap { words.days[$0] })
    guard !days.isEmpty, names.allSatisfy({ words.days[$0] != nil }),
      day == nil || days.count == 1
    else { throw misread }
    if day != nil {
      for (index, day) in zip(meant, days) { program.sessions[index].day = day }
      return
    }
    var others = program.sessions.filter { !days.contains($0.day) }
    let last = program.sessions.last
    program.sessions.removeAll { !days.contains($0.day) }
    for day in Day.allCases
    where days.contains(day) && !program.sessions.contains(where: { $0.day == day }) {
      guard var session = others.isEmpty ? last : others.removeFirst() else { return }
      session.day = day
      program.sessions.append(session)
    }
  }

  /// "Plank; Squat 3x8; Walk 10 min". One that is there already needs no figures.
  private func exercises(
    _ known: [TrainingProgram.Exercise]
  ) throws(DraftError) -> [TrainingProgram.Exercise] {
    func folded(_ name: String) -> [String] { Words(name).all }
    var exercises: [TrainingProgram.Exercise] = []
    for item in items {
      if let kept = known.first(where: { folded($0.name) == folded(item) }) {
        exercises.append(kept)
      } else if let match = item.wholeMatch(of: /(.+?)\s+(\d{1,2})\s*[x×]\s*(\d.*)/) {
        exercises.append(
          .init(name: String(match.1), sets: Int(match.2), repetitions: String(match.3)))
      } else if let match = item.wholeMatch(of: /(.+?)\s+(\d{1,3})\s*min\p{L}*\.?/) {
        exercises.append(.init(name: String(match.1), minutes: Int(match.2)))
      } else {
        throw misread
      }
    }
    guard !exercises.isEmpty else { throw misread }
    return exercises
  }
}

/// What fields, weekdays and months are called in the pack's languages, folded.
struct FieldWords: Sendable {
  private(set) var names: [FieldEdit.Field: [String]] = [:]
  private(set) var days: [String: TrainingProgram.Day] = [:]
  private(set) var months: [String: Int] = [:]

  init(_ pack: PromptPack) throws(PackError) {
    func folded(_ value: JSONValue?) -> [String] {
      (value?.arrayValue ?? []).compactMap(\.stringValue)
        .map { Words($0).all.joined(separator: " ") }
    }
    let path = "documents/fields.json"
    let root = try pack.documentFiles[path].map { text throws(PackError) in
      try Self.json(text, "\(pack.folder)/\(path)")
    }
    for field in FieldEdit.Field.allCases { names[field] = folded(root?[field.rawValue]) }
    for (path, text) in pack.coachingFiles {
      let name = path.dropFirst("coaching/".count)
      guard name.hasPrefix("grammar.") || name.hasPrefix("texts.") else { continue }
      let root = try Self.json(text, "\(pack.folder)/\(path)")
      for (day, names) in zip(TrainingProgram.Day.allCases, root["weekdays"]?.arrayValue ?? []) {
        for name in folded(names) { days[name] = day }
      }
      for (index, month) in folded(root["months"]).enumerated() { months[month] = index + 1 }
    }
  }

  private static func json(_ text: String, _ file: String) throws(PackError) -> JSONValue {
    do throws(JSONError) { return try JSONValue(parsing: text) } catch {
      throw PackError(file: file, reason: error.description)
    }
  }
}
