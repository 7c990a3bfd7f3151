/// How fast recorded answers arrive.
public enum ReplayPace: Hashable, Sendable {
  /// All at once.
  case none
  /// This many times the recorded speed.
  case times(Double)

  /// How long to wait for this many recorded milliseconds; nil for no wait.
  public func delay(milliseconds: Int) -> Duration? {
    guard case .times(let speed) = self, speed > 0, milliseconds > 0 else { return nil }
    return .milliseconds(Double(milliseconds) / speed)
  }
}
