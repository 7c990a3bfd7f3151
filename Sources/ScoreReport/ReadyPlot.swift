import BatchScoring

/// The share of conversations that were ready by each turn.
struct ReadyPlot {
  let conversations: Int
  /// Conversations by the turn in which they became ready; the last entry counts all later turns.
  let becameReady: [Int]
  /// Conversations by number of turns; the last entry counts all longer ones.
  let lengths: [Int]

  /// The number of turns that any conversation reached.
  var turns: Int { (lengths.lastIndex { $0 > 0 } ?? 0) + 1 }
  private var isOpen: Bool { turns == lengths.count }

  func readyBy(_ turn: Int) -> Int { becameReady.prefix(turn).reduce(0, +) }
  func reached(_ turn: Int) -> Int { lengths.dropFirst(turn - 1).reduce(0, +) }

  var markup: Markup {
    let plot = Plot(height: 290, top: 30, x: 1...Double(max(2, turns)), y: 0...100)
    let readyLine = (1...turns).map { (x: Double($0), y: percent(readyBy($0))) }
    let reachedLine = (1...turns).map { (x: Double($0), y: percent(reached($0))) }
    let dots = (1...turns).map { turn in
      plot.dot(
        readyLine[turn - 1],
        "by turn \(label(turn)): \(ShownFigure.share(readyBy(turn), of: conversations))")
    }
    return plot.svg(
      "Share ready by turn", summary,
      """
      \(plot.yAxis(Plot.percentTicks, title: "share of conversations"))\
      \(plot.xAxis(Plot.turnTicks(turns, lastIsOpen: isOpen), title: "user turn"))\
      \(plot.line(reachedLine, .quiet))\(plot.line(readyLine, .curve))\(dots.joined())
      """)
  }

  func label(_ turn: Int) -> String { isOpen && turn == turns ? "\(turn) or later" : "\(turn)" }

  private func percent(_ count: Int) -> Double {
    conversations > 0 ? Double(count) * 100 / Double(conversations) : 0
  }

  private var summary: String {
    "\(ShownFigure.share(readyBy(min(5, turns)), of: conversations)) by turn \(label(min(5, turns))), "
      + "\(ShownFigure.share(readyBy(turns), of: conversations)) by turn \(label(turns))"
  }
}
