import ContextQuality
import LanguageModels
import Signals

extension IntakeEngine {
  /// Suggestions for what to say next, at the greeting and after the first message.
  ///
  /// The model makes them from the user's words or health data. If both are missing, there is no
  /// model or it takes too long, the pack's own are used. Nothing is stored.
  ///
  /// - Parameters:
  ///   - asksModel: Whether a model may be asked.
  ///   - patience: How long to wait for a model, by the clock.
  /// - Returns: nil if suggestions would be out of place or the task is canceled.
  public func starters(
    asksModel: Bool = true, within patience: Duration = .seconds(2),
    clock: any Clock<Duration> = ContinuousClock()
  ) async -> Starters? {
    let state = state
    guard let set = pack.starters, wantsStarters(state) else { return nil }
    let hasHealthData = !state.ledger.readings.isEmpty
    let categories = Starters.Category.allCases.filter { $0 != .preferences || hasHealthData }
    var made: Starters?
    if asksModel, startersTakeTime {
      let request = StarterRequest(pack: pack, categories: categories)
      made = await Self.first(within: patience, clock) { [coach] in
        await coach.starters(request, state)
      }
    }
    if Task.isCancelled { return nil }
    if let made { return made }
    // A rehearsal reads nothing but English.
    if coach.source == .rehearsal { return set.starters(for: state, in: categories) }
    if let translation { return translation.starters?.starters(for: state, in: categories) }
    return state.language(pack.signals) == .other ? nil : set.starters(for: state, in: categories)
  }

  /// What Tab does with suggestions in an input line.
  public nonisolated func picker(for starters: Starters) -> StarterPicker {
    StarterPicker(starters, pack: pack)
  }

  /// Whether a model will make the suggestions, which takes time.
  public var startersTakeTime: Bool {
    guard pack.starters != nil, wantsStarters(state), coach.source == nil else { return false }
    return !state.turns.isEmpty || !state.ledger.readings.isEmpty
  }

  /// False next to a menu or a care text, and once the conversation is under way.
  private func wantsStarters(_ state: IntakeState) -> Bool {
    guard state.start != nil, state.shownPhase == .discovery, !state.isMinor,
      state.careGiven.isEmpty,
      state.turns.count <= 1
    else { return false }
    switch (state.nextStep(settings), state.pending) {
    case (.awaitUser, .nothing): return state.turns.isEmpty
    case (.awaitUser, .question): return true
    // A stopped reply: the next message may replace it.
    case (.greet, .nothing), (.score, .nothing), (.ask, .nothing), (.ask, .question): return true
    default: return false
    }
  }

  private static func first(
    within patience: Duration, _ clock: any Clock<Duration>,
    _ make: @escaping @Sendable () async -> Starters?
  ) async -> Starters? {
    await withTaskGroup(of: Starters?.self) { group in
      group.addTask { await make() }
      group.addTask {
        try? await clock.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}

extension ModelCoach {
  func starters(_ request: StarterRequest, _ state: IntakeState) async -> Starters? {
    guard let asked = request.request(state) else { return nil }
    let answer = await Answer.collect(from: models.fast, asked, { _ in })
    guard answer.error == nil, answer.completion?.finish == .stop else { return nil }
    let language = state.language(request.pack.signals)
    return request.read(answer.text, turn: state.turns.count, language: language)
  }
}

extension IntakeState {
  /// The user's language.
  fileprivate func language(_ rules: SignalRules) -> LanguageGuess {
    LanguageGuess(turns.map(\.text).joined(separator: "\n"), rules)
  }
}
