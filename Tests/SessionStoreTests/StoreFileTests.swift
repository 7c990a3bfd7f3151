import Foundation
import GRDB
import Glibc
import Intake
import SessionStore
import Testing

/// What is found in the place of the store, and who else is in it.
@Suite(.serialized)
final class StoreFileTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rapport-file-\(UUID().uuidString)").path
  private var path: String { folder + "/rapport.db" }
  private let noon = Date(timeIntervalSince1970: 1_800_000_000)

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func code(_ work: () throws -> Void) -> StoreError.Code? {
    #expect(throws: StoreError.self, performing: work)?.code
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// A closed store with one conversation, as bytes.
  private func written() throws -> [UInt8] {
    let store = try SessionStore(path: path)
    let id = try store.createSession(at: noon)
    _ = try store.log(for: id).append([.userSaid(UserTurn(turn: 1, text: "hello"))], at: noon)
    try DatabaseQueue(path: path).vacuum(into: folder + "/copy.db")
    return Array(try Data(contentsOf: URL(filePath: folder + "/copy.db")))
  }

  private func put(_ bytes: [UInt8]) throws {
    for name in try names() { try FileManager.default.removeItem(atPath: folder + "/" + name) }
    try Data(bytes).write(to: URL(filePath: path))
  }

  @Test func lookingForAStoreMakesNone() throws {
    #expect(try SessionStore.existing(at: path) == nil)
    #expect(try SessionStore.existing(at: folder + "/no/such/folder.db") == nil)
    try put([])
    #expect(try SessionStore.existing(at: path) == nil)
    #expect(try names() == ["rapport.db"])
  }

  @Test(arguments: [0..<16, 0..<100, 16..<18, 68..<72])
  func aStoreWhoseHeaderIsDamagedIsStillKnownAndLeftAsItIs(range: Range<Int>) throws {
    var bytes = try written()
    for place in range { bytes[place] = 0xEE }
    try put(bytes)
    #expect(code { _ = try SessionStore.existing(at: path) } == .damaged)
    #expect(code { _ = try SessionStore(path: path) } == .damaged)
    #expect(Array(try Data(contentsOf: URL(filePath: path))) == bytes)
  }

  @Test func nothingIsLaidBesideOrChangedInAForeignDatabase() throws {
    let theirs = try DatabaseQueue(path: path)
    try theirs.inDatabase {
      try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE theirs (a)")
    }
    chmod(path, 0o644)
    let (before, bytes) = (try names(), try Data(contentsOf: URL(filePath: path)))
    #expect(code { _ = try SessionStore(path: path) } == .notAStore)
    #expect(try names() == before)
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    #expect(try mode(path) == 0o644)
    withExtendedLifetime(theirs) {}
  }

  @Test func whatIsNoFileIsNoStoreAndNotWaitedFor() throws {
    #expect(mkfifo(path, 0o600) == 0)
    #expect(code { _ = try SessionStore(path: path) } == .notAStore)
    #expect(code { _ = try SessionStore(path: "/dev/null") } == .notAStore)
    guard case .cannotOpen = code({ _ = try SessionStore(path: folder) }) else {
      Issue.record("a folder was opened")
      return
    }
  }

  @Test func aStoreThatOthersCouldReadIsClosedToThem() throws {
    try put(try written())
    chmod(path, 0o644)
    chmod(folder, 0o755)
    let store = try SessionStore(path: path)
    StoreLocation.tightenFolder(of: path)
    for name in try names() { #expect(try mode(folder + "/" + name) == 0o600, "\(name)") }
    #expect(try mode(folder) == 0o700)
    withExtendedLifetime(store) {}
  }

  /// A refused wish to be alone must not cost a process its place in the store.
  @Test func nobodyForgetsWhileAnotherIsIn() throws {
    var stores = [try SessionStore(path: path), try SessionStore(path: path)]
    let id = try stores[0].createSession(at: noon)
    for _ in 0..<2 {
      for store in stores { #expect(code { try store.forget(id) } == .inUse) }
    }
    #expect(try stores[0].sessions().map(\.id) == [id])
    stores.removeLast()
    try stores[0].forget(id)
    #expect(try SessionStore(path: path).sessions().isEmpty)
  }

  /// A process was killed between writing the header that says "write-ahead log" and dropping the
  /// rollback journal that takes it back (format: sqlite.org/fileformat.html, section 3).
  @Test(arguments: [true, false])
  func aStoreWhoseLastStepIsTakenBackIsMadeToTheEnd(isHot: Bool) throws {
    let before = try written()
    var after = before
    after.replaceSubrange(18...19, with: [2, 2])
    try put(after)
    let page = Int(before[16]) << 8 | Int(before[17])
    func number(_ value: Int) -> [UInt8] {
      withUnsafeBytes(of: UInt32(value).bigEndian) { Array($0) }
    }
    var journal: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    for field in [1, 0, before.count / page, 512, page] { journal += number(field) }
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    let sum = stride(from: page - 200, to: 0, by: -200).reduce(0) { $0 + Int(before[$1]) }
    journal += number(1) + before.prefix(page) + number(sum)
    if !isHot { journal.replaceSubrange(0..<28, with: repeatElement(0, count: 28)) }
    try Data(journal).write(to: URL(filePath: path + "-journal"))

    let stores = try (0..<2).map { _ in try SessionStore(path: path) }
    for store in stores { #expect(try store.sessions().count == 1) }
    let mode = try DatabaseQueue(path: path).inDatabase {
      try String.fetchOne($0, sql: "PRAGMA journal_mode")
    }
    #expect(mode == "wal")
  }

  @Test func aStoreThatWasNotFinishedIs() throws {
    try put(try written())
    let ids = try (0..<3).map { _ in try SessionStore(path: path).sessions().map(\.id) }
    #expect(Set(ids).count == 1 && ids[0].count == 1)
    let mode = try DatabaseQueue(path: path).inDatabase {
      try String.fetchOne($0, sql: "PRAGMA journal_mode")
    }
    #expect(mode == "wal")
  }
}
