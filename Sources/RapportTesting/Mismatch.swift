/// An expectation that does not hold: where, and both sides as text to be laid side by side.
public struct Mismatch: Hashable, Sendable {
  /// The expectation, such as `turns[2].overall`.
  public var path: String
  public var expected: String
  public var actual: String
  /// What it comes to in a sentence, where the two sides alone do not say it.
  public var remark: String?

  public init(path: String, expected: String, actual: String, remark: String? = nil) {
    self.path = path
    self.expected = expected
    self.actual = actual
    self.remark = remark
  }
}
