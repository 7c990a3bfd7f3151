/// A row of small bars, one column per value.
public enum Sparkline {
  /// Scales from the lowest value, or from `base`, to the highest. A missing value or NaN is a gap.
  public static func render(
    _ values: [Double?], from base: Double? = nil, alphabet: BarChart.Alphabet
  ) -> String {
    let steps = alphabet == .unicode ? blocks : signs
    let gap: Character = alphabet == .unicode ? "·" : " "
    let present = values.compactMap { $0 }.filter(\.isFinite)
    guard let lowest = present.min(), let highest = present.max() else {
      return String(repeating: gap, count: values.count)
    }
    let start = min(base ?? lowest, lowest)
    return String(
      values.map { value in
        guard let value, value.isFinite else { return gap }
        // All alike: neither high nor low.
        let share = highest > start ? (value - start) / (highest - start) : 0.5
        return steps[min(max(Int(share * Double(steps.count)), 0), steps.count - 1)]
      })
  }

  private static let blocks = Array("▁▂▃▄▅▆▇█")
  private static let signs = Array("_.-=+*#@")
}
