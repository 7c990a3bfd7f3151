public import ContextQuality

/// Reads a message in milliseconds, without a model.
///
/// It reads drafts while they are typed, and lets the next question begin while the model still
/// reads; see ``IntakeSettings/readsAhead``. What it finds is never stored.
public struct QuickReader: Sendable {
  let read: @Sendable (Transcript, Set<Facet>) -> QuickReading?

  /// - Parameter read: Reads the last message, which is the user's, given what is known before it.
  ///   Nil if it can't tell, such as in another language.
  public init(_ read: @escaping @Sendable (Transcript, Set<Facet>) -> QuickReading?) {
    self.read = read
  }
}

/// What a message seems to tell.
public struct QuickReading: Hashable, Sendable {
  public var evidence: [Evidence]
  /// What it may tell besides.
  public var doubtful: Set<Facet>
  /// It speaks of injuries or conditions, so the answer may have to be a careful one.
  public var mayNeedCare: Bool

  public init(evidence: [Evidence], doubtful: Set<Facet> = [], mayNeedCare: Bool = false) {
    (self.evidence, self.doubtful, self.mayNeedCare) = (evidence, doubtful, mayNeedCare)
  }
}
