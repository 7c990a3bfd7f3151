import ContextQuality
import Intake
import LanguageModels
import RapportTesting

/// A comparison as a whole, with its figures as people read them.
struct LiveReport {
  struct Failure {
    var name: String
    var side: String
    var reason: String
    /// A model did not answer.
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

  /// What a facet is called in the rubric.
  func title(_ facet: Facet) -> String {
    packs.lazy.compactMap { $0.rubric[facet]?.title }.first ?? facet.description
  }

  /// What a component is called in the rubric.
  func title(component: String) -> String {
    packs.lazy.compactMap { $0.rubric[component: component]?.title }.first ?? component
  }

  /// Such as `46 conversations, 2 not had, 1 skipped`.
  var count: String {
    let number = comparisons.count
    var parts = ["\(number) \(number == 1 ? "conversation" : "conversations") compared"]
    if !failures.isEmpty { parts.append("\(failures.count) could not be had") }
    if skipped > 0 { parts.append("\(skipped) skipped") }
    return parts.joined(separator: ", ")
  }

  /// The totals, a row a figure.
  var totals: [(name: String, left: String, right: String)] {
    func row(_ name: String, _ figure: (SideTotals) -> String) -> (String, String, String) {
      (name, figure(left), figure(right))
    }
    return [
      row("turns to ready (median)") { $0.medianTurnsToReady.map(Figure.short) ?? "–" },
      row("ready") { Figure.share($0.ready, of: $0.conversations) },
      row("overall (mean)") { Figure.score($0.meanPoints) },
      row("questions a conversation") { Figure.short($0.questionsPerConversation) },
      row("asked what was known") { "\($0.needlessQuestions)" },
      row("tokens in") { Figure.tokens($0.usage.input) },
      row("tokens out") { Figure.tokens($0.usage.output) },
    ]
  }
}

/// Numbers as text.
enum Figure {
  static func turn(_ turn: Int?) -> String { turn.map { "\($0)" } ?? "–" }

  /// Ten-thousandths with two digits, never rounded up: 0.80 is not ready.
  static func score(_ points: Int) -> String {
    let hundredths = points / 100
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  /// With one digit where there is anything behind the point.
  static func short(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  static func share(_ part: Int, of whole: Int) -> String {
    whole == 0 ? "–" : "\((part * 200 + whole) / (whole * 2)) %"
  }

  static func tokens(_ count: Int) -> String {
    switch count {
    case ..<1_000: "\(count)"
    case ..<1_000_000: short(Double(count) / 1_000) + "k"
    default: short(Double(count) / 1_000_000) + "M"
    }
  }

  /// Both sides, or the one figure where they are the same.
  static func change(_ left: String, _ right: String) -> String {
    left == right ? left : "\(left) → \(right)"
  }
}

extension RunComparison {
  /// What the table says of it, after its name.
  var cells: [String] {
    [
      Figure.change(Figure.turn(left.turnsToReady), Figure.turn(right.turnsToReady)),
      Figure.change(Figure.score(left.points), Figure.score(right.points)),
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
