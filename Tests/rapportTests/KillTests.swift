import Foundation
import Glibc
import IncrementalJSON
import Intake
import LoopbackModel
import SessionStore
import TestSupport
import Testing

/// The program is killed at a random moment and started again, until the conversation is over.
@Suite(.serialized)
struct KillTests {
  static let lines = [
    "drop about 20 lbs by june so i can keep up with my kids. no time though",
    "work. new job, 60h weeks. and my right knee is shot from marathons",
    "love swimming, hate burpees, pool next door. i'm 42, 4000 steps a day, out of breath on the stairs",
    "tue and thu mornings, 30 minutes. dinner is usually drive-thru. be blunt, check in weekly",
    "let's go", "what should I do first?", "1", "and after that?",
  ]

  private static let moments = ProcessInfo.processInfo.environment["RAPPORT_SOAK"] == nil ? 100 : 500

  @Test func nothingAcknowledgedIsLostAndNoStepIsTakenTwice() throws {
    let model = try LoopbackModel()
    defer { model.stop() }
    var random = SeededGenerator(seed: 2026)
    var kills = 0
    var longest = try Self.duration(model)
    while kills < Self.moments {
      let household = try Household()
      var cutsHere = 0
      // Three kills a conversation, then it may end.
      while try !Self.isOver(household) {
        let delay = cutsHere < 3 ? Double.random(in: 0...longest, using: &random) : nil
        let acknowledged = try Self.talk(household, model, killAfter: delay)
        if delay != nil {
          kills += 1
          cutsHere += 1
        }
        try Self.check(household, acknowledged: acknowledged)
      }
      try Self.checkWhole(household)
      longest = max(longest, 0.05)
    }
    #expect(kills >= Self.moments)
  }

  /// How long an uninterrupted conversation takes, so that kills fall everywhere in it.
  private static func duration(_ model: LoopbackModel) throws -> Double {
    let household = try Household()
    let start = ContinuousClock.now
    _ = try talk(household, model, killAfter: nil)
    try checkWhole(household)
    return (ContinuousClock.now - start) / .seconds(1)
  }

  /// Says what comes next until the end or the kill; the number of inputs that were acknowledged
  /// by a `done`.
  private static func talk(
    _ household: Household, _ model: LoopbackModel, killAfter delay: Double?
  ) throws -> Int {
    let stored = try inputs(household)
    let child = try household.start(
      "chat", "--json", "--base-url", model.baseURL, "--model", LoopbackModel.modelName)
    if let delay { Killer.kill(child.pid, after: delay) }
    var acknowledged = stored
    guard waitForDone(child) else { return acknowledged }
    for line in lines.dropFirst(try inputsOnceOpened(household)) {
      guard child.write(line + "\n"), waitForDone(child) else { return acknowledged }
      acknowledged = try inputs(household)
    }
    child.closeInput()
    _ = child.wait()
    return acknowledged
  }

  private static func waitForDone(_ child: ChildProcess) -> Bool {
    while let line = child.readLine() {
      if line.contains(#""type":"done""#) { return true }
    }
    return false
  }

  private static func events(_ household: Household) throws -> [RecordedEvent] {
    guard FileManager.default.fileExists(atPath: household.store) else { return [] }
    let store = try SessionStore(path: household.store)
    guard let id = try store.latestSession() else { return [] }
    return try store.events(of: id)
  }

  /// How many of the lines are in the store: turns, kept messages, and the way past the paywall.
  private static func inputs(_ household: Household) throws -> Int {
    try events(household).reduce(0) { count, recorded in
      switch recorded.event {
      case .userSaid(let turn): count + (turn.releasesHeld ? 0 : 1)
      case .messageHeld, .entitled: count + 1
      default: count
      }
    }
  }

  private static func inputsOnceOpened(_ household: Household) throws -> Int { try inputs(household) }

  private static func isOver(_ household: Household) throws -> Bool {
    let events = try events(household)
    return try inputs(household) == lines.count && events.last?.event.kind == .coached
  }

  private static func check(_ household: Household, acknowledged: Int) throws {
    let events = try events(household)
    #expect(events.map(\.position) == Array(1...max(1, events.count)).prefix(events.count).map(\.self))
    #expect(try inputs(household) >= acknowledged, "an acknowledged input is lost")
  }

  private static func checkWhole(_ household: Household) throws {
    let kinds = try events(household).map(\.event.kind)
    for once: IntakeEvent.Kind in [.started, .greeted, .synthesised, .summarised, .discoveryCompleted, .entitled] {
      #expect(kinds.filter { $0 == once }.count == 1, "\(once): \(kinds)")
    }
    let said = try events(household).compactMap { recorded -> String? in
      if case .userSaid(let turn) = recorded.event { turn.text } else { nil }
    }
    #expect(said == [lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], lines[7]])
  }
}

/// Sends SIGKILL from a thread of its own, as a power cut would: whatever the process is doing.
private enum Killer {
  static func kill(_ pid: pid_t, after delay: Double) {
    Thread.detachNewThread {
      usleep(UInt32(delay * 1_000_000))
      _ = Glibc.kill(pid, SIGKILL)
    }
  }
}
