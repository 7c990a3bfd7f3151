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
    func named<Name>(
      _ key: String, _ expected: String, _ read: (String) -> Name?
    ) throws(PackError) -> [(Name, WordLists)] {
      let object = try document.object(root, key)
      return try object.names.map { text throws(PackError) in
        guard let name = read(text) else {
          throw document.wrong("\(key): expected \(expected), found \(text)")
        }
        return (name, WordLists(try document.texts(.object(object), text)))
      }
    }
    self.code = code
    (skipped, weight) = (try list("skipped"), try list("weight"))
    (by, at, fillers) = (try list("by"), try list("at"), try list("fillers"))
    effortScale = try list("effortScale")
    days = try named("days", "numbers of days ago") { Int($0) }.map { ($0, $1) }
    units = try named("units", "a unit") { EntryFigures.Unit(rawValue: $0) }.map { ($0, $1) }
    effort = try named("effort", "easy, moderate or hard") { LogEntry.Effort(rawValue: $0) }.map {
      ($0, $1)
    }
    let names = (root["weekdays"]?.arrayValue ?? []).map { day in
      WordLists((day.arrayValue ?? []).compactMap(\.stringValue))
    }
    guard names.count == 7 else { throw document.wrong("weekdays: expected seven lists") }
    weekdays = names
  }
}
