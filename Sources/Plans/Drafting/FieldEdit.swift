import ContextQuality
import IncrementalJSON
import Intake
import Signals

/// A change that is written as `FIELD: VALUE`, with a day in front for one session of a program. It is read
/// without a model; what is not wholly read changes nothing.
struct FieldEdit {
  enum Field: String, CaseIterable {
    case goal, measure, deadline, why, milestones
    case title, weeks, day, time, minutes, exercises

    fileprivate static func all(of kind: DocumentKind) -> [Self] {
      kind == .goal
        ? [.goal, .measure, .deadline, .why, .milestones]
        : [.title, .weeks, .day, .time, .minutes, .exercises]
    }
  }

  private let field: Field
  private let day: TrainingProgram.Day?
  private let value: String
  private let words: FieldWords
  private let today: String

  /// Nil if the words do not begin with a field of the document and a colon.
  ///
  /// - Parameter today: `yyyy-MM-dd`.
  init?(_ text: String, of kind: DocumentKind, _ words: FieldWords, today: String) {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    var name = Words(String(text[..<colon])).all[...]
    day = name.first.flatMap { words.days[$0] }
    if day != nil { name = name.dropFirst() }
    let said = name.joined(separator: " ")
    guard let field = Field.all(of: kind).first(where: { words.names[$0]?.contains(said) == true }),
      day == nil || kind == .program && ![.title, .weeks].contains(field)
    else { return nil }
    (self.field, self.words, self.today) = (field, words, today)
    value = PlainText.line(String(text[text.index(after: colon)...])).trimmed
  }

  /// Says how a change is written, and what the fields are.
  static func help(_ kind: DocumentKind, _ words: FieldWords) -> String {
    DocumentWords.fields(
      Field.all(of: kind).map(\.rawValue),
      example: words.example(kind == .goal ? .deadline : .minutes),
      ofOneDay: kind == .goal ? nil : "Thu " + words.example(.minutes))
  }

  /// - Throws: If the field cannot have the value.
  func applied(to document: DraftedDocument) throws(DraftError) -> JSONValue {
    var root = (try? JSONValue(parsing: document.json))?.objectValue ?? [:]
    if let day, document.program?.sessions.contains(where: { $0.day == day }) != true {
      throw DraftError(words: DocumentWords.noSession(on: day))
    }
    guard apply(to: &root) else { throw misread(nil) }
    var fields = DocumentFields()
    let json =
      document.kind == .goal ? fields.goal(.object(root)).json : fields.program(.object(root)).json
    if let problem = fields.problems.first { throw misread(problem.words) }
    return json
  }

  private func misread(_ problem: String?) -> DraftError {
    DraftError(
      words: DocumentWords.misread(
        value, field.rawValue, problem, example: words.example(field)))
  }

  private var items: [String] {
    value.split(separator: ";").map { String($0).trimmed }.filter { !$0.isEmpty }
  }

  private func apply(to root: inout JSONObject) -> Bool {
    // Nothing leaves the field out.
    let text: JSONValue = value.isEmpty ? .null : .string(value)
    var path = field.rawValue
    switch field {
    case .goal: (path, root["primary"]) = ("primary", text)
    case .measure, .why, .title: root[path] = text
    case .milestones: root[path] = .array(items.map { ["what": .string($0)] })
    case .deadline:
      let date = date
      guard date != nil || value.isEmpty else { return false }
      (path, root["byWhen"], root["date"]) = ("byWhen", text, .optional(date))
    case .weeks: root[path] = number
    case .day, .time, .minutes, .exercises:
      guard let sessions = sessions(root["sessions"]?.arrayValue ?? []) else { return false }
      root["sessions"] = .array(sessions)
    }
    // What a quote supported no longer stands there.
    let supports = (root["restsOn"]?.arrayValue ?? []).filter {
      $0["path"]?.stringValue?.hasPrefix("/\(path)") != true
    }
    root["restsOn"] = .array(supports)
    return true
  }

  /// Alone, or with the field's unit. Anything else is no number.
  private var number: JSONValue {
    guard let match = value.wholeMatch(of: /(\d{1,6})\s*(\p{L}*)\.?/), let number = Int(match.1),
      match.2.isEmpty || words.names[field]?.contains(Words(String(match.2)).all.joined()) == true
    else { return .string(value) }
    return JSONValue(number)
  }

  /// `2027-06-01`, or a day and a month in any of the languages: the next one, if the year is left out.
  private var date: String? {
    if CalendarDay(value) != nil { return value < today ? nil : value }
    var (day, month): (Int?, Int?) = (nil, nil)
    var years = Int(today.prefix(4)).map { [$0, $0 + 1] } ?? []
    for word in Words(value).all where word != "de" && word != "of" {
      let number = word.wholeMatch(of: /(\d{1,4})(?:st|nd|rd|th)?/).flatMap { Int($0.1) }
      if month == nil, let named = words.months[word] {
        month = named
      } else if day == nil, let number, number < 32 {
        day = number
      } else if years.count == 2, let number, number > 999 {
        years = [number]
      } else {
        return nil
      }
    }
    guard let day, let month else { return nil }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return years.map { "\($0)-\(two(month))-\(two(day))" }
      .first { CalendarDay($0) != nil && $0 >= today }
  }
}

