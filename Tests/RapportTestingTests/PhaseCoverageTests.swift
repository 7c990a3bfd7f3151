import Intake
import RapportTesting
import Signals
import TestSupport
import Testing

/// The recorded conversations reach every phase, and everything that can happen in one.
@Suite(.slow)
struct PhaseCoverageTests {
  private static func expected(_ pack: PromptPack) -> [String] {
    Confirming.Stage.allCases.map { "confirming, \($0)" }
      + pack.careNotes.kinds.map { "care, \($0.rawValue)" } + others
  }

  private static let others = [
    "care, reading", "care, minor again", "checking in",
    "offer, goOn, turnCap", "offer, minimal, turnCap", "offer, goOn, timeLimit",
    "offer, minimal, nothingLeftToAsk", "offer taken", "offer talked over",
    "body, asked", "body, given", "body, skipped", "body, implausible",
    "paywall, shown", "paywall, declined", "paywall, message held", "coaching, held sent",
    "coaching, cut", "greeting, cut", "summary, cut", "health, noted", "health, withdrawn",
  ]

  @Test func everyPhaseAndVariantIsRecorded() async throws {
    let pack = try Shipped.pack.get()
    var phases: Set<Phase.Name> = []
    var seen: Set<String> = []
    for (name, _, run) in try await Shipped.runs() {
      guard var state = run.state?.atStart else { continue }
      for recorded in run.events {
        let before = state
        state.apply(recorded)
        phases.insert(state.phase.name)
        if let event = recorded.event { seen.formUnion(Self.variants(of: event, before, state)) }
      }
      #expect(state.unexpected.isEmpty, "\(name): \(state.unexpected)")
    }
    #expect(phases == Set(Phase.Name.allCases))
    #expect(Set(Self.expected(pack)).subtracting(seen).sorted() == [])
  }

  private static func variants(
    of event: IntakeEvent, _ before: IntakeState, _ after: IntakeState
  ) -> [String] {
    var seen: [String] = []
    if case .confirming(let phase) = after.phase { seen.append("confirming, \(phase.stage)") }
    switch event {
    case .cared(let answer):
      seen.append("care, \(answer.kind.rawValue)")
      seen.append("care, " + answer.name.replacing("-", with: " "))
    case .asked(let question) where question.isCheckIn: seen.append("checking in")
    case .scored:
      if case .offer = before.pending, after.pending == .nothing {
        let ends = ["goes-on", "stops", "agrees"]
        let isTaken = after.acts(of: after.turns.count).contains { ends.contains($0.name.rawValue) }
        seen.append(isTaken ? "offer taken" : "offer talked over")
      }
    case .coached where !before.held.isEmpty: seen.append("coaching, held sent")
    case .offered(let offer): seen.append("offer, \(offer.kind), \(offer.reason)")
    case .userSaid(let turn):
      if case .offer = before.pending, after.pending == .nothing {
        seen.append(turn.intent == .goAhead ? "offer taken" : "offer talked over")
      }
    case .bodyAsked(let question):
      seen.append(question.implausible == nil ? "body, asked" : "body, implausible")
    case .bodyNoted(let note): seen.append(note.skipped ? "body, skipped" : "body, given")
    case .paywallShown: seen.append("paywall, shown")
    case .paywallDeclined: seen.append("paywall, declined")
    case .messageHeld: seen.append("paywall, message held")
    case .greeted(let reply) where reply.cut != nil: seen.append("greeting, cut")
    case .summarised(let reply) where reply.cut != nil: seen.append("summary, cut")
    case .coached(let reply) where reply.cut != nil: seen.append("coaching, cut")
    case .healthNoted: seen.append("health, noted")
    case .healthWithdrawn: seen.append("health, withdrawn")
    default: break
    }
    return seen
  }
}
