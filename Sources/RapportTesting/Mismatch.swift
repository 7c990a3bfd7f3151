/// A failed expectation: its place, and both sides as text to compare.
public struct Mismatch: Hashable, Sendable {
  /// The expectation, such as `turns[2].overall`.
  public var path: String
  public var expected: String
  public var actual: String
  /// An explanation, if the two sides alone don't give it.
  public var remark: String?
}
