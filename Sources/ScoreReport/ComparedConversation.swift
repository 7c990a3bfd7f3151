public import ContextQuality
import OfflineScorer

/// A conversation with what a person found in it, and what a scorer did.
public struct ComparedConversation: Sendable {
  /// What a person found.
  public struct Label: Hashable, Sendable {
    /// In the order of ``OfflineScorer/facets``.
    public var facet: Int
    /// Counted from 1.
    public var turn: Int
    public var quote: String

    public init(facet: Int, turn: Int, quote: String) {
      (self.facet, self.turn, self.quote) = (facet, turn, quote)
    }
  }

  public let id: String
  /// The kind of text, such as `forum`; nil if the labels don't tell.
  public let register: String?
  let transcript: Transcript
  let truth: [UInt32]
  let guess: [UInt32]
  let evidence: [ComparedEvidence]

  /// - Parameters:
  ///   - truth: The facets that are really known after each user turn.
  ///   - ledger: What the scorer found.
  public init(
    id: String, register: String?, transcript: Transcript, truth: [UInt32], labels: [Label],
    ledger: Ledger
  ) {
    (self.id, self.register, self.transcript, self.truth) = (id, register, transcript, truth)
    let guess = truth.indices.map { ledger.bits(after: $0 + 1) }
    self.guess = guess
    func has(_ known: [UInt32], _ facet: Int, _ turn: Int) -> Bool {
      known.indices.contains(turn - 1) && known[turn - 1] >> UInt32(facet) & 1 == 1
    }
    let found = ledger.entries.compactMap { entry -> ComparedEvidence? in
      guard let facet = OfflineScorer.facets.firstIndex(of: entry.evidence.facet) else {
        return nil
      }
      let turn = entry.evidence.turn
      return ComparedEvidence(
        facet: facet, turn: turn, quote: entry.evidence.text,
        kind: has(truth, facet, turn) ? .right : .false)
    }
    let missed = labels.filter { !has(guess, $0.facet, $0.turn) }.map {
      ComparedEvidence(facet: $0.facet, turn: $0.turn, quote: $0.quote, kind: .missed)
    }
    evidence = found + missed
  }

  func count(_ kind: ComparedEvidence.Kind) -> Int { evidence.count { $0.kind == kind } }
}

/// Evidence that a scorer found or should have found.
struct ComparedEvidence: Hashable, Sendable {
  enum Kind: String, Hashable, Sendable {
    case right, `false`, missed
  }

  let facet: Int
  let turn: Int
  let quote: String
  let kind: Kind
}
