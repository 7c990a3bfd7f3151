import Plans

/// Shows and reads measurements in the person's units.
enum Measure {
  static let centimetersPerInch = 2.54
  static let kilogramsPerPound = 0.453_592_37

  /// `5'8"`, `173 cm`, `154 lb`, `70 kg`, `30 years`, `12`.
  static func text(_ value: Double, _ stepper: Step.Stepper, _ units: Units) -> String {
    switch (stepper.quantity, units) {
    case (.height, .imperial):
      let inches = Int((value / centimetersPerInch).rounded())
      return "\(inches / 12)'\(inches % 12)\""
    case (.height, .metric): return "\(number(value.rounded())) cm"
    case (.weight, .imperial): return "\(number((value / kilogramsPerPound).rounded())) lb"
    case (.weight, .metric): return "\(number((value * 10).rounded() / 10)) kg"
    case (.age, _), (.count, _):
      return [number(value), stepper.unit].compactMap(\.self).joined(separator: " ")
    }
  }

  /// The metric size of the unit that is shown.
  static func scale(_ stepper: Step.Stepper, _ units: Units) -> Double {
    switch (stepper.quantity, units) {
    case (.height, .imperial): centimetersPerInch
    case (.weight, .imperial): kilogramsPerPound
    default: 1
    }
  }

  static func unit(_ stepper: Step.Stepper, _ units: Units) -> String? {
    switch (stepper.quantity, units) {
    case (.height, .imperial): "in"
    case (.height, .metric): "cm"
    case (.weight, .imperial): "lb"
    case (.weight, .metric): "kg"
    default: stepper.unit
    }
  }

  /// The value after a press of + or −, on whole inches and pounds if that is what is shown.
  static func stepped(
    _ value: Double, by presses: Int, _ stepper: Step.Stepper, _ units: Units
  ) -> Double {
    let unit = scale(stepper, units)
    let moved =
      unit == 1
      ? value + Double(presses) * stepper.by : ((value / unit).rounded() + Double(presses)) * unit
    return min(max(moved, stepper.min), stepper.max)
  }

  /// A number as people write it: no `.0`.
  static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }

  /// Reads a plain number, with thousands separated or not: `1800`, `1,800`, `72.5`, `72,5`.
  static func plain(_ text: String) -> Double? {
    let groups = text.split { $0.isWhitespace }
    // Spaces stand between thousands: "5 8" is no 58.
    guard
      groups.dropFirst().allSatisfy({ group in
        group.count == 3 && group.allSatisfy { $0.isNumber }
      })
    else { return nil }
    var text = groups.joined()
    guard !text.isEmpty, text.count <= 20, text.allSatisfy({ $0.isASCII }) else { return nil }
    if text.contains(",") {
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      let isGrouped = parts.dropFirst().allSatisfy { $0.prefix { $0.isNumber }.count == 3 }
      text = text.replacing(",", with: isGrouped ? "" : ".")
    }
    let digits = text.drop { $0 == "-" || $0 == "+" }
    guard digits.first?.isNumber == true, digits.allSatisfy({ $0.isNumber || $0 == "." }),
      let value = Double(text), value.isFinite
    else { return nil }
    return value
  }
}
