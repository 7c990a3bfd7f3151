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

  /// The labelled conversations, without their labels.
  static func transcripts() throws -> [Transcript] { try rows().map(transcript) }

  /// How the offline scorer agrees with the labels, over every prefix.
  static func agreement() throws -> Agreement {
    let table = ScoreTable(try rubric())
    var agreement = Agreement(weights: table.points, readyAbove: table.readyAbove)
    for row in try rows() {
      let transcript = transcript(row)
      var known = [UInt32](repeating: 0, count: transcript.userTurns.count)
      for (bit, facet) in OfflineScorer.facets.enumerated() {
        guard let label = row["facets"]?[facet.description], let turn = label["turn"]?.intValue
        else { continue }
        for index in known.indices
        where turn <= index + 1 && index + 1 < label["until"]?.intValue ?? .max {
          known[index] |= 1 << UInt32(bit)
        }
      }
      agreement.add(truth: known, guess: OfflineScorer().knownByTurn(transcript))
    }
    return agreement
  }

  private static func rows() throws -> [JSONValue] {
    let path = root.appending(path: "Fixtures/labelled/dev.jsonl")
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
      .map { try JSONValue(parsing: String($0)) }
  }

  private static func transcript(_ row: JSONValue) -> Transcript {
    Transcript(
      (row["messages"]?.arrayValue ?? []).compactMap { message in
        guard let text = message["content"]?.stringValue else { return nil }
        return Transcript.Message(message["role"]?.stringValue == "user" ? .user : .coach, text)
      })
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
