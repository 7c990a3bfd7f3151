package import OfflineScorer

extension Calibration {
  /// For the encoder.
  package static let encoder = Calibration(
    known: Line(-0.295, 0.565, 0.411), unknown: Line(-0.835, 0.678, 0.418), deviations: 1.95)
}
