/// Numbers formatted for people, the same on every machine.
enum Figures {
  /// `1,234,567`
  static func count(_ number: Int) -> String {
    let digits = Array(String(number))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(count(number)) \(number == 1 ? one : many)"
  }

  /// Whole percent; 0% and 100% are exact.
  static func share(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "–" }
    if part > 0, part * 200 < whole { return "< 1%" }
    if part < whole, (whole - part) * 200 < whole { return "> 99%" }
    return "\((part * 200 + whole) / (whole * 2))%"
  }

  /// Ten-thousandths as a fraction with two digits.
  static func score(_ points: Int) -> String { fraction((points + 50) / 100, of: 100) }

  /// Ten-thousandths as a fraction with three digits: with two, a conversation that just missed
  /// ready would look like one that just made it.
  static func exactScore(_ points: Int) -> String { fraction((points + 5) / 10, of: 1000) }

  private static func fraction(_ parts: Int, of whole: Int) -> String {
    "\(parts / whole).\(String(whole + parts % whole).dropFirst())"
  }

  /// As short as an axis needs: `1,500`, `20k`, `1.5M`.
  static func tick(_ number: Int) -> String {
    switch number {
    case 1_000_000...:
      let tenths = number / 100_000
      return "\(tenths / 10)\(tenths % 10 == 0 ? "" : ".\(tenths % 10)")M"
    case 10_000...: return "\(number / 1000)k"
    default: return count(number)
    }
  }

  /// A round step that needs at most `most` ticks to reach `top`.
  static func step(to top: Int, most: Int) -> Int {
    var unit = 1
    while true {
      for factor in [1, 2, 5] where unit * factor * most >= top { return unit * factor }
      unit *= 10
    }
  }

  /// The median of counted values; nil if there are none.
  static func median(_ counts: [Int]) -> Int? {
    let all = counts.reduce(0, +)
    guard all > 0 else { return nil }
    var seen = 0
    return counts.firstIndex { count in
      seen += count
      return seen * 2 >= all
    }
  }
}
