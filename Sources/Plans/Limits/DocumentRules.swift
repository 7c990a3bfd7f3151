package import ContextQuality
import IncrementalJSON
package import Intake
import Signals

/// What a pack says about documents: whose words matter for what, and what goes with what.
package struct DocumentRules: Sendable {
  struct Equipment: Sendable {
    var name: String
    /// In an exercise's name.
    var used: Phrases
    /// In what the person says they have.
    var owned: Phrases
  }
  struct Limit: Sendable {
    var name: String
    var said: Phrases
    var avoided: Phrases
  }

  struct PartOfDay: Sendable {
    var name: String
    var said: Phrases
    /// In minutes since midnight.
    var minutes: ClosedRange<Int>
    /// When a session begins if the person names only the part of the day.
    var usual: Int
  }

  /// Something that documents rest on, and what to call it if it changes.
  package struct Topic: Sendable {
    package var id: String
    /// Behind "You changed".
    package var name: String
    /// Nil for whatever no other topic holds.
    package var facets: [Facet]?
    package var documents: [DocumentKind]
  }

  /// The facets behind a goal's fields.
  var goal: [String: [Facet]] = [:]
  /// The facets behind days, equipment, limits, dislikes and likes.
  var said: [String: [Facet]] = [:]
  /// A pack without any takes everything that was said as one.
  var topics: [Topic] = []
  /// What says that something is not so.
  var denied = Phrases()
  /// What comes before something else than what was said so far: "any day but Sunday".
  var exceptions = Phrases()
  /// What stands between the ends of a range: "Monday to Friday".
  var ranges = Phrases()
  var refused = Phrases()
  var days: [(day: TrainingProgram.Day, phrases: Phrases)] = []
  var perWeek = Phrases()
  var once = Phrases()
  var twice = Phrases()
  var daily = Phrases()
  var equipment: [Equipment] = []
  var limits: [Limit] = []
  var partsOfDay: [PartOfDay] = []
  /// What tells hours and lengths of time.
  var times: [String: Phrases] = [:]
  /// What tells by when: "by June".
  var deadlines = Phrases()
  var template: JSONValue = [:]

  static let path = "documents/rules.json"
  static let members = [
    "goal", "said", "topics", "denied", "exceptions", "ranges", "refused", "days", "perWeek",
    "equipment", "limits", "partsOfDay", "times", "deadlines", "template",
  ]
  static let templateMembers = [
    "goalNote", "programNote", "notSaid", "title", "sessionTitle", "weeks", "minutes", "days",
    "exercises", "progression", "adaptation",
  ]
  /// The names that mean something in objects whose other names would have no effect.
  private static let named = [
    "goal": ["primary", "measure", "byWhen", "why"],
    "said": ["days", "equipment", "limits", "dislikes", "likes"],
    "times": ["minutes", "hour", "halfHour", "noon", "time"],
    "template": templateMembers,
  ]

  /// A pack without the file has no rules.
  ///
  /// - Throws: `PackError` with everything that is wrong.
  package init(_ pack: PromptPack) throws(PackError) {
    guard let text = pack.documentFiles[Self.path] else { return }
    let document = try PackDocument(text, file: "\(pack.folder)/\(Self.path)")
    let reader = try ObjectReader(document.root, at: "", in: document)
    var faults = PackFaults()
    let goals = faults.gather { () throws(PackError) in try reader.members("goal") }
    for (name, value) in goals ?? [] {
      goal[name] = Self.facets(value, document, pack.rubric, &faults)
    }
    let sayings = faults.gather { () throws(PackError) in try reader.members("said") }
    for (name, value) in sayings ?? [] {
      said[name] = Self.facets(value, document, pack.rubric, &faults)
    }
    faults.gather { () throws(PackError) in try readTopics(reader) }
    faults.gather { () throws(PackError) in try readDays(reader) }
    faults.gather { () throws(PackError) in try readThings(reader) }
    faults.gather { () throws(PackError) in try readTimes(reader) }
    for facet in topics.flatMap({ $0.facets ?? [] }) where pack.rubric[facet] == nil {
      faults.add(
        document.wrong(
          "topics: \(facet) isn't a facet of the rubric\(pack.rubric.hint(for: "\(facet)"))",
          in: .string("\(facet)")))
    }
    template = reader.value("template") ?? [:]
    for (name, known) in Self.named.sorted(by: { $0.key < $1.key }) {
      guard let value = document.root[name] else { continue }
      faults.gather { () throws(PackError) in try document.checkKeys(of: value, known) }
    }
    faults.gather { () throws(PackError) in
      try document.checkKeys(of: document.root, Self.members)
    }
    try faults.raise()
  }

  private mutating func readTopics(_ reader: ObjectReader) throws(PackError) {
    for (id, value) in try reader.members("topics") {
      let item = try ObjectReader(value, at: "topics: \(id)", in: reader.document)
      topics.append(
        Topic(
          id: id, name: try item.text("name"), facets: try item.facets("facets"),
          documents: try item.texts("documents").compactMap(DocumentKind.init(rawValue:))))
      try item.finish()
    }
  }

  private mutating func readDays(_ reader: ObjectReader) throws(PackError) {
    denied = try reader.phrases("denied")
    exceptions = try reader.phrases("exceptions")
    ranges = try reader.phrases("ranges")
    refused = try reader.phrases("refused")
    for (name, value) in try reader.members("days") {
      guard let day = TrainingProgram.Day(rawValue: name) else {
        throw reader.document.wrong(
          "days: expected monday to sunday, found \(name)", at: name,
          in: reader.object["days"])
      }
      days.append((day, try Phrases(value, reader.document)))
    }
    guard let counts = try reader.object("perWeek") else { return }
    perWeek = try counts.phrases("numbers")
    once = try counts.phrases("once")
    twice = try counts.phrases("twice")
    daily = try counts.phrases("daily")
    try counts.finish()
  }

  private mutating func readThings(_ reader: ObjectReader) throws(PackError) {
    for item in try reader.objects("equipment", most: 100) {
      equipment.append(
        Equipment(
          name: try item.text("name"), used: try item.phrases("in"), owned: try item.phrases("has"))
      )
      try item.finish()
    }
    for item in try reader.objects("limits", most: 100) {
      limits.append(
        Limit(
          name: try item.text("name"), said: try item.phrases("said"),
          avoided: try item.phrases("avoid")))
      try item.finish()
    }
  }

  private mutating func readTimes(_ reader: ObjectReader) throws(PackError) {
    for item in try reader.objects("partsOfDay", most: 20) {
      let (from, to, usual) = (try item.text("from"), try item.text("to"), try item.text("usual"))
      guard let start = ClockRange.minutes(from), let end = ClockRange.minutes(to), start < end,
        let usual = ClockRange.minutes(usual), (start...end).contains(usual)
      else {
        throw reader.document.wrong(
          "partsOfDay: expected times in order, found \(from), \(usual) and \(to)",
          in: .object(item.object))
      }
      partsOfDay.append(
        PartOfDay(
          name: try item.text("name"), said: try item.phrases("said"), minutes: start...end,
          usual: usual))
      try item.finish()
    }
    for (name, value) in try reader.members("times") {
      times[name] = try Phrases(value, reader.document)
    }
    deadlines = try reader.phrases("deadlines")
  }

  /// Rules that cannot be read are reported where a document is drafted.
  package static func topics(of pack: PromptPack) -> [Topic] {
    let topics = (try? DocumentRules(pack))?.topics ?? []
    return topics.isEmpty
      ? [Topic(id: "all", name: "some of your answers", documents: DocumentKind.allCases)]
      : topics
  }

  private static func facets(
    _ value: JSONValue, _ document: PackDocument, _ rubric: Rubric, _ faults: inout PackFaults
  ) -> [Facet] {
    (value.arrayValue ?? [value]).compactMap { value in
      faults.gather { () throws(PackError) in
        try document.facet(value, of: "documents", rubric)
      }
    }
  }
}

