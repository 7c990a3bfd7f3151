import EncoderScorer

/// Finds the numbers of ``Cascade`` by logistic regression: when is the fast reading wrong about a
/// facet? The text must be some that it did not learn from.
struct RoutingFit: CustomStringConvertible {
  private var found = LogisticFit()
  private var missing = LogisticFit()

  init(_ rows: [Labelled]) {
    for row in rows { add(row) }
  }

  private mutating func add(_ row: Labelled) {
    var turn = 0
    let truth = trueByTurn(row)
    row.turnByTurn(budget: 0) { before, scorer in
      defer { turn += 1 }
      guard let reading = scorer.fastReading else { return }
      for facet in 0..<24 where before >> UInt32(facet) & 1 == 0 {
        let isFound = reading.found >> UInt32(facet) & 1 == 1
        let features = Cascade.features(
          margin: reading.margins[facet], isAsked: reading.asked >> UInt32(facet) & 1 == 1,
          turn: turn + 1, words: scorer.wordsOfLast)
        let seen = (0..<Cascade.featureCount).map { features[$0] }
        let isWrong = isFound != (truth[turn] >> UInt32(facet) & 1 == 1)
        if isFound { found.add(seen, isTrue: isWrong) } else { missing.add(seen, isTrue: isWrong) }
      }
    }
  }

  var description: String {
    "found (\(LogisticFit.text(found.line(decay: 2)))), "
      + "missing (\(LogisticFit.text(missing.line(decay: 2))))"
  }
}

extension Labelled {
  /// Reads each turn with a cascade.
  ///
  /// - Parameter look: Gets what was known before the turn, and the reader after it.
  func turnByTurn(budget: Double, _ look: (UInt32, EncoderConversation) -> Void) {
    guard let model = EncoderModel.builtIn else { return }
    let scorer = EncoderConversation(model: model, budget: budget)
    for turn in turns {
      var (question, text) = (turn.question, turn.text)
      question.withUTF8 { if !$0.isEmpty { scorer.coachSaid($0) } }
      let before = scorer.known
      text.withUTF8 { scorer.userSaid($0) }
      look(before, scorer)
    }
  }
}
