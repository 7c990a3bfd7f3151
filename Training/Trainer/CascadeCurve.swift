import EncoderScorer
import Glibc
import OfflineScorer

/// How much is lost if only some turns go on from the fast scorer to the encoder.
struct CascadeCurve {
  let rows: [Labelled]

  /// The worth above which a tenth of the network's work lies, two tenths, and so on.
  var bounds: [Double] {
    let turns = rows.flatMap(Self.worths).sorted { $0.worth > $1.worth }
    let all = turns.reduce(0) { $0 + $1.pieces }
    var (bounds, sum) = ([Double](), 0.0)
    for turn in turns {
      sum += turn.pieces
      if bounds.count < 9, sum > Double(bounds.count + 1) / 10 * all {
        bounds.append((turn.worth * 10_000).rounded() / 10_000)
      }
    }
    return bounds
  }

  private static func worths(_ row: Labelled) -> [(worth: Double, pieces: Double)] {
    var (earlier, index): (UInt32, Int) = (0, 0)
    return row.turnByTurn(.builtIn) { scorer in
      let turn = row.turns[index]
      let pieces = Cascade.pieces(
        coachBytes: turn.question.utf8.count, bytes: turn.text.utf8.count)
      index += 1
      defer { earlier = scorer.known }
      return (Cascade.worth(of: scorer, settled: earlier, turn: index, pieces: pieces), pieces)
    }
  }

  func printAll() {
    print("bounds:", bounds)
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
