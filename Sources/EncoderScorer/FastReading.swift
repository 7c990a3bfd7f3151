import OfflineScorer

/// What the fast scorer makes of a message that the network does not read.
package struct FastReading {
  /// By facet.
  package let margins: [Double]
  /// The facets that it finds.
  package let found: UInt32
  /// The facets that the coach asked for.
  package let asked: UInt32

  /// - Parameter known: What is known before the message.
  init(_ fast: borrowing ConversationScorer, known: UInt32) {
    asked = fast.askedFacets
    found = fast.changes & fast.known & ~known
    var margins: [Double] = []
    for facet in 0..<24 { margins.append(fast.margin(facet)) }
    self.margins = margins
  }
}
