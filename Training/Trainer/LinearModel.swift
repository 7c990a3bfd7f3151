import CTraining
import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

typealias LaneVector = SIMD32<Float>

/// One bag of features with a target for each facet; a weight of 0 leaves a facet out.
struct Example: Sendable {
  var features: [Int32]
  var asked: [Int32] = []
  var mask = LaneVector()
  var target = LaneVector()
  var weight = LaneVector(repeating: 1)
  /// The only member that learns from it; nil for all.
  var member: Int?

  /// Leaves features out at random; the constants at the ends stay.
  mutating func drop(_ share: Float, _ random: inout Generator) {
    Self.drop(share, &features, &random)
    Self.drop(share, &asked, &random)
  }

  private static func drop(_ share: Float, _ rows: inout [Int32], _ random: inout Generator) {
    guard let constant = rows.popLast() else { return }
    let bound = UInt64(share * 65536)
    var kept = 0
    for index in rows.indices where random.next() & 0xFFFF >= bound {
      rows[kept] = rows[index]
      kept += 1
    }
    rows.removeLast(rows.count - kept)
    rows.append(constant)
  }
}

/// Logistic regression for all facets at once, by AdaGrad; the weights are the mean over the last
/// half of the passes.
struct LinearModel {
  static let lanes = 24
  /// Row by row.
  var weights: [Float]

  struct Settings: Sendable {
    var passes = 24
    var rate: Float = 0.12
    var decay: Float = 0.0012
    var seed: UInt64 = 1
    /// Share of the features that a pass does without, so that no fact hangs on a single word.
    var dropout: Float = 0
    /// The last features, which are always there.
    var constants = 2
    /// Models from different seeds, and from made text of their own, averaged.
    var members = 1
  }

  init(_ examples: [Example], features: Int, _ settings: Settings) {
    let fitted = Mutex([[Float]](repeating: [], count: settings.members))
    DispatchQueue.concurrentPerform(iterations: settings.members) { member in
      var settings = settings
      settings.seed += UInt64(member) &* 7919
      let seen = examples.filter { $0.member == nil || $0.member == member }
      let weights = Self.fitted(seen, features, settings)
      fitted.withLock { $0[member] = weights }
    }
    var sum = [Float](repeating: 0, count: features * Self.lanes)
    for weights in fitted.withLock(\.self) {
      for index in sum.indices { sum[index] += weights[index] }
    }
    weights = sum.map { $0 / Float(settings.members) }
  }

  private static func fitted(
    _ examples: [Example], _ features: Int, _ settings: Settings
  ) -> [Float] {
    var weights = [Float](repeating: 0, count: features * Self.lanes)
    var squares = [Float](repeating: 0.1, count: features * Self.lanes)
    var mean = [Float](repeating: 0, count: features * Self.lanes)
    var order = Array(examples.indices)
    var random = Generator(state: settings.seed)
    var counted: Float = 0
    for pass in 0..<settings.passes {
      order.shuffle(using: &random)
      for index in order {
        var example = examples[index]
        if settings.dropout > 0 { example.drop(settings.dropout, &random) }
        let error = (Self.logistic(Self.sum(example, weights)) - example.target) * example.weight
        Self.step(&weights, &squares, example.features, error, settings)
        if !example.asked.isEmpty {
          Self.step(&weights, &squares, example.asked, error * example.mask, settings)
        }
      }
      if pass >= settings.passes / 2 {
        counted += 1
        for index in mean.indices { mean[index] += weights[index] }
      }
    }
    // What a pass did without is there when it counts, except for the constants.
    let constants = (features - settings.constants) * lanes
    return mean.indices.map { index in
      mean[index] / counted * (index < constants ? 1 - settings.dropout : 1)
    }
  }

  subscript(row: Int) -> LaneVector {
    var vector = LaneVector()
    for lane in 0..<Self.lanes { vector[lane] = weights[row * Self.lanes + lane] }
    return vector
  }

  private static func step(
    _ weights: inout [Float], _ squares: inout [Float], _ rows: [Int32], _ error: LaneVector,
    _ settings: Settings
  ) {
    withUnsafeBytes(of: error) { error in
      rows_step(
        &weights, &squares, rows, rows.count, error.assumingMemoryBound(to: Float.self).baseAddress,
        settings.rate, settings.decay)
    }
  }

  static func sum(_ example: Example, _ weights: [Float]) -> LaneVector {
    let sum = sum(example.features, weights)
    return example.asked.isEmpty ? sum : sum + Self.sum(example.asked, weights) * example.mask
  }

  private static func sum(_ rows: [Int32], _ weights: [Float]) -> LaneVector {
    var sum = LaneVector()
    withUnsafeMutableBytes(of: &sum) { sum in
      rows_sum(weights, rows, rows.count, sum.assumingMemoryBound(to: Float.self).baseAddress)
    }
    return sum
  }

  static func logistic(_ values: LaneVector) -> LaneVector {
    var result = LaneVector()
    for lane in 0..<lanes { result[lane] = 1 / (1 + expf(-values[lane])) }
    return result
  }
}

/// SplitMix64.
struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// Numbers features, leaving out the rare ones.
struct FeatureIndex {
  private(set) var numbers: [UInt64: Int32] = [:]
  private(set) var keys: [UInt64] = []

  init(_ bags: [[UInt64]], atLeast: Int) {
    var counts: [UInt64: Int] = [:]
    for bag in bags { for key in Set(bag) { counts[key, default: 0] += 1 } }
    self.init(keys: counts.filter { $0.value >= atLeast }.keys.sorted())
  }

  init(keys: [UInt64]) {
    self.keys = keys
    for (index, key) in keys.enumerated() { numbers[key] = Int32(index) }
  }

  func bag(_ keys: [UInt64]) -> [Int32] { keys.compactMap { numbers[$0] } }
}
