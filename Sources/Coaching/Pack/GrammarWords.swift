import ContextQuality
import IncrementalJSON

/// The words of the typed log's grammar in one language, from a pack's `coaching/grammar.CODE.json`.
struct GrammarWords: Sendable {
  let code: String
  let skipped, weight: WordLists
  /// Days ago; -1 is tomorrow.
  let days: [(ago: Int, names: WordLists)]
  /// From Monday.
  let weekdays: [WordLists]
  let units: [(unit: EntryFigures.Unit, names: WordLists)]
  let effort: [(effort: LogEntry.Effort, names: WordLists)]
  /// Before an effort out of ten: "RPE 8".
  let effortScale: WordLists
  /// What stands between sets and repetitions.
  let by: WordLists
  /// Before a load.
  let at: WordLists
  /// What may stand anywhere and says nothing: "in", "of".
  let fillers: WordLists

  init(_ document: PackDocument, code: String) throws(PackError) {
    let root = document.root
    try document.checkKeys(
      of: root,
      [
        "skipped", "weight", "days", "weekdays", "units", "effort", "effortScale", "by", "at",
        "fillers",
      ])
    func list(_ key: String) throws(PackError) -> WordLists {
      WordLists(try document.texts(root, key))
    }
    func named(_ key: String) throws(PackError) -> [(name: String, names: WordLists)] {
      let object = JSONValue.object(try document.object(root, key))
      var lists: [(name: String, names: WordLists)] = []
      for (name, _) in object.objectValue ?? [:] {
        lists.append((name, WordLists(try document.texts(object, name))))
      }
      return lists
    }
    self.code = code
    (skipped, weight) = (try list("skipped"), try list("weight"))
    (by, at, fillers) = (try list("by"), try list("at"), try list("fillers"))
    effortScale = try list("effortScale")
    var days: [(ago: Int, names: WordLists)] = []
    for (name, names) in try named("days") {
      guard let ago = Int(name) else {
        throw document.wrong("days: expected numbers of days ago, found \(name)")
      }
      days.append((ago, names))
    }
    self.days = days
    var units: [(unit: EntryFigures.Unit, names: WordLists)] = []
    for (name, names) in try named("units") {
      guard let unit = EntryFigures.Unit(rawValue: name) else {
        throw document.wrong("units: there is no unit \(name)")
      }
      units.append((unit, names))
    }
    self.units = units
    var efforts: [(effort: LogEntry.Effort, names: WordLists)] = []
    for (name, names) in try named("effort") {
      guard let effort = LogEntry.Effort(rawValue: name) else {
        throw document.wrong("effort: expected easy, moderate or hard, found \(name)")
      }
      efforts.append((effort, names))
    }
    effort = efforts
    let names = (root["weekdays"]?.arrayValue ?? []).map { day in
      WordLists((day.arrayValue ?? []).compactMap(\.stringValue))
    }
    guard names.count == 7 else { throw document.wrong("weekdays: expected seven lists") }
    weekdays = names
  }
}
