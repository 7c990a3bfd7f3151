/// Numbers formatted for people, the same on every machine. Scores and shares are in
/// `ShownFigure`.
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

  /// A value in ten-thousandths in full, with two digits or more.
  static func exact(_ points: Int) -> String {
    var digits = String(10_000 + points % 10_000).dropFirst()
    while digits.count > 2, digits.last == "0" { digits.removeLast() }
    return "\(points / 10_000).\(digits)"
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
