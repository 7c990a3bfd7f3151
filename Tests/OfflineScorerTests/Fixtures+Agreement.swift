import ContextQuality
import IncrementalJSON
import TestSupport

@testable import OfflineScorer

extension Fixtures {
  /// How the offline scorer agrees with the labels, over every prefix.
  static func agreement() throws -> Agreement {
    let table = ScoreTable(try rubric())
    var agreement = Agreement(weights: table.points, readyAbove: table.readyAbove)
    for row in try rows() {
      let transcript = transcript(row)
      var known = [UInt32](repeating: 0, count: transcript.userTurns.count)
      for (bit, facet) in OfflineScorer.facets.enumerated() {
        guard let label = row["facets"]?[facet.description], let turn = label["turn"]?.intValue
        else { continue }
        for index in known.indices
        where turn <= index + 1 && index + 1 < label["until"]?.intValue ?? .max {
          known[index] |= 1 << UInt32(bit)
        }
      }
      agreement.add(truth: known, guess: OfflineScorer().knownByTurn(transcript))
    }
    return agreement
  }
}
