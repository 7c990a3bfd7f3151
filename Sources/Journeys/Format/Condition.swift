public import ContextQuality

/// When a step is shown.
public indirect enum Condition: Hashable, Sendable {
  case all([Condition])
  case any([Condition])
  case not(Condition)
  case field(String, Test)
  case known([Facet])
  /// Any of them is not known from elsewhere than the step itself.
  case missing([Facet])
  /// In ten-thousandths.
  case scoreBelow(Int)
  case signedIn(Bool)
  /// Whether an account service is set up.
  case accounts(Bool)
  case permission(Permission, granted: Bool)

  public enum Test: Hashable, Sendable {
    case isOneOf([String])
    case atLeast(Double)
    case atMost(Double)
    case answered(Bool)
  }

  var facets: [Facet] {
    switch self {
    case .all(let parts), .any(let parts): parts.flatMap(\.facets)
    case .not(let part): part.facets
    case .known(let facets), .missing(let facets): facets
    case .field, .scoreBelow, .signedIn, .accounts, .permission: []
    }
  }
}

/// What conditions look at.
struct ConditionContext {
  var state: JourneyState
  var ledger: Ledger
  var points: Int
  var hasAccounts: Bool

  func holds(_ condition: Condition?, for step: String) -> Bool {
    switch condition {
    case nil: true
    case .all(let parts): parts.allSatisfy { holds($0, for: step) }
    case .any(let parts): parts.contains { holds($0, for: step) }
    case .not(let part): !holds(part, for: step)
    case .field(let name, let test): holds(test, state.answers[name]?.value)
    case .known(let facets): facets.allSatisfy(ledger.known.contains)
    case .missing(let facets):
      facets.contains { facet in
        guard let evidence = ledger.evidence(for: facet) else { return true }
        return evidence.answer?.step == step
      }
    case .scoreBelow(let points): self.points < points
    case .signedIn(let isSignedIn): (state.account.email != nil) == isSignedIn
    case .accounts(let areSetUp): hasAccounts == areSetUp
    case .permission(let permission, let granted):
      (state.permissions[permission] ?? false) == granted
    }
  }

  private func holds(_ test: Condition.Test, _ value: AnswerValue?) -> Bool {
    switch (test, value) {
    case (.answered(let isAnswered), _): (value != nil) == isAnswered
    case (.isOneOf(let texts), .text(let text)): texts.contains(text)
    case (.atLeast(let least), .number(let number)): number >= least
    case (.atMost(let most), .number(let number)): number <= most
    default: false
    }
  }
}
