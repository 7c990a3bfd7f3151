import ContextQuality
import IncrementalJSON
import Intake
import Signals

/// What a pack says about documents: whose words matter for what, and what goes with what.
struct DocumentRules: Sendable {
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
    /// When a session begins if no more than the part is said.
    var usual: Int
  }

  /// Something that documents rest on, and what to call it if it changes.
  struct Topic: Sendable {
    var id: String
    /// Behind "You changed".
    var name: String
    /// Nil for whatever no other topic holds.
    var facets: [Facet]?
    var documents: [DocumentKind]
  }

  /// The facets behind a goal's fields.
  var goal: [String: [Facet]] = [:]
  /// The facets behind days, equipment, limits, dislikes and likes.
  var said: [String: [Facet]] = [:]
  /// A pack without any takes everything that was said as one.
  var topics: [Topic] = []
  /// What says that something isn't so.
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

  /// A pack without the file has no rules.
  init(_ pack: PromptPack) throws(PackError) {
    guard let text = pack.documentFiles[Self.path] else { return }
    let file = "\(pack.folder)/\(Self.path)"
    let root: JSONValue
    do throws(JSONError) { root = try JSONValue(parsing: text) } catch {
      throw PackError(file: file, reason: error.description)
    }
    let reader = try ObjectReader(root, at: "", file: file)
    for (name, value) in try reader.members("goal") { goal[name] = try Self.facets(value, file) }
    for (name, value) in try reader.members("said") { said[name] = try Self.facets(value, file) }
    for (id, value) in try reader.members("topics") {
      let item = try ObjectReader(value, at: "topics: \(id)", file: file)
      topics.append(
        Topic(
          id: id, name: try item.text("name"), facets: try item.facets("facets"),
          documents: try item.texts("documents").compactMap(DocumentKind.init(rawValue:))))
      try item.finish()
    }
    denied = try Phrases(reader.texts("denied"), file)
    exceptions = try Phrases(reader.texts("exceptions"), file)
    ranges = try Phrases(reader.texts("ranges"), file)
    refused = try Phrases(reader.texts("refused"), file)
    for (name, value) in try reader.members("days") {
      guard let day = TrainingProgram.Day(rawValue: name) else {
        throw PackError(file: file, reason: "days: expected monday to sunday, found \(name)")
      }
      days.append((day, try Phrases(value, file)))
    }
    if let counts = try reader.object("perWeek") {
      perWeek = try Phrases(counts.texts("numbers"), file)
      once = try Phrases(counts.texts("once"), file)
      twice = try Phrases(counts.texts("twice"), file)
      daily = try Phrases(counts.texts("daily"), file)
      try counts.finish()
    }
    for item in try reader.objects("equipment", most: 100) {
      equipment.append(
        Equipment(
          name: try item.text("name"), used: try Phrases(item.texts("in"), file),
          owned: try Phrases(item.texts("has"), file)))
      try item.finish()
    }
    for item in try reader.objects("limits", most: 100) {
      limits.append(
        Limit(
          name: try item.text("name"), said: try Phrases(item.texts("said"), file),
          avoided: try Phrases(item.texts("avoid"), file)))
      try item.finish()
    }
    for item in try reader.objects("partsOfDay", most: 20) {
      let (from, to, usual) = (try item.text("from"), try item.text("to"), try item.text("usual"))
      guard let start = ClockRange.minutes(from), let end = ClockRange.minutes(to), start < end,
        let usual = ClockRange.minutes(usual), (start...end).contains(usual)
      else {
        throw PackError(
          file: file,
          reason: "partsOfDay: expected times in order, found \(from), \(usual) and \(to)")
      }
      partsOfDay.append(
        PartOfDay(
          name: try item.text("name"), said: try Phrases(item.texts("said"), file),
          minutes: start...end, usual: usual))
      try item.finish()
    }
    for (name, value) in try reader.members("times") { times[name] = try Phrases(value, file) }
    deadlines = try Phrases(reader.texts("deadlines"), file)
    template = reader.value("template") ?? [:]
    try reader.finish()
  }

  /// Rules that can't be read are reported where a document is drafted.
  static func topics(of pack: PromptPack) -> [Topic] {
    let topics = (try? DocumentRules(pack))?.topics ?? []
    return topics.isEmpty
      ? [Topic(id: "all", name: "some of your answers", documents: DocumentKind.allCases)]
      : topics
  }

  private static func facets(_ value: JSONValue, _ file: String) throws(PackError) -> [Facet] {
    let facets = (value.arrayValue ?? []).compactMap(\.stringValue).compactMap { Facet($0) }
    guard facets.count == value.arrayValue?.count else {
      throw PackError(file: file, reason: "expected facets such as goalClarity.outcome")
    }
    return facets
  }
}

/// Phrases of a rules file, in the syntax of the care phrases.
struct Phrases: Sendable {
  private var patterns: [PhrasePattern] = []

  init() {}

  init(_ lines: [String], _ file: String) throws(PackError) {
    for line in lines {
      do throws(PhrasePattern.Malformed) {
        patterns.append(try PhrasePattern(Array(line.utf8)[...]))
      } catch {
        throw PackError(file: file, reason: "\"\(line)\": \(error.reason)")
      }
    }
  }

  init(_ value: JSONValue, _ file: String) throws(PackError) {
    try self.init((value.arrayValue ?? []).compactMap(\.stringValue), file)
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
