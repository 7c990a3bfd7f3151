import Foundation
import Glibc
import SessionStore
import TestSupport
import Testing

/// Who may write a conversation. `SessionsCommandTests` tries it with two processes.
final class WriterLocksTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rapport-writers-\(UUID().uuidString)").path
  private var path: String { folder + "/rapport.db" }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func holder(
    _ store: SessionStore, _ session: SessionID
  ) -> SessionHolder? {
    do {
      let writer = try store.acquireWriter(of: session)
      withExtendedLifetime(writer) {}
      return nil
    } catch {
      guard case .sessionHeld(let holder) = error.code else { return nil }
      return holder
    }
  }

  @Test func aConversationHasOneWriter() throws {
    let (store, other) = (try SessionStore(path: path), try SessionStore(path: path))
    let session = SessionID(rawValue: "aaaaaaaa")
    var writer: SessionWriter? = try store.acquireWriter(of: session)
    #expect(holder(store, session)?.process == getpid())
    #expect(holder(other, session)?.process == getpid())
    #expect(writer != nil)
    writer = nil
    #expect(holder(store, session) == nil)
    #expect(holder(other, session) == nil)
  }

  @Test func othersAreFree() throws {
    let (store, other) = (try SessionStore(path: path), try SessionStore(path: path))
    // More than there are records, so that some share one.
    let sessions = (0..<5_000).map { SessionID(rawValue: "session-\($0)") }
    let writers = try sessions.map { try store.acquireWriter(of: $0) }
    let held = sessions.compactMap { holder(other, $0) }
    #expect(held.count == sessions.count)
    let known = held.filter { $0.process == getpid() }
    #expect(known.count > 2_000)
    #expect(held.allSatisfy { [0, getpid()].contains($0.process) })
    #expect(holder(other, SessionID(rawValue: "another")) == nil)
    withExtendedLifetime(writers) {}
  }

  @Test func whatIsLetGoLeavesNothing() throws {
    let store = try SessionStore(path: path)
    for name in ["first", String(repeating: "long", count: 100)] {
      let session = SessionID(rawValue: name)
      let writer = try store.acquireWriter(of: session)
      #expect(holder(store, session) != nil)
      withExtendedLifetime(writer) {}
    }
    let bytes = try Data(contentsOf: URL(filePath: path + ".writers"))
    #expect(!bytes.isEmpty && bytes.allSatisfy { $0 == 0 })
    #expect(bytes.count <= 512 << 10)
  }

  @Test func whatAKilledProcessLeftIsErased() throws {
    let store = try SessionStore(path: path)
    let file = URL(filePath: path + ".writers")
    try Data("abcdefgh 99999 /dev/pts/7\n".utf8).write(to: file)
    var writer: SessionWriter? = try store.acquireWriter(of: SessionID(rawValue: "aaaaaaaa"))
    try store.tidy(at: Date())
    #expect(try !Data(contentsOf: file).isEmpty)
    #expect(writer != nil)
    writer = nil
    try store.tidy(at: Date())
    #expect(try Data(contentsOf: file).isEmpty)
  }

  @Test func aFileThatWasRemovedIsMadeAgain() throws {
    let (store, other) = (try SessionStore(path: path), try SessionStore(path: path))
    let session = SessionID(rawValue: "aaaaaaaa")
    #expect(holder(store, session) == nil && holder(other, session) == nil)
    try FileManager.default.removeItem(atPath: path + ".writers")
    let writer = try store.acquireWriter(of: session)
    #expect(holder(other, session)?.process == getpid())
    withExtendedLifetime(writer) {}
  }

  @Test func aLinkIsNotFollowed() throws {
    let store = try SessionStore(path: path)
    let target = folder + "/elsewhere"
    try FileManager.default.createSymbolicLink(
      atPath: path + ".writers", withDestinationPath: target)
    #expect(throws: StoreError.self) {
      try store.acquireWriter(of: SessionID(rawValue: "aaaaaaaa"))
    }
    #expect(!FileManager.default.fileExists(atPath: target))
    try Data("mine".utf8).write(to: URL(filePath: target))
    try store.tidy(at: Date())
    #expect(try Data(contentsOf: URL(filePath: target)) == Data("mine".utf8))
  }
}
