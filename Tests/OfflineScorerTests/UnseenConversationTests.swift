import Foundation
import IncrementalJSON
import TestSupport
import Testing

@testable import OfflineScorer

/// How the built-in model reads conversations that it was not trained on: the quality gate.
///
/// `make quality` prints the table, and `make quality RECORD=1` writes the figures when a change is
/// intended. The floors are the worse ends of the first intervals, and are edited by hand.
struct UnseenConversationTests {
  private static let folder = Fixtures.root.appending(path: "Fixtures/unseen")

  private static let conversations = Result {
    try Fixtures.rows("Fixtures/unseen/conversations.jsonl").map(ScoredConversation.init)
  }

  /// Ordinary chats, and chats that each stand for a way of writing.
  private static let groups = Result {
    let all = try conversations.get()
    return [
      ("all", try QualityFigures(all)),
      ("ordinary", try QualityFigures(all.filter { $0.register == nil })),
      ("registers", try QualityFigures(all.filter { $0.register != nil })),
    ]
  }

  @Test func halfOfThemAreOrdinaryAndHalfStandForTenWaysOfWriting() throws {
    let registers = try Self.conversations.get().map(\.register)
    #expect(registers.count { $0 == nil } == 30)
    #expect(
      Dictionary(grouping: registers.compactMap(\.self)) { $0 }.map(\.value.count)
        == Array(repeating: 3, count: 10))
  }

  @Test func theFiguresAreThoseOnFile() throws {
    let file = Self.folder.appending(path: "agreement.json")
    let groups = try Self.groups.get()
    let text = Self.json(groups)
    let environment = ProcessInfo.processInfo.environment
    if environment["RAPPORT_PRINT_QUALITY"] != nil { print(Self.table(groups)) }
    guard environment["RAPPORT_RECORD"] == nil else {
      return try Data(text.utf8).write(to: file)
    }
    #expect(
      try String(contentsOf: file, encoding: .utf8) == text,
      "The figures have changed. If that's intended: make quality RECORD=1")
  }

  @Test(arguments: ["all", "ordinary", "registers"])
  func noFigureIsWorseThanItsFloor(group: String) throws {
    let figures = try #require(try Self.groups.get().first { $0.0 == group }?.1)
    let file = Self.folder.appending(path: "floors.json")
    let floors = try #require(
      try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))[group])
    for name in QualityFigures.names {
      let floor = try #require(floors[name]?.doubleValue, "no floor for \(name)")
      let value = try #require(figures[name]).value
      if name == "meanAbsoluteError" {
        #expect(value <= floor, "\(name)")
      } else {
        #expect(value >= floor, "\(name)")
      }
    }
  }

  @Test func theSumsGiveTheFiguresThatTheReportsGive() throws {
    let all = try Self.conversations.get()
    let agreement = try Agreement(all)
    let figures = ConversationSums.figures(all.map { ConversationSums($0, agreement) })
    let expected = [
      agreement.figures.precision, agreement.figures.recall, agreement.figures.f1,
      agreement.meanAbsoluteError, agreement.spearman, agreement.readyAgreement,
    ]
    for (figure, other) in zip(figures, expected) { #expect(abs(figure - other) < 1e-9) }
  }

  private static func json(_ groups: [(String, QualityFigures)]) -> String {
    let parts = groups.map { group, figures in
      let lines = zip(QualityFigures.names, figures.figures).map { name, figure in
        "    \"\(name)\": {\"value\": \(figure.value), \"low\": \(figure.low), "
          + "\"high\": \(figure.high)}"
      }
      return "  \"\(group)\": {\n\(lines.joined(separator: ",\n"))\n  }"
    }
    return "{\n\(parts.joined(separator: ",\n"))\n}\n"
  }

  private static func table(_ groups: [(String, QualityFigures)]) -> String {
    func cell(_ text: String) -> String { text.padding(toLength: 20, withPad: " ", startingAt: 0) }
    func digits(_ value: Double) -> String { String(format: "%.3f", value) }
    let head = cell("") + groups.map { cell($0.0) }.joined()
    let lines = QualityFigures.names.map { name in
      cell(name)
        + groups.map { group in
          group.1[name].map {
            cell("\(digits($0.value)) (\(digits($0.low))–\(digits($0.high)))")
          } ?? ""
        }.joined()
    }
    return ([head] + lines).joined(separator: "\n")
  }
}
