import FoundationEssentials
package import Intake

/// A connection to a store's database, for statements that every database understands.
package protocol TableLink {
  /// Whether other writers work at the same time, so that rows are locked for them.
  var isShared: Bool { get }

  /// Runs one statement.
  ///
  /// - Parameter values: Its `$1`, `$2` and so on.
  /// - Returns: The rows that it gives.
  @discardableResult
  func run(_ sql: String, _ values: [TableValue]) throws -> [any TableRow]

  /// The tables that journeys have made here. A journey's file may name no other.
  func profileTables() throws -> [String]
}

package enum TableValue: Hashable, Sendable {
  case text(String?)
  case integer(Int64?)

  static func date(_ date: Date?) -> TableValue { .integer(date?.milliseconds) }
}

/// A row of a result. A value is nil if it is null, or of another type.
package protocol TableRow {
  func text(_ column: Int) -> String?
  func integer(_ column: Int) -> Int64?
}

extension TableRow {
  func date(_ column: Int) -> Date? { integer(column).map { Date(milliseconds: $0) } }
}

/// Why rows cannot be used.
package enum TableProblem: Error {
  /// A column that is never empty is, or holds another type of value.
  case damaged
  /// An event whose payload is not what its kind promises.
  case unreadable(SessionID, UnreadableEvent)
}

extension StoreError {
  package init(_ problem: TableProblem, store: String) {
    switch problem {
    case .damaged:
      self.init(.damaged, file: store, detail: "a column holds another type of value")
    case .unreadable(let session, let event):
      self.init(.unreadableEvent(session: session.rawValue, event), file: store)
    }
  }
}

/// - Throws: `damaged` if there is no value.
func require<Value>(_ value: Value?) throws(TableProblem) -> Value {
  guard let value else { throw .damaged }
  return value
}
