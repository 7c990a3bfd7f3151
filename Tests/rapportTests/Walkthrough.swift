import CoachServer
import Foundation
import Intake
import SessionStore
import Testing

/// A whole conversation with the built program, said line by line, going on wherever it stopped.
enum Walkthrough {
  static let lines = [
    "drop about 20 lbs by june so i can keep up with my kids. no time though",
    "work. new job, 60h weeks. and my right knee is shot from marathons",
    "love swimming, hate burpees, pool next door. i'm 42, 4000 steps a day, out of breath on the stairs",
    "tue and thu mornings, 30 minutes. dinner is usually drive-thru. be blunt, check in weekly",
    "let's go", "what should I do first?", "1", "and after that?",
  ]

  /// How a run of the program ended.
  struct Leg {
    /// Inputs in the store when the last `done` was read.
    var acknowledged: Int
    var said: Int
    var result: RunResult
  }

  /// Says what comes next until the end of the lines, or of the program.
  static func talk(
    _ household: Household, _ model: CoachServer, fileLimit: Int? = nil,
    started: (ChildProcess) -> Void = { _ in }
  ) throws -> Leg {
    let stored = try inputs(household)
    let child = try household.start(
      ["chat", "--json", "--base-url", model.baseURL, "--model", CoachServer.modelName],
      fileLimit: fileLimit)
    started(child)
    var leg = Leg(acknowledged: stored, said: stored, result: RunResult())
    if waitForDone(child, &leg) {
      leg.said = try inputs(household)
      for line in lines.dropFirst(leg.said) {
        guard child.write(line + "\n") else { break }
        leg.said += 1
        guard waitForDone(child, &leg) else { break }
        leg.acknowledged = try inputs(household)
      }
    }
    child.closeInput()
    leg.result.output += child.readRest()
    leg.result.errors = child.readErrors()
    leg.result.status = child.wait()
    return leg
  }

  private static func waitForDone(_ child: ChildProcess, _ leg: inout Leg) -> Bool {
    while let line = child.readLine() {
      leg.result.output += line + "\n"
      if line.contains(#""type":"done""#) { return true }
    }
    return false
  }

  static func events(_ household: Household) throws -> [RecordedEvent] {
    guard FileManager.default.fileExists(atPath: household.store) else { return [] }
    let store = try SessionStore(path: household.store)
    guard let id = try store.latestSession() else { return [] }
    return try store.events(of: id)
  }

  /// What the user said, as it is stored.
  static func said(_ household: Household) throws -> [String] {
    try events(household).compactMap { recorded in
      if case .userSaid(let turn) = recorded.event { turn.text } else { nil }
    }
  }

  /// How many of the lines are in the store: turns, kept messages, and the way past the paywall.
  static func inputs(_ household: Household) throws -> Int {
    try events(household).reduce(0) { count, recorded in
      switch recorded.event {
      case .userSaid(let turn): count + (turn.releasesHeld ? 0 : 1)
      case .messageHeld(let message): count + (message.turn == nil ? 1 : 0)
      case .entitled: count + 1
      default: count
      }
    }
  }

  static func isOver(_ household: Household) throws -> Bool {
    let events = try events(household)
    return try inputs(household) == lines.count && events.last?.event?.kind == .coached
  }

  /// Nothing acknowledged is missing, and the events stand in one row.
  static func check(_ household: Household, _ leg: Leg) throws {
    let events = try events(household)
    #expect(events.map(\.position) == events.indices.map { $0 + 1 })
    #expect(try inputs(household) >= leg.acknowledged, "an acknowledged input is lost")
    #expect(try inputs(household) <= leg.said, "an input is stored twice")
  }

  /// Everything was said once, and what may happen once did.
  static func checkWhole(_ household: Household) throws {
    let kinds = try events(household).map(\.event?.kind)
    for once: IntakeEvent.Kind in [
      .started, .greeted, .synthesised, .summarised, .discoveryCompleted, .entitled,
    ] {
      #expect(kinds.filter { $0 == once }.count == 1, "\(once): \(kinds)")
    }
    let said = try events(household).compactMap { recorded -> String? in
      if case .userSaid(let turn) = recorded.event { turn.text } else { nil }
    }
    #expect(said == [lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], lines[7]])
  }
}
