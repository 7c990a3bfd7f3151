package import OfflineScorer

extension Calibration {
  /// For the encoder.
  package static let encoder = Calibration(
    known: Line(-0.342, 0.586, 0.375), unknown: Line(-1.403, 0.621, 0.601), deviations: 2.05)
}
