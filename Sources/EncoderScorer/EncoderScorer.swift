public import ContextQuality
import OfflineScorer

/// Scores transcripts with a small neural network in the program: slower than ``OfflineScorer``,
/// and better at how people write. The same transcript gives the same ledger everywhere.
public struct EncoderScorer: Sendable {
  private let model: EncoderModel

  /// Nil if the program holds no model that it can run.
  public init?() {
    guard let model = EncoderModel.builtIn else { return nil }
    self.model = model
  }

  public init(model: EncoderModel) { self.model = model }

  /// What the user has said about each facet, with its turn and quote.
  public func ledger(of transcript: Transcript) -> Ledger {
    var ledger = Ledger()
    forEachTurn(of: transcript) { read, text in
      Self.record(read, of: text, into: &ledger)
    }
    return ledger
  }

  /// The facets known after each user turn, one bit each in the order of ``OfflineScorer/facets``.
  public func knownByTurn(_ transcript: Transcript) -> [UInt32] {
    var known: [UInt32] = []
    forEachTurn(of: transcript) { read, _ in known.append(read.known) }
    return known
  }

  private func forEachTurn(
    of transcript: Transcript, _ body: (EncoderConversation, UnsafeBufferPointer<UInt8>) -> Void
  ) {
    let conversation = EncoderConversation(model: model)
    for message in transcript.messages {
      var text = message.text
      text.withUTF8 { bytes in
        switch message.speaker {
        case .coach: conversation.coachSaid(bytes)
        case .user:
          conversation.userSaid(bytes)
          body(conversation, bytes)
        }
      }
    }
  }

  private static func record(
    _ read: EncoderConversation, of text: UnsafeBufferPointer<UInt8>, into ledger: inout Ledger
  ) {
    for (index, facet) in OfflineScorer.facets.enumerated()
    where read.changes >> UInt32(index) & 1 == 1 {
      let finding = read.findings[index]
      if read.known >> UInt32(index) & 1 == 1 {
        let quote = String(decoding: text[Int(finding.start)..<Int(finding.end)], as: UTF8.self)
        ledger.record(Evidence(facet: facet, quote: quote, turn: Int(finding.turn)))
      } else {
        let words = String(decoding: text, as: UTF8.self)
        ledger.retract(Retraction(facet: facet, quote: words, turn: Int(finding.until)))
      }
    }
  }
}
