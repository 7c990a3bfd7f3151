/// Two texts laid beside each other, line by line, so that what differs stands in one row.
public struct SideBySide: Hashable, Sendable {
  public enum Row: Hashable, Sendable {
    case same(String)
    /// Nil where a side has no such line.
    case different(String?, String?)
    /// Lines left out that are the same on both sides.
    case gap(Int)
  }

  public let rows: [Row]

  /// - Parameter context: Lines that are the same and shown before and after what differs.
  public init(_ left: String, _ right: String, context: Int = 2) {
    let (left, right) = (Self.lines(left), Self.lines(right))
    rows = Self.shortened(Self.aligned(left, right), context)
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func aligned(_ left: [String], _ right: [String]) -> [Row] {
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in right.difference(from: left) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var rows: [Row] = []
    var (one, other) = (0, 0)
    while one < left.count || other < right.count {
      let isGone = one < left.count && removed.contains(one)
      let isNew = other < right.count && inserted.contains(other)
      if !isGone && !isNew {
        rows.append(.same(left[one]))
      } else {
        rows.append(.different(isGone ? left[one] : nil, isNew ? right[other] : nil))
      }
      if isGone || !isNew { one += 1 }
      if isNew || !isGone { other += 1 }
    }
    return rows
  }

  private static func shortened(_ rows: [Row], _ context: Int) -> [Row] {
    let changed = rows.indices.filter { if case .different = rows[$0] { true } else { false } }
    var kept: Set<Int> = []
    for index in changed { kept.formUnion((index - context)...(index + context)) }
    var result: [Row] = []
    var skipped = 0
    for (index, row) in rows.enumerated() {
      if kept.contains(index) {
        if skipped > 0 { result.append(.gap(skipped)) }
        skipped = 0
        result.append(row)
      } else {
        skipped += 1
      }
    }
    return skipped > 0 && !result.isEmpty ? result + [.gap(skipped)] : result
  }
}
