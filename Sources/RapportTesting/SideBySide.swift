/// Two texts side by side, line by line, so that differences share a row.
public struct SideBySide: Hashable, Sendable {
  public enum Row: Hashable, Sendable {
    case same(String)
    /// Nil if a side has no such line.
    case different(String?, String?)
    /// Equal lines that are left out.
    case gap(Int)
  }

  public let rows: [Row]

  /// - Parameter context: Equal lines to show before and after a difference.
  public init(_ left: String, _ right: String, context: Int = 2) {
    let (left, right) = (Self.lines(left), Self.lines(right))
    rows = Self.shortened(Self.aligned(left, right), context)
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func aligned(_ left: [String], _ right: [String]) -> [Row] {
    Alignment.rows(left, right) { $0 }.map { row in
      row.isSame ? .same(row.left ?? "") : .different(row.left, row.right)
    }
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
