import ContextQuality
import Glibc
import RapportTesting
import Terminal

/// A row per conversation as it ends, then the totals.
struct LiveTable: LiveView {
  let terminal: TTY
  let names: SideNames
  let isVerbose: Bool
  /// The window's width in columns.
  private let room: Int
  private let nameWidth: Int
  /// The widths of the columns that fit.
  private let widths: [Int]

  /// The usual maximum width of a column's figures.
  private static let usual = [8, 11, 7, 7, 15]
  private static let gap = 2

  init(terminal: TTY, names: SideNames, isVerbose: Bool, entries: [String]) {
    self.terminal = terminal
    self.names = names
    self.isVerbose = isVerbose
    room = isatty(1) != 0 ? max(20, terminal.size.columns - 1) : 100
    let longest = max(12, entries.map { displayWidth(of: $0) }.max() ?? 0)
    (nameWidth, widths) = Self.fit(longest, Self.usual, in: room)
  }

  /// Drops columns from the right until a name fits.
  static func fit(_ longest: Int, _ columns: [Int], in room: Int) -> (name: Int, columns: [Int]) {
    var columns = columns
    func left() -> Int { room - columns.reduce(0) { $0 + $1 + gap } }
    while columns.count > 1, left() < min(longest, 16) { columns.removeLast() }
    return (max(4, min(longest, left())), columns)
  }

  func begin() {
    paragraph("left: \(names.left)   right: \(names.right)\n", as: .dim)
    line("", RunComparison.columns.map { ($0, .dim) })
  }

  func show(_ result: LiveSuite.Result) {
    switch result.outcome {
    case .compared(let comparison):
      let role: TextRole =
        switch comparison.tendency {
        case .better: .accent
        case .worse: .error
        case .same: .coach
        }
      let cells = comparison.cells.enumerated()
      line(result.name, cells.map { ($0.element, $0.offset == 0 ? role : .coach) })
      if isVerbose { details(comparison) }
    case .failed(let place, let reason):
      paragraph("✗ \(result.name)  \(names[place]): \(reason)", as: .error)
    case .skipped(let reason): paragraph("- \(result.name)  skipped: \(reason)", as: .dim)
    }
  }

  func show(_ report: LiveReport) {
    terminal.write("\n")
    terminal.write("\(report.count)\n", as: report.failures.isEmpty ? .accent : .notice)
    guard !report.comparisons.isEmpty else { return }
    let rows = report.totals
    let width = max(8, min(24, room - 2 * (8 + Self.gap)))
    let widest = max(8, min(24, (room - width - 2 * Self.gap) / 2))
    let side = min(widest, max(8, displayWidth(of: names.left)))
    let right = fitted(names.right, widest).trimmed
    terminal.write("\n\(fitted("", width))  \(fitted(names.left, side))  \(right)\n", as: .dim)
    for row in rows {
      terminal.write(fitted(row.name, width), as: .dim)
      terminal.write("  \(fitted(row.left, side))  ")
      terminal.write("\(row.right)\n", as: row.left == row.right ? .coach : .bold)
    }
  }

  private func line(_ name: String, _ cells: [(String, TextRole)]) {
    terminal.write(fitted(name, nameWidth))
    for (index, (text, role)) in cells.prefix(widths.count).enumerated() {
      terminal.write(String(repeating: " ", count: Self.gap))
      let isLast = index == widths.count - 1
      terminal.write(isLast ? text : fitted(text, widths[index]), as: role)
    }
    terminal.write("\n")
  }

  /// Wraps lines to the window.
  private func paragraph(_ text: String, as role: TextRole) {
    var wrapper = WordWrapper(width: room)
    terminal.write(wrapper.feed(text) + wrapper.finish() + "\n", as: role)
  }

  private func fitted(_ text: String, _ width: Int) -> String {
    shortened(text, to: width).padded(to: width)
  }

  // MARK: Details

  private func details(_ comparison: RunComparison) {
    paragraph("  \(comparison.title)", as: .dim)
    for evidence in comparison.gained { paragraph("  + \(evidence.words)", as: .accent) }
    for evidence in comparison.lost { paragraph("  − \(evidence.words)", as: .error) }
    needless(comparison.left, names.left)
    needless(comparison.right, names.right)
    show(comparison.questions, "questions")
    show(comparison.syntheses, "synthesis")
    terminal.write("\n")
  }

  private func needless(_ side: RunSummary, _ name: String) {
    for ask in side.asks where !ask.known.isEmpty {
      let facets = ask.known.map(\.description).joined(separator: ", ")
      paragraph("  ! \(name) asked what it already knew (\(facets)): \(ask.text)", as: .notice)
    }
  }

  private func show(_ both: SideBySide, _ what: String) {
    terminal.write("\n  \(what)", as: .bold)
    guard !both.rows.isEmpty else { return terminal.write(": the same\n", as: .dim) }
    terminal.write("\n")
    TestLines(terminal: terminal).show(both, names.left, names.right, as: (.coach, .coach))
  }
}

extension Evidence {
  fileprivate var words: String { "\(facet)  \u{201C}\(text)\u{201D} (\(place))" }

  /// Where the evidence comes from.
  var place: String {
    switch basis {
    case .quote(_, let turn): "turn \(turn)"
    case .reading: "health data"
    case .answer(let answer): "\(answer.step), answered"
    }
  }
}
