/// How much is known after each message, one line for each side.
public struct FoundPlot {
  /// By side, the percentage after each message, from the first.
  private let curves: [[Double]]
  private let names: [String]

  /// The most lines that can be told apart.
  private static let kinds = 6

  public init(curves: [[Double]], names: [String]) {
    (self.curves, self.names) = (curves, names)
  }

  public var markup: Markup {
    let turns = curves.map(\.count).max() ?? 0
    let plot = Plot(height: 250, x: 1...Double(max(2, turns)), y: 0...100)
    let lines = curves.enumerated().map { side, curve -> Markup in
      let points = curve.enumerated().map { turn, value -> Markup in
        "\(Length(plot.x(Double(turn + 1)))),\(Length(plot.y(value))) "
      }
      return """
        <polyline class="side s\(side % Self.kinds)" points="\(points.joined())">\
        <title>\(names[side])</title></polyline>
        """
    }
    let ends = zip(names, curves).map { "\($0), \(Int(($1.last ?? 0).rounded()))% at the end" }
    return """
      \(plot.svg(
        "Facts found by message", ends.joined(separator: "; "),
        "\(plot.yAxis(Plot.percentTicks, title: "facts found"))\(plot.xAxis(Plot.turnTicks(turns), title: "message"))\(lines.joined())"))\
      \(legend)
      """
  }

  private var legend: Markup {
    let items = names.enumerated().map { side, name -> Markup in
      """
      <li><svg viewBox="0 0 24 8" width="24" height="8" aria-hidden="true">\
      <line class="side s\(side % Self.kinds)" x1="0" y1="4" x2="24" y2="4"/></svg> \(name)</li>
      """
    }
    return "<ul class=\"legend\">\(items.joined())</ul>"
  }
}
