extension Calibration {
  /// For the fast scorer.
  package static let offline = Calibration(
    known: Line(-1.096, 1.6, 0.734), unknown: Line(-1.412, 2.64, 0.481), deviations: 1.95)
}
