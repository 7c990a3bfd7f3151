extension Calibration {
  /// For the fast scorer.
  package static let offline = Calibration(
    known: Line(-1.004, 1.62, 0.665), unknown: Line(-1.371, 2.738, 0.436), deviations: 1.95)
}
