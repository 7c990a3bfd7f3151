/// The distribution of the overall score.
struct OverallPlot {
  static let bins = 20
  /// Conversations by overall score, in ten-thousandths.
  let counts: [Int]
  let readyAbove: Int

  /// Conversations per bin. A bin includes its upper edge but not its lower one, because ready
  /// means *above* a score; 0 is in the first bin.
  var binned: [Int] {
    let width = 10_000 / Self.bins
    return counts.indices.reduce(into: [Int](repeating: 0, count: Self.bins)) { bins, points in
      bins[max(0, points - 1) / width] += counts[points]
    }
  }

  var markup: Markup {
    let bins = binned
    let most = bins.max() ?? 0
    let step = Figures.step(to: max(1, most), most: 4)
    let top = max(1, (most + step - 1) / step) * step
    let plot = Plot(height: 290, top: 30, x: 0...10_000, y: 0...Double(top))
    let ticks: [(Double, String)] = stride(from: 0, through: top, by: step).map { count in
      (Double(count), Figures.tick(count))
    }
    let bars = bins.indices.map { bar($0, bins[$0], plot) }
    let xTicks: [(Double, String)] = ["0", "0.2", "0.4", "0.6", "0.8", "1"].enumerated().map {
      (Double($0.offset * 2_000), $0.element)
    }
    return plot.svg(
      "Distribution of the overall score", summary(bins),
      """
      \(plot.yAxis(ticks, title: "conversations"))\(bars.joined())\
      \(plot.xAxis(xTicks, title: "overall score at the end"))\(threshold(plot))
      """)
  }

  private func bar(_ index: Int, _ count: Int, _ plot: Plot) -> Markup {
    guard count > 0 else { return .empty }
    let low = index * 10_000 / Self.bins
    let high = (index + 1) * 10_000 / Self.bins
    let x = plot.x(Double(low)) + 1
    // A small count stays visible beside large ones.
    let height = max(1.5, plot.floor - plot.y(Double(count)))
    return """
      <rect class="\(low >= readyAbove ? "ready" : "unready")" x="\(Length(x))" \
      y="\(Length(plot.floor - height))" width="\(Length(plot.x(Double(high)) - x - 1))" \
      height="\(Length(height))"><title>\(label(index)): \
      \(Figures.count(count, "conversation", "conversations"))</title></rect>
      """
  }

  func label(_ index: Int) -> String {
    let width = 10_000 / Self.bins
    return "\(Figures.exact(index * width)) – \(Figures.exact((index + 1) * width))"
  }

  private func threshold(_ plot: Plot) -> Markup {
    let x = Length(plot.x(Double(readyAbove)))
    return """
      <line class="bar" x1="\(x)" y1="\(Length(plot.top - 7))" x2="\(x)" y2="\(Length(plot.floor))"/>\
      <text class="bar-name" x="\(Length(plot.x(Double(readyAbove)) - 5))" \
      y="\(Length(plot.top - 3))" text-anchor="end">ready above \(Figures.exact(readyAbove))</text>
      """
  }

  private func summary(_ bins: [Int]) -> String {
    guard let most = bins.max(), most > 0, let index = bins.firstIndex(of: most) else {
      return "no conversations"
    }
    return "most conversations (\(Figures.count(most))) end between \(label(index))"
  }
}
