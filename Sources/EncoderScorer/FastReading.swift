import OfflineScorer

/// What the fast scorer and the second opinion make of a message together, where the network doesn't
/// read it. Their errors are others, so the two know more than one.
///
/// The numbers were chosen on conversations in the registers that neither of them has seen.
package struct FastReading {
  /// By facet: the fast scorer's margin, with a third of the second opinion's.
  package private(set) var margins = [Double](repeating: -12, count: 24)
  /// The facets that they find.
  package private(set) var found: UInt32 = 0
  /// The facets that the coach asked for.
  package let asked: UInt32

  private static let second = 0.35
  /// The second opinion may not outweigh the other by more.
  private static let most = 4.0
  /// The margin above which a facet is found.
  private static let least = -0.2
  /// A turn counts if one margin is above, by whether the coach asked for it.
  private static let leastOfTurn = (asked: 0.0, unasked: 0.5)

  /// - Parameter known: What is known before the message.
  init(
    _ fast: borrowing ConversationScorer, _ second: borrowing ConversationScorer, known: UInt32
  ) {
    asked = fast.askedFacets
    for facet in 0..<24 {
      // Guards that have been mended since speak in a clause of which it says nothing.
      let isSilent = second.margin(facet) <= ConversationScorer.leastMargin
      let other =
        isSilent ? fast.margin(facet) : min(max(second.margin(facet), -Self.most), Self.most)
      margins[facet] = (1 - Self.second) * fast.margin(facet) + Self.second * other
      if margins[facet] > Self.least { found |= 1 << UInt32(facet) }
    }
    found &= ~known
    guard isTold else {
      found = 0
      return
    }
    found = KnownFacets.withoutLoose(found, known: known)
  }

  private var isTold: Bool {
    (0..<24).contains { facet in
      let bit: UInt32 = 1 << UInt32(facet)
      let least = asked & bit != 0 ? Self.leastOfTurn.asked : Self.leastOfTurn.unasked
      return found & bit != 0 && margins[facet] > least
    }
  }
}
