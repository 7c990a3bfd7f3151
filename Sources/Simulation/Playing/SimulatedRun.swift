public import ContextQuality
public import Signals

/// One conversation with a persona, as it went.
public struct SimulatedRun: Hashable, Sendable {
  /// A message of the person, with the question before it.
  public struct Turn: Hashable, Sendable {
    /// What the coach said before, joined.
    public var coach: String
    /// The components that the question before it was about; empty if it was none.
    public var components: [String] = []
    /// The facets that the engine was missing in the question's first component.
    public var wanted: [Facet] = []
    /// Whether everything that the question could still find out was said before.
    public var isRepeated = false
    public var reply: PersonaPlayer.Reply
    /// Facts of the sheet that were told and became known with this turn.
    public var found: [Facet] = []
    /// What the rubric gives for them, in ten-thousandths.
    public var worth = 0
    /// The care that the turn was answered with.
    public var care: [CareKind] = []
    /// The overall score after it, in ten-thousandths.
    public var points = 0
    /// Whether a rule's words stand in for a model's, which did not pass the check.
    public var isRuleInstead = false
  }

  public enum Ending: String, Hashable, Sendable, CaseIterable {
    /// Enough was known.
    case ready
    /// The person took the offer to wrap up.
    case offer
    /// Only fixed texts follow.
    case care
    /// It did not come to an end.
    case limit
  }

  /// The most messages of the person.
  static let mostTurns = 40

  public var persona: String
  public var seed: Int
  public var ending = Ending.limit
  public var turns: [Turn] = []
  /// What the rubric gives for all facts of the sheet, in ten-thousandths.
  public var worth = 0
  /// The message after which enough was known, counted from 1; nil if it never was.
  public var readyAt: Int?
  /// Facets that count as known at the end, but that the person never told.
  public var misheard: [Facet] = []
  /// What the coach said last.
  public var closing = ""
  /// Goals and constraints of the profile that rest on nothing the person said; nil without a profile.
  public var unsupported: [String]?
  /// Those that the coach's own check left out of the profile; nil for a coach without one.
  public var leftOut: Int?
  /// What the coach's models read and wrote; nil if their answers did not say.
  public var tokens: Int?

  public var found: Set<Facet> { Set(turns.flatMap(\.found)) }
}
