extension Calibration {
  /// For the fast scorer.
  package static let offline = Calibration(
    known: Line(-0.503, 1.253, 0.548), unknown: Line(-1.882, 1.75, 0.667), deviations: 2.15)
}
