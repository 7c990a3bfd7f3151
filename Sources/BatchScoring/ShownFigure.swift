/// Scores and shares as people read them, the same in every table, summary and page.
package enum ShownFigure {
  /// Ten-thousandths with three digits, rounded down: a score just short of a threshold never seems
  /// to reach it.
  package static func score(_ points: Int) -> String {
    "\(points / 10_000).\(String(10_000 + points % 10_000).dropFirst().prefix(3))"
  }

  /// Whole percent; 0% and 100% are exact.
  package static func share(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "–" }
    if part > 0, part * 200 < whole { return "< 1%" }
    if part < whole, (whole - part) * 200 < whole { return "> 99%" }
    return "\((part * 200 + whole) / (whole * 2))%"
  }
}
