public import ContextQuality

/// Scores transcripts without a model server: the same transcript gives the same ledger everywhere.
public struct OfflineScorer: Sendable {
  /// The facets that it scores, in bit order.
  public static let facets = [
    ("goalClarity", ["outcome", "target", "timeframe", "motive"]),
    ("obstacles", ["barrier", "detail", "physical"]),
    ("exercisePreferences", ["activities", "dislikes", "access"]),
    ("currentState", ["activity", "body", "capacity"]),
    ("lifestyle", ["commitments", "availability", "recovery"]),
    ("nutritionReadiness", ["eating", "willingness"]),
    ("communicationStyle", ["tone", "cadence"]),
    ("pastPatterns", ["tried", "lesson"]),
    ("energyPatterns", ["bestTime"]),
    ("supportSystem", ["people"]),
  ].flatMap { component, names in names.map { Facet(component: component, name: $0) } }

  private let model: ScorerModel

  public init(model: ScorerModel = .builtIn) { self.model = model }

  /// What the user has said about each facet, with its turn and quote.
  ///
  /// - Parameter turns: The user turns to read, counted from 1; nil reads all.
  public func ledger(of transcript: Transcript, turns: Set<Int>? = nil) -> Ledger {
    var ledger = Ledger()
    forEachTurn(of: transcript, reading: turns) { scorer, bytes in
      ledger.record(scorer.changes, known: scorer.known, scorer.findings, of: bytes)
    }
    return ledger
  }

  /// The facets known after each user turn, one bit each in the order of ``facets``.
  public func knownByTurn(_ transcript: Transcript) -> [UInt32] {
    var known: [UInt32] = []
    forEachTurn(of: transcript) { scorer, _ in known.append(scorer.known) }
    return known
  }

  private func forEachTurn(
    of transcript: Transcript, reading turns: Set<Int>? = nil,
    _ body: (borrowing ConversationScorer, UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var scorer = ConversationScorer(model: model)
    for message in transcript.messages {
      var text = message.text
      text.withUTF8 { bytes in
        switch message.speaker {
        case .coach: scorer.coachSaid(bytes)
        case .user:
          if turns?.contains(Int(scorer.turn) + 1) ?? true {
            scorer.userSaid(bytes)
          } else {
            scorer.passOver()
          }
          body(scorer, bytes)
        }
      }
    }
  }
}

extension Ledger {
  /// Takes what a scorer read in a user's message.
  ///
  /// - Parameters:
  ///   - changes: Facets that became known or were taken back.
  ///   - known: Facets known now.
  ///   - text: The message.
  package mutating func record(
    _ changes: UInt32, known: UInt32, _ findings: FlatFindings,
    of text: UnsafeBufferPointer<UInt8>
  ) {
    for (index, facet) in OfflineScorer.facets.enumerated()
    where changes >> UInt32(index) & 1 == 1 {
      let finding = findings[index]
      if known >> UInt32(index) & 1 == 1 {
        let quote = String(decoding: text[Int(finding.start)..<Int(finding.end)], as: UTF8.self)
        record(Evidence(facet: facet, quote: quote, turn: Int(finding.turn)))
      } else {
        let words = String(decoding: text, as: UTF8.self)
        retract(Retraction(facet: facet, quote: words, turn: Int(finding.until)))
      }
    }
  }

  /// What was known after the given user turn, one bit for each facet in the order of
  /// ``OfflineScorer/facets``.
  public func bits(after turn: Int) -> UInt32 {
    let known = known(after: turn)
    return OfflineScorer.facets.enumerated().reduce(0) { bits, facet in
      known.contains(facet.element) ? bits | 1 << UInt32(facet.offset) : bits
    }
  }
}
