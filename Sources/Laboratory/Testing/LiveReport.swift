import ContextQuality
import Intake
import LanguageModels
import RapportTesting
import Terminal

/// A whole comparison, with its figures formatted for people.
struct LiveReport {
  struct Failure {
    var name: String
    var side: String
    var reason: String
    /// Whether a model failed to answer.
    var isModel: Bool
  }

  let names: SideNames
  let comparisons: [RunComparison]
  let failures: [Failure]
  let skipped: Int
  let left: SideTotals
  let right: SideTotals
  private let packs: [PromptPack]

  init(names: SideNames, results: [LiveSuite.Result], packs: [PromptPack]) {
    self.names = names
    self.packs = packs
    comparisons = results.compactMap(\.comparison)
    failures = results.compactMap { result in
      guard case .failed(let place, let reason) = result.outcome else { return nil }
      return Failure(
        name: result.name, side: names[place], reason: reason, isModel: place != .recording)
    }
    skipped = results.count { if case .skipped = $0.outcome { true } else { false } }
    left = SideTotals(comparisons.map(\.left))
    right = SideTotals(comparisons.map(\.right))
  }

  /// A facet's title in the rubric.
  func title(_ facet: Facet) -> String {
    packs.lazy.compactMap { $0.rubric[facet]?.title }.first ?? facet.description
  }

  /// A component's title in the rubric.
  func title(component: String) -> String {
    packs.lazy.compactMap { $0.rubric[component: component]?.title }.first ?? component
  }

  /// Such as `46 conversations compared, 2 not completed, 1 skipped`.
  var count: String {
    let number = comparisons.count
    var parts = ["\(number.counted("conversation")) compared"]
    if !failures.isEmpty { parts.append("\(failures.count) not completed") }
    if skipped > 0 { parts.append("\(skipped) skipped") }
    return parts.joined(separator: ", ")
  }

  /// The totals, one row per figure.
  var totals: [(name: String, left: String, right: String)] {
    func row(_ name: String, _ figure: (SideTotals) -> String) -> (String, String, String) {
      (name, figure(left), figure(right))
    }
    return [
      row("turns to ready (median)") { $0.medianTurnsToReady.map(Figure.short) ?? "–" },
      row("ready") { Figure.share($0.ready, of: $0.conversations) },
      row("overall (mean)") { $0.meanPoints.shownAsScore },
      row("questions per conversation") { Figure.short($0.questionsPerConversation) },
      row("asked what it knew") { "\($0.needlessQuestions)" },
      row("tokens in") { Figure.tokens($0.usage.input) },
      row("tokens out") { Figure.tokens($0.usage.output) },
    ]
  }
}

/// Numbers as text.
enum Figure {
  static func turn(_ turn: Int?) -> String { turn.map { "\($0)" } ?? "–" }

  /// With one decimal, unless it is zero.
  static func short(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  static func share(_ part: Int, of whole: Int) -> String {
    whole == 0 ? "–" : "\((part * 200 + whole) / (whole * 2))%"
  }

  static func tokens(_ count: Int) -> String {
    switch count {
    case ..<1_000: "\(count)"
    case ..<1_000_000: short(Double(count) / 1_000) + "k"
    default: short(Double(count) / 1_000_000) + "M"
    }
  }

  /// Both sides, or one figure if they agree.
  static func change(_ left: String, _ right: String) -> String {
    left == right ? left : "\(left) → \(right)"
  }
}

extension RunComparison {
  /// The table's cells after the name.
  var cells: [String] {
    [
      Figure.change(Figure.turn(left.turnsToReady), Figure.turn(right.turnsToReady)),
      Figure.change(left.points.shownAsScore, right.points.shownAsScore),
      gained.isEmpty && lost.isEmpty ? "=" : "+\(gained.count) −\(lost.count)",
      Figure.change("\(left.asks.count)", "\(right.asks.count)"),
      Figure.change(
        Figure.tokens(left.usage.input + left.usage.output),
        Figure.tokens(right.usage.input + right.usage.output)),
    ]
  }

  static let columns = ["ready", "overall", "facets", "asked", "tokens"]

  enum Tendency: String { case better, worse, same }

  /// Whether the right side was ready earlier.
  var tendency: Tendency {
    let (one, other) = (left.turnsToReady ?? .max, right.turnsToReady ?? .max)
    return one == other ? .same : other < one ? .better : .worse
  }
}
