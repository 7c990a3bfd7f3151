/// Whether a model can read what the user writes, by its last readings.
struct Listening {
  private var poorReadings = 0
  private var wasSaid = false
  private static let most = 3

  /// Takes a reading.
  ///
  /// - Returns: Whether it's time to say that the model can't listen. True once.
  mutating func isPoor(after scoring: Scoring) -> Bool {
    switch Self.verdict(on: scoring) {
    case .good: poorReadings = 0
    case .poor: poorReadings += 1
    case .none: break
    }
    guard poorReadings >= Self.most, !wasSaid else { return false }
    wasSaid = true
    return true
  }

  private enum Verdict { case good, poor, none }

  private static func verdict(on scoring: Scoring) -> Verdict {
    switch scoring.failure?.kind {
    case .unusableAnswer, .tooLong: return .poor
    case nil: break
    default: return .none
    }
    let holds =
      !scoring.evidence.isEmpty || !scoring.retracted.isEmpty || scoring.acts?.isEmpty == false
      || scoring.age != nil || scoring.body != nil || scoring.care != nil
      || scoring.understanding != nil || scoring.notes != nil
    if holds { return .good }
    // A message may simply say nothing new.
    return scoring.dropped.isEmpty ? .none : .poor
  }
}

extension SessionOutput.Notice {
  /// The model's readings don't hold.
  static let listensPoorly = Self(
    code: "model-listens-poorly", level: .warning,
    text:
      "This model can't listen well enough: three times in a row, I couldn't use what it made of "
      + "your words. Your words are saved. Choose a larger model with `rapport setup`.")
}
