import Simulation
import Terminal

/// The figures of each side with their intervals, beside each other.
struct SimulationTable {
  let terminal: TTY
  let report: SimulationReport

  private var nameWidth: Int {
    2 + (report.rows.map { displayWidth(of: $0.figure.title) }.max() ?? 0)
  }
  private static let gap = 2

  /// - Parameter isWorded: Whether a model was to word what people say.
  func show(_ duration: Duration, isWorded: Bool) {
    let facts = report.personas.reduce(0) { $0 + $1.facts.count }
    let people = report.personas.count.counted("person", "people")
    let runs = report.conversations * report.sides.count
    terminal.write(
      "\n\(people) with \(facts) facts, \(runs.counted("conversation")) in "
        + "\(SimulationFigures.decimal(duration / .seconds(1), 1)) s.\n", as: .dim)
    if !report.failures.isEmpty {
      let count = report.failures.count
      terminal.write(
        "\(count) didn't complete and \(count == 1 ? "counts" : "count") on no side. "
          + "The figures are of the others.\n", as: .notice)
    }
    guard report.conversations > 0 else { return }
    let worded = report.worded
    if isWorded, worded.all > 0 {
      let share = Double(worded.byRule) / Double(worded.all)
      terminal.write(
        "\(worded.byRule) of \(worded.all) messages (\(SimulationFigures.decimal(share * 100, 0))%) "
          + "stand in a rule's words: the model's didn't pass the check, or didn't come.\n",
        as: worded.byRule > 0 ? .notice : .dim)
    }
    for block in blocks { show(block) }
    terminal.write(
      report.conversations > 1
        ? "\nIn brackets, where the figure would lie in 95 of 100 such samples of people and seeds.\n"
        : "\nOne conversation says nothing about others, so there are no intervals.\n",
      as: .dim)
    if report.sides.count > 1, report.conversations > 1 {
      terminal.write(
        "▲ is clearly better than \(report.sides[0].name), ▼ clearly worse.\n", as: .dim)
    }
    if report.rows.contains(where: { $0.figure == .leftOut }) {
      terminal.write(
        "rapport's own check leaves out of a profile what nobody said, before anybody sees it.\n",
        as: .dim)
    }
  }

  /// As many sides as fit beside each other, the first one in every block.
  private var blocks: [[Int]] {
    let room = (max(60, min(140, terminal.size.columns)) - nameWidth) / (width + Self.gap)
    let others = Array(report.sides.indices.dropFirst())
    guard !others.isEmpty else { return [[0]] }
    let count = max(1, room - 1)
    return stride(from: 0, to: others.count, by: count).map { start in
      [0] + others[start..<min(start + count, others.count)]
    }
  }

  private var width: Int {
    let cells = report.rows.flatMap { row in row.estimates.map { displayWidth(of: row.text($0)) } }
    let names = report.sides.map { displayWidth(of: $0.name) }
    return min(30, (cells + names).max() ?? 0) + 2
  }

  private func show(_ sides: [Int]) {
    terminal.write("\n" + fitted("", nameWidth), as: .dim)
    terminal.write(
      sides.map { fitted(report.sides[$0].name, width + Self.gap) }.joined().trimmedEnd + "\n",
      as: .dim)
    for row in report.rows where row.estimates.contains(where: { $0.value != nil }) {
      terminal.write(fitted(row.figure.title, nameWidth))
      for side in sides {
        let verdict = row.verdict(side)
        let mark = verdict == .better ? " ▲" : verdict == .worse ? " ▼" : ""
        let text = row.text(row.estimates[side]) + mark
        terminal.write(
          side == sides.last ? text : fitted(text, width + Self.gap),
          as: verdict == .better ? .accent : verdict == .worse ? .error : .coach)
      }
      terminal.write("\n")
    }
  }

  private func fitted(_ text: String, _ width: Int) -> String { text.padded(to: width, gap: 1) }
}

extension String {
  /// The text without trailing spaces.
  var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}

/// Figures as people read them.
enum SimulationFigures {
  static func decimal(_ value: Double, _ digits: Int) -> String {
    let factor = digits == 0 ? 1 : 10
    let scaled = Int((abs(value) * Double(factor)).rounded())
    let sign = value < 0 && scaled > 0 ? "−" : ""
    return digits == 0
      ? "\(sign)\(scaled)" : "\(sign)\(scaled / factor).\(scaled % factor)"
  }
}

extension SimulationReport.Row {
  /// Such as `62% (58 to 66)`.
  func text(_ estimate: Estimate) -> String {
    guard let value = estimate.value else { return "–" }
    let unit = figure.isShare ? "%" : ""
    guard let low = estimate.low, let high = estimate.high else { return number(value) + unit }
    return "\(number(value))\(unit) (\(number(low)) to \(number(high)))"
  }

  /// How much more it is than on the first side, such as `+3.0 (1.2 to 4.8)`.
  func difference(_ side: Int) -> String {
    guard let estimate = differences[side], let value = estimate.value else { return "" }
    let sign = value > 0 ? "+" : ""
    guard let low = estimate.low, let high = estimate.high else { return sign + number(value) }
    return "\(sign)\(number(value)) (\(number(low)) to \(number(high)))"
  }

  private func number(_ value: Double) -> String {
    SimulationFigures.decimal(figure.isShare ? value * 100 : value, figure == .tokens ? 0 : 1)
  }
}
