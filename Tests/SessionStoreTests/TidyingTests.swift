import Foundation
import Intake
import SessionStore
import TestSupport
import Testing

/// What a start leaves behind when nothing is said, and how it goes.
@Suite(.serialized)
final class TidyingTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rapport-tidy-\(UUID().uuidString)").path
  private var path: String { folder + "/rapport.db" }
  private let noon = Date(timeIntervalSince1970: 1_800_000_000)

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func begin(_ store: SessionStore, saying text: String? = nil) throws -> SessionID {
    let id = try store.createSession(at: noon)
    let start = SessionStart(pack: "fitness", packVersion: "1", rubricVersion: 1)
    let log = store.log(for: id)
    _ = try log.append([.started(start), .greeted(CoachReply(text: "Hello."))], at: noon)
    if let text { _ = try log.append([.userSaid(UserTurn(turn: 1, text: text))], at: noon) }
    return id
  }

  @Test func whatAnotherHasOpenStays() throws {
    let store = try SessionStore(path: path)
    let id = try begin(store)
    var writer: SessionWriter? = try store.acquireWriter(of: id)
    try store.tidy(at: noon.addingTimeInterval(200_000))
    #expect(try store.sessions().map(\.id) == [id])
    #expect(writer != nil)
    writer = nil
    try store.tidy(at: noon.addingTimeInterval(200_000))
    #expect(try store.sessions().isEmpty)
  }

  @Test func locksThatEarlierVersionsLeftGo() throws {
    let store = try SessionStore(path: path)
    for name in ["abcdefgh", "gone"] {
      try Data("99999 /dev/pts/7\n".utf8).write(to: URL(filePath: "\(path).\(name).lock"))
    }
    let held = try FileLock(path: "\(path).abcdefgh.lock")
    #expect(held != nil)
    try store.tidy(at: noon)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(files.filter { $0.hasSuffix(".lock") } == ["rapport.db.abcdefgh.lock"])
    withExtendedLifetime(held) {}
  }

  @Test func severalAreForgottenTogether() throws {
    let store = try SessionStore(path: path)
    let ids = try (0..<3).map { try begin(store, saying: "secret \($0)") }
    try store.forget([ids[0], ids[2]])
    #expect(try store.sessions().map(\.id) == [ids[1]])
    let bytes = try Data(contentsOf: URL(filePath: path))
    #expect(bytes.firstRange(of: Data("secret 2".utf8)) == nil)
  }
}