extension ObjectReader {
  fileprivate func phrases(_ name: String) throws(PackError) -> Phrases {
    try Phrases(texts(name), document)
  }
}

/// Phrases of a rules file, in the syntax of the care phrases.
struct Phrases: Sendable {
  private var patterns: [PhrasePattern] = []

  init() {}

  init(_ lines: [String], _ document: PackDocument) throws(PackError) {
    var faults = PackFaults()
    for line in lines {
      do throws(PhrasePattern.Malformed) {
        patterns.append(try PhrasePattern(Array(line.utf8)[...]))
      } catch {
        faults.add(document.wrong("\"\(line)\": \(error.reason)", in: .string(line)))
      }
    }
    try faults.raise()
  }

  init(_ value: JSONValue, _ document: PackDocument) throws(PackError) {
    try self.init((value.arrayValue ?? []).compactMap(\.stringValue), document)
  }

  func places(in words: [String]) -> [Range<Int>] {
    let text = PhrasePattern.Text(words)
    return patterns.flatMap { (pattern: PhrasePattern) -> [Range<Int>] in
      pattern.matches(in: text)
    }
  }

  func match(_ words: [String]) -> Bool { !places(in: words).isEmpty }

  func match(_ text: String) -> Bool { Words(text).sentences.contains { match($0) } }

  /// The first and longest piece of a text that matches, as it stands there.
  func first(in text: String) -> String? {
    let tokens = text.split(whereSeparator: \.isWhitespace)
    let words = tokens.enumerated().flatMap { token, text in
      Words(String(text)).all.map { (word: $0, token: token) }
    }
    let found = places(in: words.map(\.word)).filter { !$0.isEmpty }
      .min { ($0.lowerBound, -$0.upperBound) < ($1.lowerBound, -$1.upperBound) }
    guard let found else { return nil }
    let piece = tokens[words[found.lowerBound].token...words[found.upperBound - 1].token]
      .joined(separator: " ")
    return String(piece.reversed().drop(while: \.isPunctuation).reversed())
  }
}
