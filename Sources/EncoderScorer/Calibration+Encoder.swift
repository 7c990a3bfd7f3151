package import OfflineScorer

extension Calibration {
  /// For the encoder.
  package static let encoder = Calibration(
    known: Line(-0.279, 0.741, 0.64), unknown: Line(-0.012, 1.093, 0.54), deviations: 2.1)
}
