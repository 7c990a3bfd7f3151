import ContextQuality
public import FoundationEssentials

/// How the user writes, turn by turn: counts and times, never words.
package struct Rhythm: Hashable, Sendable {
  struct Turn: Hashable, Sendable {
    var turn: Int
    var at: Date
    /// Seconds since the coach's message; nil if there was none.
    var waited: Double?
    var words: Int
    var rewrites: Int
  }

  private(set) var turns: [Turn] = []
  private var coachSpokeAt: Date?

  mutating func coachSpoke(at date: Date?) { coachSpokeAt = date }

  mutating func hear(_ turn: UserTurn, at date: Date?) {
    guard let date else { return }
    // To the thousandth, as a recording keeps it.
    let waited = coachSpokeAt.map { (date.timeIntervalSince($0) * 1_000).rounded() / 1_000 }
    turns.append(
      Turn(
        turn: turn.turn, at: date, waited: waited, words: PlainText.wordCount(turn.text),
        rewrites: turn.rewrites ?? 0))
    coachSpokeAt = nil
  }
}

/// Something that the way a user writes may mean. It is a hypothesis: no signal makes anything known.
public struct Signal: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case shortAnswers, longAnswers, quickAnswers, slowAnswers
    /// The time of day at which they write.
    case usualTime
    /// The days between their visits.
    case visits
    /// Drafts that they changed before sending.
    case rewrites
  }

  public var kind: Kind
  /// How often it was seen.
  public var count: Int
  /// What was measured, if the count does not say it: an hour (0…23), minutes or days.
  public var value: Int?

  public init(_ kind: Kind, count: Int, value: Int? = nil) {
    (self.kind, self.count, self.value) = (kind, count, value)
  }
}

extension Signal {
  var text: ScreenText {
    switch kind {
    case .shortAnswers: .signalShortAnswers
    case .longAnswers: .signalLongAnswers
    case .quickAnswers: .signalQuickAnswers
    case .slowAnswers: .signalSlowAnswers
    case .usualTime: .signalUsualTime
    case .visits: .signalVisits
    case .rewrites: .signalRewrites
    }
  }

  /// For its text, and for a question about it.
  var values: [String: String] {
    var values = ["n": "\(count)"]
    guard let value else { return values }
    values["value"] = "\(value)"
    // Hours as people say them.
    if kind == .usualTime { values["hour"] = "\(value > 12 ? value - 12 : max(1, value))" }
    return values
  }

  /// What was seen, in English, such as "3 answers under 5 words".
  public var evidence: String { ScreenTexts.english(text, values) }
}

extension Rhythm {
  /// The limits that make a signal.
  private enum Limit {
    /// Answers that are looked at.
    static let recent = 5
    /// Signals need at least so many cases.
    static let enough = 3
    static let fewWords = 5
    static let manyWords = 80
    /// Seconds. Nobody types an answer faster; that is a program, or a text from elsewhere.
    static let quick = 2.0...10.0
    static let slow = 120.0...1_800.0
    /// Hours that count as one time of day.
    static let hours = 2
    static let days = 14
    /// A longer pause begins another visit, in seconds.
    static let visit = 8 * 3_600.0
    static let rewrites = 3
  }

  /// - Parameter secondsFromGMT: How far the user's clock is ahead of UTC at a time.
  func signals(_ secondsFromGMT: (Date) -> Int) -> [Signal] {
    let recent = turns.suffix(Limit.recent)
    func often(_ kind: Signal.Kind, _ isCase: (Turn) -> Bool) -> Signal? {
      let count = recent.count(where: isCase)
      return count >= Limit.enough ? Signal(kind, count: count) : nil
    }
    let all = [
      often(.shortAnswers) { $0.words < Limit.fewWords },
      often(.longAnswers) { $0.words > Limit.manyWords },
      often(.quickAnswers) { $0.waited.map(Limit.quick.contains) ?? false },
      often(.slowAnswers) { $0.waited.map(Limit.slow.contains) ?? false },
      usualTime(secondsFromGMT), visits,
      often(.rewrites) { $0.rewrites >= Limit.rewrites },
    ]
    return all.compactMap(\.self)
  }

  /// The hour around which the first messages of most days come.
  private func usualTime(_ secondsFromGMT: (Date) -> Int) -> Signal? {
    var hours: [Int: Int] = [:]
    for turn in turns.reversed() {
      let local = Int(turn.at.timeIntervalSince1970.rounded(.down)) + secondsFromGMT(turn.at)
      let day = local.dividedFloor(by: 86_400)
      if hours[day] == nil, hours.count == Limit.days { break }
      hours[day] = (local - day * 86_400) / 3_600
    }
    let counts = (0..<24).map { hour in
      (
        hour: hour, count: hours.values.count { ($0 - hour + 24) % 24 < Limit.hours },
        exact: hours.values.count { $0 == hour }
      )
    }
    let best = counts.max { ($0.count, $0.exact, $1.hour) < ($1.count, $1.exact, $0.hour) }
    guard let best, best.count >= Limit.enough, best.count * 3 >= hours.count * 2 else {
      return nil
    }
    return Signal(.usualTime, count: best.count, value: best.hour)
  }

  /// The usual number of days between visits.
  private var visits: Signal? {
    let gaps = zip(turns, turns.dropFirst()).map { $1.at.timeIntervalSince($0.at) }
      .filter { $0 >= Limit.visit }.suffix(Limit.days).sorted()
    guard gaps.count >= Limit.enough else { return nil }
    let days = (gaps[gaps.count / 2] / 86_400).rounded()
    return Signal(.visits, count: gaps.count + 1, value: max(1, Int(days)))
  }
}

extension Int {
  fileprivate func dividedFloor(by divisor: Int) -> Int {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

extension IntakeState {
  /// What the way the user writes may mean.
  ///
  /// - Parameter secondsFromGMT: How far the user's clock is ahead of UTC at a time.
  public func signals(_ secondsFromGMT: (Date) -> Int = { _ in 0 }) -> [Signal] {
    record.rhythm.signals(secondsFromGMT)
  }
}

extension IntakeEngine {
  /// What the way the user writes may mean.
  public var signals: [Signal] { state.signals(surroundings.secondsFromGMT) }
}
