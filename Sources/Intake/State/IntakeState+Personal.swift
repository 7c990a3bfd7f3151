import ContextQuality
import Signals

// What the scorer read of the user themselves.
extension IntakeState {
  /// The age that the user named last.
  var statedAge: Int? {
    turns.reversed().lazy.compactMap { agesRead[$0.turn] ?? $0.statedAge }.first
  }

  /// A minor without a coach: their next words may put their age right.
  var awaitsAge: Bool { isMinor && entitlement == nil }

  /// - Returns: The age that counts from now on, if one was stated.
  mutating func hearPersonal(_ scoring: Scoring) -> AgeNote? {
    withheld.formUnion((scoring.withheld ?? []).map(\.facet))
    if let note = scoring.body { body = note.completed(by: body) }
    guard let age = scoring.age, !isDenied(age) else { return nil }
    agesRead[age.turn] = age.years
    return statedAge == age.years ? age : nil
  }

  /// Whoever states plainly that they are under age is no adult by another reading of those words.
  private func isDenied(_ age: AgeNote) -> Bool {
    let plain = turns.last { $0.turn == age.turn }?.statedAge
    return age.isAdult && !(plain.map { $0 >= CareNet.ageOfMajority } ?? true)
  }

  /// A minor is answered first, unless something more urgent is due.
  mutating func settle(_ age: AgeNote) {
    if isMinor && age.isAdult { isPaywallUp = false }
    let minor = CareStep(kind: .minor, name: CareStep.minorStated, turn: age.turn)
    if !age.isAdult, careDue?.name == CareKind.minor.rawValue {
      careDue = minor
    } else if !age.isAdult, !isMinor, careDue == nil, !careWasGiven(for: age.turn) {
      careDue = minor
      awaitsUser = false
    }
    isMinor = !age.isAdult
  }
}

extension AgeNote {
  fileprivate var isAdult: Bool { years >= CareNet.ageOfMajority }
}
