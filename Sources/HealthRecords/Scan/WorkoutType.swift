/// A workout's name in a sentence.
enum WorkoutType {
  /// `HKWorkoutActivityTypeTraditionalStrengthTraining` is `strength training`.
  static func name(_ exported: UnsafeBufferPointer<UInt8>) -> String {
    let prefix: StaticString = "HKWorkoutActivityType"
    let rest =
      exported.begins(prefix)
      ? UnsafeBufferPointer(rebasing: exported.dropFirst(prefix.utf8CodeUnitCount)) : exported
    let name = rest.text
    return known[name] ?? words(name)
  }

  private static let known = [
    "TraditionalStrengthTraining": "strength training",
    "FunctionalStrengthTraining": "functional strength training",
    "HighIntensityIntervalTraining": "interval training", "PreparationAndRecovery": "recovery",
    "Pilates": "Pilates", "TaiChi": "tai chi", "MindAndBody": "mind and body",
    "SwimBikeRun": "triathlon", "Other": "other", "": "other",
  ]

  private static let longest = 40

  /// `StairClimbing` as `stair climbing`; drops anything but ASCII letters.
  private static func words(_ name: String) -> String {
    var words = ""
    for byte in name.utf8.prefix(longest) {
      switch byte {
      case 0x41...0x5A:
        if !words.isEmpty { words += " " }
        words.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
      case 0x61...0x7A: words.unicodeScalars.append(Unicode.Scalar(byte))
      default: break
      }
    }
    return words.isEmpty ? "other" : words
  }
}
