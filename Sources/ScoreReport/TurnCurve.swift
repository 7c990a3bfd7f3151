import BatchScoring

/// The overall score of one conversation, turn by turn.
struct TurnCurve {
  let turns: Int
  let steps: [ReportConversation.Step]
  let readyAbove: Int

  /// The curve's corners; before the first turn, nothing is known.
  private var corners: [(x: Double, y: Double)] {
    var corners: [(x: Double, y: Double)] = [(0, 0)]
    for step in steps {
      if let last = corners.last, Double(step.turn - 1) > last.x {
        corners.append((Double(step.turn - 1), last.y))
      }
      corners.append((Double(step.turn), Double(step.overall) / 100))
    }
    if let last = corners.last, last.x < Double(turns) { corners.append((Double(turns), last.y)) }
    return corners
  }

  /// Small enough for a line of text.
  var spark: Markup {
    let plot = Plot(
      height: 90, left: 4, right: 4, top: 6, bottom: 6, x: 0...Double(max(1, turns)), y: 0...100)
    return """
      <svg class="spark" viewBox="0 0 360 90" preserveAspectRatio="none" aria-hidden="true" \
      focusable="false"><line class="bar" x1="4" x2="356" y1="\(Length(plot.y(bar)))" \
      y2="\(Length(plot.y(bar)))"/>\(plot.line(corners, .curve))</svg>
      """
  }

  private var bar: Double { Double(readyAbove) / 100 }

  var markup: Markup {
    let plot = Plot(height: 200, x: 0...Double(max(1, turns)), y: 0...100)
    let ticks: [(value: Double, label: String)] =
      [(0, "0"), (25, "0.25"), (50, "0.5"), (75, "0.75"), (100, "1")]
    return plot.svg(
      "Overall score by turn", summary,
      """
      \(plot.yAxis(ticks, title: "overall score"))\
      \(plot.xAxis(Plot.turnTicks(max(1, turns)), title: "user turn"))\
      \(plot.bar(y: bar, "ready"))\(plot.line(corners, .curve))\(dots(plot))
      """)
  }

  private func dots(_ plot: Plot) -> Markup {
    let marked = turns <= 25 ? everyTurn : steps.count <= 40 ? steps : []
    return marked.map {
      plot.dot(
        (Double($0.turn), Double($0.overall) / 100),
        "turn \($0.turn): \(ShownFigure.score($0.overall))")
    }.joined()
  }

  private var everyTurn: [ReportConversation.Step] {
    var overall = 0
    var rest = steps[...]
    return (0..<turns).map { turn in
      if let step = rest.first, step.turn == turn + 1 {
        overall = step.overall
        rest.removeFirst()
      }
      return .init(turn: turn + 1, overall: overall)
    }
  }

  private var summary: String {
    guard let last = steps.last else { return "no turns" }
    let most = steps.max { $0.overall < $1.overall }.map(\.overall) ?? 0
    let words = "\(ShownFigure.score(last.overall)) after \(Figures.count(turns, "turn", "turns"))"
    return most > last.overall ? words + ", highest \(ShownFigure.score(most))" : words
  }
}
