import ContextQuality
import Foundation
import IncrementalJSON
import Signals
import TestSupport

@testable import Intake
@testable import Rehearsal

/// What the program does after each message of labeled conversations, if it may ask while the model
/// reads. The labels stand for the model's reading.
struct ReadingAheadFigures: CustomStringConvertible {
  /// How the reply to a message begins.
  enum Beginning {
    /// No model reads the message.
    case unread
    /// A question comes at once: about the component that the model's reading leads to, or not, and
    /// perhaps for something that the message tells.
    case asks(same: Bool, again: Bool)
    case waits
  }

  private let conversations: [[Beginning]]

  /// - Parameter maxTurns: The cap on questions.
  init(_ rows: [JSONValue], maxTurns: Int) throws {
    let pack = try PromptPack.embedded()
    let reader = QuickReader.encoder(for: pack.rubric)
    let settings = IntakeSettings(maxTurns: maxTurns)
    conversations = try rows.map {
      try LabeledConversation($0, pack).beginnings(reader, settings)
    }
  }

  /// The share of messages whose reply doesn't wait for a reading.
  var atOnce: Figure {
    figure {
      !$0.waits
    } of: { _ in
      true
    }
  }
  /// The shares of the questions that come at once.
  var same: Figure {
    figure {
      $0.asksTheSame
    } of: {
      $0.asks
    }
  }
  var again: Figure {
    figure {
      $0.asksAgain
    } of: {
      $0.asks
    }
  }

  var description: String {
    "at once \(atOnce), the same component \(same), for what was just told \(again)"
  }

  /// A share, and the range it falls into in 95 of 100 resamplings of the conversations.
  struct Figure: CustomStringConvertible {
    var share: Double
    var low: Double
    var high: Double

    var description: String {
      String(format: "%.1f%% (%.1f–%.1f)", share * 100, low * 100, high * 100)
    }
  }

  private func figure(
    _ counts: (Beginning) -> Bool, of all: (Beginning) -> Bool
  ) -> Figure {
    let sums = conversations.map { ($0.count(where: counts), $0.count(where: all)) }
    func share(_ sums: [(Int, Int)]) -> Double {
      Double(sums.reduce(0) { $0 + $1.0 }) / Double(max(1, sums.reduce(0) { $0 + $1.1 }))
    }
    var random = SeededGenerator(seed: 2026)
    let samples = (0..<1_000).map { _ in
      share(sums.map { _ in sums[Int.random(in: sums.indices, using: &random)] })
    }.sorted()
    return Figure(share: share(sums), low: samples[25], high: samples[974])
  }
}

extension ReadingAheadFigures.Beginning {
  fileprivate var waits: Bool { if case .waits = self { true } else { false } }
  fileprivate var asks: Bool { if case .asks = self { true } else { false } }
  fileprivate var asksTheSame: Bool { if case .asks(true, _) = self { true } else { false } }
  fileprivate var asksAgain: Bool { if case .asks(_, true) = self { true } else { false } }
}

private struct LabeledConversation {
  private let transcript: Transcript
  private let told: [Int: [Evidence]]
  private let pack: PromptPack

  init(_ row: JSONValue, _ pack: PromptPack) throws {
    (transcript, self.pack) = (Fixtures.transcript(row), pack)
    let evidence = Fixtures.labels(of: row).map {
      Evidence(facet: $0.facet, quote: $0.quote, turn: $0.turn)
    }
    told = Dictionary(grouping: evidence, by: \.turn)
  }

  /// Up to the message with which enough is known, or the cap is reached.
  func beginnings(
    _ reader: QuickReader?, _ settings: IntakeSettings
  ) throws -> [ReadingAheadFigures.Beginning] {
    var state = pack.state(after: [])
    var found: [ReadingAheadFigures.Beginning] = []
    for message in transcript.messages {
      if message.speaker == .coach {
        guard state.say(message.text, settings) else { break }
        continue
      }
      if state.nextStep(settings) == .greet { _ = state.say("Hi.", settings) }
      state.hear(.userSaid(userTurn(message.text, state)))
      found.append(beginning(state, settings, reader))
      state = state.after(scoring(of: state))
    }
    return found
  }

  private func scoring(of state: IntakeState) -> Scoring {
    let turn = state.turns.count
    return Scoring(turns: [turn], evidence: told[turn] ?? [])
  }

  private func beginning(
    _ state: IntakeState, _ settings: IntakeSettings, _ reader: QuickReader?
  ) -> ReadingAheadFigures.Beginning {
    guard let last = state.turns.last else { return .unread }
    let reading = reader?.read(state.transcript, state.ledger.known)
    guard let ahead = reading.flatMap({ state.questionAhead($0, pack.signals, settings) })
    else { return .waits }
    var same = false
    if case .ask(let plan) = state.after(scoring(of: state)).nextStep(settings) {
      same = plan.component == ahead.plan.component
    }
    let asked = ahead.plan.missing + ahead.plan.companionMissing
    let again = (told[last.turn] ?? []).contains { asked.contains($0.facet) }
    return .asks(same: same, again: again)
  }

  private func userTurn(_ text: String, _ state: IntakeState) -> UserTurn {
    UserTurn(turn: state.turns.count + 1, text: text)
  }
}

extension IntakeState {
  fileprivate mutating func hear(_ event: IntakeEvent) {
    apply(
      RecordedEvent(position: position + 1, at: .init(timeIntervalSince1970: 0), event: event))
  }

  /// The coach's words, as the question that is due; false if none is.
  fileprivate mutating func say(_ text: String, _ settings: IntakeSettings) -> Bool {
    switch nextStep(settings) {
    case .greet: hear(.greeted(CoachReply(text: text)))
    case .ask(let plan): hear(.asked(Question(plan, reply: CoachReply(text: text))))
    default: return false
    }
    return true
  }
}
