internal import CLineEdit

/// The size of a terminal's window in character cells.
public struct TerminalSize: Sendable, Equatable {
  /// Narrower windows are treated as this wide, because text must go somewhere.
  public static let minimumColumns = 20

  public let columns: Int
  public let rows: Int

  /// A size, with the columns raised to ``minimumColumns`` and the rows to one.
  public init(columns: Int, rows: Int) {
    self.columns = max(columns, TerminalSize.minimumColumns)
    self.rows = max(rows, 1)
  }

  /// What the terminal reports, else `COLUMNS` and `LINES`, else 80 by 24. A reported zero means
  /// that the terminal does not know.
  public init(reported: (columns: Int, rows: Int)?, environment: [String: String]) {
    func settle(_ reported: Int?, _ variable: String, _ fallback: Int) -> Int {
      if let reported, reported > 0 { return reported }
      if let set = environment[variable].flatMap({ Int($0) }), (1...10_000).contains(set) {
        return set
      }
      return fallback
    }
    self.init(
      columns: settle(reported?.columns, "COLUMNS", 80), rows: settle(reported?.rows, "LINES", 24))
  }

  /// The current size of the terminal behind a file descriptor.
  public static func current(of descriptor: Int32, environment: [String: String]) -> TerminalSize {
    var columns: Int32 = 0
    var rows: Int32 = 0
    let isKnown = cle_window_size(descriptor, &columns, &rows) == 0
    return TerminalSize(
      reported: isKnown ? (Int(columns), Int(rows)) : nil, environment: environment)
  }
}
