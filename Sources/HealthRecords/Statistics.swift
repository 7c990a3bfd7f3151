/// Sums over numbers; none of them divides by zero, whatever it is given.
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

  /// How far the second mean is from the first, in standard errors of the difference (Welch 1947).
  ///
  /// Values that never vary have no standard error: a difference between them is as clear as
  /// ``clearest``.
  static func effect(_ first: [Double], _ second: [Double]) -> Double? {
    guard let firstMean = mean(first), let secondMean = mean(second),
      let firstSpread = deviation(first), let secondSpread = deviation(second)
    else { return nil }
    let error =
      (firstSpread * firstSpread / Double(first.count)
      + secondSpread * secondSpread / Double(second.count)).squareRoot()
    let difference = secondMean - firstMean
    if error == 0 { return difference == 0 ? 0 : difference > 0 ? clearest : -clearest }
    return min(max(difference / error, -clearest), clearest)
  }

  static let clearest = 99.0

  /// The median of the slopes between all pairs of points (Theil 1950, Sen 1968): up to 29 % of the
  /// days can be anything without moving it much.
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
  /// To so many decimals, so that a snapshot reads well and is the same everywhere.
  func rounded(to decimals: Int) -> Double {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    return (self * scale).rounded() / scale
  }
}
