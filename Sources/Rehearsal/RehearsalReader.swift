import ContextQuality
import EncoderScorer
import OfflineScorer
import Synchronization

/// Reads a rehearsal with the encoder, each turn once.
final class RehearsalReader: Sendable {
  private let model: EncoderModel
  private let messages: MessageReader
  private let reader = Mutex<TranscriptReader?>(nil)

  /// Nil if the encoder was not trained for the rubric.
  init?(_ rubric: Rubric) {
    guard rubric.isReadOffline, let model = EncoderModel.builtIn else { return nil }
    self.model = model
    messages = MessageReader(model: model)
  }

  /// How likely the user told a facet where asking for it would sound as if nobody had listened.
  private static let told = 0.12

  /// What the last message, if it is the user's, tells or may tell.
  func told(in transcript: Transcript, known: Set<Facet>) -> Set<Facet> {
    guard let reading = messages.read(transcript, known: known) else { return [] }
    return Set(reading.evidence.map(\.facet))
      .union(reading.chances.filter { $0.value >= Self.told }.keys)
  }

  /// - Parameter turns: The user turns to read, counted from 1.
  func ledger(of transcript: Transcript, turns: Set<Int>) -> Ledger {
    read(transcript, turns).ledger
  }

  /// What was perhaps told, so that it is not asked for once more.
  func possible(in transcript: Transcript, turns: Set<Int>) -> Set<Facet> {
    read(transcript, turns).possible
  }

  private func read(
    _ transcript: Transcript, _ turns: Set<Int>
  ) -> (ledger: Ledger, possible: Set<Facet>) {
    reader.withLock { reader in
      var current = reader ?? TranscriptReader(model: model)
      let ledger = current.ledger(of: transcript, turns: turns)
      reader = current
      return (ledger, current.possible)
    }
  }

  /// The facets that a sentence most likely tells if it is read without what was asked before.
  func likeliest(in sentence: String) -> Set<Facet> {
    guard let reading = messages.read(Transcript([.init(.user, sentence)]), known: []) else {
      return []
    }
    if !reading.evidence.isEmpty { return Set(reading.evidence.map(\.facet)) }
    let best = reading.chances.values.max() ?? 0
    return best < Self.told ? [] : Set(reading.chances.filter { $0.value == best }.keys)
  }

  /// How likely a message by itself tells a facet, from 0 to 1.
  func chance(of facet: Facet, in text: String) -> Double {
    guard let place = OfflineScorer.facets.firstIndex(of: facet) else { return 0 }
    let conversation = EncoderConversation(model: model)
    var text = text
    text.withUTF8 { conversation.userSaid($0) }
    return Double(conversation.chances[place])
  }

  /// What a message by itself says about a facet, if all else is known.
  func said(about facet: Facet, in text: String) -> Evidence? {
    let others = Set(OfflineScorer.facets).subtracting([facet])
    return messages.read(Transcript([.init(.user, text)]), known: others)?.evidence.first
  }

  /// What a message says by itself.
  func ledger(of text: String) -> Ledger {
    EncoderScorer(model: model).ledger(of: Transcript([.init(.user, text)]))
  }
}
