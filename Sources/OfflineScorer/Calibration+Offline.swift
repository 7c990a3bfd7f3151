extension Calibration {
  /// For the fast scorer.
  package static let offline = Calibration(
    known: Line(-0.956, 1.654, 0.698), unknown: Line(-1.416, 2.459, 0.499), deviations: 2.05)
}
