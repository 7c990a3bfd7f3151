import FoundationEssentials
import Intake
import Plans

// Moving.
extension JourneyEngine {
  func move(to target: Target) async throws {
    switch target {
    case .step(let id): try await store(.moved(.init(to: id, way: .forward)))
    case .end: try await finish()
    }
  }

  func finish() async throws {
    guard await saveProfile(isComplete: true) else { return }
    try await settleProfile()
    try await store(.moved(.init(to: nil, way: .forward)), .completed)
  }

  /// - Returns: False if it could not be written, which the problem says.
  func saveProfile(isComplete: Bool) async -> Bool {
    guard let row = flow.profile(isComplete: isComplete) else { return true }
    do {
      try await providers.profiles.write(row)
      return true
    } catch {
      problem = JourneyProblems.notSaved
      return false
    }
  }

  /// Leaves a step for the next one.
  func goOn(from step: Step, jump: Target? = nil) async throws {
    if let detour = state.detour, step.id == detour.last || isBeyond(detour.last, step, jump) {
      try await rejoin(detour, isDone: true)
    } else {
      try await move(to: flow.next(after: step, jump: jump))
    }
    await queue(step.syncs)
  }

  func isBeyond(_ last: String, _ step: Step, _ jump: Target?) -> Bool {
    guard case .step(let id) = flow.next(after: step, jump: jump),
      let place = journey.position(of: id), let end = journey.position(of: last)
    else { return true }
    return place > end
  }

  func rejoin(
    _ detour: JourneyState.Detour, isDone: Bool, drops: [String] = []
  ) async throws {
    let reminded = journey.steps.first { $0.reminders.contains { $0.to == detour.last } }
    try await store(
      .moved(.init(to: detour.origin, way: .rejoin, drops: drops.isEmpty ? nil : drops)),
      answers: drops.map { FormAnswer(step: $0, evidence: []) })
    // A permission that is declined again has just set its next reminder.
    if isDone, let reminded, reminded.id != detour.last {
      try await store(.reminder(.init(step: reminded.id, change: .done)))
    }
  }

  /// What cannot be queued is queued with the next step, or at the next start.
  func queue(_ kinds: [SyncItem.Kind]) async {
    guard !state.account.isLocal else { return }
    unqueued.formUnion(kinds)
    for kind in unqueued.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let item = flow.syncItem(kind), kind != .intake || !isBehind else { continue }
      do {
        try await providers.sync.enqueue(item)
        unqueued.remove(kind)
        if kind == .intake { shared = Shared(self) }
      } catch {
        queueProblem =
          "I couldn't queue your \(item.kind.rawValue) for sync: \(error). It stays here."
      }
    }
  }

  func isPassed(_ step: String) -> Bool {
    state.trail.contains(step) || state.detour?.trail.contains(step) == true
  }

  func back() async throws {
    guard state.care == nil else { return try await store(.careSeen) }
    switch pending {
    case .reminder: return
    case .back, .startOver: return try await store(.questionDropped)
    // That question comes with the step, so it isn't left by itself.
    case .renewal, nil: break
    }
    guard let step = currentStep, let previous = flow.previous else { return }
    switch flow.back(from: step) {
    case .none: break
    case .free: try await goBack(to: previous, drops: [])
    case .asks: try await store(.asked(.back))
    }
  }

  func goBack(to target: String, drops: [String]) async throws {
    if let detour = state.detour, !state.trail.contains(target) {
      return try await rejoin(detour, isDone: false, drops: drops)
    }
    if let kind = currentStep?.drafts, state.documents[kind]?.proposed != nil {
      try await store(.editDropped(kind))
    }
    if state.account.pending != nil, journey[step: target]?.isSignIn == true {
      try await store(.codeDropped)
    }
    try await noteFacts()
    // It's written from the answers as they were.
    profileTask?.cancel()
    profileTask = nil
    try await store(
      .moved(.init(to: target, way: .back, drops: drops.isEmpty ? nil : drops)),
      answers: drops.map { FormAnswer(step: $0, evidence: []) })
  }
}
