import ContextQuality
import EncoderScorer
import Intake
import Signals

// What messages do, as the encoder reads it.
extension RehearsalCoach {
  /// - Returns: nil if the encoder is not sure, or cannot read the language. Nothing is lost then: where it
  ///   matters, the labels decide.
  func acts(in turns: [Int], _ state: IntakeState) -> [Act]? {
    let said = turns.compactMap { state.transcript.userTurn($0) }
    guard let reader = Self.actReader, !said.contains(where: isForeign) else { return nil }
    // The encoder knows no question of how somebody is.
    if state.lastCareTurn != nil, state.pending == .nothing, !state.isCompleted { return [] }
    var acts: [Act] = []
    for turn in turns {
      let text = state.transcript.visibleTurn(turn) ?? ""
      let coach = PlainText.visible(state.transcript.coachMessage(before: turn) ?? "")
      // The encoder reads words.
      if Words(text).all.isEmpty, ActMoment(state) == .summary, pack.consent.isYes(text) == true {
        acts.append(Act(.agrees, turn: turn, quote: text.trimmed))
        continue
      }
      let reading = reader.read(text, after: coach, at: ActMoment(state))
      if let reading, mayCorrect(turn, reading, state) {
        acts.append(Act(.corrects, turn: turn, quote: text.trimmed))
        continue
      }
      if let reading, !reading.isDecided, ActMoment(state) == .wall, !reading.mayContinue {
        // Whichever it is, the paywall stays and costs nothing.
        acts += (reading.sure + reading.possible).compactMap {
          Act(read: $0, turn: turn, quote: text.trimmed)
        }
        continue
      }
      guard let reading, reading.isDecided else {
        // What another turn does is no part of this one.
        if turn == turns.last { return nil }
        continue
      }
      // Whether something is told needs no certainty if nothing else is done.
      let names =
        reading.sure.isEmpty ? reading.possible.filter { $0 == "reports" } : reading.sure
      acts += names.compactMap { Act(read: $0, turn: turn, quote: text.trimmed) }
    }
    // Nobody ends questions before there was one.
    return state.askedFacets.isEmpty && state.turns.count == 1
      ? acts.filter { $0.name != .stops } : acts
  }

  /// Whether a reply to the summary puts something right, or tells something new and surely does nothing else.
  private func mayCorrect(_ turn: Int, _ reading: ActReading, _ state: IntakeState) -> Bool {
    guard ActMoment(state) == .summary else { return false }
    if putsRight(turn, state) { return true }
    guard reading.sure.isEmpty else { return false }
    if !saidAnew(in: turn, state).isEmpty { return true }
    return !reading.possible.contains("agrees") && tellsMore(turn, state)
  }

  /// The encoder reads English only.
  private func isForeign(_ message: String) -> Bool {
    pack.languageCode(of: [message]) != nil
  }

  /// Whether the last message, an answer to a question, may do more than answer.
  static func mayAct(_ transcript: Transcript) -> Bool {
    let turn = transcript.userTurns.count
    let text = transcript.visibleTurn(turn) ?? ""
    let coach = PlainText.visible(transcript.coachMessage(before: turn) ?? "")
    guard let reader = actReader else { return false }
    guard let reading = reader.read(text, after: coach, at: .question) else { return true }
    return !reading.sure.isEmpty || !reading.isDecided
  }

  private static let actReader = EncoderModel.builtIn.flatMap { ActReader(model: $0) }
}

extension ActMoment {
  init(_ state: IntakeState) {
    self =
      switch state.phase.name {
      case .greeting, .discovering, .askingForMeasurements: .question
      case .offering: .offer
      case .confirming: .summary
      case .atPaywall: .wall
      case .coaching: .coaching
      }
  }
}

extension ActReading {
  fileprivate var mayContinue: Bool { (sure + possible).contains("continues") }
}

extension Act {
  private static let readings: [String: (Name, Subject?)] = [
    "asks-reason": (.asks, .question), "asks-plan": (.asks, .plan),
    "asks-service": (.asks, .service), "asks-coaching": (.asks, .coaching), "low": (.confides, nil),
  ]

  /// - Parameter name: As the encoder's head calls it.
  fileprivate init?(read name: String, turn: Int, quote: String) {
    guard let (act, about) = Self.readings[name] ?? Name(rawValue: name).map({ ($0, nil) }) else {
      return nil
    }
    self.init(act, turn: turn, quote: quote, about: about)
  }
}
