/// What is wrong with a cassette, a file of rules or a request, and where.
public struct FieldError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, once it is known.
  public var file: String?
  /// The field, such as `script[2].user`; empty for the whole file.
  public var path: String
  public var reason: String

  public init(file: String? = nil, path: String = "", _ reason: String) {
    self.file = file
    self.path = path
    self.reason = reason
  }

  public init(path: String, expected: String, found: String) {
    self.init(path: path, "expected \(expected), found \(found)")
  }

  public var description: String {
    [file, path.isEmpty ? nil : path, reason].compactMap(\.self).joined(separator: ": ")
  }
}
