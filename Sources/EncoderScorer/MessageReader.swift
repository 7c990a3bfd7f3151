package import ContextQuality
import OfflineScorer
import Synchronization

/// Reads single messages of conversations that somebody else keeps the score of.
package final class MessageReader: Sendable {
  private let model: EncoderModel
  /// One for all, since each takes megabytes and a reading milliseconds.
  private let reader = Mutex<EncoderConversation?>(nil)

  package init(model: EncoderModel) { self.model = model }

  package struct Reading: Sendable {
    /// What the message tells that was not known before.
    package var evidence: [Evidence] = []
    /// The chance, from 0 to 1, that it tells each of the other facets that were not known.
    package var chances: [Facet: Double] = [:]
    /// Whether it tells of injuries, pain or conditions.
    package var tellsOfConditions = false
  }

  /// Reads the last message, which is the user's.
  ///
  /// - Parameter known: What is known before it.
  /// - Returns: nil if the user does not have the last word, or may write in another language.
  package func read(_ transcript: Transcript, known: Set<Facet>) -> Reading? {
    guard let last = transcript.messages.last, last.speaker == .user else { return nil }
    return reader.withLock { reader in
      let conversation = reader ?? EncoderConversation(model: model)
      reader = conversation
      let before = transcript.messages.dropLast()
      let turns = before.count { $0.speaker == .user }
      conversation.begin(
        at: turns + 1, known: known.bits,
        after: before.last { $0.speaker == .user }?.text ?? "")
      for message in before {
        guard message.speaker == .user else { continue }
        var text = message.text
        text.withUTF8 { conversation.countWords(of: $0) }
      }
      for message in before.suffix(from: before.afterUser) {
        var text = message.text
        text.withUTF8 { conversation.coachSaid($0) }
      }
      defer { conversation.rest() }
      return Self.reading(last.text, conversation, known)
    }
  }

  private static func reading(
    _ text: String, _ conversation: EncoderConversation, _ known: Set<Facet>
  ) -> Reading? {
    var (text, ledger) = (text, Ledger())
    text.withUTF8 { bytes in
      conversation.userSaid(bytes)
      ledger.record(
        conversation.changes & conversation.known, known: conversation.known,
        conversation.findings, of: bytes)
    }
    guard !conversation.mayBeInAnotherLanguage else { return nil }
    return Reading(
      evidence: ledger.entries.map(\.evidence), chances: conversation.toldChances,
      tellsOfConditions: conversation.tellsOfConditions)
  }
}

extension ArraySlice<Transcript.Message> {
  /// The place after the user's last message.
  fileprivate var afterUser: Int { (lastIndex { $0.speaker == .user } ?? startIndex - 1) + 1 }
}

extension Set<Facet> {
  /// One bit for each facet that the encoder knows.
  fileprivate var bits: UInt32 {
    OfflineScorer.facets.enumerated().reduce(0) {
      contains($1.element) ? $0 | 1 << UInt32($1.offset) : $0
    }
  }
}

extension EncoderConversation {
  fileprivate var toldChances: [Facet: Double] {
    let open = OfflineScorer.facets.enumerated().filter { known >> UInt32($0.offset) & 1 == 0 }
    return Dictionary(uniqueKeysWithValues: open.map { ($0.element, Double(chances[$0.offset])) })
  }
}
