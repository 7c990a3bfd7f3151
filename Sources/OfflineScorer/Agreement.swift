/// How well two readings of the same conversations agree, by facet, over every prefix.
///
/// A conversation with five user turns gives five comparisons. Known facets are a bit set, with one
/// bit for each facet in the order of the weights.
public struct Agreement: Sendable {
  /// The weight of each facet, in ten-thousandths.
  public let weights: [Int]
  /// A score above this many ten-thousandths is ready.
  public let readyAbove: Int
  /// For each facet: known to neither, to the second only, to the first only, to both.
  public private(set) var counts: [SIMD4<Int>]
  private var truth: [Int] = []
  private var guesses: [Int] = []

  public init(weights: [Int], readyAbove: Int = 8000) {
    self.weights = weights
    self.readyAbove = readyAbove
    counts = Array(repeating: SIMD4(), count: weights.count)
  }

  /// Compares one conversation, turn by turn.
  public mutating func add(truth known: [UInt32], guess: [UInt32]) {
    for (left, right) in zip(known, guess) {
      truth.append(points(left))
      guesses.append(points(right))
      for facet in weights.indices {
        counts[facet][Int(left >> facet & 1) * 2 + Int(right >> facet & 1)] += 1
      }
    }
  }

  private func points(_ known: UInt32) -> Int {
    weights.indices.reduce(0) { $0 + (known >> $1 & 1 == 1 ? weights[$1] : 0) }
  }

  public var prefixes: Int { truth.count }

  public struct Figures: Hashable, Sendable {
    public var precision: Double
    public var recall: Double
    public var f1: Double {
      precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0
    }
  }

  public var figures: Figures { Self.figures(counts.reduce(SIMD4(), &+)) }

  public func figures(of facet: Int) -> Figures { Self.figures(counts[facet]) }

  private static func figures(_ counts: SIMD4<Int>) -> Figures {
    func share(_ part: Int, _ whole: Int) -> Double {
      whole == 0 ? 1 : Double(part) / Double(whole)
    }
    return Figures(
      precision: share(counts[3], counts[3] + counts[1]),
      recall: share(counts[3], counts[3] + counts[2]))
  }

  public func kappa(of facet: Int) -> Double {
    let count = counts[facet]
    let all = Double(max(1, prefixes))
    let first = Double(count[3] + count[2])
    let second = Double(count[3] + count[1])
    let expected = (first * second + (all - first) * (all - second)) / all / all
    return expected < 1 ? (Double(count[0] + count[3]) / all - expected) / (1 - expected) : 1
  }

  public var meanAbsoluteError: Double {
    mean(zip(truth, guesses).map { Double(abs($0 - $1)) / 10_000 })
  }

  public var bias: Double { mean(zip(truth, guesses).map { Double($1 - $0) / 10_000 }) }

  public var readyAgreement: Double {
    mean(zip(truth, guesses).map { ($0 > readyAbove) == ($1 > readyAbove) ? 1 : 0 })
  }

  public var pearson: Double { Self.pearson(truth.map(Double.init), guesses.map(Double.init)) }
  public var spearman: Double { Self.pearson(Self.ranks(truth), Self.ranks(guesses)) }

  private func mean(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }

  private static func ranks(_ values: [Int]) -> [Double] {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var ranks = [Double](repeating: 0, count: values.count)
    var start = 0
    while start < order.count {
      var end = start
      while end + 1 < order.count, values[order[end + 1]] == values[order[start]] { end += 1 }
      for index in start...end { ranks[order[index]] = Double(start + end) / 2 }
      start = end + 1
    }
    return ranks
  }

  private static func pearson(_ left: [Double], _ right: [Double]) -> Double {
    let count = Double(max(1, left.count))
    let meanLeft = left.reduce(0, +) / count
    let meanRight = right.reduce(0, +) / count
    var (cross, first, second) = (0.0, 0.0, 0.0)
    for (x, y) in zip(left, right) {
      cross += (x - meanLeft) * (y - meanRight)
      first += (x - meanLeft) * (x - meanLeft)
      second += (y - meanRight) * (y - meanRight)
    }
    return first > 0 && second > 0 ? cross / (first * second).squareRoot() : .nan
  }
}
