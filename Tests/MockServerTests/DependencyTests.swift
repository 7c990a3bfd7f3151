import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// What the mock server links, by the package's manifest.
@Suite(.integration)
struct DependencyTests {
  private static func manifest() throws -> JSONValue {
    let scratch = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "swift", "package", "--package-path", Fixtures.root.path, "--scratch-path", scratch.path,
      "dump-package",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try JSONValue(parsing: Array(bytes))
  }

  /// The targets and products that a target is linked with, near and far.
  private static func linked(_ target: String) throws -> Set<String> {
    let targets = try manifest()["targets"]?.arrayValue ?? []
    let direct = Dictionary(
      uniqueKeysWithValues: targets.map { target in
        let names = (target["dependencies"]?.arrayValue ?? []).compactMap { dependency in
          dependency.objectValue?.first?.value[0]?.stringValue
        }
        return (target["name"]?.stringValue ?? "", names)
      })
    var linked: Set<String> = []
    var next = [target]
    while let name = next.popLast() {
      for other in direct[name] ?? [] where linked.insert(other).inserted { next.append(other) }
    }
    return linked
  }

  @Test func theMockServerLinksNoEngine() throws {
    let linked = try Self.linked("MockServer")
    #expect(linked.isSuperset(of: ["WireFormats", "LanguageModels", "NIOCore"]))
    #expect(
      linked.isDisjoint(with: [
        "Cassettes", "ContextQuality", "Intake", "Mustache", "OfflineScorer", "Rehearsal",
        "Signals",
      ]))
  }
}
