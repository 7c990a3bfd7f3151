package import ContextQuality
import OfflineScorer

/// Reads a transcript as it grows, each turn once.
package struct TranscriptReader {
  private let conversation: EncoderConversation
  /// What the fast scorer found, and was not taken back.
  private var foundFast: UInt32 = 0
  private var messages: [Transcript.Message] = []
  /// The user turns that were passed over, counted from 1.
  private var skipped: Set<Int> = []
  private var ledger = Ledger()

  package init(model: EncoderModel, budget: Double? = nil) {
    conversation = EncoderConversation(model: model, budget: budget)
  }

  /// What the user has said about each facet. Starts again if the transcript is another one.
  ///
  /// - Parameter turns: The user turns to read, counted from 1; nil reads all.
  package mutating func ledger(of transcript: Transcript, turns: Set<Int>? = nil) -> Ledger {
    if !continues(transcript, turns) { begin() }
    for message in transcript.messages.dropFirst(messages.count) { take(message, turns) }
    conversation.rest()
    return ledger
  }

  /// Facets that are not known, but were told with a chance of 20% or more, or that the fast scorer found.
  package var possible: Set<Facet> {
    Set(
      OfflineScorer.facets.enumerated().filter { place, _ in
        let isFound = foundFast >> UInt32(place) & 1 == 1
        return conversation.known >> UInt32(place) & 1 == 0
          && (isFound || conversation.clearness(place) > Self.possible)
      }.map(\.element))
  }
  /// In log odds.
  private static let possible = -1.4

  private func continues(_ transcript: Transcript, _ turns: Set<Int>?) -> Bool {
    let read = Set(1..<Int(conversation.turn) + 1).subtracting(skipped)
    return transcript.messages.starts(with: messages)
      && (turns.map { read.isSubset(of: $0) && skipped.isDisjoint(with: $0) } ?? skipped.isEmpty)
  }

  private mutating func begin() {
    conversation.begin()
    foundFast = 0
    (messages, skipped, ledger) = ([], [], Ledger())
  }

  private mutating func take(_ message: Transcript.Message, _ turns: Set<Int>?) {
    messages.append(message)
    var text = message.text
    text.withUTF8 { bytes in
      if message.speaker == .coach { return conversation.coachSaid(bytes) }
      let turn = Int(conversation.turn) + 1
      if turns?.contains(turn) ?? true {
        conversation.userSaid(bytes)
        let takenBack = conversation.changes & ~conversation.known
        foundFast = foundFast & ~takenBack | conversation.foundFast
        ledger.record(
          conversation.changes, known: conversation.known, conversation.findings, of: bytes)
      } else {
        skipped.insert(turn)
        conversation.passOver()
      }
    }
  }
}
