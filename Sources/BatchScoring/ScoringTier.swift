package import OfflineScorer

/// Who read a turn, from the cheapest to the dearest.
public enum ScoringTier: String, CaseIterable, Comparable, Sendable {
  case linear, encoder, model

  private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  public static func < (left: Self, right: Self) -> Bool { left.place < right.place }
}

/// What a cascade's record says about how the conversation was read.
package struct TierDetails: Sendable {
  /// Who read each user turn.
  package var turns: [ScoringTier]
  /// How sure the offline tiers are at the end; nil if a model read it.
  package var certainty: Certainty?
  /// Why the model's answer is missing; nil if it was not asked or it answered.
  package var modelError: String?

  package init(
    turns: [ScoringTier], certainty: Certainty? = nil, modelError: String? = nil
  ) {
    (self.turns, self.certainty, self.modelError) = (turns, certainty, modelError)
  }

  /// The dearest that read anything.
  package var best: ScoringTier { turns.max() ?? .linear }
}
