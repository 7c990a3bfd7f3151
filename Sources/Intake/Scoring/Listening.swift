import ContextQuality

/// How well the model reads what the user writes, by its readings so far.
package struct Listening: Hashable, Sendable {
  private var poorReadings = 0
  /// Turns whose last reading came to nothing.
  private(set) var poorTurns: Set<Int> = []
  /// The model turned out to be unable to listen. The program reports that once.
  private(set) var wasPoor = false
  private static let most = 3

  /// Whether the last readings came to nothing.
  var isPoor: Bool { poorReadings >= Self.most }

  mutating func hear(_ scoring: Scoring) {
    switch scoring.worth {
    case .good: poorReadings = 0
    case .poor: poorReadings += 1
    case .none: break
    }
    if scoring.worth == .poor {
      poorTurns.formUnion(scoring.turns)
    } else if scoring.failure == nil {
      poorTurns.subtract(scoring.turns)
    }
    wasPoor = wasPoor || isPoor
  }
}

extension Scoring {
  enum Worth { case good, poor, none }

  /// What a reading says about the model that read. A message may simply say nothing new.
  var worth: Worth {
    switch failure?.kind {
    case .unusableAnswer, .tooLong, .requestFailed, .refused: return .poor
    case .promptCut, .noPrompt, .unread, .other: return .none
    case nil: break
    }
    let holds =
      !evidence.isEmpty || !retracted.isEmpty || acts?.isEmpty == false || age != nil
      || body != nil || care != nil || understanding != nil || notes != nil
    return holds ? .good : dropped.isEmpty ? .none : .poor
  }
}

extension IntakeEngine {
  /// Once the model has shown that it cannot read, the program's own reader keeps the score.
  func readInstead(_ scoring: Scoring) -> Scoring {
    var listening = state.listening
    listening.hear(scoring)
    guard listening.isPoor, scoring.worth == .poor, state.phase.name == .discovering,
      let reader = ownReader(of: state)
    else { return scoring }
    var result = scoring
    result.reader = reader.name
    result.model = nil
    result.failure = scoring.failure ?? ScoringFailure(.unusableAnswer, "none of its claims held")
    result.turns = listening.poorTurns.sorted()
    var known = state.ledger.known
    for turn in result.turns {
      for var evidence in reader.read(state.transcript.through(turn), known)?.evidence ?? [] {
        evidence.mark = .provisional
        result.evidence.append(evidence)
        known.insert(evidence.facet)
      }
    }
    return result
  }
}

extension SessionOutput.Notice {
  /// The model's readings do not hold.
  static var listensPoorly: Self {
    var notice = Self(
      code: "model-listens-poorly", level: .warning,
      text:
        "This model can't listen well enough: three times in a row, I couldn't use what it made of "
        + "your words. Your words are saved. Choose a larger model with `rapport setup`.",
      values: ["saved": "yes"])
    notice.personal = away()
    return notice
  }
}
