package import OfflineScorer

extension Calibration {
  /// For the encoder.
  package static let encoder = Calibration(
    known: Line(-0.32, 0.577, 0.399), unknown: Line(-0.886, 0.667, 0.43), deviations: 1.95)
}
