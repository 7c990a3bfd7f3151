public import ContextQuality

/// Scores transcripts without a model server: the same transcript gives the same ledger everywhere.
public struct OfflineScorer: Sendable {
  /// The facets that it scores, in bit order.
  public static let facets: [Facet] = [
    Facet(component: "goalClarity", name: "outcome"),
    Facet(component: "goalClarity", name: "target"),
    Facet(component: "goalClarity", name: "timeframe"),
    Facet(component: "goalClarity", name: "motive"),
    Facet(component: "obstacles", name: "barrier"), Facet(component: "obstacles", name: "detail"),
    Facet(component: "obstacles", name: "physical"),
    Facet(component: "exercisePreferences", name: "activities"),
    Facet(component: "exercisePreferences", name: "dislikes"),
    Facet(component: "exercisePreferences", name: "access"),
    Facet(component: "currentState", name: "activity"),
    Facet(component: "currentState", name: "body"),
    Facet(component: "currentState", name: "capacity"),
    Facet(component: "lifestyle", name: "commitments"),
    Facet(component: "lifestyle", name: "availability"),
    Facet(component: "lifestyle", name: "recovery"),
    Facet(component: "nutritionReadiness", name: "eating"),
    Facet(component: "nutritionReadiness", name: "willingness"),
    Facet(component: "communicationStyle", name: "tone"),
    Facet(component: "communicationStyle", name: "cadence"),
    Facet(component: "pastPatterns", name: "tried"),
    Facet(component: "pastPatterns", name: "lesson"),
    Facet(component: "energyPatterns", name: "bestTime"),
    Facet(component: "supportSystem", name: "people"),
  ]

  private let model: ScorerModel

  public init(model: ScorerModel = .builtIn) { self.model = model }

  /// What the user has said about each facet, with its turn and quote.
  ///
  /// - Parameter turns: The user turns to read, counted from 1; nil reads all.
  public func ledger(of transcript: Transcript, turns: Set<Int>? = nil) -> Ledger {
    var ledger = Ledger()
    forEachTurn(of: transcript, reading: turns) { scorer, bytes in
      Self.record(scorer.changes, of: bytes, at: scorer, into: &ledger)
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

  private static func record(
    _ changes: UInt32, of text: UnsafeBufferPointer<UInt8>, at scorer: borrowing ConversationScorer,
    into ledger: inout Ledger
  ) {
    for (index, facet) in facets.enumerated() where changes >> UInt32(index) & 1 == 1 {
      let finding = scorer.findings[index]
      if scorer.known >> UInt32(index) & 1 == 1 {
        let quote = String(decoding: text[Int(finding.start)..<Int(finding.end)], as: UTF8.self)
        ledger.record(Evidence(facet: facet, quote: quote, turn: Int(finding.turn)))
      } else {
        let words = String(decoding: text, as: UTF8.self)
        ledger.retract(Retraction(facet: facet, quote: words, turn: Int(finding.until)))
      }
    }
  }
}

extension Ledger {
  /// What was known after the given user turn, one bit for each facet in the order of
  /// ``OfflineScorer/facets``.
  public func bits(after turn: Int) -> UInt32 {
    let known = known(after: turn)
    return OfflineScorer.facets.enumerated().reduce(0) { bits, facet in
      known.contains(facet.element) ? bits | 1 << UInt32(facet.offset) : bits
    }
  }
}
