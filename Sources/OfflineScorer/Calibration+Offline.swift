extension Calibration {
  /// For the fast scorer.
  package static let offline = Calibration(
    known: Line(-0.668, 1.144, 0.642), unknown: Line(-1.635, 1.604, 0.67), deviations: 2.15)
}
