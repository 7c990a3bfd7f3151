import EncoderScorer
import OfflineScorer

/// Reads conversations with the fast scorer or with the encoder.
struct TurnReader: ~Copyable {
  private var scorer = ConversationScorer()
  private let encoder: EncoderConversation?

  /// - Parameters:
  ///   - encoder: Nil for the fast scorer.
  ///   - budget: The share of turns that the encoder reads; nil for all.
  init(encoder: EncoderModel?, budget: Double? = nil) {
    self.encoder = encoder.map { EncoderConversation(model: $0, budget: budget) }
  }

  /// Who read the last user turn.
  var tier: ScoringTier { encoder?.hasReadLast == true ? .encoder : .linear }

  var known: UInt32 { encoder?.known ?? scorer.known }
  var changes: UInt32 { encoder?.changes ?? scorer.changes }
  var findings: FlatFindings { encoder?.findings ?? scorer.findings }

  func certainty(_ table: ScoreTable) -> Certainty {
    encoder?.certainty(table) ?? scorer.certainty(table)
  }

  var hasManyUnknownWords: Bool {
    encoder?.hasManyUnknownWords ?? scorer.hasManyUnknownWords
  }

  mutating func begin() {
    if let encoder { encoder.begin() } else { scorer.begin() }
  }

  @inline(__always)
  mutating func coachSaid(_ text: UnsafeBufferPointer<UInt8>) {
    if let encoder { encoder.coachSaid(text) } else { scorer.coachSaid(text) }
  }

  @inline(__always)
  mutating func userSaid(_ text: UnsafeBufferPointer<UInt8>) {
    if let encoder { encoder.userSaid(text) } else { scorer.userSaid(text) }
  }

  mutating func passOver() {
    if let encoder { encoder.passOver() } else { scorer.passOver() }
  }
}
