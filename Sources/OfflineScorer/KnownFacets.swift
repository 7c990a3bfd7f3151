import CScorerModel

/// Which facets are known, and how scores make them known, by the rubric's rules between facets.
package struct KnownFacets {
  /// One bit for each facet, in the order of the rubric.
  package var known: UInt32 = 0

  package init() {}

  /// A target or date needs an outcome, a detail needs a barrier, and a lesson needs something that
  /// was tried: the second facet cannot be known without the first.
  package static let rests: [(on: Int, facet: Int)] = [(0, 1), (0, 2), (4, 5), (20, 21)]

  /// What was found without the facets that need one which is neither found nor known.
  package static func withoutLoose(_ found: UInt32, known: UInt32) -> UInt32 {
    rests.reduce(found) { found, rest in
      (known | found) >> UInt32(rest.on) & 1 == 0 ? found & ~(1 << UInt32(rest.facet)) : found
    }
  }

  /// Applies a turn's best scores, from which the thresholds are already subtracted.
  ///
  /// - Parameter least: What the margin of one of them must exceed, or the turn says nothing new.
  @discardableResult
  @inline(__always)
  package mutating func take(margins: inout SIMD32<Int16>, atLeast least: SIMD32<Int16>) -> UInt32 {
    for (base, facet) in Self.rests where margins[facet + 8] > 0 && known & (1 << base) == 0 {
      guard margins[base + 8] <= 0 else { continue }
      // Both or neither, as the sum of the two scores decides.
      if margins[facet + 8] &+ margins[base + 8] > 0 {
        margins[base + 8] = 1
      } else {
        margins[facet + 8] = 0
      }
    }
    let above = withUnsafeBytes(of: margins) {
      scorer_positive($0.assumingMemoryBound(to: Int16.self).baseAddress)
    }
    // The first eight lanes are not facets.
    let found = above >> 8 & ~known
    guard found != 0, Self.exceeds(least, found, margins) else { return 0 }
    known |= found
    return found
  }

  private static func exceeds(
    _ least: SIMD32<Int16>, _ found: UInt32, _ margins: SIMD32<Int16>
  ) -> Bool {
    var rest = found
    while rest != 0 {
      let lane = rest.trailingZeroBitCount + 8
      if margins[lane] > least[lane] { return true }
      rest &= rest &- 1
    }
    return false
  }

  package mutating func take(scores: [Int16], thresholds: [Int16], atLeast least: SIMD32<Int16>) {
    var margins = SIMD32<Int16>()
    for facet in 0..<24 {
      margins[facet + 8] = Int16(clamping: Int(scores[facet]) - Int(thresholds[facet]))
    }
    take(margins: &margins, atLeast: least)
  }
}
