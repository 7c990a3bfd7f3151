import EncoderScorer
import Glibc
import OfflineScorer

/// Finds the numbers of ``Cascade`` by logistic regression: when is the fast scorer wrong about a
/// facet? The text must be some that it did not learn from.
struct RoutingFit: CustomStringConvertible {
  private typealias Point = (seen: SIMD8<Double>, isWrong: Bool)
  private var found: [Point] = []
  private var missing: [Point] = []

  init(_ rows: [Labelled]) {
    for row in rows { add(row) }
  }

  private mutating func add(_ row: Labelled) {
    let truth = trueByTurn(row)
    var turn = 0
    var earlier: UInt32 = 0
    let readings = row.turnByTurn(.builtIn) { scorer in
      turn += 1
      var seen: [SIMD8<Double>] = []
      for facet in 0..<24 {
        let isAsked = scorer.askedFacets >> UInt32(facet) & 1 == 1
        seen.append(
          Cascade.features(margin: scorer.margin(facet), isAsked: isAsked, turn: turn))
      }
      return (seen: seen, known: scorer.known)
    }
    for (turn, reading) in readings.enumerated() {
      for facet in 0..<24 where earlier >> UInt32(facet) & 1 == 0 {
        let isFound = reading.known >> UInt32(facet) & 1 == 1
        let isWrong = isFound != (truth[turn] >> UInt32(facet) & 1 == 1)
        if isFound {
          found.append((reading.seen[facet], isWrong))
        } else {
          missing.append((reading.seen[facet], isWrong))
        }
      }
      earlier = reading.known
    }
  }

  var description: String {
    func text(_ line: SIMD8<Double>) -> String {
      (0..<8).map { "\((line[$0] * 1000).rounded() / 1000)" }.joined(separator: ", ")
    }
    return "found (\(text(Self.line(found)))), missing (\(text(Self.line(missing))))"
  }

  /// Newton's method, with a little weight decay.
  private static func line(_ points: [Point]) -> SIMD8<Double> {
    var line = SIMD8<Double>()
    for _ in 0..<30 {
      var slope = -2 * line
      var curve = (0..<8).map { row in (0..<8).map { $0 == row ? 2.0 : 0 } }
      for point in points {
        let chance = 1 / (1 + exp(-(line * point.seen).sum()))
        slope += ((point.isWrong ? 1 : 0) - chance) * point.seen
        for row in 0..<5 {
          for column in 0..<5 {
            curve[row][column] += point.seen[row] * point.seen[column] * chance * (1 - chance)
          }
        }
      }
      for (index, step) in CalibrationFit.solved(curve, (0..<8).map { slope[$0] }).enumerated() {
        line[index] += step
      }
    }
    return line
  }
}
