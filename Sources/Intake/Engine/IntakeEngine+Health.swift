import ContextQuality
import Signals

extension IntakeEngine {
  enum PendingHealth {
    case note(HealthNote)
    case withdrawal(wasSaid: Bool)
  }

  /// Accepts a health note. The engine adds it before the next step, in the current pass or the
  /// next one.
  public func take(_ note: HealthNote) { pendingHealth = .note(note) }

  /// Stops using and sending health data from the next step on.
  public func withdrawHealth() { pendingHealth = .withdrawal(wasSaid: false) }

  /// Honors a user's request not to use their health data, even while the data is still being
  /// read.
  @inline(never)
  func hearWithdrawal(in text: String) {
    guard pack.consent.withdrawsHealth(PlainText.visible(text)) else { return }
    pendingHealth = .withdrawal(wasSaid: true)
  }

  func adoptHealth(_ show: Show) async throws {
    if let health = state.health, state.isOfSomebodyElse(health) {
      try await store(.healthWithdrawn)
      show(.notice(.healthOfSomebodyElse))
    }
    guard let pending = pendingHealth else { return }
    pendingHealth = nil
    switch pending {
    case .note(let note) where state.isOfSomebodyElse(note):
      show(.notice(.healthOfSomebodyElse))
    case .note(let whole) where whole.asOf(today, pack.readingRules) != state.health:
      let note = whole.asOf(today, pack.readingRules)
      try await store(.healthNoted(note))
      show(.notice(.healthNoted(note, on: today)))
    case .withdrawal(let wasSaid):
      if state.health != nil { try await store(.healthWithdrawn) }
      if wasSaid { show(.notice(.healthWithdrawn)) }
    case .note: break
    }
  }

  /// The fixed text of a care step. One about readings includes their sentences unchanged.
  func careText(_ care: CareStep, _ show: Show) -> String {
    let said = state.turns.map(\.text)
    let language = pack.careLanguage(answering: said, otherwise: state.start?.language)
    let translated = pack.careText(care.name, kind: care.kind, in: language)
    if translated == nil, !isEnglish(said.last ?? "") { sayFallback(show) }
    let text = translated ?? pack.careText(care.name, kind: care.kind)
    guard care.name == CareStep.reading else { return text }
    let readings = state.healthContext.readingsDue.map { PlainText.line($0) }
    return text.replacing("{{reading}}", with: readings.joined(separator: " "))
  }
}

extension SessionOutput.Notice {
  fileprivate static func healthNoted(_ note: HealthNote, on today: String) -> Self {
    let isPast = (note.age(on: today) ?? 0) > HealthNote.currentDays
    return Self(
      code: healthNotedCode, level: .info,
      text: "I've had a look at your health data (\(note.ageInWords(on: today)))"
        + (isPast ? "; it's too old to tell how you are now." : "."),
      values: note.ageValues(on: today).merging(["isPast": isPast ? "yes" : ""]) { $1 })
  }

  /// Health data is new to the conversation.
  package static let healthNotedCode = "health-noted"

  /// The user's age does not match the data.
  public static let healthOfSomebodyElse = Self(
    code: "health-not-yours", level: .info,
    text: "This data doesn't match your age, so I think it's someone else's. I won't use it."
  )

  /// The user opted out of health data.
  public static let healthWithdrawn = Self(
    code: "health-withdrawn", level: .info,
    text: "I won't use your health data anymore. What we said about it stays in our conversation. "
      + "To opt in again, run `rapport chat --health`.")

  /// Why the user's health data is not used from here on; nil if the notice says something else.
  public var endOfHealth: EndOfHealth? {
    switch code {
    case Self.healthWithdrawn.code: .withdrawn
    case Self.healthOfSomebodyElse.code: .ofSomebodyElse
    default: nil
    }
  }
}

/// Why a conversation stops using health data.
public enum EndOfHealth: Hashable, Sendable {
  /// The user opted out.
  case withdrawn
  case ofSomebodyElse
}
