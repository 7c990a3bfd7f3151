import Plans

// In the person's units.
extension Step.Stepper {
  /// `5'8"`, `173 cm`, `154 lb`, `70 kg`, `30 years`, `12`.
  func text(_ value: Double, in units: Units) -> String {
    switch (quantity, units) {
    case (.height, .imperial):
      let inches = Int((value / Units.centimetersPerInch).rounded())
      return "\(inches / 12)'\(inches % 12)\""
    case (.height, .metric): return "\(Measure.number(value.rounded())) cm"
    case (.weight, .imperial):
      return "\(Measure.number((value / Units.kilogramsPerPound).rounded())) lb"
    case (.weight, .metric): return "\(Measure.number((value * 10).rounded() / 10)) kg"
    case (.age, _), (.count, _):
      return [Measure.number(value), unit].compactMap(\.self).joined(separator: " ")
    }
  }

  /// The metric size of the unit that is shown.
  func scale(in units: Units) -> Double {
    switch (quantity, units) {
    case (.height, .imperial): Units.centimetersPerInch
    case (.weight, .imperial): Units.kilogramsPerPound
    default: 1
    }
  }

  func unit(in units: Units) -> String? {
    switch (quantity, units) {
    case (.height, .imperial): "in"
    case (.height, .metric): "cm"
    case (.weight, .imperial): "lb"
    case (.weight, .metric): "kg"
    default: unit
    }
  }

  /// The value after a press of + or −, on whole inches and pounds if that is what is shown.
  func stepped(
    _ value: Double, by presses: Int, in units: Units
  ) -> Double {
    let size = scale(in: units)
    let moved =
      size == 1
      ? value + Double(presses) * by : ((value / size).rounded() + Double(presses)) * size
    return Swift.min(Swift.max(moved, min), max)
  }
}
