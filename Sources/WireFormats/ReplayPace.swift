/// How fast recorded answers arrive.
public enum ReplayPace: Hashable, Sendable {
  /// At once.
  case none
  /// So many times as fast as they were recorded.
  case times(Double)

  /// What to wait for so many recorded milliseconds; nil for nothing.
  public func delay(milliseconds: Int) -> Duration? {
    guard case .times(let speed) = self, speed > 0, milliseconds > 0 else { return nil }
    return .milliseconds(Double(milliseconds) / speed)
  }
}
