import ContextQuality

/// Shows and reads numbers as people write them.
package enum Measure {
  /// A number as people write it: no `.0`.
  package static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }

  /// Reads a plain number, with thousands separated or not: `1800`, `1,800`, `72.5`, `72,5`.
  package static func plain(_ text: String) -> Double? {
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
