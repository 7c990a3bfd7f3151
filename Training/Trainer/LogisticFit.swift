import Glibc

/// Logistic regression by Newton's method.
struct LogisticFit {
  private var points: [(seen: [Double], isTrue: Bool)] = []

  mutating func add(_ seen: [Double], isTrue: Bool) { points.append((seen, isTrue)) }

  /// The factors that give the log odds.
  ///
  /// - Parameter decay: What pulls them toward zero.
  func line(decay: Double) -> [Double] {
    let count = points.first?.seen.count ?? 0
    var line = [Double](repeating: 0, count: count)
    for _ in 0..<40 {
      var slope = line.map { -decay * $0 }
      var curve = line.indices.map { row in line.indices.map { $0 == row ? decay : 0 } }
      for (seen, isTrue) in points {
        let chance = 1 / (1 + exp(-zip(line, seen).reduce(0) { $0 + $1.0 * $1.1 }))
        for row in line.indices {
          slope[row] += ((isTrue ? 1 : 0) - chance) * seen[row]
          for column in line.indices {
            curve[row][column] += seen[row] * seen[column] * chance * (1 - chance)
          }
        }
      }
      for (index, step) in CalibrationFit.solved(curve, slope).enumerated() { line[index] += step }
    }
    return line
  }

  static func text(_ line: [Double]) -> String {
    line.map { "\(($0 * 1000).rounded() / 1000)" }.joined(separator: ", ")
  }
}
