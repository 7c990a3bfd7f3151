import FoundationEssentials

/// Parses HTTP dates in the three forms of RFC 9110, section 5.6.7.
enum HTTPDate {
  /// - Returns: Nil if the text has none of these forms, or names a time that does not exist.
  static func parse(_ text: String) -> Date? {
    let words = text.split { $0 == " " || $0 == "," }.map(String.init)
    switch words.count {
    // Sun, 06 Nov 1994 08:49:37 GMT
    case 6 where words[5] == "GMT":
      return date(year: Int(words[3]), month: words[2], day: words[1], time: words[4])
    // Sunday, 06-Nov-94 08:49:37 GMT
    case 4 where words[3] == "GMT":
      let parts = words[1].split(separator: "-").map(String.init)
      guard parts.count == 3, let short = Int(parts[2]) else { return nil }
      return date(
        year: short < 70 ? 2000 + short : 1900 + short, month: parts[1], day: parts[0],
        time: words[2])
    // Sun Nov  6 08:49:37 1994
    case 5:
      return date(year: Int(words[4]), month: words[1], day: words[2], time: words[3])
    default: return nil
    }
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func date(year: Int?, month: String, day: String, time: String) -> Date? {
    let clock = time.split(separator: ":").map { Int($0) }
    guard let year, (1970...9999).contains(year), let month = months.firstIndex(of: month),
      let day = Int(day), clock.count == 3, let hour = clock[0], let minute = clock[1],
      let second = clock[2], (1...31).contains(day), (0..<24).contains(hour),
      (0..<60).contains(minute), (0...60).contains(second)
    else { return nil }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    // A leap second is the following second on clocks that don't count it.
    let stamp =
      "\(year)-\(two(month + 1))-\(two(day))T\(two(hour)):\(two(minute)):\(two(min(second, 59)))Z"
    return WaitText.timestamp(stamp)
  }
}
