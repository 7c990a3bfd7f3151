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

  struct Named: Sendable {
    var field: GoalEdit.Field
    var phrases: Phrases
  }
  /// How a rehearsal reads a change to a goal.
  struct GoalEdits: Sendable {
    /// The field's new words stand behind them.
    var cues: [Named] = []
    /// The same, where nothing else was understood.
    var otherwise: [Named] = []
    /// A milestone that is there becomes what stands behind them.
    var milestoneChanges = Phrases()
    /// What says how a goal should be, but isn't one: "more ambitious".
    var vague = Phrases()
    /// What somebody doesn't mean to reach.
    var unwanted = Phrases()
    /// Words before what they want instead: "just feel less tired".
    var leadIns = Phrases()
    /// What a field is called, for leaving it out.
    var names: [Named] = []
    var times = Phrases()
    /// A length of time, and the word that makes it a time.
    var spans = Phrases()
    var spanPrefix: String?
    /// A number and its unit.
    var amounts = Phrases()
    /// What may stand beside an amount that says nothing else.
    var fillers = Phrases()
    /// Before an amount that isn't one by which something changes: "down to 75 kg".
    var levels = Phrases()
    /// A verb with something that an amount can stand for, "lose weight", and which amounts can.
    var unnamed = Phrases()
    var unnamedAmounts = Phrases()
  }

  /// The facets behind a goal's fields.
  var goal: [String: [Facet]] = [:]
  /// The facets behind days, equipment, limits, dislikes and likes.
  var said: [String: [Facet]] = [:]
  /// A pack without any takes everything that was said as one.
  var topics: [Topic] = []
  var denied = Phrases()
  /// What makes the days of a clause others than those to train on: "I work Monday to Friday".
  var busy = Phrases()
  /// The same, where nobody asked for training days: "I ran on Monday".
  var otherDays = Phrases()
  /// The words that say what a clause means for another, or for the days in it.
  var clausePhrases: [String: Phrases] = [:]
  /// What stands between the ends of a range: "Monday to Friday".
  var rangeWord: String?
  var refused = Phrases()
  var days: [(day: TrainingProgram.Day, phrases: Phrases)] = []
  var perWeek = Phrases()
  var once = Phrases()
  var twice = Phrases()
  var daily = Phrases()
  var equipment: [Equipment] = []
  var limits: [Limit] = []
  var partsOfDay: [PartOfDay] = []
  var edits: [String: Phrases] = [:]
  /// Stems of words for the same exercise.
  var synonyms: [Set<String>] = []
  var goalEdits = GoalEdits()
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
    busy = try Phrases(reader.texts("busy"), file)
    otherDays = try Phrases(reader.texts("otherDays"), file)
    rangeWord = try reader.optionalText("rangeWord")
    for (name, value) in try reader.members("clauses") {
      clausePhrases[name] = try Phrases(value, file)
    }
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
    for (name, value) in try reader.members("edits") { edits[name] = try Phrases(value, file) }
    for value in reader.value("synonyms")?.arrayValue ?? [] {
      let words = (value.arrayValue ?? []).compactMap(\.stringValue)
      guard words.count > 1, words.count == value.arrayValue?.count else {
        throw PackError(
          file: file, reason: "synonyms: expected two words or more, found \(value.serialized())")
      }
      synonyms.append(Set(words))
    }
    if let reader = try reader.object("goalEdits") { goalEdits = try GoalEdits(reader, file) }
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

extension DocumentRules.GoalEdits {
  fileprivate init(_ reader: ObjectReader, _ file: String) throws(PackError) {
    func named(_ name: String) throws(PackError) -> [DocumentRules.Named] {
      var items: [DocumentRules.Named] = []
      for item in try reader.objects(name, most: 20) {
        items.append(
          .init(field: try item.choice("field"), phrases: try Phrases(item.texts("words"), file)))
        try item.finish()
      }
      return items
    }
    cues = try named("cues")
    otherwise = try named("otherwise")
    milestoneChanges = try Phrases(reader.texts("milestoneChanges"), file)
    vague = try Phrases(reader.texts("vague"), file)
    unwanted = try Phrases(reader.texts("unwanted"), file)
    leadIns = try Phrases(reader.texts("leadIns"), file)
    names = try named("names")
    times = try Phrases(reader.texts("times"), file)
    spans = try Phrases(reader.texts("spans"), file)
    spanPrefix = try reader.optionalText("spanPrefix")
    amounts = try Phrases(reader.texts("amounts"), file)
    fillers = try Phrases(reader.texts("fillers"), file)
    levels = try Phrases(reader.texts("levels"), file)
    unnamed = try Phrases(reader.texts("unnamed"), file)
    unnamedAmounts = try Phrases(reader.texts("unnamedAmounts"), file)
    try reader.finish()
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
}
