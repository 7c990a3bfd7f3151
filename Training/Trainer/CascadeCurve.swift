import EncoderScorer
import Glibc
import OfflineScorer

/// How much is lost if only some turns are passed from the fast scorer to the encoder.
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

  /// As the turns are when half of them are read.
  private static func worths(_ row: Labelled) -> [(worth: Double, pieces: Double)] {
    var (index, worths) = (0, [(worth: Double, pieces: Double)]())
    row.turnByTurn(budget: 0.5) { _, scorer in
      let turn = row.turns[index]
      let pieces = Cascade.pieces(
        coachBytes: turn.question.utf8.count, bytes: turn.text.utf8.count)
      index += 1
      worths.append((scorer.worth, pieces))
    }
    return worths
  }

  func printAll() {
    print("bounds:", bounds)
    for budget in [0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] {
      var agreement = Agreement(weights: Corpus.weights)
      var (turns, read) = (0, 0)
      let start = clock()
      for row in rows {
        var known: [UInt32] = []
        row.turnByTurn(budget: budget) { _, scorer in
          known.append(scorer.known)
          read += scorer.hasReadLast ? 1 : 0
        }
        agreement.add(truth: trueByTurn(row), guess: known)
        turns += row.turns.count
      }
      let seconds = Double(clock() - start) / 1e6
      describe(agreement, "\(100 * read / max(1, turns))% read")
      print("  \(Int(Double(turns) / seconds)) turns for each second of one core")
    }
  }
}
