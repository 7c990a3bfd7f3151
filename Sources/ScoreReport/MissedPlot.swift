import BatchScoring

/// The facets most often unknown at the end.
struct MissedPlot {
  struct Row {
    let title: String
    let component: String
    let count: Int
  }

  static let limit = 8
  let rows: [Row]
  let conversations: Int

  /// - Parameter missing: Conversations without the facet, in the order of the scorer's facets.
  init(missing: [Int], conversations: Int, names: FacetNames) {
    self.conversations = conversations
    rows = missing.indices.filter { missing[$0] > 0 && names.isScored($0) }
      .sorted { (missing[$1], $0) < (missing[$0], $1) }
      .map { Row(title: names.title($0), component: names.componentTitle($0), count: missing[$0]) }
  }

  var markup: Markup {
    let shown = rows.prefix(Self.limit)
    let height = 34.0 * Double(shown.count) + 26
    let plot = Plot(
      height: height, left: 0, right: 0, top: 4, bottom: 22, x: 0...100, y: 0...1)
    let bars = shown.enumerated().map { index, row in bar(row, 34 * Double(index) + 8, plot) }
    let grid = stride(from: 0.0, through: 100, by: 25).map { tick($0, plot) }
    let first = shown.first.map { "\($0.title), \(ShownFigure.share($0.count, of: conversations))" }
    return plot.svg(
      "Facets most often missing", first ?? "none missing",
      "\(grid.joined())\(bars.joined())")
  }

  private func tick(_ percent: Double, _ plot: Plot) -> Markup {
    let x = Length(plot.x(percent))
    let anchor = percent == 0 ? "start" : percent == 100 ? "end" : "middle"
    return """
      <line class="grid" x1="\(x)" y1="4" x2="\(x)" y2="\(Length(plot.floor))"/>\
      <text class="tick" x="\(x)" y="\(Length(plot.floor + 14))" text-anchor="\(anchor)">\
      \(Int(percent))%</text>
      """
  }

  private func bar(_ row: Row, _ top: Double, _ plot: Plot) -> Markup {
    let share = conversations > 0 ? Double(row.count) * 100 / Double(conversations) : 0
    return """
      <g><title>\(row.title) (\(row.component)): missing in \(Figures.count(row.count)) of \
      \(Figures.count(conversations))</title>\
      <rect class="under" x="0" y="\(Length(top))" width="360" height="14"/>\
      <text class="label" x="0" y="\(Length(top + 10))">\(row.title)</text>\
      <text class="value" x="360" y="\(Length(top + 10))" text-anchor="end">\
      \(ShownFigure.share(row.count, of: conversations))</text>\
      <rect class="track" x="0" y="\(Length(top + 15))" width="360" height="6"/>\
      <rect class="missed" x="0" y="\(Length(top + 15))" width="\(Length(max(1, plot.x(share))))" \
      height="6"/></g>
      """
  }
}
