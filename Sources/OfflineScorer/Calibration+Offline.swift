extension Calibration {
  /// For the fast scorer.
  package static let offline = Calibration(
    known: Line(-1.01, 1.646, 0.709), unknown: Line(-1.367, 2.612, 0.478), deviations: 1.9)
}
