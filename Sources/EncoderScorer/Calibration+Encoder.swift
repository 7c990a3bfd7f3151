package import OfflineScorer

extension Calibration {
  /// For the encoder.
  package static let encoder = Calibration(
    known: Line(0.023, 0.649, 0.282), unknown: Line(-1.054, 0.665, 0.54), deviations: 2.15)
}
