public import ContextQuality
import HealthRecords
import IncrementalJSON
public import Intake
public import Plans

/// A pack's data for coaching: activities, the grammar of the typed log, and texts.
public struct CoachingPack: Sendable {
  package let activities: [Activity]
  package let bounds: EntryBounds
  /// Parts of the body and their names.
  private let body: [(part: String, names: WordLists)]
  let dateWords: DateWords
  /// By their languages' codes.
  let grammars: [GrammarWords]
  let factWords: FactWords
  let numbers: NumberWords
  /// The activities by the first word of a name, the longest names first.
  private let named: [String: [(name: [String], activity: Activity)]]
  private let texts: [String: CoachingTexts]
  private let english: CoachingTexts
  private let byID: [String: Activity]
  private let byHealthName: [String: Activity]

  /// Finds the days that take turns since a journey among a session's events.
  let cycle: @Sendable ([RecordedEvent]) -> DayCycle?

  /// - Parameter cycle: Finds the days that take turns since a journey among a session's events, as the
  ///   `dayCycle(after:)` of a pack with journeys.
  /// - Throws: `PackError` with file and reason if a file is missing or malformed.
  public init(
    _ pack: PromptPack, cycle: @escaping @Sendable ([RecordedEvent]) -> DayCycle? = { _ in nil }
  ) throws(PackError) {
    try self.init(files: pack.coachingFiles, folder: pack.folder, cycle: cycle)
  }

  package init(
    files: [String: String], folder: String,
    cycle: @escaping @Sendable ([RecordedEvent]) -> DayCycle? = { _ in nil }
  ) throws(PackError) {
    self.cycle = cycle
    func file(_ path: String) throws(PackError) -> PackDocument {
      guard let text = files[path] else {
        throw PackError(file: "\(folder)/\(path)", reason: "the file is missing")
      }
      return try PackDocument(text, file: "\(folder)/\(path)")
    }
    var faults = PackFaults()
    let document = try file("coaching/activities.json")
    faults.gather { () throws(PackError) in
      try document.checkKeys(of: document.root, ["activities"])
    }
    var activities: [Activity] = []
    for (id, value) in try document.object(document.root, "activities") {
      let activity = faults.gather { () throws(PackError) in try Activity(id, value, document) }
      if let activity { activities.append(activity) }
    }
    self.activities = activities
    bounds = try EntryBounds(try file("coaching/bounds.json"), activities, document)
    named = Dictionary(
      grouping: activities.flatMap { activity in
        activity.names.map { (name: $0, activity: activity) }
      }, by: { $0.name.first ?? "" }
    ).mapValues { $0.sorted { $0.name.count > $1.name.count } }
    try Self.refuseOldFiles(files, folder)
    dateWords = try DateWords(try file("coaching/dates.json"))
    body = try Self.bodyParts(try file("coaching/body.json"))
    factWords = try FactWords(try file("coaching/prompts.json"))
    numbers = try NumberWords(try file("coaching/numbers.json"))
    var texts: [String: CoachingTexts] = [:]
    let shared = PromptPack.sharedFiles()
    for (code, path) in Self.languages(files, of: "texts") {
      texts[code] = faults.gather { () throws(PackError) in
        try CoachingTexts(
          files[path] ?? "", over: shared[path], code: code, file: "\(folder)/\(path)")
      }
    }
    try faults.raise()
    var grammars: [GrammarWords] = []
    for (code, path) in Self.languages(files, of: "grammar") {
      grammars.append(try GrammarWords(try file(path), code: code))
    }
    self.grammars = grammars
    guard let english = texts["en"] else {
      throw PackError(file: "\(folder)/coaching/texts.en.json", reason: "the file is missing")
    }
    self.texts = texts
    self.english = english
    byID = Dictionary(activities.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    byHealthName = Dictionary(
      activities.flatMap { activity in activity.healthNames.map { ($0, activity) } },
      uniquingKeysWith: { first, _ in first })
  }

  private static func refuseOldFiles(_ files: [String: String], _ folder: String) throws(PackError)
  {
    guard files["coaching/words.json"] != nil else { return }
    throw PackError(
      file: "\(folder)/coaching/words.json",
      reason: "it's no longer read: coaching/grammar.CODE.json has the words of the typed log")
  }

  private static func bodyParts(
    _ file: PackDocument
  ) throws(PackError) -> [(part: String, names: WordLists)] {
    var body: [(part: String, names: WordLists)] = []
    for (part, _) in file.root.objectValue ?? [:] {
      body.append((part, WordLists(try file.texts(file.root, part))))
    }
    return body
  }

  /// The codes of the languages that have a file of a name, and their paths, in order.
  private static func languages(
    _ files: [String: String], of name: String
  ) -> [(code: String, path: String)] {
    files.keys.sorted().compactMap { path in
      let prefix = "coaching/\(name)."
      guard path.hasPrefix(prefix), path.hasSuffix(".json") else { return nil }
      return (String(path.dropFirst(prefix.count).dropLast(".json".count)), path)
    }
  }

  /// English if there are no texts in the language.
  public func texts(in code: String?) -> CoachingTexts {
    code.flatMap { texts[$0] } ?? english
  }

  /// The activities of which no one-repetition maximum is estimated.
  var unraced: Set<String> { Set(activities.filter { $0.pace != .kilometers }.map(\.id)) }
  var withoutMaximum: Set<String> { Set(activities.filter { !$0.hasMaximum }.map(\.id)) }

  /// `Sunday`, in English, for a model.
  func weekday(of day: Day) -> String { english.weekday(day.weekday) }

  /// The month that a word names in any of the languages, from 1.
  func month(_ word: String) -> Int? {
    texts.keys.sorted().lazy.compactMap { texts[$0]?.month(word) }.first
  }

  /// The parts of the body that a text names.
  func parts(in text: String) -> Set<String> {
    let words = PlainWords.split(text)
    return Set(body.filter { $0.names.isIn(words) }.map(\.part))
  }

  /// Whether a unit such as `kg` stands at a place.
  func isUnit(at index: Int, of words: [String]) -> Bool {
    grammars.contains { $0.units.contains { $0.names.length(at: index, of: words) != nil } }
  }

  package subscript(activity id: String) -> Activity? { byID[id] }

  /// The activity that is named from a word on, with the longest of its names.
  func activity(namedAt index: Int, of words: [String]) -> (activity: Activity, length: Int)? {
    guard words.indices.contains(index) else { return nil }
    for (name, activity) in named[words[index]] ?? [] where words[index...].starts(with: name) {
      return (activity, name.count)
    }
    return nil
  }

  /// What an entry's activity is called.
  package func title(of activity: String, in code: String = "en") -> String {
    byID[activity]?.title(in: code) ?? activity
  }

  /// The activity that a word names; nil if the pack has none.
  package func activity(named text: String) -> Activity? {
    let words = PlainWords.split(text)
    return byID[text] ?? activities.first { $0.names.contains(words) }
  }

  /// The entry's activity as the log names it: an activity of the pack, or the words themselves.
  package func activity(ofWorkout type: String) -> String { byHealthName[type]?.id ?? type }
}
