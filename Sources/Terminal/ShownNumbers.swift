extension Int {
  /// Ten-thousandths with two digits, never rounded up: 0.799 is not ready.
  package var shownAsScore: String {
    let hundredths = self / 100
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}

extension Int {
  /// Such as `1 turn` or `5 turns`.
  package func counted(_ one: String, _ many: String? = nil) -> String {
    "\(self) \(self == 1 ? one : many ?? one + "s")"
  }
}
