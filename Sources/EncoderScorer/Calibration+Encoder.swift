package import OfflineScorer

extension Calibration {
  /// For the encoder.
  package static let encoder = Calibration(
    known: Line(-0.33, 0.578, 0.383), unknown: Line(-0.79, 0.699, 0.438), deviations: 1.95)
}
