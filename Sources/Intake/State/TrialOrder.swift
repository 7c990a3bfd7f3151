import ContextQuality

/// An order of questions that the follow-up policy is measured against. Nobody can choose one for a
/// conversation.
package enum TrialOrder: Hashable, Sendable {
  /// Any open component.
  case random(seed: UInt64)
  /// One component after the other, like a form, and then from the start.
  case form
  /// The component with the greatest weight until nothing is missing in it.
  case heaviest
}

extension TrialOrder {
  func sorted(
    _ open: [ContextComponents.Component], _ scores: ContextComponents, _ state: IntakeState
  ) -> [ContextComponents.Component] {
    let names = scores.components.map(\.name)
    let places = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
    func rank(_ component: ContextComponents.Component) -> UInt64 {
      let place = places[component.name] ?? 0
      switch self {
      case .random(let seed): return Self.mixed(seed, state.turns.count, place)
      case .form:
        let next = state.asked.last.flatMap { places[$0] }.map { $0 + 1 } ?? 0
        return UInt64((place - next + names.count) % names.count)
      case .heaviest: return UInt64((100 - component.weight) * names.count + place)
      }
    }
    return open.sorted { rank($0) < rank($1) }
  }

  /// SplitMix64's last step, so that neighbors get unrelated ranks.
  private static func mixed(_ seed: UInt64, _ turn: Int, _ place: Int) -> UInt64 {
    var mixed = seed &+ UInt64(turn * 64 + place + 1) &* 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension IntakeSettings {
  /// What to ask next; nil if nothing is left to ask.
  func nextQuestion(
    _ scores: ContextComponents, _ state: IntakeState, within topics: Set<String>? = nil
  ) -> QuestionPlan? {
    followUp.nextQuestion(scores, state, within: topics, trial: trialOrder)
  }
}
