import ContextQuality
import EncoderScorer
import OfflineScorer

/// What a model makes of conversations it was not trained on.
struct Reading {
  /// Best score of every facet, turn by turn.
  var scores: [[Int16]]
  /// The facets that the coach asked for.
  var asked: [UInt32]

  init(_ row: Labelled, _ model: ScorerModel) {
    let turns = row.turnByTurn(model) { ($0.bestScores, $0.askedFacets) }
    (scores, asked) = (turns.map(\.0), turns.map(\.1))
  }

  /// The first turn in which a facet passes its threshold; nil if none does.
  func firstTurn(_ facet: Int, above threshold: Int16) -> Int? {
    scores.firstIndex { $0[facet] > threshold }.map { $0 + 1 }
  }
}

/// What the whole scorer, rules included, knows after each turn.
func knownByTurn(_ row: Labelled, _ model: ScorerModel) -> [UInt32] {
  row.turnByTurn(model) { $0.known }
}

extension Labelled {
  func turnByTurn<Seen>(
    _ model: ScorerModel, _ look: (borrowing ConversationScorer) -> Seen
  ) -> [Seen] {
    var scorer = ConversationScorer(model: model)
    return turns.map { turn in
      var (question, text) = (turn.question, turn.text)
      question.withUTF8 { question in
        text.withUTF8 { text in
          if !question.isEmpty { scorer.coachSaid(question) }
          scorer.userSaid(text)
        }
      }
      return look(scorer)
    }
  }
}

func knownByTurn(_ row: Labelled, _ reading: Reading, _ thresholds: [Int16]) -> [UInt32] {
  var state = KnownFacets()
  return zip(reading.scores, reading.asked).map { scores, asked in
    var lanes = SIMD32<Int16>()
    for facet in 0..<24 { lanes[facet + 8] = asked >> UInt32(facet) & 1 == 1 ? -1 : 0 }
    state.take(
      scores: scores, thresholds: thresholds, atLeast: Trainer.leastMargin.lanes(asked: lanes))
    return state.known
  }
}

extension Labelled {
  /// What the encoder knows after each turn.
  func knownByTurn(_ encoder: EncoderConversation) -> [UInt32] {
    encoder.begin()
    return turns.map { turn in
      var (question, text) = (turn.question, turn.text)
      question.withUTF8 { if !$0.isEmpty { encoder.coachSaid($0) } }
      text.withUTF8 { encoder.userSaid($0) }
      return encoder.known
    }
  }
}

func trueByTurn(_ row: Labelled) -> [UInt32] {
  (1...max(1, row.turns.count)).map { turn in
    (0..<24).reduce(UInt32(0)) { row.isKnown($1, after: turn) ? $0 | 1 << UInt32($1) : $0 }
  }
}

enum Thresholds {
  /// A turn has to pass ``Trainer/leastMargin`` as well, so its other facets need less than what is
  /// best without that.
  private static let lowered: Int16 = 10

  private static let steps = Array(stride(from: Int16(-120), through: 120, by: 4))
  /// What a facet wrongly known costs.
  private static let price = 0.9
  /// What pulls a facet's threshold to the best one for all, since most facets are seldom told.
  private static let pull = 0.002

  /// For each facet the threshold with the largest gain: a prefix known rightly earns `2 - price`,
  /// one known wrongly costs `price`.
  static func choose(_ readings: [(row: Labelled, reading: Reading)]) -> [Int16] {
    let gains = (0..<24).map { facet in steps.map { gain(facet, above: $0, readings) } }
    let shared = best { step in gains.reduce(0) { $0 + $1[step] } }
    return gains.map { gains in
      let own = best { step in
        let away = Double(steps[step] - steps[shared])
        return gains[step] - pull * away * away
      }
      return steps[own] - lowered
    }
  }

  /// A flat top is entered from the cautious side.
  private static func best(_ gain: (Int) -> Double) -> Int {
    steps.indices.reduce(0) { gain($1) >= gain($0) - 1e-9 ? $1 : $0 }
  }

  private static func gain(
    _ facet: Int, above threshold: Int16, _ readings: [(row: Labelled, reading: Reading)]
  ) -> Double {
    var gain = 0.0
    for (row, reading) in readings {
      guard let first = reading.firstTurn(facet, above: threshold) else { continue }
      for turn in first...max(first, row.turns.count) where turn <= row.turns.count {
        gain += row.isKnown(facet, after: turn) ? 2 - price : -price
      }
    }
    return gain
  }
}

func describe(_ agreement: Agreement, _ name: String, perFacet: Bool = false) {
  func text(_ value: Double) -> String {
    (value.isFinite ? String(Int((value * 1000).rounded())) : "-").padded(4)
  }
  if perFacet {
    for (facet, name) in Corpus.facets.enumerated() {
      let figures = agreement.figures(of: facet)
      let counts = agreement.counts[facet]
      print(
        name.padding(34), text(figures.precision), text(figures.recall), text(figures.f1),
        counts[3] + counts[2])
    }
  }
  let figures = agreement.figures
  print(
    name.padding(14), "P", text(figures.precision), "R", text(figures.recall), "F1",
    text(figures.f1), "| MAE",
    text(agreement.meanAbsoluteError), "bias", text(agreement.bias), "Spearman",
    text(agreement.spearman), "ready",
    text(agreement.readyAgreement))
}

extension String {
  func padded(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
  func padding(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
