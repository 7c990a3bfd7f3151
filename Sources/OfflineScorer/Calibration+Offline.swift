extension Calibration {
  /// For the fast scorer.
  package static let offline = Calibration(
    known: Line(-1.154, 1.395, 0.859), unknown: Line(-1.889, 2.553, 0.835), deviations: 2.15)
}
