public import Cassettes
import Coaching
public import ContextQuality
import IncrementalJSON
public import Intake
public import LanguageModels
import Signals
public import WireFormats

/// The result of playing a cassette.
public struct ConversationRun: Sendable {
  /// What was stored, in order.
  public var events: [RecordedEvent] = []
  /// What was shown, step by step; consecutive pieces of a reply are joined.
  public var passes: [[SessionOutput]] = []
  /// The session's state after each step.
  public var states: [IntakeState] = []
  /// Differences from the recording that were answered anyway.
  public var drift: [CassettePlayer.Drift] = []
  /// Problems that fail the run, whatever was expected.
  public var problems: [Problem] = []
  /// The request that each exchange answered; nil if it was never requested.
  public var requests: [RequestContent?] = []

  /// Something that must not happen in any run.
  public enum Problem: Hashable, Sendable {
    /// A request without a recorded answer.
    case unmatched(CassettePlayer.Unmatched)
    /// A recorded answer that was never requested, or not read to its end.
    case leftover(CassettePlayer.Leftover)
    /// A recorded event stream without any events.
    case emptyRecording(exchange: Int)
    /// The engine threw an error.
    case failed(step: Int, String)
    /// The trigger for an interrupt or a kill never occurred.
    case noSuchMoment(step: Int, Cassette.Moment)
    /// The cassette is for another prompt pack.
    case otherPack(recorded: String, used: String)
  }

  /// The session's final state; nil if it never started.
  public var state: IntakeState? { states.last }

  public var outputs: [SessionOutput] { passes.flatMap(\.self) }

  /// What was said, including the fixed texts of the confirmation as the log has them.
  public var transcript: [Transcript.Message] { state?.transcript.messages ?? [] }
}

extension ConversationRun {
  /// Coaching's own events, in order, as the log has them.
  var coachingEvents: [JSONValue] {
    events.filter { CoachingEvent.Kind(rawValue: $0.envelope.kind) != nil }.map { recorded in
      (try? JSONValue(parsing: recorded.envelope.text)) ?? .string(recorded.envelope.kind)
    }
  }

  /// How the discovery ended.
  public var outcome: Expectations.Outcome {
    let kinds = events.compactMap(\.event)
    guard kinds.contains(where: { $0.kind == .discoveryCompleted }) else {
      switch state?.pending {
      case .offer, .confirmation: return .declined
      case .question, .body, .nothing, nil: return .cancelled
      }
    }
    var accepted: Offer.Reason?
    var isEnded = false
    var open: Offer.Reason?
    for event in kinds {
      switch event {
      case .offered(let offer): open = offer.reason
      case .userSaid(let turn):
        guard let intent = turn.intent else { break }
        if open != nil, [.goAhead, .stop].contains(intent) { accepted = open }
        if open == nil, intent == .stop { isEnded = true }
        open = nil
      case .scored(let scoring):
        let acts = Set((scoring.acts ?? []).map(\.name))
        let ends = !acts.isDisjoint(with: [.goesOn, .stops])
        if let offer = open, ends || acts.contains(.agrees) { (accepted, open) = (offer, nil) }
        if open == nil, accepted == nil, ends { isEnded = true }
      case .asked(let question) where !question.components.isEmpty: open = nil
      case .synthesised: open = nil
      case .discoveryCompleted:
        switch accepted {
        case .turnCap: return .turnCap
        case .timeLimit: return .timeLimit
        case .nothingLeftToAsk: return .nothingLeftToAsk
        case nil: return isEnded ? .ended : .ready
        }
      default: break
      }
    }
    return .ready
  }

  /// Tokens of all answers used.
  public var usage: TokenUsage {
    let all = events.compactMap { recorded -> TokenUsage? in
      switch recorded.event {
      case .greeted(let reply), .summarised(let reply), .coached(let reply): reply.usage
      case .asked(let question): question.reply.usage
      case .scored(let scoring): scoring.usage
      case .replied(let aside): aside.reply.usage
      case .synthesised(let synthesis): synthesis.usage
      default: nil
      }
    }
    return all.reduce(TokenUsage(input: 0, output: 0)) {
      TokenUsage(
        input: Self.sum($0.input, $1.input), output: Self.sum($0.output, $1.output))
    }
  }

  /// A server can report any number.
  private static func sum(_ one: Int, _ other: Int) -> Int {
    let (sum, overflows) = one.addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  public var notices: [SessionOutput.Notice] {
    outputs.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
  }

  public var paywallSteps: [Expectations.PaywallStep] {
    events.compactMap { recorded in
      switch recorded.event?.kind {
      case .paywallShown: .shown
      case .paywallDeclined: .declined
      case .messageHeld: .messageHeld
      case .entitled: .entitled
      default: nil
      }
    }
  }

  public var care: [Expectations.CareClaim] {
    events.compactMap { recorded in
      guard case .cared(let answer) = recorded.event else { return nil }
      return Expectations.CareClaim(turn: answer.turn, kind: answer.kind)
    }
  }

  public var questions: [Question] {
    events.compactMap { if case .asked(let question) = $0.event { question } else { nil } }
  }

  public var synthesis: Synthesis? {
    for recorded in events.reversed() {
      if case .synthesised(let synthesis) = recorded.event { return synthesis }
    }
    return nil
  }

  /// The user turns after which `discovery_complete` was emitted.
  public var completions: [Int] {
    outputs.compactMap { output in
      guard case .done(let done) = output, done.discoveryComplete else { return nil }
      return done.turn
    }
  }
}
