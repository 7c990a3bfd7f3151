/// The frame of a plot: coordinates and axes.
///
/// A plot is 360 units wide, about the width of a phone, so its text stays readable there and grows
/// with the page elsewhere.
struct Plot {
  static let width = 360.0
  let height: Double
  let left: Double
  let right: Double
  let top: Double
  let bottom: Double
  let xRange: ClosedRange<Double>
  let yRange: ClosedRange<Double>

  init(
    height: Double, left: Double = 40, right: Double = 10, top: Double = 24, bottom: Double = 38,
    x: ClosedRange<Double>, y: ClosedRange<Double>
  ) {
    (self.height, self.left, self.right, self.top, self.bottom) = (height, left, right, top, bottom)
    (xRange, yRange) = (x, y)
  }

  var floor: Double { height - bottom }
  var end: Double { Self.width - right }

  func x(_ value: Double) -> Double {
    left + (end - left) * Self.part(value, of: xRange)
  }

  func y(_ value: Double) -> Double {
    floor - (floor - top) * Self.part(value, of: yRange)
  }

  private static func part(_ value: Double, of range: ClosedRange<Double>) -> Double {
    let span = range.upperBound - range.lowerBound
    return span > 0 ? (value - range.lowerBound) / span : 0.5
  }

  /// The complete figure.
  ///
  /// - Parameters:
  ///   - title: What it is, for people who cannot see it.
  ///   - summary: What it shows, in a phrase.
  func svg(_ title: String, _ summary: String, _ content: Markup) -> Markup {
    """
    <svg viewBox="0 0 360 \(Length(height))" role="img" aria-label="\(title): \(summary)">\(content)</svg>
    """
  }

  /// Ticks with grid lines, and a title above them.
  func yAxis(_ ticks: [(value: Double, label: String)], title: String) -> Markup {
    let lines = ticks.map { tick -> Markup in
      let y = y(tick.value)
      return """
        <line class="\(tick.value == yRange.lowerBound ? "axis" : "grid")" x1="\(Length(left))" \
        y1="\(Length(y))" x2="\(Length(end))" y2="\(Length(y))"/>\
        <text class="tick" x="\(Length(left - 6))" y="\(Length(y + 4))" text-anchor="end">\
        \(tick.label)</text>
        """
    }
    return """
      <text class="name" x="0" y="11">\(title)</text>\(lines.joined())
      """
  }

  func xAxis(_ ticks: [(value: Double, label: String)], title: String) -> Markup {
    let labels = ticks.map { tick -> Markup in
      """
      <text class="tick" x="\(Length(x(tick.value)))" y="\(Length(floor + 15))" \
      text-anchor="middle">\(tick.label)</text>
      """
    }
    return """
      \(labels.joined())<text class="name" x="\(Length(end))" y="\(Length(height - 5))" \
      text-anchor="end">\(title)</text>
      """
  }

  /// A dashed horizontal line at the bar, labeled at its left end.
  func bar(y value: Double, _ label: String) -> Markup {
    let y = y(value)
    return """
      <line class="bar" x1="\(Length(left))" y1="\(Length(y))" x2="\(Length(end))" \
      y2="\(Length(y))"/><text class="bar-name" x="\(Length(left + 4))" \
      y="\(Length(y - 4))">\(label)</text>
      """
  }

  func line(_ points: [(x: Double, y: Double)], _ kind: LineKind) -> Markup {
    let places = points.map { point -> Markup in
      "\(Length(x(point.x))),\(Length(y(point.y))) "
    }
    return """
      <polyline class="\(kind.rawValue)" points="\(places.joined())"/>
      """
  }

  enum LineKind: String { case curve, quiet }

  func dot(_ point: (x: Double, y: Double), _ words: String) -> Markup {
    """
    <circle class="dot" cx="\(Length(x(point.x)))" cy="\(Length(y(point.y)))" r="3.2">\
    <title>\(words)</title></circle>
    """
  }

  static let percentTicks: [(value: Double, label: String)] =
    [(0, "0%"), (25, "25%"), (50, "50%"), (75, "75%"), (100, "100%")]

  /// Whole turns from 1, few enough that their labels do not touch.
  static func turnTicks(_ turns: Int, lastIsOpen: Bool = false) -> [(value: Double, label: String)]
  {
    let step = Figures.step(to: turns, most: 10)
    var ticks = stride(from: step, through: turns, by: step).map { $0 }
    if step > 1 { ticks.insert(1, at: 0) }
    return ticks.map { (Double($0), lastIsOpen && $0 == turns ? "\($0)+" : "\($0)") }
  }
}
