import EncoderScorer

/// Finds the numbers of ``ToldChance``: does a message tell a facet that was not known? What was known before
/// it comes from the labels.
struct ToldFit: CustomStringConvertible {
  private var fit = LogisticFit()

  init(_ rows: [Labelled]) {
    guard let model = EncoderModel.builtIn else { return }
    let encoder = EncoderConversation(model: model)
    for row in rows { add(row, encoder) }
  }

  private mutating func add(_ row: Labelled, _ encoder: EncoderConversation) {
    var (before, said) = (UInt32(0), "")
    for (index, truth) in trueByTurn(row).enumerated() {
      var (question, text) = (row.turns[index].question, row.turns[index].text)
      encoder.begin(at: index + 1, known: before, after: said)
      question.withUTF8 { if !$0.isEmpty { encoder.coachSaid($0) } }
      text.withUTF8 { encoder.userSaid($0) }
      for facet in 0..<24 where before >> UInt32(facet) & 1 == 0 {
        let features = encoder.features(facet)
        fit.add(
          (0..<ToldChance.featureCount).map { features[$0] }
            + (0..<24).map { $0 == facet ? 1 : 0 },
          isTrue: truth >> UInt32(facet) & 1 == 1)
      }
      (before, said) = (truth, row.turns[index].text)
    }
  }

  var description: String {
    let line = fit.line(decay: 2)
    return "\(LogisticFit.text(Array(line.prefix(ToldChance.featureCount)))); facets: "
      + LogisticFit.text(Array(line.dropFirst(ToldChance.featureCount)))
  }
}
