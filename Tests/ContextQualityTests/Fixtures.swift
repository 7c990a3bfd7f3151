import ContextQuality
import Foundation
import IncrementalJSON

enum Fixtures {
  /// The package's top folder.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func rubric() throws -> Rubric {
    let path = root.appending(path: "Prompts/fitness/rubric.json")
    return try Rubric(json: String(contentsOf: path, encoding: .utf8))
  }

  struct Label {
    var id: String
    var facet: Facet
    var turn: Int
    var quote: String
    var userTurns: [String]
  }

  /// Every labelled facet of the labelled conversations.
  static func labels() throws -> [Label] {
    let path = root.appending(path: "Fixtures/labelled/dev.jsonl")
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").flatMap { line in
      try labels(JSONValue(parsing: String(line)))
    }
  }

  private static func labels(_ row: JSONValue) -> [Label] {
    let turns = (row["messages"]?.arrayValue ?? [])
      .filter { $0["role"]?.stringValue == "user" }
      .compactMap { $0["content"]?.stringValue }
    return (row["facets"]?.objectValue ?? [:]).compactMap { name, value in
      guard let facet = Facet(name), let turn = value["turn"]?.intValue,
        let quote = value["quote"]?.stringValue
      else { return nil }
      return Label(
        id: row["id"]?.stringValue ?? "", facet: facet, turn: turn, quote: quote, userTurns: turns)
    }
  }
}

func known(_ names: String...) -> Set<Facet> { Set(names.compactMap { Facet($0) }) }
