import Foundation
import Synchronization
import Testing

@testable import Cassettes

/// A folder that is gone with the test.
final class Folder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/cassettes-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }
}

struct CassetteFileTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func cassette(_ title: String) -> Cassette { Cassette(title: title, rubricVersion: 1) }

  private func title(_ path: String) throws -> String {
    try Cassette(parsing: Array(try Data(contentsOf: URL(filePath: path)))).title
  }

  @Test func whatIsWrittenIsThereAndNothingElse() throws {
    let path = folder.path + "/a.json"
    let file = try CassetteFile(path: path, overwrites: false)
    #expect(try folder.names() == [])
    try file.write(cassette("one"))
    try file.write(cassette("two"))
    #expect(try title(path) == "two")
    #expect(try folder.names() == ["a.json"])
    try file.remove()
    try file.remove()
    #expect(try folder.names() == [])
  }

  @Test func whatCannotBeWrittenFailsBeforeAnythingIsSaid() throws {
    try Data("x".utf8).write(to: URL(filePath: folder.path + "/file"))
    for path in [
      folder.path, folder.path + "/", folder.path + "/none/a.json", folder.path + "/file/a.json",
      "/proc/a.json", "/dev/null", "",
    ] {
      #expect(throws: CassetteFile.Failure.self, "\(path)") {
        try CassetteFile(path: path, overwrites: true)
      }
    }
  }

  @Test func anExistingFileIsReplacedOnlyWhereThatIsAllowed() throws {
    let path = folder.path + "/a.json"
    try CassetteFile(path: path, overwrites: false).write(cassette("old"))
    let failure = #expect(throws: CassetteFile.Failure.self) {
      try CassetteFile(path: path, overwrites: false)
    }
    #expect(failure?.code == .taken)
    let file = try CassetteFile(path: path, overwrites: true)
    #expect(try title(path) == "old", "nothing changes before there is something to write")
    try file.write(cassette("new"))
    #expect(try title(path) == "new")
  }

  @Test func aLinkStaysALink() throws {
    let target = folder.path + "/target.json"
    let link = folder.path + "/link.json"
    try CassetteFile(path: target, overwrites: false).write(cassette("old"))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    try CassetteFile(path: link, overwrites: true).write(cassette("new"))
    #expect(try title(target) == "new")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
  }

  /// Of two at once one wins whole, at every moment.
  @Test func recordersAtTheSameTimeNeverMix() async throws {
    let path = folder.path + "/a.json"
    let files = try (0..<4).map { _ in try CassetteFile(path: path, overwrites: true) }
    let titles = (0..<4).map { String(repeating: "\($0)", count: 50_000) }
    try files[0].write(cassette(titles[0]))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<4 {
        let (file, cassette) = (files[index], cassette(titles[index]))
        group.addTask { for _ in 0..<20 { try file.write(cassette) } }
      }
      for _ in 0..<200 {
        let seen = try title(path)
        #expect(titles.contains(seen))
      }
      try await group.waitForAll()
    }
    #expect(try folder.names() == ["a.json"])
  }
}
