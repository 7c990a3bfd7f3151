/// Finds phone numbers as written in many countries. Leaves weights, years, times, dates, ranges
/// and counts alone.
///
/// A number counts by its shape: a plus, a leading zero, brackets, or groups that only phone
/// numbers have. If the words before it mention a phone, any grouping counts.
struct PhoneShapes {
  let text: ReadableText

  private var scalars: [Unicode.Scalar] { text.scalars }

  /// Digits and the separators between them.
  private struct Run {
    var range: Range<Int>
    var groups: [String]
    var hasPlus = false
    var hasBrackets = false
    /// All separators are dots or slashes, or all are hyphens.
    var separators: Set<Unicode.Scalar> = []

    var digits: String { groups.joined() }
    var lengths: [Int] { groups.map(\.count) }
  }

  func ranges() -> [Range<Int>] {
    var found: [Range<Int>] = []
    var index = 0
    while index < scalars.count {
      guard isStart(index), let run = run(at: index) else {
        index += 1
        continue
      }
      if isPhone(run) { found.append(run.range) }
      index = run.range.upperBound
    }
    return found
  }

  private func isStart(_ index: Int) -> Bool {
    let scalar = scalars[index]
    guard scalar.digit != nil || scalar == "+" || scalar == "(" else { return false }
    guard index > 0 else { return true }
    let before = scalars[index - 1]
    // Skip parts of a word, a decimal, a time, an amount or an id.
    if scalar == "(" { return before.digit == nil }
    if ".,:/".unicodeScalars.contains(before) {
      return index < 2 || scalars[index - 2].digit == nil
    }
    return !before.isWordScalar && before.digit == nil
      && !"-_#$€£\\".unicodeScalars.contains(before)
  }

