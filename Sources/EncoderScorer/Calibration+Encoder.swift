package import OfflineScorer

extension Calibration {
  /// For the encoder.
  package static let encoder = Calibration(
    known: Line(-0.296, 0.571, 0.396), unknown: Line(-0.839, 0.68, 0.429), deviations: 1.9)
}
