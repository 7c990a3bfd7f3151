import Foundation
import Intake
import SessionStore
import TestSupport
import Testing

@testable import PostgresStore

/// Two processes append to one conversation as fast as they can.
@Suite(.serialized, .enabled(if: PostgresServer.url != nil))
struct RacingProcessTests {
  /// What a racer is told: the database, the conversation, its own number, and how often to append.
  fileprivate static let race =
    ProcessInfo.processInfo.environment["RAPPORT_TEST_RACE"]?.split(separator: " ").map(String.init)

  @Test(.enabled(if: race == nil)) func theyLeaveNoGapAndNoDouble() async throws {
    let each = Soak.rounds(150, soak: 5_000)
    let stores = try TestStores(.postgres)
    let store = try await stores.openPostgres()
    let id = try await store.createSession(nil, at: Date(timeIntervalSince1970: 1_800_000_000))
    // This program again, which then runs the racer alone.
    let racers = try (0..<2).map { number in
      let racer = Process()
      racer.executableURL = URL(filePath: CommandLine.arguments[0])
      racer.arguments = [
        "--testing-library", "swift-testing", "--filter", "RacingProcessTests/aRacer",
      ]
      racer.environment = ProcessInfo.processInfo.environment.merging([
        "RAPPORT_TEST_RACE": "\(stores.database) \(id) \(number) \(each)"
      ]) { $1 }
      racer.standardOutput = FileHandle.nullDevice
      try racer.run()
      return racer
    }
    for racer in racers {
      racer.waitUntilExit()
      #expect(racer.terminationStatus == 0)
    }
    let events = try await store.events(of: id)
    #expect(events.map(\.position) == Array(1...(2 * each)))
    let texts = events.compactMap { recorded -> String? in
      if case .userSaid(let turn) = recorded.event { turn.text } else { nil }
    }
    // Each racer's own come in their order.
    for number in 0..<2 {
      #expect(
        texts.filter { $0.hasPrefix("\(number)/") } == (0..<each).map { "\(number)/\($0)" })
    }
  }

  @Test(.enabled(if: race != nil)) func aRacer() async throws {
    let race = try #require(Self.race)
    try #require(race.count == 4)
    let each = try #require(Int(race[3]))
    let store = try await PostgresStore(try PostgresServer.address(database: race[0]))
    let log = store.log(for: SessionID(rawValue: race[1]))
    for number in 0..<each {
      let event = EventEnvelope(
        IntakeEvent.userSaid(UserTurn(turn: 1, text: "\(race[2])/\(number)")))
      while true {
        _ = try await log.events()
        do {
          _ = try await log.append([event], at: Date(timeIntervalSince1970: 1_800_000_000))
          break
        } catch let error as StoreError where error.code == .interleaved {}
      }
    }
  }
}
