import BatchScoring

/// Components by conversation: one column each, best understood first.
///
/// The cells are one drawing that stretches with the page; the names beside them are plain text, so
/// they stay readable on a narrow screen.
struct HeatMap {
  struct Column {
    let data: ReportData.Column
    /// The conversation's number in the report; nil if its text is not shown.
    let number: Int?
  }

  let columns: [Column]
  let componentTitles: [String]
  /// Means over all conversations, in percent.
  let means: [Int]
  let meanOverall: Int

  /// The gap between the overall score and its components, in rows.
  private static let gap = 0.35
  private static let rowPixels = 30

  init(columns: [Column], componentTitles: [String], means: [Int], meanOverall: Int) {
    self.columns = columns.enumerated()
      .sorted { ($1.element.data.overall, $0.offset) < ($0.element.data.overall, $1.offset) }
      .map(\.element)
    (self.componentTitles, self.means, self.meanOverall) = (componentTitles, means, meanOverall)
  }

  var markup: Markup {
    """
    <div class="heat" style="--cells:\(columns.count * 64)px">\(names)\(cells)\(meanColumn)\
    <p class="heat-axis"><span>best understood</span><span>least</span></p></div>\(legend)
    """
  }

  private var names: Markup {
    let items = componentTitles.map { "<li>\($0)</li>" as Markup }
    return """
      <ul class="heat-names"><li>overall</li>\(items.joined())</ul>
      """
  }

  private var meanColumn: Markup {
    let items = means.map { "<li>\($0)</li>" as Markup }
    return """
      <ul class="heat-means" aria-label="means over all conversations in percent, in the same order">\
      <li>\(meanOverall / 100)</li>\(items.joined())</ul>
      """
  }

  // MARK: Cells

  private var rows: Double { Double(componentTitles.count + 1) + Self.gap }

  /// Hidden from screen readers: the means beside it and the conversations below have the same
  /// content.
  private var cells: Markup {
    let height = Int(rows * Double(Self.rowPixels))
    return """
      <svg class="cells" aria-hidden="true" focusable="false" preserveAspectRatio="none" \
      viewBox="0 0 \(columns.count) \(Length(rows))" style="height:\(height)px">\(paths)\(overlays)</svg>
      """
  }

  /// One path per shade.
  private var paths: Markup {
    var shades = [Markup](repeating: .empty, count: 11)
    let width = columns.count > 60 ? "1" : columns.count > 12 ? "0.9" : "0.96"
    for (index, column) in columns.enumerated() {
      for (row, percent) in ([column.data.overall / 100] + column.data.percents).enumerated() {
        let y = Double(row) + (row > 0 ? Self.gap : 0)
        shades[Self.shade(percent)] += "M\(index) \(Length(y))h\(width)v0.9h-\(width)z"
      }
    }
    return shades.enumerated().map { shade, path -> Markup in
      path.html.isEmpty ? .empty : "<path class=\"h\(shade)\" d=\"\(path)\"/>"
    }.joined()
  }

  static func shade(_ percent: Int) -> Int { min(10, max(0, (percent + 5) / 10)) }

  private var overlays: Markup {
    columns.enumerated().map { index, column -> Markup in
      let area: Markup = """
        <title>\(words(column))</title><rect class="over" x="\(index)" y="0" width="1" \
        height="\(Length(rows))"/>
        """
      guard let number = column.number else { return "<g>\(area)</g>" }
      return "<a href=\"#c\(number)\" tabindex=\"-1\">\(area)</a>"
    }.joined()
  }

  private func words(_ column: Column) -> Markup {
    let lines = zip(componentTitles, column.data.percents).map { "\n\($0): \($1)%" as Markup }
    return "\(column.data.id)\noverall \(ShownFigure.score(column.data.overall))\(lines.joined())"
  }

  private var legend: Markup {
    let swatches = (0...10).map { shade -> Markup in
      "<rect class=\"h\(shade)\" x=\"\(shade * 12)\" y=\"0\" width=\"12\" height=\"10\"/>"
    }
    return """
      <p class="legend"><span>0%</span><svg class="swatches" viewBox="0 0 132 10" \
      aria-hidden="true" focusable="false">\(swatches.joined())</svg><span>100%</span>\
      <span class="note">known at the end; figures on the right are means over all conversations</span></p>
      """
  }
}
