import Foundation
import Intake
import SessionStore
import Testing

/// A process that comes back to a conversation: what it knows of the log.
final class ReturningTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rapport-returning-\(UUID().uuidString)").path
  private let noon = Date(timeIntervalSince1970: 1_800_000_000)

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func said(_ turn: Int, _ text: String) -> [IntakeEvent] {
    [.userSaid(UserTurn(turn: turn, text: text))]
  }

  @Test func readsWhatCameSince() throws {
    let store = try SessionStore(path: folder + "/rapport.db")
    let session = try store.createSession(at: noon)
    let known = try store.log(for: session).append(said(1, "one"), at: noon)
    let other = store.log(for: session)
    let added = try other.append(said(2, "two"), at: noon + 1)
    let log = store.log(for: session)
    #expect(try log.events(continuing: known) == known + added)
    #expect(try log.events(continuing: known + added) == known + added)
    // It has seen everything, so it may append, and the other one may not.
    try log.append(said(3, "three"), at: noon + 2)
    #expect(throws: StoreError.self) { try other.append(self.said(3, "late"), at: self.noon + 3) }
  }

  @Test func readsAllOfALogThatBeginsOtherwise() throws {
    let store = try SessionStore(path: folder + "/rapport.db")
    let (mine, others) = (try store.createSession(at: noon), try store.createSession(at: noon))
    let known = try store.log(for: others).append(said(1, "one"), at: noon)
    let log = store.log(for: mine)
    #expect(try log.events(continuing: known).isEmpty)
    let stored = try log.append(said(1, "two"), at: noon + 1)
    #expect(try log.events(continuing: known) == stored)
    #expect(try log.events(continuing: []) == stored)
  }
}
