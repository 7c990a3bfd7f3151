extension [String] {
  /// The texts side by side, in rows that break between two of them.
  func rows(columns: Int) -> [String] {
    let gap = "   "
    var rows: [String] = []
    for text in self {
      if let row = rows.last, row.count + gap.count + text.count <= columns {
        rows[rows.count - 1] = row + gap + text
      } else {
        rows.append(text)
      }
    }
    return rows
  }
}
