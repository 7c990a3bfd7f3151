// Whether enough is known to coach.
extension ContextComponents {
  /// Strictly more than the threshold: 0.8 exactly isn't ready.
  public var isReadyForCoaching: Bool { points > readyAbove }

  /// Under half, a careful start is all that can be promised.
  package var isMinimal: Bool { points < 5_000 }
}
