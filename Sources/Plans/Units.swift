/// How heights and weights are shown. They are stored in centimeters and kilograms.
public enum Units: String, Hashable, Sendable, CaseIterable, Codable {
  case metric, imperial

  package static let centimetersPerInch = 2.54
  package static let kilogramsPerPound = 0.453_592_37
}
