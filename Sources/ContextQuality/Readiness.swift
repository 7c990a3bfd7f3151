// Whether the coach knows enough.
extension ContextComponents {
  /// Strictly more than the threshold: 0.8 exactly is not ready.
  public var isReadyForCoaching: Bool { points > readyAbove }

  /// Below half, the coach promises only a careful start.
  package var isMinimal: Bool { points < 5_000 }
}
