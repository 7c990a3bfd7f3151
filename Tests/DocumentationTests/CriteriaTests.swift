import Foundation
import TestSupport
import Testing

/// The criteria of the journeys name tests that exist.
struct CriteriaTests {
  private struct Criterion {
    var id: String
    /// Such as `JourneyTests.hoursMayCrossMidnight` or `test_page.py::test_tips`.
    var tests: [String]
  }

  private static func criteria() throws -> [Criterion] {
    let page = Fixtures.root.appending(path: "Fixtures/journeys/criteria.md")
    return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("|"), cells.count == 3,
        cells[0].wholeMatch(of: /[TSDM][0-9.]+/) != nil
      else { return nil }
      return Criterion(id: cells[0], tests: cells[2].matches(of: /`([^`]+)`/).map { String($0.1) })
    }
  }

  private static let files: [(name: String, text: String)] = ["Tests", "Server/Tests"].flatMap {
    folder in
    let root = Fixtures.root.appending(path: folder)
    return (FileManager.default.enumerator(atPath: root.path)?.allObjects ?? [])
      .compactMap { $0 as? String }
      .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".py") }
      .compactMap { path in
        (try? String(contentsOf: root.appending(path: path), encoding: .utf8)).map {
          ((path as NSString).lastPathComponent, $0)
        }
      }
  }

  @Test func everyFlowHasAllItsCriteria() throws {
    let ids = try Self.criteria().map(\.id)
    #expect(Set(ids).count == ids.count)
    for (flow, count) in [("T", 23), ("S", 13), ("D", 6)] {
      #expect(ids.filter { $0.hasPrefix(flow) } == (1...count).map { "\(flow)\($0)" })
    }
    let groups = ids.filter { $0.hasPrefix("M") }.compactMap { $0.split(separator: ".").first }
    #expect(Set(groups) == Set((1...10).map { "M\($0)" }))
  }

  @Test func everyCriterionNamesTestsThatExist() throws {
    for criterion in try Self.criteria() {
      #expect(!criterion.tests.isEmpty, "no test proves \(criterion.id)")
      for test in criterion.tests {
        #expect(Self.exists(test), "\(criterion.id) names \(test)")
      }
    }
  }

  private static func exists(_ test: String) -> Bool {
    let python = test.split(separator: "::").map(String.init)
    if python.count == 2 {
      return files.contains { $0.name == python[0] && $0.text.contains("def \(python[1])(") }
    }
    let swift = test.split(separator: ".").map(String.init)
    guard swift.count == 2 else { return false }
    return files.contains { file in
      file.name.hasSuffix(".swift") && file.text.contains("func \(swift[1])(")
        && ["struct", "class", "extension"].contains { file.text.contains("\($0) \(swift[0])") }
    }
  }
}