// Sessions.
extension FieldEdit {
  private func sessions(_ known: [JSONValue]) -> [JSONValue]? {
    var sessions = known.compactMap(\.objectValue)
    if field == .day, day == nil {
      guard let moved = moved(sessions) else { return nil }
      sessions = moved
    } else {
      for index in sessions.indices
      where day == nil || sessions[index]["day"]?.stringValue == day?.rawValue {
        guard let new = value(of: sessions[index]) else { return nil }
        sessions[index][field.rawValue] = new
      }
    }
    let order = TrainingProgram.Day.allCases.map(\.rawValue)
    return order.flatMap { day in sessions.filter { $0["day"]?.stringValue == day } }
      .map(JSONValue.object)
  }

  private func value(of session: JSONObject) -> JSONValue? {
    switch field {
    case .day: return days.flatMap { $0.count == 1 ? $0.first.map(JSONValue.string) : nil }
    case .time: return .string(value)
    case .exercises:
      let exercises = items.map { exercise($0, session["exercises"]?.arrayValue ?? []) }
      return exercises.isEmpty ? nil : .array(exercises)
    default: return number
    }
  }

  /// The weekdays that are all of the value.
  private var days: [String]? {
    let names = Words(value).all
    let days = names.compactMap { words.days[$0]?.rawValue }
    return days.count == names.count && !days.isEmpty ? days : nil
  }

  /// Sessions on the days stay, the others come to the days that are left, and the last one is repeated on days
  /// beyond that.
  private func moved(_ sessions: [JSONObject]) -> [JSONObject]? {
    guard let days else { return nil }
    func day(_ session: JSONObject) -> String { session["day"]?.stringValue ?? "" }
    var others = sessions.filter { !days.contains(day($0)) }
    var moved = sessions.filter { days.contains(day($0)) }
    for new in days where !moved.contains(where: { day($0) == new }) {
      guard var session = others.isEmpty ? sessions.last : others.removeFirst() else { return nil }
      session["day"] = .string(new)
      moved.append(session)
    }
    return moved
  }

  /// "Squat 3x8" or "Walk 10 min". One that is there already needs no figures.
  private func exercise(_ item: String, _ known: [JSONValue]) -> JSONValue {
    let name = Words(item).all
    if let kept = known.first(where: { Words($0["name"]?.stringValue ?? "").all == name }) {
      return kept
    }
    if let match = item.wholeMatch(of: /(.+?)\s+(\d{1,2})\s*[x×]\s*(\d.*)/) {
      return [
        "name": .string(String(match.1)), "sets": .optional(Int(match.2)),
        "repetitions": .string(String(match.3)),
      ]
    }
    let match = item.wholeMatch(of: /(.+?)\s+(\d{1,3})\s*min\p{L}*\.?/)
    return [
      "name": .string(match.map { String($0.1) } ?? item),
      "minutes": .optional(match.flatMap { Int($0.2) }),
    ]
  }
}

/// What fields, weekdays and months are called in the pack's languages, folded.
struct FieldWords: Sendable {
  private(set) var names: [FieldEdit.Field: [String]] = [:]
  private(set) var days: [String: TrainingProgram.Day] = [:]
  private(set) var months: [String: Int] = [:]
  private var examples: [FieldEdit.Field: String] = [:]

  static let path = "documents/fields.json"

  /// A file that cannot be read has no words.
  init(_ pack: PromptPack) {
    func folded(_ value: JSONValue?) -> [String] {
      (value?.arrayValue ?? []).compactMap(\.stringValue)
        .map { Words($0).all.joined(separator: " ") }
    }
    let fields = pack.documentFiles[Self.path].flatMap { try? JSONValue(parsing: $0) }
    for field in FieldEdit.Field.allCases {
      names[field] = folded(fields?[field.rawValue]?["names"])
      examples[field] = fields?[field.rawValue]?["example"]?.stringValue
    }
    // A pack's own texts may be only those that differ.
    for (path, text) in Array(PromptPack.sharedFiles()) + Array(pack.coachingFiles)
    where path.hasPrefix("coaching/grammar.") || path.hasPrefix("coaching/texts.") {
      guard let root = try? JSONValue(parsing: text) else { continue }
      for (day, names) in zip(TrainingProgram.Day.allCases, root["weekdays"]?.arrayValue ?? []) {
        for name in folded(names) { days[name] = day }
      }
      for (index, month) in folded(root["months"]).enumerated() { months[month] = index + 1 }
    }
  }

  /// `minutes: 30`.
  func example(_ field: FieldEdit.Field) -> String {
    "\(field.rawValue): \(examples[field] ?? "…")"
  }
}
