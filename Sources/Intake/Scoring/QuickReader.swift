public import ContextQuality

/// Reads a message in milliseconds, without a model.
///
/// It reads drafts while they are typed, and lets the next question begin while the model still
/// reads; see ``IntakeSettings/readsAhead``. What it finds is stored only if the model cannot read, under its
/// name and until a model does.
public struct QuickReader: Sendable {
  let name: String
  let read: @Sendable (Transcript, Set<Facet>) -> QuickReading?

  /// - Parameters:
  ///   - name: What stored readings call it.
  ///   - read: Reads the last message, which is the user's, given what is known before it.
  ///     Nil if it cannot tell, such as in another language.
  public init(
    name: String, _ read: @escaping @Sendable (Transcript, Set<Facet>) -> QuickReading?
  ) {
    (self.name, self.read) = (name, read)
  }
}

/// What a message seems to tell.
public struct QuickReading: Hashable, Sendable {
  public var evidence: [Evidence]
  /// The chance, from 0 to 1, that it tells each other facet; a facet that is not listed has none.
  public var chances: [Facet: Double]
  /// It speaks of injuries or conditions.
  public var tellsOfConditions: Bool
  /// It may do more than answer: decline, ask, or end the questions.
  public var mayAct: Bool

  public init(
    evidence: [Evidence], chances: [Facet: Double] = [:], tellsOfConditions: Bool = false,
    mayAct: Bool = false
  ) {
    (self.evidence, self.chances) = (evidence, chances)
    (self.tellsOfConditions, self.mayAct) = (tellsOfConditions, mayAct)
  }
}
