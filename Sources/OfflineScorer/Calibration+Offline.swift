extension Calibration {
  /// For the fast scorer.
  package static let offline = Calibration(
    known: Line(-1.026, 1.608, 0.698), unknown: Line(-1.336, 2.763, 0.424), deviations: 1.85)
}
