import Foundation
import TestSupport

@testable import OfflineScorer

/// How well the scorer agrees with the labels of some conversations, to three decimals.
struct QualityFigures {
  /// Whether `make quality` asked for the figures.
  static var arePrinted: Bool {
    ProcessInfo.processInfo.environment["RAPPORT_PRINT_QUALITY"] != nil
  }

  /// A figure, and the range it falls into in 95 of 100 resamplings of the conversations.
  struct Figure {
    var value: Double
    var low: Double
    var high: Double
  }

  static let names = [
    "precision", "recall", "f1", "meanAbsoluteError", "spearman", "readyAgreement",
  ]

  /// In the order of the names.
  let figures: [Figure]

  init(_ conversations: [ScoredConversation], resamplings: Int = 1_000) throws {
    let agreement = try Agreement(conversations)
    let sums = conversations.map { ConversationSums($0, agreement) }
    let values = [
      agreement.figures.precision, agreement.figures.recall, agreement.figures.f1,
      agreement.meanAbsoluteError, agreement.spearman, agreement.readyAgreement,
    ]
    var random = SeededGenerator(seed: 2026)
    let samples = (0..<resamplings).map { _ in
      ConversationSums.figures(
        sums.map { _ in sums[Int.random(in: sums.indices, using: &random)] })
    }
    figures = values.enumerated().map { index, value in
      let sorted = samples.map { $0[index] }.sorted()
      return Figure(
        value: Self.rounded(value), low: Self.rounded(sorted[resamplings / 40]),
        high: Self.rounded(sorted[resamplings - 1 - resamplings / 40]))
    }
  }

  private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }

  subscript(name: String) -> Figure? {
    Self.names.firstIndex(of: name).map { figures[$0] }
  }
}

/// What one conversation adds to each figure, so that a resampling only has to add.
struct ConversationSums {
  private var right = 0
  private var wrong = 0
  private var missed = 0
  private var errors = 0.0
  private var sameReadiness = 0
  private var truth: [Int] = []
  private var guess: [Int] = []

  init(_ conversation: ScoredConversation, _ agreement: Agreement) {
    func points(_ known: UInt32) -> Int {
      agreement.weights.indices.reduce(0) {
        $0 + (known >> UInt32($1) & 1 == 1 ? agreement.weights[$1] : 0)
      }
    }
    truth = conversation.truth.map(points)
    guess = conversation.guess.map(points)
    for (known, guessed) in zip(conversation.truth, conversation.guess) {
      right += (known & guessed).nonzeroBitCount
      wrong += (guessed & ~known).nonzeroBitCount
      missed += (known & ~guessed).nonzeroBitCount
    }
    for (known, guessed) in zip(truth, guess) {
      errors += Double(abs(known - guessed)) / 10_000
      if (known > agreement.readyAbove) == (guessed > agreement.readyAbove) { sameReadiness += 1 }
    }
  }

  /// The figures of some conversations together, in the order of ``QualityFigures/names``.
  static func figures(_ all: [ConversationSums]) -> [Double] {
    var (right, wrong, missed, errors, same) = (0, 0, 0, 0.0, 0)
    var (truth, guess): ([Int], [Int]) = ([], [])
    for one in all {
      right += one.right
      wrong += one.wrong
      missed += one.missed
      errors += one.errors
      same += one.sameReadiness
      truth += one.truth
      guess += one.guess
    }
    let precision = Double(right) / Double(max(1, right + wrong))
    let recall = Double(right) / Double(max(1, right + missed))
    let count = Double(max(1, truth.count))
    return [
      precision, recall, 2 * precision * recall / max(1e-9, precision + recall), errors / count,
      correlation(ranks(truth), ranks(guess)), Double(same) / count,
    ]
  }

  /// The place of each value among all of them; equal values share a place.
  private static func ranks(_ values: [Int]) -> [Double] {
    var counts: [Int: Int] = [:]
    for value in values { counts[value, default: 0] += 1 }
    var places: [Int: Double] = [:]
    var below = 0
    for (value, count) in counts.sorted(by: { $0.key < $1.key }) {
      places[value] = Double(below) + Double(count - 1) / 2
      below += count
    }
    return values.map { places[$0] ?? 0 }
  }

  private static func correlation(_ left: [Double], _ right: [Double]) -> Double {
    let count = Double(max(1, left.count))
    let (meanLeft, meanRight) = (left.reduce(0, +) / count, right.reduce(0, +) / count)
    var (cross, first, second) = (0.0, 0.0, 0.0)
    for (x, y) in zip(left, right) {
      cross += (x - meanLeft) * (y - meanRight)
      first += (x - meanLeft) * (x - meanLeft)
      second += (y - meanRight) * (y - meanRight)
    }
    return first > 0 && second > 0 ? cross / (first * second).squareRoot() : 0
  }
}
