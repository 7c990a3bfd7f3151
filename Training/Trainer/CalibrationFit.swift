import ContextQuality
import EncoderScorer
import FoundationEssentials
import Glibc
import IncrementalJSON
import OfflineScorer

/// One facet of a conversation after a turn, as a scorer sees it and as it is.
struct CalibrationPoint {
  var clearness: Double
  var isKnown: Bool
  var turns: Int
  var truth: Bool
}

/// What a scorer made of one conversation: 24 points for each user turn.
struct CalibrationRow {
  let register: String
  var turns: [[CalibrationPoint]]
}

/// Finds the numbers of ``Calibration`` on text that the scorer did not learn from.
struct CalibrationFit {
  let rows: [CalibrationRow]

  /// Both scorers, with figures from conversations that the numbers were not made from.
  static func printAll() throws {
    let rows = try Corpus.choosing()
    for name in ["offline", "encoder"] {
      let tier = rows.map { CalibrationRow($0, byEncoder: name == "encoder") }
      print("\(name), \(tier.count) conversations:", CalibrationFit(rows: tier).numbers)
      print("  cross-validated:", judged(tier))
    }
    print("told:", ToldFit(rows))
    print("cascade:", RoutingFit(rows))
    print("  bounds:", CascadeCurve(rows: rows).bounds)
  }

  /// Of the ranges, how many must hold the score, after a turn and at the end.
  private static let share = 0.9

  var numbers: Numbers {
    let points = rows.flatMap(\.turns).joined()
    var numbers = Numbers(
      known: Self.line(points.filter(\.isKnown)), unknown: Self.line(points.filter { !$0.isKnown }))
    numbers.deviations =
      stride(from: 1.0, through: 4, by: 0.05).first { deviations in
        numbers.deviations = deviations
        let judged = Judged(rows, numbers)
        return min(judged.covered, judged.coveredAtEnd) >= Self.share
      } ?? 4
    return numbers
  }

  struct Numbers: CustomStringConvertible {
    var known: [Double]
    var unknown: [Double]
    var deviations = 2.0

    func chance(_ point: CalibrationPoint) -> Double {
      let line = point.isKnown ? known : unknown
      return 1
        / (1 + exp(-zip(line, CalibrationFit.features(point)).reduce(0) { $0 + $1.0 * $1.1 }))
    }

    var description: String {
      return "known: Line(\(LogisticFit.text(known))), "
        + "unknown: Line(\(LogisticFit.text(unknown))), deviations: "
        + "\((deviations * 100).rounded() / 100)"
    }
  }

  static func features(_ point: CalibrationPoint) -> [Double] {
    [1, point.clearness, log(Double(point.turns))]
  }

  private static func line(_ points: [CalibrationPoint]) -> [Double] {
    var fit = LogisticFit()
    for point in points { fit.add(features(point), isTrue: point.truth) }
    return fit.line(decay: 1)
  }

  /// Gaussian elimination; the matrix is positive definite.
  static func solved(_ matrix: [[Double]], _ values: [Double]) -> [Double] {
    var (matrix, values) = (matrix, values)
    for pivot in matrix.indices {
      for row in matrix.indices where row != pivot {
        let factor = matrix[row][pivot] / matrix[pivot][pivot]
        for column in matrix.indices { matrix[row][column] -= factor * matrix[pivot][column] }
        values[row] -= factor * values[pivot]
      }
    }
    return (matrix.indices).map { values[$0] / matrix[$0][$0] }
  }

  /// Each register judged by the numbers of the others.
  private static func judged(_ rows: [CalibrationRow]) -> Judged {
    var judged = Judged()
    for register in Set(rows.map(\.register)).sorted() {
      let numbers = CalibrationFit(rows: rows.filter { $0.register != register }).numbers
      for row in rows where row.register == register { judged.add(row, numbers) }
    }
    return judged
  }

  /// How well chances and ranges hold.
  struct Judged: CustomStringConvertible {
    private var bins = Array(repeating: (count: 0.0, chance: 0.0, truth: 0.0), count: 10)
    private var turns = (all: 0, inside: 0, width: 0.0)
    private var ends = (all: 0, inside: 0)

    init() {}

    init(_ rows: [CalibrationRow], _ numbers: Numbers) {
      for row in rows { add(row, numbers) }
    }

    var covered: Double { Double(turns.inside) / Double(max(1, turns.all)) }
    var coveredAtEnd: Double { Double(ends.inside) / Double(max(1, ends.all)) }

    /// The expected calibration error, in ten bins.
    var error: Double {
      let all = bins.reduce(0) { $0 + $1.count }
      return bins.reduce(0) { $0 + abs($1.chance - $1.truth) } / max(1, all)
    }

    mutating func add(_ row: CalibrationRow, _ numbers: Numbers) {
      for (index, turn) in row.turns.enumerated() {
        let isInside = add(turn, numbers)
        turns.all += 1
        turns.inside += isInside ? 1 : 0
        guard index == row.turns.count - 1 else { continue }
        ends.all += 1
        ends.inside += isInside ? 1 : 0
      }
    }

    private mutating func add(_ turn: [CalibrationPoint], _ numbers: Numbers) -> Bool {
      var (mean, variance, score, truth) = (0.0, 0.0, 0.0, 0.0)
      for (facet, point) in turn.enumerated() {
        let (chance, points) = (numbers.chance(point), Double(Corpus.weights[facet]))
        let bin = min(9, Int(chance * 10))
        bins[bin].count += 1
        bins[bin].chance += chance
        bins[bin].truth += point.truth ? 1 : 0
        mean += points * chance
        variance += points * points * chance * (1 - chance)
        score += point.isKnown ? points : 0
        truth += point.truth ? points : 0
      }
      let half = numbers.deviations * variance.squareRoot()
      // In hundredths, like the ranges that are shown.
      let low = max(0, 100 * (min(score, mean - half) / 100).rounded(.down))
      let high = min(10_000, 100 * (max(score, mean + half) / 100).rounded(.up))
      turns.width += high - low
      return low <= truth && truth <= high
    }

    var description: String {
      func text(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
      return "calibration error \(text(error)), in the range \(text(covered)) after a turn, "
        + "\(text(coveredAtEnd)) at the end, width \(text(turns.width / Double(turns.all) / 1e4))"
    }
  }
}

extension CalibrationRow {
  init(_ row: Labelled, byEncoder: Bool) {
    register = row.register
    var offline = ConversationScorer()
    let encoder = byEncoder ? EncoderModel.builtIn.map { EncoderConversation(model: $0) } : nil
    turns = row.turns.indices.map { index in
      var (question, text) = (row.turns[index].question, row.turns[index].text)
      return question.withUTF8 { question in
        text.withUTF8 { text in
          if !question.isEmpty {
            offline.coachSaid(question)
            encoder?.coachSaid(question)
          }
          offline.userSaid(text)
          encoder?.userSaid(text)
          let known = encoder?.known ?? offline.known
          return (0..<24).map { facet in
            CalibrationPoint(
              clearness: encoder?.clearness(facet) ?? offline.clearness(facet),
              isKnown: known >> UInt32(facet) & 1 == 1, turns: index + 1,
              truth: row.isKnown(facet, after: index + 1))
          }
        }
      }
    }
  }
}
