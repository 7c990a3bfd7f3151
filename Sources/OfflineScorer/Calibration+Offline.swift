extension Calibration {
  /// For the fast scorer.
  package static let offline = Calibration(
    known: Line(-0.966, 1.658, 0.664), unknown: Line(-1.277, 2.782, 0.45), deviations: 1.9)
}
