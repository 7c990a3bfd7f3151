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

  /// The longest name, in letters, and the most words in it.
  static let longest = 40
  static let mostWords = 5

  /// The words of a name that fit into a sentence.
  static func fitting(_ name: String) -> String {
    var fitting = ""
    for word in name.split(separator: " ").prefix(mostWords) {
      let longer = fitting.isEmpty ? String(word.prefix(longest)) : "\(fitting) \(word)"
      guard longer.count <= longest else { break }
      fitting = longer
    }
    return fitting
  }

  /// `stair climbing`, `cross-country skiing`: used in sentences and prompts.
  static func isName(_ text: String) -> Bool {
    (1...longest).contains(text.count)
      && text.allSatisfy { $0.isLetter || $0 == " " || $0 == "-" }
      && (1...mostWords).contains(text.split(separator: " ").count)
  }

  private static let known = [
    "TraditionalStrengthTraining": "strength training",
    "FunctionalStrengthTraining": "functional strength training",
    "HighIntensityIntervalTraining": "interval training", "PreparationAndRecovery": "recovery",
    "Pilates": "Pilates", "TaiChi": "tai chi", "MindAndBody": "mind and body",
    "SwimBikeRun": "triathlon", "Other": "other", "": "other",
  ]

  /// `StairClimbing` as `stair climbing`; drops anything but ASCII letters.
  private static func words(_ name: String) -> String {
    var words = ""
    for byte in name.utf8.prefix(4 * longest) {
      switch byte {
      case 0x41...0x5A:
        if !words.isEmpty { words += " " }
        words.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
      case 0x61...0x7A: words.unicodeScalars.append(Unicode.Scalar(byte))
      default: break
      }
    }
    return words.isEmpty ? "other" : fitting(words)
  }
}
