import BatchScoring

/// The share of wrong ready decisions by the share sent on, with the range of each.
struct RoutingPlot {
  let curve: RoutingCurve

  var markup: Markup {
    let most = curve.points.map(\.wrong.high).max() ?? 0
    let top = Figures.step(to: max(1, Int((100 * most).rounded(.up))), most: 5)
    let ticks = (0...5).map { (value: Double($0 * top), label: "\($0 * top)%") }
    let plot = Plot(height: 290, top: 30, x: 0...100, y: 0...Double(5 * top))
    let line = curve.points.map { (x: 100 * $0.share, y: 100 * $0.wrong.value) }
    let dots = curve.points.map { point in
      plot.dot(
        (100 * point.share, 100 * point.wrong.value),
        "\(ShownFigure.percent(point.share)) sent on: \(Self.wrong(point))")
    }
    return plot.svg(
      "Wrong ready decisions by the share sent on", summary,
      """
      \(plot.yAxis(ticks, title: "ready decisions that are wrong"))\
      \(plot.xAxis(Plot.percentTicks, title: curve.sent.rawValue))\
      \(band(plot))\(plot.line(line, .curve))\(dots.joined())
      """)
  }

  private func band(_ plot: Plot) -> Markup {
    let upper = curve.points.map { (100 * $0.share, 100 * $0.wrong.high) }
    let lower = curve.points.reversed().map { (100 * $0.share, 100 * $0.wrong.low) }
    let places = (upper + lower).map { point -> Markup in
      "\(Length(plot.x(point.0))),\(Length(plot.y(point.1))) "
    }
    return "<polygon class=\"band\" points=\"\(places.joined())\"/>"
  }

  private var summary: String {
    [curve.points.first, curve.points.last].compactMap { $0 }
      .map {
        "\(ShownFigure.percent($0.share)) sent on, \(ShownFigure.percent($0.wrong.value)) wrong"
      }
      .joined(separator: "; ")
  }

  static func wrong(_ point: RoutingCurve.Point) -> String {
    "\(ShownFigure.percent(point.wrong.value)) wrong (\(ShownFigure.percent(point.wrong.low)) to \(ShownFigure.percent(point.wrong.high)))"
  }
}
