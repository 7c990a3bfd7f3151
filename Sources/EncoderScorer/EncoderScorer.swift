public import ContextQuality

/// Scores transcripts with a small neural network in the program: slower than `OfflineScorer`,
/// and better at how people write. The same transcript gives the same ledger everywhere.
public struct EncoderScorer: Sendable {
  private let model: EncoderModel
  private let budget: Double?

  /// Nil if the program holds no model that it can run.
  public init?() {
    guard let model = EncoderModel.builtIn else { return nil }
    self.init(model: model)
  }

  /// - Parameter budget: The share of its work that the network does, from 0 to 1; the fast scorer
  ///   reads the turns where that helps least. Nil for all.
  public init(model: EncoderModel, budget: Double? = nil) {
    (self.model, self.budget) = (model, budget)
  }

  /// What the user has said about each facet, with its turn and quote.
  ///
  /// - Parameter turns: The user turns to read, counted from 1; nil reads all.
  public func ledger(of transcript: Transcript, turns: Set<Int>? = nil) -> Ledger {
    var reader = TranscriptReader(model: model, budget: budget)
    return reader.ledger(of: transcript, turns: turns)
  }

  /// The facets known after each user turn, one bit each in the order of `OfflineScorer.facets`.
  public func knownByTurn(_ transcript: Transcript) -> [UInt32] {
    let conversation = EncoderConversation(model: model, budget: budget)
    var known: [UInt32] = []
    for message in transcript.messages {
      var text = message.text
      text.withUTF8 { bytes in
        switch message.speaker {
        case .coach: conversation.coachSaid(bytes)
        case .user:
          conversation.userSaid(bytes)
          known.append(conversation.known)
        }
      }
    }
    return known
  }
}
