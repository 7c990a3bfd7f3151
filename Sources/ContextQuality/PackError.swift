/// Why a pack is unusable: the file, the line, and the problem.
public struct PackError: Error, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// Counted from 1; nil for the whole file.
  public let line: Int?
  public let reason: String

  public init(file: String, line: Int? = nil, reason: String) {
    self.file = file
    self.line = line
    self.reason = reason
  }

  public var description: String {
    line.map { "\(file):\($0): \(reason)" } ?? "\(file): \(reason)"
  }
}
