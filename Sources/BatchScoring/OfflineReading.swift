package import ContextQuality
package import EncoderScorer
package import OfflineScorer
import Synchronization

/// What the offline tiers found in a conversation.
package struct OfflineReading: Sendable {
  package var ledger = Ledger()
  /// The facets known after each user turn, one bit each.
  package var known: [UInt32] = []
  /// Who read each user turn.
  package var tiers: [ScoringTier] = []
  package var certainty: Certainty
  /// Whether many of the user's words are unknown, as in another language.
  package var hasManyUnknownWords = false
}

/// Reads whole conversations with the linear scorer, the encoder, or both; usable from many tasks at once.
package final class OfflineReaders: Sendable {
  private final class Place: @unchecked Sendable {  // Exclusive to the task that took it.
    var reader: TurnReader

    init(_ reader: consuming TurnReader) { self.reader = reader }
  }

  private let table: ScoreTable
  private let encoder: EncoderModel?
  private let budget: Double?
  private let idle = Mutex<[Place]>([])

  /// - Parameters:
  ///   - encoder: Nil for the linear scorer alone.
  ///   - budget: The share of the encoder's work; nil reads every turn with it.
  package init(table: ScoreTable, encoder: EncoderModel?, budget: Double?) {
    (self.table, self.encoder, self.budget) = (table, encoder, budget)
  }

  /// - Parameter turns: The user turns to read, counted from 1; nil reads all.
  package func read(_ transcript: Transcript, turns: [Int]?) -> OfflineReading {
    let place =
      idle.withLock { $0.popLast() } ?? Place(TurnReader(encoder: encoder, budget: budget))
    defer { idle.withLock { $0.append(place) } }
    let wanted = turns.map { Set($0) }
    place.reader.begin()
    var reading = OfflineReading(certainty: place.reader.certainty(table))
    for message in transcript.messages {
      var text = message.text
      text.withUTF8 { bytes in
        if message.speaker == .coach { return place.reader.coachSaid(bytes) }
        if wanted?.contains(reading.known.count + 1) ?? true {
          place.reader.userSaid(bytes)
          reading.ledger.record(
            place.reader.changes, known: place.reader.known, place.reader.findings, of: bytes)
        } else {
          place.reader.passOver()
        }
        reading.known.append(place.reader.known)
        reading.tiers.append(place.reader.tier)
      }
    }
    reading.certainty = place.reader.certainty(table)
    reading.hasManyUnknownWords = place.reader.hasManyUnknownWords
    return reading
  }
}
