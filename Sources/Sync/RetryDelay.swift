/// How long to leave something alone after a failure.
public struct RetryDelay {
  static let first = 5.0
  static let longest = 3_600.0

  /// - Parameters:
  ///   - attempt: Counted from 1.
  ///   - wait: What the project asked for.
  ///   - chance: 0 to 1, so that many devices do not come back at the same moment.
  public static func seconds(after attempt: Int, wait: Duration? = nil, chance: Double) -> Double {
    let doubled = min(longest, first * Double(1 << min(max(attempt, 1) - 1, 12)))
    let spread = doubled * (0.5 + 0.5 * min(max(chance, 0), 1))
    return max(spread, wait.map { Double($0.components.seconds) } ?? 0)
  }
}
