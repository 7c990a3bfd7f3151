/// Why a pack is unusable: the file, the line, and the problem.
public struct PackError: Error, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// Counted from 1; nil for the whole file.
  public let line: Int?
  public let reason: String
  /// What else is wrong with the pack, as far as it could be read.
  public let others: [PackError]

  public init(file: String, line: Int? = nil, reason: String) {
    self.init(file: file, line: line, reason: reason, others: [])
  }

  fileprivate init(file: String, line: Int?, reason: String, others: [PackError]) {
    self.file = file
    self.line = line
    self.reason = reason
    self.others = others
  }

  /// One line for each thing that is wrong.
  public var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return (["\(place): \(reason)"] + others.map(\.description)).joined(separator: "\n")
  }
}

/// Collects what is wrong with a pack, so that all of it can be fixed at once.
package struct PackFaults {
  package private(set) var all: [PackError] = []

  package init() {}

  package var isEmpty: Bool { all.isEmpty }

  package mutating func add(_ error: PackError) {
    let first = PackError(file: error.file, line: error.line, reason: error.reason)
    for fault in [first] + error.others where !all.contains(fault) { all.append(fault) }
  }

  /// - Returns: Nil if it failed.
  @discardableResult
  package mutating func gather<Value>(
    _ value: @autoclosure () throws(PackError) -> Value
  ) -> Value? {
    gather(value)
  }

  /// The same for what takes more than one expression.
  @discardableResult
  package mutating func gather<Value>(_ make: () throws(PackError) -> Value) -> Value? {
    do throws(PackError) {
      return try make()
    } catch {
      add(error)
      return nil
    }
  }

  /// What came of each item that could be read.
  package mutating func gather<Item, Value>(
    each items: some Sequence<Item>, _ make: (Item) throws(PackError) -> Value
  ) -> [Value] {
    var values: [Value] = []
    for item in items {
      if let value = gather(try make(item)) { values.append(value) }
    }
    return values
  }

  /// - Throws: The first fault, with the others.
  package func raise() throws(PackError) {
    guard let first = all.first else { return }
    throw PackError(
      file: first.file, line: first.line, reason: first.reason, others: Array(all.dropFirst()))
  }
}
