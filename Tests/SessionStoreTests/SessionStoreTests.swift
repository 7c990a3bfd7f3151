import ContextQuality
import Foundation
import GRDB
import Glibc
import IncrementalJSON
import Intake
import SessionStore
import TestSupport
import Testing

@Suite(.serialized)
final class SessionStoreTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rapport-store-\(UUID().uuidString)").path
  private var path: String { folder + "/state/rapport.db" }
  private let noon = Date(timeIntervalSince1970: 1_800_000_000)

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func said(_ turn: Int, _ text: String) -> IntakeEvent {
    .userSaid(UserTurn(turn: turn, text: text))
  }

  private func code(_ work: () throws -> Void) -> StoreError.Code? {
    #expect(throws: StoreError.self, performing: work)?.code
  }

  @Test(arguments: [mode_t(0), mode_t(0o022)])
  func filesArePrivateWhateverTheMask(mask: mode_t) throws {
    let before = umask(mask)
    defer { umask(before) }
    let store = try SessionStore(path: path)
    let id = try store.createSession(at: noon)
    let writer = try store.acquireWriter(of: id)
    for file in try FileManager.default.contentsOfDirectory(atPath: folder + "/state") {
      let full = folder + "/state/" + file
      let mode = try FileManager.default.attributesOfItem(atPath: full)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(file)")
    }
    let mode = try FileManager.default.attributesOfItem(atPath: folder + "/state")[
      .posixPermissions]
    #expect(mode as? Int == 0o700)
    withExtendedLifetime(writer) {}
  }

  @Test func foreignFilesAreLeftAlone() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/state", withIntermediateDirectories: true)
    try Data("hello, I am a text file, and long enough to look like one".utf8).write(
      to: URL(filePath: path))
    #expect(code { _ = try SessionStore(path: path) } == .notAStore)
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("hello"))
    try FileManager.default.removeItem(atPath: path)
    try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE theirs (a)") }
    #expect(code { _ = try SessionStore(path: path) } == .notAStore)
  }

  @Test func aFullDiskIsSaidAndNothingIsHalfWritten() throws {
    let store = try SessionStore(path: path)
    let id = try store.createSession(at: noon)
    let log = store.log(for: id)
    _ = try log.append([said(1, "before")], at: noon)
    try store.limitSize(pages: 12)
    let large = String(repeating: "x", count: 200_000)
    #expect(code { _ = try log.append([said(2, large)], at: noon) } == .cannotWrite)
    #expect(try store.events(of: id).count == 1)
    let check = try DatabaseQueue(path: path).read {
      try String.fetchOne($0, sql: "PRAGMA integrity_check")
    }
    #expect(check == "ok")
  }

  /// Whatever became of the bytes, opening and reading says so or works, and changes nothing.
  @Test func damagedFilesAreNeverOverwritten() throws {
    let store = try SessionStore(path: path)
    let id = try store.createSession(at: noon)
    for turn in 1...20 { _ = try store.log(for: id).append([said(turn, "word \(turn)")], at: noon) }
    let copy = folder + "/copy.db"
    try DatabaseQueue(path: path).vacuum(into: copy)
    let whole = Array(try Data(contentsOf: URL(filePath: copy)))
    var random = SeededGenerator(seed: 5)
    let rounds = Soak.rounds(40, soak: 1_000)
    for round in 0..<rounds {
      var bytes = whole
      if round % 4 == 0 {
        bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
      } else {
        for _ in 0..<8 {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        }
      }
      let damaged = folder + "/damaged-\(round).db"
      try Data(bytes).write(to: URL(filePath: damaged))
      do throws(StoreError) {
        let store = try SessionStore(path: damaged)
        for session in try store.sessions() { _ = try store.events(of: session.id) }
      } catch {
        guard error.code == .notAStore else { continue }
        #expect(Array(try Data(contentsOf: URL(filePath: damaged))) == bytes)
      }
    }
  }

  @Test func forgettingLeavesNoWordInAnyFile() throws {
    let words = "my knee from the marathon in Ulm"
    var store: SessionStore? = try SessionStore(path: path)
    let id = try #require(try store?.createSession(at: noon))
    let kept = try #require(try store?.createSession(at: noon))
    _ = try store?.log(for: id).append([said(1, words), .discoveryCompleted], at: noon)
    _ = try store?.log(for: kept).append([said(1, "this one stays")], at: noon)
    try store?.forget(id)
    #expect(try store?.sessions().map(\.id) == [kept])
    #expect(try store?.hasFinishedDiscovery() == true, "no second free discovery")
    store = nil
    for file in try FileManager.default.contentsOfDirectory(atPath: folder + "/state") {
      let bytes = try Data(contentsOf: URL(filePath: folder + "/state/" + file))
      #expect(bytes.firstRange(of: Data(words.utf8)) == nil, "\(file)")
    }
  }

  @Test func theLocationFollowsTheXDGSpecification() throws {
    #expect(
      try StoreLocation.path(environment: ["HOME": "/h"]) == "/h/.local/state/rapport/rapport.db")
    #expect(
      try StoreLocation.path(environment: ["HOME": "/h", "XDG_STATE_HOME": "/s"])
        == "/s/rapport/rapport.db")
    #expect(
      try StoreLocation.path(environment: ["HOME": "/h", "XDG_STATE_HOME": "s"])
        == "/h/.local/state/rapport/rapport.db")
    #expect(code { _ = try StoreLocation.path(environment: [:]) } == .noFolder)
  }

  @Test func aTranscriptLineHasTheFacetsWithTheirTurns() throws {
    let facet = Facet(component: "goalClarity", name: "outcome")
    let target = Facet(component: "goalClarity", name: "target")
    let events: [IntakeEvent] = [
      .greeted(CoachReply(text: "Hey")), said(1, "lose 20 lb"),
      .scored(
        Scoring(
          turns: [1],
          evidence: [
            Evidence(facet: facet, quote: "lose 20 lb", turn: 1),
            Evidence(facet: target, quote: "20 lb", turn: 1),
          ])),
      said(2, "forget the 20 lb, just get fitter"),
      .scored(
        Scoring(
          turns: [2], evidence: [Evidence(facet: facet, quote: "get fitter", turn: 2)],
          retracted: [Retraction(facet: target, quote: "forget the 20 lb", turn: 2)])),
    ]
    let recorded = events.enumerated().map {
      RecordedEvent(position: $0.offset + 1, at: noon, event: $0.element)
    }
    let rubricPath = try CaseFile.packageRoot().appending(path: "Prompts/fitness/rubric.json")
    let export = SessionExport(
      session: SessionID(rawValue: "abc"), events: recorded,
      rubric: try Rubric(json: String(contentsOf: rubricPath, encoding: .utf8)))
    let line = try JSONValue(parsing: try export.text(.jsonl))
    #expect(line["messages"]?.arrayValue?.count == 3)
    #expect(line["facets"]?["goalClarity.outcome"]?["turn"]?.intValue == 1)
    #expect(line["facets"]?["goalClarity.target"]?["until"]?.intValue == 2)
    #expect(try export.text(.markdown).contains("**You:** lose 20 lb"))
    #expect(try JSONValue(parsing: try export.text(.json))["events"]?.arrayValue?.count == 5)
  }
}
