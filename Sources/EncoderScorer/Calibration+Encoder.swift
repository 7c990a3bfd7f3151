package import OfflineScorer

extension Calibration {
  /// For the encoder.
  package static let encoder = Calibration(
    known: Line(-0.283, 0.567, 0.383), unknown: Line(-0.832, 0.682, 0.422), deviations: 1.95)
}
