import ContextQuality
import EncoderScorer
import Foundation
import IncrementalJSON
import TestSupport

@testable import OfflineScorer

/// What a scorer knows, and how sure it is, after each user turn.
func certainties(
  _ tier: Tier, _ row: JSONValue, _ table: ScoreTable
) -> [(known: UInt32, certainty: Certainty)] {
  var offline = ConversationScorer()
  let encoder =
    tier == .offline
    ? nil
    : EncoderModel.builtIn.map {
      EncoderConversation(model: $0, budget: tier.budget)
    }
  var found: [(known: UInt32, certainty: Certainty)] = []
  for message in Fixtures.transcript(row).messages {
    var text = message.text
    text.withUTF8 { bytes in
      if message.speaker == .coach {
        offline.coachSaid(bytes)
        encoder?.coachSaid(bytes)
        return
      }
      if let encoder {
        encoder.userSaid(bytes)
        found.append((encoder.known, encoder.certainty(table)))
      } else {
        offline.userSaid(bytes)
        found.append((offline.known, offline.certainty(table)))
      }
    }
  }
  return found
}

/// How well chances and ranges agree with the labels of unseen text.
struct CertaintyFigures {
  private var bins = Array(repeating: (count: 0.0, chance: 0.0, truth: 0.0), count: 10)
  /// By whether the text is unlike the labeled text: conversations, and the sum of their errors.
  private var errors = [Bool: (count: Int, sum: Int)]()
  private var turns = (all: 0, inside: 0, width: 0)
  private var ends = (all: 0, inside: 0, unsure: 0, wrong: 0, wrongAndSure: 0)

  init(_ tier: Tier, _ text: UnseenSet) throws {
    let table = ScoreTable(try Fixtures.rubric())
    for row in try text.rows() {
      let truth = try ScoredConversation(row).truth
      let found = certainties(tier, row, table)
      for (index, turn) in found.enumerated() {
        add(turn.certainty, turn.known, truth[index], table, isLast: index == found.count - 1)
      }
    }
  }

  /// The mean distance of chances from shares, in ten bins.
  var calibrationError: Double {
    bins.reduce(0) { $0 + abs($1.chance - $1.truth) } / bins.reduce(0) { $0 + $1.count }
  }

  /// The share of ranges that hold the labels' score, after each turn and at the end.
  var covered: Double { Double(turns.inside) / Double(turns.all) }
  var coveredAtEnd: Double { Double(ends.inside) / Double(ends.all) }

  /// The mean width of the ranges.
  var width: Double { Double(turns.width) / Double(turns.all) / 10_000 }
  /// The largest distance of a chance from its share, in fifths.
  var worstFifth: Double {
    (0..<5).map { fifth in
      let (low, high) = (bins[2 * fifth], bins[2 * fifth + 1])
      return abs(low.chance + high.chance - low.truth - high.truth)
        / max(1, low.count + high.count)
    }.max() ?? 0
  }

  private func error(isUnlike: Bool) -> String {
    guard let errors = errors[isUnlike] else { return "none" }
    return String(
      format: "%.3f (%d)", Double(errors.sum) / Double(errors.count) / 10_000, errors.count)
  }

  var text: String {
    String(
      format: """
        expected calibration error %.3f, at most %.3f in a fifth; the 90%% range holds the score after \
        a turn in %.3f, at the end in %.3f, and is %.3f wide; ready is wrong in %d of %d, in %d of them \
        without a doubt, and unsure in %d; mean error %@, of unlike text %@
        """, calibrationError, worstFifth, covered, coveredAtEnd, width, ends.wrong, ends.all,
      ends.wrongAndSure, ends.unsure, error(isUnlike: false), error(isUnlike: true))
  }

  private mutating func add(
    _ certainty: Certainty, _ known: UInt32, _ truth: UInt32, _ table: ScoreTable, isLast: Bool
  ) {
    for facet in 0..<24 {
      let bin = min(9, Int(certainty.chances[facet] * 10))
      bins[bin].count += 1
      bins[bin].chance += certainty.chances[facet]
      bins[bin].truth += Double(truth >> UInt32(facet) & 1)
    }
    let points = table.points(known: truth)
    let isInside = certainty.range.contains(points)
    turns.all += 1
    turns.inside += isInside ? 1 : 0
    turns.width += certainty.range.upperBound - certainty.range.lowerBound
    guard isLast else { return }
    let error = errors[certainty.isUnlike, default: (0, 0)]
    errors[certainty.isUnlike] = (
      error.count + 1, error.sum + abs(points - table.points(known: known))
    )
    let isUnsure = certainty.isUnsure(readyAbove: table.readyAbove)
    let isWrong =
      (points > table.readyAbove) != (table.points(known: known) > table.readyAbove)
    ends.all += 1
    ends.inside += isInside ? 1 : 0
    ends.unsure += isUnsure ? 1 : 0
    ends.wrong += isWrong ? 1 : 0
    ends.wrongAndSure += isWrong && !isUnsure ? 1 : 0
  }
}