  static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case " ", "-", ".", "/", "(", ")", "\u{A0}", "\u{202F}", "\u{2009}", "\u{2010}"..."\u{2015}":
      true
    default: false
    }
  }

  private func run(at start: Int) -> Run? {
    var run = Run(range: start..<start, groups: [])
    var group = ""
    var index = start
    var end = start
    if scalars[index] == "+" {
      run.hasPlus = true
      index += 1
    }
    while index < scalars.count {
      if let digit = scalars[index].digit {
        group += String(digit)
        end = index + 1
      } else if Self.isSeparator(scalars[index]), index - end < 3 {
        if !group.isEmpty { run.groups.append(group) }
        group = ""
        if scalars[index] == "(" || scalars[index] == ")" { run.hasBrackets = true }
        run.separators.insert(scalars[index])
      } else {
        break
      }
      index += 1
    }
    if !group.isEmpty { run.groups.append(group) }
    guard end > start, run.groups.count > 0 else { return nil }
    run.range = start..<end
    return run
  }

  private func isPhone(_ run: Run) -> Bool {
    let digits = run.digits
    guard (7...17).contains(digits.count), !isContinued(run), !isDate(run), !isRound(digits) else {
      return false
    }
    if run.hasPlus || digits.hasPrefix("00") { return digits.count >= 8 }
    if isAreaCodeInBrackets(run) || isNational(run) || Self.hasKnownShape(run.groups) {
      return !isCounted(run)
    }
    return !run.groups.allSatisfy(Self.isStep) && !isCounted(run)
      && speaksOfPhones(before: run.range.lowerBound)
  }

  /// Letters or decimals follow it directly.
  private func isContinued(_ run: Run) -> Bool {
    let end = run.range.upperBound
    guard end < scalars.count else { return false }
    if scalars[end].isWordScalar || scalars[end] == "_" || scalars[end] == "%" { return true }
    return ":,.".unicodeScalars.contains(scalars[end]) && end + 1 < scalars.count
      && scalars[end + 1].digit != nil
  }

  private func isDate(_ run: Run) -> Bool {
    guard run.groups.count == 3, !run.hasPlus, !run.hasBrackets else { return false }
    let lengths = run.lengths
    let values = run.groups.compactMap { Int($0) }
    guard values.count == 3 else { return false }
    func isYear(_ index: Int) -> Bool {
      lengths[index] == 4 && (1900...2100).contains(values[index])
    }
    if isYear(0) { return values[1] <= 12 && values[2] <= 31 }
    return isYear(2) && lengths[0] <= 2 && lengths[1] <= 2 && values[0] <= 31 && values[1] <= 31
  }

  /// Round numbers, such as a million, are not phone numbers.
  private func isRound(_ digits: String) -> Bool { digits.hasSuffix("00000") }

  private func isAreaCodeInBrackets(_ run: Run) -> Bool {
    guard run.hasBrackets, let open = run.range.first(where: { scalars[$0] == "(" }),
      let close = run.range.first(where: { scalars[$0] == ")" && $0 > open })
    else { return false }
    let inside = scalars[(open + 1)..<close]
    let behind = run.digits.count - inside.count
    return inside.allSatisfy { $0.digit != nil } && (1...5).contains(inside.count) && behind >= 6
  }

  /// Begins with a national number's zero.
  private func isNational(_ run: Run) -> Bool {
    guard let first = run.groups.first, first.hasPrefix("0") else { return false }
    let digits = run.digits
    return (9...12).contains(digits.count) && run.groups.dropFirst().allSatisfy { $0.count >= 2 }
  }

  /// Whether some country writes its numbers in groups of these lengths with these digits.
  private static func hasKnownShape(_ groups: [String]) -> Bool {
    let lengths = groups.map(\.count)
    let first = groups[0]
    let lead = first.first.flatMap { $0.wholeNumberValue } ?? 0
    switch lengths {
    case [3, 3, 4]: return lead >= 2
    case [1, 3, 3, 4]: return first == "1" || first == "8"
    case [1, 3, 3, 2, 2]: return first == "8" || first == "7"
    case [1, 10], [1, 3, 7]: return first == "1"
    case [3, 3, 3]: return lead >= 6 && !groups.allSatisfy(isStep)
    case [3, 2, 2, 2]: return lead >= 6
    case [3, 7], [3, 3, 2, 2]: return lead >= 2
    case [5, 5]: return lead >= 6
    case [3, 4, 4]: return first.hasPrefix("1") && !groups.allSatisfy(isStep)
    case [2, 5, 4]: return true
    case [2, 4, 4]: return !groups.dropFirst().allSatisfy { isYear($0) || isStep($0) }
    case [2, 3, 4, 4], [2, 3, 3, 4], [2, 4, 3, 4], [2, 5, 5], [2, 10], [2, 2, 4, 4]: return true
    case [10]: return lead >= 6 || isNorthAmerican(first)
    case [11]:
      return first.hasPrefix("1")
        && (isNorthAmerican(String(first.dropFirst())) || isChinese(first))
    case [9]: return lead >= 6
    default: return false
    }
  }

  /// Weight plates and calories come in fives.
  private static func isStep(_ group: String) -> Bool {
    group.hasSuffix("0") || group.hasSuffix("5")
  }

  private static func isYear(_ group: String) -> Bool {
    group.hasPrefix("19") || group.hasPrefix("20")
  }

  private static func isNorthAmerican(_ digits: String) -> Bool {
    let values = digits.compactMap(\.wholeNumberValue)
    return values.count == 10 && values[0] >= 2 && values[3] >= 2
  }

  private static func isChinese(_ digits: String) -> Bool {
    let values = digits.compactMap(\.wholeNumberValue)
    return values.count == 11 && values[1] >= 3
  }

  private static let units: Set<String> = [
    "steps", "step", "kcal", "cal", "cals", "calories", "lb", "lbs", "pounds", "kg", "kilos", "g",
    "grams", "km", "kilometres", "kilometers", "miles", "mi", "m", "metres", "meters", "reps",
    "sets",
    "minutes", "min", "mins", "hours", "hrs", "days", "weeks", "months", "years", "times", "words",
    "euros", "dollars", "bucks", "people", "am", "pm", "bpm", "watts", "percent",
  ]

  /// The text after it names what is counted.
  private func isCounted(_ run: Run) -> Bool {
    var index = run.range.upperBound
    while index < scalars.count, scalars[index] == " " { index += 1 }
    var word = ""
    while index < scalars.count, scalars[index].isASCIILetter, word.utf8.count < 12 {
      word.unicodeScalars.append(scalars[index])
      index += 1
    }
    return Self.units.contains(word.lowercased())
  }

  private static let phoneWords: Set<String> = [
    "phone", "telephone", "call", "text", "ring", "mobile", "cell", "tel", "fax", "whatsapp", "sms",
    "telefon", "handy", "mobil", "anrufen", "handynummer", "telefonnummer", "teléfono", "telefono",
    "móvil", "movil", "llama", "llámame", "téléphone", "portable", "appelle", "numéro", "cellulare",
    "telefone", "celular", "telefoon", "reach",
  ]

  /// One of the six words before it is about phones, with no other number between.
  private func speaksOfPhones(before end: Int) -> Bool {
    var index = end
    for _ in 0..<6 {
      while index > 0, !scalars[index - 1].isWordScalar {
        if endsThought(at: index - 1, isBeside: index >= end - 2) { return false }
        index -= 1
      }
      let last = index
      while index > 0, scalars[index - 1].isWordScalar { index -= 1 }
      guard index < last else { return false }
      if Self.phoneWords.contains(text.text(index..<last).lowercased()) { return true }
    }
    return false
  }

  /// Whether a sentence ends here. A full stop beside the number belongs to an abbreviation, as in
  /// "tel. 555 0132"; a number on the line after a question answers it.
  private func endsThought(at index: Int, isBeside: Bool) -> Bool {
    let scalar = scalars[index]
    if scalar.digit != nil || scalar == ReadableText.opaque { return true }
    if scalar == "\n" { return index == 0 || scalars[index - 1] != "?" }
    return !isBeside && (scalar == "." || scalar == "!")
  }
}
