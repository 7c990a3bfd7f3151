/// Notes the features of a clause; their weights are added up in one go.
struct KeySink: FeatureSink {
  var always: UnsafeMutablePointer<UInt64>
  var asked: UnsafeMutablePointer<UInt64>
  var alwaysCount = 0
  var askedCount = 0

  @inline(__always)
  mutating func add(_ kind: UInt32, _ left: UInt32, _ right: UInt32) {
    always[alwaysCount] = Hash.unmixed(kind, left, right)
    alwaysCount &+= 1
  }

  @inline(__always)
  mutating func addAsked(_ kind: UInt32, _ left: UInt32, _ right: UInt32) {
    asked[askedCount] = Hash.unmixed(kind, left, right)
    askedCount &+= 1
  }

  // Written either way, counted where it holds: no branch to guess wrong.
  @inline(__always)
  mutating func add(_ kind: UInt32, _ left: UInt32, _ right: UInt32, if condition: Bool) {
    always[alwaysCount] = Hash.unmixed(kind, left, right)
    alwaysCount &+= condition ? 1 : 0
  }

  @inline(__always)
  mutating func addAsked(_ kind: UInt32, _ left: UInt32, _ right: UInt32, if condition: Bool) {
    asked[askedCount] = Hash.unmixed(kind, left, right)
    askedCount &+= condition ? 1 : 0
  }
}
