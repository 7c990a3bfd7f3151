import ContextQuality
import Foundation
import Intake
import LanguageModels

/// Times the building of a coaching prompt over a long conversation in which every message left a
/// note. Folding the events is not part of it: a session does that as they happen.
struct MemoryBench {
  let turns: Int
  private static let rounds = 100

  func run() throws {
    let pack = try PromptPack.embedded()
    let state = pack.state(after: events(pack))
    let clock = ContinuousClock()
    var times: [Duration] = []
    var bytes = 0
    for _ in 0..<Self.rounds {
      times.append(
        try clock.measure {
          let request = try pack.coachingRequest(state, today: "2027-01-15")
          bytes = request.system.utf8.count + request.messages.reduce(0) { $0 + $1.text.utf8.count }
        })
    }
    let sorted = times.sorted().map { $0 / .milliseconds(1) }
    print("\(turns) turns, \(bytes) bytes")
    print("median \(sorted[sorted.count / 2]) ms, slowest \(sorted[sorted.count - 1]) ms")
  }

  private func events(_ pack: PromptPack) -> [RecordedEvent] {
    let filler = String(repeating: "and the weather was what it is up here ", count: 6)
    var events: [IntakeEvent] = [
      .started(
        SessionStart(
          pack: pack.name, packVersion: pack.version, rubricVersion: pack.rubric.version)),
      .greeted(CoachReply(text: "Hello.")),
      .userSaid(UserTurn(turn: 1, text: "I want to run without pain again")),
      .scored(Scoring(turns: [1], model: "bench")),
      .synthesised(Synthesis(system: CoachingSystem(), throughTurn: 1, isMinimal: true)),
      .summarised(CoachReply(text: "Here's what I heard.")), .discoveryCompleted, .paywallShown,
      .entitled(Entitlement(source: "bench", grantedAt: Date(timeIntervalSince1970: 0))),
      .coached(CoachReply(text: "Let's begin.")),
    ]
    for turn in 2...max(2, turns) {
      let text = "turn \(turn): ran \(turn % 9) km again"
      events += [
        .userSaid(UserTurn(turn: turn, text: "\(text), \(filler)")),
        .scored(
          Scoring(turns: [turn], notes: [MemoryNote(turn: turn, quote: text)], model: "bench")),
        .coached(CoachReply(text: "Good. \(filler)")),
      ]
    }
    return events.enumerated().map { index, event in
      RecordedEvent(
        position: index + 1, at: Date(timeIntervalSince1970: Double(index) * 3_600), event: event)
    }
  }
}
