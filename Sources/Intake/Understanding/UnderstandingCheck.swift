package import ContextQuality
import IncrementalJSON
import Signals

/// A reader's claims about a person, before any check.
package struct PersonClaims: Hashable, Sendable {
  package struct Claim: Hashable, Sendable {
    /// Such as `intent.weightLoss`.
    package var part: String
    package var confidence: Understanding.Confidence
    package var turn: Int
    package var quote: String

    package init(
      _ part: String, confidence: Understanding.Confidence, turn: Int, quote: String
    ) {
      (self.part, self.confidence, self.turn, self.quote) = (part, confidence, turn, quote)
    }
  }

  package var parts: [Claim] = []
  package var notes: [MemoryNote] = []

  package init() {}

  /// The most items to read of each list.
  private static let most = 20

  /// Reads `"understanding":[{"part","confidence","turn","quote"}]` and `"notes":[{"turn","quote"}]`.
  /// Anything else is left out.
  init(_ root: JSONValue) {
    parts = Self.items(root["understanding"]).compactMap { item in
      guard let part = item["part"]?.stringValue, let turn = item["turn"]?.intValue,
        let quote = item["quote"]?.stringValue
      else { return nil }
      let confidence = item["confidence"]?.stringValue
        .flatMap { Understanding.Confidence(rawValue: $0) }
      return Claim(part, confidence: confidence ?? .guess, turn: turn, quote: quote)
    }
    notes = Self.items(root["notes"]).compactMap { item in
      guard let turn = item["turn"]?.intValue, let quote = item["quote"]?.stringValue else {
        return nil
      }
      return MemoryNote(turn: turn, quote: quote)
    }
  }

  private static func items(_ value: JSONValue?) -> ArraySlice<JSONValue> {
    (value?.arrayValue ?? []).prefix(most)
  }
}

/// Accepts what a reader makes of a person only where the user's words, or a reading of their
/// health data, support it.
package struct UnderstandingCheck {
  private let terms: UnderstandingTerms
  private let measures: MeasureWords
  /// What may rest on health data: the readings, word for word.
  private let readings: Set<String>
  private var fitter: QuoteFitter

  package init(pack: PromptPack, transcript: Transcript, ledger: Ledger) {
    (terms, measures) = (pack.understandingTerms, pack.measureWords)
    readings = Set(
      ledger.standing.filter(\.evidence.isReading)
        .map { PlainText.line($0.evidence.text) })
    fitter = QuoteFitter(transcript, pack.signals.quoteWords)
  }

  package mutating func parts(_ claims: PersonClaims) -> [Understanding.Part] {
    claims.parts.compactMap { part($0) }
  }

  private mutating func part(_ claim: PersonClaims.Claim) -> Understanding.Part? {
    guard let term = terms[claim.part] else { return nil }
    if claim.turn == 0 {
      let reading = PlainText.line(claim.quote)
      guard readings.contains(reading) else { return nil }
      return Understanding.Part(
        term.aspect, term.name, confidence: claim.confidence, turn: 0, quote: reading)
    }
    guard let fit = try? fitter.fit(claim.quote, turn: claim.turn) else { return nil }
    return Understanding.Part(
      term.aspect, term.name, confidence: claim.confidence, turn: fit.turn, quote: fit.quote,
      kilograms: term.hasWeight ? measures.weight(in: fit.quote) : nil)
  }

  /// The longest note, in UTF-8 bytes. A longer one would be the conversation again.
  private static let longestNote = 240

  package mutating func notes(_ claims: PersonClaims) -> [MemoryNote] {
    claims.notes.compactMap { note in
      guard let fit = try? fitter.fit(note.quote, turn: note.turn),
        fit.quote.utf8.count <= Self.longestNote
      else { return nil }
      return MemoryNote(turn: fit.turn, quote: fit.quote)
    }
  }
}
