/// Counts how often a draft is changed while it is typed. It sees lengths, never words.
struct DraftEdits {
  private(set) var count = 0
  private var length = 0
  /// The length before the characters that are being removed.
  private var peak = 0
  private var isCounted = false

  /// Fewer characters are a slip of the finger.
  private static let fewest = 4

  mutating func typed(_ length: Int) {
    if length > self.length {
      (peak, isCounted) = (length, false)
    } else if length > 0, peak - length >= Self.fewest, !isCounted {
      count += 1
      isCounted = true
    }
    self.length = length
  }
}
