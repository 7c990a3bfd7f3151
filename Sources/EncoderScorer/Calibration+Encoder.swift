package import OfflineScorer

extension Calibration {
  /// For the encoder.
  package static let encoder = Calibration(
    known: Line(-0.356, 0.582, 0.399), unknown: Line(-1.399, 0.63, 0.614), deviations: 1.95)
}
