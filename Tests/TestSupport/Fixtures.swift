public import ContextQuality
public import Foundation
public import IncrementalJSON

/// The repository's rubric and labelled conversations.
public enum Fixtures {
  /// The package's top folder.
  public static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  public static func rubric() throws -> Rubric {
    let path = root.appending(path: "Prompts/fitness/rubric.json")
    return try Rubric(json: String(contentsOf: path, encoding: .utf8))
  }

  public struct Label: Sendable {
    public var id: String
    public var facet: Facet
    public var turn: Int
    public var quote: String
    public var userTurns: [String]
  }

  /// Every labelled facet of the labelled conversations.
  public static func labels(_ path: String = "Fixtures/labelled/dev.jsonl") throws -> [Label] {
    try rows(path).flatMap(labels(of:))
  }

  /// The labelled facets of the conversations in other ways of writing.
  public static func registerLabels() throws -> [Label] {
    let folder = root.appending(path: "Training/registers")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".jsonl") && $0 != "unlabelled.jsonl" }.sorted()
      .flatMap { try labels("Training/registers/\($0)") }
  }

  /// The labelled conversations, without their labels.
  public static func transcripts() throws -> [Transcript] { try rows().map(transcript) }

  /// The rows of a file of labelled conversations, by default those that the scorer was trained on.
  public static func rows(
    _ path: String = "Fixtures/labelled/dev.jsonl"
  ) throws -> [JSONValue] {
    let path = root.appending(path: path)
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
      .map { try JSONValue(parsing: String($0)) }
  }

  public static func transcript(_ row: JSONValue) -> Transcript {
    Transcript(
      (row["messages"]?.arrayValue ?? []).compactMap { message in
        guard let text = message["content"]?.stringValue else { return nil }
        return Transcript.Message(message["role"]?.stringValue == "user" ? .user : .coach, text)
      })
  }

  /// The labelled facets of a conversation.
  public static func labels(of row: JSONValue) -> [Label] {
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

public func known(_ names: String...) -> Set<Facet> { Set(names.compactMap { Facet($0) }) }
