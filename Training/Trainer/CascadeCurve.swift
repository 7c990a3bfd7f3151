import EncoderScorer
import Glibc
import OfflineScorer

/// How much is lost if only some turns go on from the fast scorer to the encoder.
struct CascadeCurve {
  let rows: [Labelled]

  /// The fast scorer's doubts above which a tenth of the turns lies, two tenths, and so on.
  var doubts: [Double] {
    let all = rows.flatMap { row in
      var earlier: UInt32 = 0
      return row.turnByTurn(.builtIn) { scorer in
        defer { earlier = scorer.known }
        return scorer.doubt(apartFrom: earlier)
      }
    }.sorted(by: >)
    return (1..<10).map { (all[$0 * all.count / 10] * 1000).rounded() / 1000 }
  }

  func printAll() {
    print("doubts:", doubts)
    for tenths in 0...10 {
      var agreement = Agreement(weights: Corpus.weights)
      var (turns, read) = (0, 0)
      let start = clock()
      for row in rows {
        guard let model = EncoderModel.builtIn else { return }
        let scorer = EncoderConversation(model: model, budget: Double(tenths) / 10)
        var known: [UInt32] = []
        for turn in row.turns {
          var (question, text) = (turn.question, turn.text)
          question.withUTF8 { if !$0.isEmpty { scorer.coachSaid($0) } }
          text.withUTF8 { scorer.userSaid($0) }
          known.append(scorer.known)
        }
        agreement.add(truth: trueByTurn(row), guess: known)
        turns += row.turns.count
        read += scorer.turnsRead
      }
      let seconds = Double(clock() - start) / 1e6
      describe(agreement, "\(100 * read / max(1, turns))% read")
      print("  \(Int(Double(turns) / seconds)) turns for each second of one core")
    }
  }
}
