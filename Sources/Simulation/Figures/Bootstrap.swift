import WireFormats

/// A figure with its 95% interval, which a single conversation does not have.
public struct Estimate: Hashable, Sendable {
  /// Nil if nothing was there to count.
  public var value: Double?
  public var low: Double?
  public var high: Double?
}

/// Draws personas, and then their seeds, with replacement: what would have come out with other
/// people and other chances. All sides get the same draws, so their differences are paired.
struct Bootstrap: Sendable {
  /// By draw, the places of the drawn conversations as persona and seed.
  private let draws: [[(persona: Int, seed: Int)]]

  static let usual = 1_000

  /// - Parameter seeds: How many conversations each persona has.
  init(seeds: [Int], draws count: Int = usual) {
    var random = SeededRandom(seed: 1)
    let people = seeds.indices.filter { seeds[$0] > 0 }
    // One conversation says nothing about the spread.
    let isSample = seeds.reduce(0, +) > 1
    draws = (0..<(isSample ? count : 0)).map { _ in
      people.flatMap { _ in
        let person = people.randomElement(using: &random) ?? 0
        return (0..<seeds[person]).map { _ in
          (person, Int.random(in: 0..<seeds[person], using: &random))
        }
      }
    }
  }

  /// - Parameter tallies: By persona and seed.
  func estimate(_ tallies: [[Tally]]) -> Estimate {
    interval(Self.sum(tallies.flatMap(\.self)).value, draws.compactMap { drawn($0, tallies).value })
  }

  /// How much more the second side has.
  func difference(_ first: [[Tally]], _ second: [[Tally]]) -> Estimate {
    func minus(_ left: Tally, _ right: Tally) -> Double? {
      guard let left = left.value, let right = right.value else { return nil }
      return left - right
    }
    return interval(
      minus(Self.sum(second.flatMap(\.self)), Self.sum(first.flatMap(\.self))),
      draws.compactMap { minus(drawn($0, second), drawn($0, first)) })
  }

  private func drawn(_ draw: [(persona: Int, seed: Int)], _ tallies: [[Tally]]) -> Tally {
    var sum = Tally.none
    for place in draw { sum += tallies[place.persona][place.seed] }
    return sum
  }

  private static func sum(_ tallies: [Tally]) -> Tally {
    tallies.reduce(into: .none) { $0 += $1 }
  }

  private func interval(_ value: Double?, _ drawn: [Double]) -> Estimate {
    guard value != nil, !drawn.isEmpty else { return Estimate(value: value) }
    let sorted = drawn.sorted()
    func quantile(_ share: Double) -> Double {
      sorted[min(sorted.count - 1, Int((share * Double(sorted.count)).rounded(.down)))]
    }
    return Estimate(value: value, low: quantile(0.025), high: quantile(0.975))
  }
}
