import Foundation
import IncrementalJSON
import TestSupport

@testable import OfflineScorer

/// Labeled conversations that no training run sees.
enum UnseenSet: String, CaseIterable {
  /// By the writers of the training text.
  case familiar = "Fixtures/unseen"
  /// In registers by writers of whom nothing is learned.
  case strangers = "Fixtures/unseen/strangers"

  func rows() throws -> [JSONValue] {
    try FileManager.default.contentsOfDirectory(
      atPath: Fixtures.root.appending(path: rawValue).path
    )
    .sorted().filter { $0.hasSuffix(".jsonl") }
    .flatMap { try Fixtures.rows("\(rawValue)/\($0)") }
  }
}

/// How a scorer reads unseen text, and the files that its figures are kept in.
struct UnseenFigures {
  let tier: Tier
  let text: UnseenSet
  let conversations: [ScoredConversation]
  /// Ordinary chats, and chats that each stand for a way of writing.
  let groups: [(name: String, figures: QualityFigures)]

  init(_ tier: Tier, _ text: UnseenSet) throws {
    (self.tier, self.text) = (tier, text)
    let all = try text.rows().map { try ScoredConversation($0, by: tier) }
    conversations = all
    let ordinary = all.filter { $0.register == nil }
    groups =
      ordinary.isEmpty
      ? [("all", try QualityFigures(all))]
      : [
        ("all", try QualityFigures(all)), ("ordinary", try QualityFigures(ordinary)),
        ("registers", try QualityFigures(all.filter { $0.register != nil })),
      ]
  }

  private var folder: URL { Fixtures.root.appending(path: text.rawValue) }

  private var suffix: String { tier == .offline ? "" : "-\(tier)" }
  var file: URL { folder.appending(path: "agreement\(suffix).json") }

  func floors(_ group: String) throws -> JSONValue? {
    let file = folder.appending(path: "floors\(suffix).json")
    return try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))[group]
  }

  /// The figures as they are on file; with `RAPPORT_PRINT_QUALITY` they are also printed, with
  /// `RAPPORT_RECORD` written.
  func checked() throws -> (now: String, onFile: String) {
    let environment = ProcessInfo.processInfo.environment
    if QualityFigures.arePrinted { print("\(tier), \(text)\n\(try table())\n\(quiet)\n") }
    if environment["RAPPORT_RECORD"] != nil { try Data(json.utf8).write(to: file) }
    return (json, try String(contentsOf: file, encoding: .utf8))
  }

  /// The figures that are worse than their floors.
  func belowFloor(_ group: String) throws -> [String] {
    guard let figures = groups.first(where: { $0.name == group })?.figures,
      let floors = try floors(group)
    else { return ["no figures or floors for \(group)"] }
    return QualityFigures.names.filter { name in
      guard let floor = floors[name]?.doubleValue, let value = figures[name]?.value else {
        return true
      }
      return name == "meanAbsoluteError" ? value > floor : value < floor
    }
  }

  /// Turns that say nothing new, and those of them that gave evidence all the same.
  private var quiet: String {
    let turns = conversations.map(\.quietTurns)
    return "evidence in \(turns.reduce(0) { $0 + $1.noisy }) of \(turns.reduce(0) { $0 + $1.all }) "
      + "turns that say nothing new"
  }

  private var json: String {
    let parts = groups.map { group, figures in
      let lines = zip(QualityFigures.names, figures.figures).map { name, figure in
        "    \"\(name)\": {\"value\": \(figure.value), \"low\": \(figure.low), "
          + "\"high\": \(figure.high)}"
      }
      return "  \"\(group)\": {\n\(lines.joined(separator: ",\n"))\n  }"
    }
    return "{\n\(parts.joined(separator: ",\n"))\n}\n"
  }

  private func table() throws -> String {
    let head = Self.cell("") + groups.map { Self.cell($0.name) }.joined()
    let lines = QualityFigures.names.map { name in
      Self.cell(name) + groups.map { Self.cell($0.figures[name]) }.joined()
    }
    let registers = try Dictionary(grouping: conversations.filter { $0.register != nil }) {
      $0.register ?? ""
    }.sorted { $0.key < $1.key }.map { register, conversations in
      let figures = try QualityFigures(conversations)
      return Self.cell("  \(register)") + Self.cell(figures["f1"])
        + Self.cell(figures["meanAbsoluteError"])
    }
    return
      ([head] + lines + [Self.cell("register") + Self.cell("f1") + Self.cell("meanAbsoluteError")]
      + registers).joined(separator: "\n")
  }

  private static func cell(_ text: String) -> String {
    text.padding(toLength: 20, withPad: " ", startingAt: 0)
  }

  private static func cell(_ figure: QualityFigures.Figure?) -> String {
    guard let figure else { return cell("") }
    return cell(
      String(format: "%.3f (%.3f–%.3f)", figure.value, figure.low, figure.high))
  }
}
