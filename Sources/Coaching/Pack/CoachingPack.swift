public import ContextQuality
import HealthRecords
import IncrementalJSON
public import Intake

/// A pack's data for coaching: activities, the words that notes are read by, and texts.
public struct CoachingPack: Sendable {
  package let activities: [Activity]
  package let words: LogWords
  package let bounds: EntryBounds
  let bodyWords: BodyWords
  let goalWords: GoalWords
  let factWords: FactWords
  let numbers: NumberWords
  /// The activities by the first word of a name, the longest names first.
  private let named: [String: [(name: [String], activity: Activity)]]
  private let texts: [String: CoachingTexts]
  private let english: CoachingTexts
  private let byID: [String: Activity]
  private let byHealthName: [String: Activity]

  /// - Throws: `PackError` with file and reason if a file is missing or malformed.
  public init(_ pack: PromptPack) throws(PackError) {
    try self.init(files: pack.coachingFiles, folder: pack.folder)
  }

  package init(files: [String: String], folder: String) throws(PackError) {
    func file(_ path: String) throws(PackError) -> PackDocument {
      guard let text = files[path] else {
        throw PackError(file: "\(folder)/\(path)", reason: "the file is missing")
      }
      return try PackDocument(text, file: "\(folder)/\(path)")
    }
    let document = try file("coaching/activities.json")
    try document.checkKeys(of: document.root, ["activities"])
    var activities: [Activity] = []
    for (id, value) in try document.object(document.root, "activities") {
      activities.append(try Activity(id, value, document))
    }
    self.activities = activities
    bounds = try EntryBounds(try file("coaching/bounds.json"), activities, document)
    named = Dictionary(
      grouping: activities.flatMap { activity in
        activity.names.map { (name: $0, activity: activity) }
      }, by: { $0.name.first ?? "" }
    ).mapValues { $0.sorted { $0.name.count > $1.name.count } }
    let wordFile = try file("coaching/words.json")
    words = try LogWords(wordFile)
    bodyWords = try BodyWords(wordFile)
    goalWords = try GoalWords(wordFile)
    factWords = try FactWords(try file("coaching/prompts.json"))
    numbers = try NumberWords(try file("coaching/numbers.json"))
    var texts: [String: CoachingTexts] = [:]
    for (path, text) in files {
      guard path.hasPrefix("coaching/texts."), path.hasSuffix(".json") else { continue }
      let code = String(path.dropFirst("coaching/texts.".count).dropLast(".json".count))
      texts[code] = try CoachingTexts(text, code: code, file: "\(folder)/\(path)")
    }
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

  /// English if there are no texts in the language.
  public func texts(in code: String?) -> CoachingTexts {
    code.flatMap { texts[$0] } ?? english
  }

  /// `Sunday`, in English, for a model.
  func weekday(of day: Day) -> String { english.weekday(day.weekday) }

  /// The month that a word names in any of the languages, from 1.
  func month(_ word: String) -> Int? {
    texts.keys.sorted().lazy.compactMap { texts[$0]?.month(word) }.first
  }

  package subscript(activity id: String) -> Activity? { byID[id] }

  /// The activity that is named from a word on, with the longest of its names.
  func activity(namedAt index: Int, of words: [String]) -> (activity: Activity, length: Int)? {
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
    let words = LogTokens.words(of: text)
    return byID[text] ?? activities.first { $0.names.contains(words) }
      ?? activities.first { $0.titles.values.contains { LogTokens.words(of: $0) == words } }
  }

  /// The entry's activity as the log names it: an activity of the pack, or the words themselves.
  package func activity(ofWorkout type: String) -> String { byHealthName[type]?.id ?? type }
}
