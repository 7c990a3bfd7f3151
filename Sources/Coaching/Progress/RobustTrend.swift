/// A robust line through values over time: Theil–Sen, the median of the slopes between all pairs.
///
/// H. Theil (1950); P. K. Sen, JASA 63 (1968). One wild session in four does not move it.
public struct RobustTrend: Hashable, Sendable {
  /// Per day.
  public let slope: Double
  /// At day 0.
  public let intercept: Double
  /// The spread of values around the line: the median absolute deviation × 1.4826, which estimates a
  /// standard deviation.
  public let noise: Double
  /// Days between the first and the last value.
  public let span: Double

  /// Nil without two values on different days.
  public init?(_ points: [(day: Double, value: Double)]) {
    var slopes: [Double] = []
    for (index, one) in points.enumerated() {
      for other in points[(index + 1)...] where other.day != one.day {
        slopes.append((other.value - one.value) / (other.day - one.day))
      }
    }
    guard let slope = Self.median(slopes), slope.isFinite else { return nil }
    let rests = points.map { $0.value - slope * $0.day }
    let intercept = Self.median(rests) ?? 0
    let deviations = rests.map { abs($0 - intercept) }
    let days = points.map(\.day)
    self.slope = slope
    self.intercept = intercept
    noise = 1.4826 * (Self.median(deviations) ?? 0)
    span = (days.max() ?? 0) - (days.min() ?? 0)
  }

  /// The change over the span.
  public var gain: Double { slope * span }

  static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
