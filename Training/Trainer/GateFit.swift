import EncoderScorer

/// Finds the numbers of ``TurnGate``: does a turn tell anything new, if something was found in it?
struct GateFit: CustomStringConvertible {
  private var fit = LogisticFit()

  init(_ rows: [Labelled]) {
    guard let model = EncoderModel.builtIn else { return }
    let encoder = EncoderConversation(model: model)
    for row in rows { add(row, encoder) }
  }

  private mutating func add(_ row: Labelled, _ encoder: EncoderConversation) {
    encoder.begin()
    for (turn, truth) in zip(row.turns, trueByTurn(row)) {
      var (question, text) = (turn.question, turn.text)
      question.withUTF8 { if !$0.isEmpty { encoder.coachSaid($0) } }
      text.withUTF8 { encoder.userSaid($0) }
      guard encoder.candidates != 0 else { continue }
      let features = encoder.gate.features
      fit.add((0..<4).map { features[$0] }, isTrue: encoder.candidates & truth != 0)
    }
  }

  var description: String { LogisticFit.text(fit.line(decay: 1)) }
}
