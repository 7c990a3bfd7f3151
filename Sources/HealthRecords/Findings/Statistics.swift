internal import Glibc

/// Sums over numbers; none of them ever divides by zero.
enum Statistics {
  static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }

  static func median(_ values: [Double]) -> Double? {
    if values.isEmpty { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// Of a sample; nil for fewer than two values.
  static func deviation(_ values: [Double]) -> Double? {
    guard values.count > 1, let mean = mean(values) else { return nil }
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(values.count - 1)).squareRoot()
  }

  /// The distance between the second mean and the first, in standard errors of the difference. Both
  /// lists are in order of time.
  ///
  /// Welch's t (1947) for the effective number of independent values, given the similarity of
  /// consecutive ones (Bayley & Hammersley 1946). A t with few degrees of freedom is converted to
  /// the equally unlikely normal deviate (Wallace 1959), so that one limit fits every count.
  ///
  /// Values that never vary have no standard error: a difference between them is as clear as
  /// ``clearest``.
  static func effect(_ first: [Double], _ second: [Double]) -> Double? {
    let dependence = dependence(first, second)
    guard let left = MeanError(first, dependence), let right = MeanError(second, dependence) else {
      return nil
    }
    let difference = right.mean - left.mean
    let squared = left.squared + right.squared
    if squared == 0 { return difference == 0 ? 0 : difference > 0 ? clearest : -clearest }
    let freedom =
      squared * squared
      / (left.squared * left.squared / left.freedom + right.squared * right.squared / right.freedom)
    let deviate = normal(t: difference / squared.squareRoot(), freedom: freedom)
    return min(max(deviate, -clearest), clearest)
  }

  private static func normal(t: Double, freedom: Double) -> Double {
    let deviate = (freedom * log(1 + t * t / freedom)).squareRoot()
    return (t < 0 ? -deviate : deviate) * (8 * freedom + 1) / (8 * freedom + 3)
  }

  static let clearest = 99.0

  /// With fewer values, the similarity of neighbors is unknown.
  private static let leastForDependence = 20
  private static let mostDependence = 0.9

  /// The similarity of consecutive values around each list's trend: the correlation at lag 1,
  /// corrected for its bias in lists this short (about (2 + 4r)/n, after Marriott & Pope 1954; the
  /// 2, for a trend, is from our own simulation). Never below 0, so that it never reduces the
  /// noise.
  static func dependence(_ first: [Double], _ second: [Double]) -> Double {
    guard first.count + second.count >= leastForDependence else { return 0 }
    var (products, squares) = (0.0, 0.0)
    for list in [first, second] {
      let around = aroundTrend(list)
      squares += around.reduce(0) { $0 + $1 * $1 }
      products += zip(around, around.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
    }
    // What is left of a straight line is the rounding of its numbers.
    let scale = (first + second).reduce(0) { $0 + $1 * $1 }
    guard squares > 1e-18 * scale else { return 0 }
    let length = Double(first.count + second.count) / 2
    let corrected = (products / squares + 2 / length) / (1 - 4 / length)
    return min(max(corrected, 0), mostDependence)
  }

  private static func aroundTrend(_ values: [Double]) -> [Double] {
    guard values.count > 2, let mean = mean(values) else { return [] }
    let middle = Double(values.count - 1) / 2
    let places = values.indices.map { Double($0) - middle }
    let slope =
      zip(places, values).reduce(0) { $0 + $1.0 * ($1.1 - mean) }
      / places.reduce(0) { $0 + $1 * $1 }
    return zip(places, values).map { $1 - mean - slope * $0 }
  }

  /// The chance that two counts differ at least this much if things happen equally often in both
  /// spans: the exact conditional test (Przyborowski & Wilenski 1940), two-sided.
  static func chance(of first: Int, _ second: Int, days: (first: Int, last: Int)) -> Double {
    guard first >= 0, second >= 0, first + second > 0, days.first > 0, days.last > 0 else {
      return 1
    }
    let odds = Double(days.first) / Double(days.last)
    let fewer = tail(from: first, of: first + second, odds: odds)
    let more = tail(from: second, of: first + second, odds: 1 / odds)
    guard fewer.isFinite, more.isFinite else { return 0 }
    return min(1, 2 * min(fewer, more) / (fewer + more - 1))
  }

  /// The binomial probabilities of a count and all below it, as multiples of the count's own.
  private static func tail(from count: Int, of all: Int, odds: Double) -> Double {
    var (chance, sum) = (1.0, 1.0)
    for lower in stride(from: count, to: 0, by: -1) {
      chance *= Double(lower) / (Double(all - lower + 1) * odds)
      sum += chance
    }
    return sum
  }

  /// The median of the slopes between all pairs of points (Theil 1950, Sen 1968): up to 29% of the
  /// days can be outliers without moving it much.
  static func slope(_ points: [(x: Double, y: Double)]) -> Double? {
    var slopes: [Double] = []
    slopes.reserveCapacity(points.count * points.count / 2)
    for (place, left) in points.enumerated() {
      for right in points[(place + 1)...] where right.x != left.x {
        slopes.append((right.y - left.y) / (right.x - left.x))
      }
    }
    return median(slopes)
  }
}

extension Double {
  /// Rounded to this many decimals, so that a snapshot reads well and is the same everywhere.
  func rounded(to decimals: Int) -> Double {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    return (self * scale).rounded() / scale
  }
}

/// A mean and its precision.
private struct MeanError {
  let mean: Double
  /// The squared standard error.
  let squared: Double
  let freedom: Double

  init?(_ values: [Double], _ dependence: Double) {
    guard let mean = Statistics.mean(values), let spread = Statistics.deviation(values) else {
      return nil
    }
    let count = Double(values.count)
    let independent = max(2, count * (1 - dependence) / (1 + dependence))
    // Values that are alike lie closer to their own mean than to the true one.
    let variance = spread * spread * (count - 1) / (count - count / independent)
    self.mean = mean
    squared = variance / independent
    freedom = independent - 1
  }
}
