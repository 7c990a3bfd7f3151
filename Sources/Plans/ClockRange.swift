import ContextQuality
package import IncrementalJSON
import Signals

/// From one time of day to another, across midnight if the end comes first.
public struct ClockRange: Hashable, Sendable {
  /// Minutes since midnight, 0…1439.
  public var start: Int
  public var end: Int

  public init(start: Int, end: Int) { (self.start, self.end) = (start, end) }

  /// Minutes; a whole day if both ends are the same.
  public var length: Int {
    let difference = (end - start + 1_440) % 1_440
    return difference == 0 ? 1_440 : difference
  }

  /// `8 hours`, `6 hours 30 minutes`.
  public var lengthInWords: String { Self.length(length) }

  package static func length(_ minutes: Int) -> String {
    let (hours, rest) = (minutes / 60, minutes % 60)
    let hourWords = hours == 1 ? "1 hour" : "\(hours) hours"
    if rest == 0 { return hourWords }
    return hours == 0 ? "\(rest) minutes" : "\(hourWords) \(rest) minutes"
  }

  /// `12:00`.
  public static func text(_ minutes: Int) -> String {
    let (hours, rest) = (minutes / 60, minutes % 60)
    return (hours < 10 ? "0" : "") + "\(hours):" + (rest < 10 ? "0" : "") + "\(rest)"
  }

  /// Reads `12:00`, `9:30`, `8`, `8pm`, `8:30 pm`, `noon`, `24:00`; nil for anything else.
  public static func minutes(_ text: some StringProtocol) -> Int? {
    // "12.00" and "1200" are the same as "12:00", and "a.m." has dots.
    var rest =
      text.lowercased().filter { !$0.isWhitespace }
      .replacing(/^(\d{1,2})\.?([0-5]\d)(?!\d)/) { "\($0.output.1):\($0.output.2)" }
      .filter { $0 != "." }[...]
    if let named = named[String(rest)] { return named }
    let isAfternoon = rest.hasSuffix("pm")
    let isMorning = rest.hasSuffix("am")
    if isAfternoon || isMorning { rest = rest.dropLast(2) }
    // "22h", "22h30".
    if rest.hasSuffix("h") { rest = rest.dropLast() }
    let parts = rest.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "h" }
    guard (1...2).contains(parts.count), parts.allSatisfy({ (1...2).contains($0.count) }),
      parts.count == 1 || parts[1].count == 2,
      var hours = Int(parts[0]), let minutes = parts.count == 2 ? Int(parts[1]) : 0,
      (0..<60).contains(minutes), hours >= 0
    else { return nil }
    if isAfternoon || isMorning {
      guard (1...12).contains(hours) else { return nil }
      hours = hours % 12 + (isAfternoon ? 12 : 0)
    }
    return hours < 24 ? hours * 60 + minutes : nil
  }

  private static let named = ["noon": 720, "midday": 720, "midnight": 0, "24:00": 0, "24": 0]

  /// Reads `12:00-20:00`, `12pm to 8pm`, `from noon until 8`; nil for anything else.
  ///
  /// Who leaves out am and pm means the same day where that is possible: `12-8` ends at 20:00, and `1-9pm` begins
  /// at 13:00.
  public init?(typed text: String) {
    // "No breakfast, 12 to 8 pm": the hours stand last.
    let text = text.split(separator: ",").last ?? ""
    var words = text.lowercased().split { $0.isWhitespace }.map(String.init)
    if let first = words.first, ["from", "between"].contains(first) { words.removeFirst() }
    let joined = words.map { word in
      if Self.joining.contains(word) { return "-" }
      // "Eight" is an hour, too.
      let hour = word.allSatisfy(\.isLetter) ? PhrasePattern.value(word).map { Int($0) } : nil
      return hour.map(String.init) ?? word
    }.joined(separator: " ")
    let ends = joined.replacing(/[–—]|to/, with: "-").split(separator: "-")
      .map { $0.filter { !$0.isWhitespace } }
    guard ends.count == 2, let start = Self.minutes(ends[0]), let end = Self.minutes(ends[1])
    else { return nil }
    self.init(start: start, end: end)
    let noon = 720
    if Self.leavesHalfOpen(ends[1]), end < start, start < end + noon { self.end += noon }
    if Self.leavesHalfOpen(ends[0]), ends[1].hasSuffix("pm"), start + noon < end {
      self.start += noon
    }
  }

  /// The text with each "6:30-7:15 pm" as when that begins, and "6.30 am" and "7 p.m." as they are read elsewhere.
  static func settled(_ text: String) -> String {
    text.replacing(/(?i)\b([ap])\.\s?m\b\.?/) { "\($0.output.1)m" }
      .replacing(/(?i)(\b(?:at|from|to|until|till|by)\s+|\b)(\d{1,2})\.([0-5]\d)(\s*[ap]m\b)?/) {
        match in
        let (before, hour, minute, half) = (
          match.output.1, match.output.2, match.output.3, match.output.4
        )
        return before.isEmpty && half == nil
          ? String(match.output.0) : "\(before)\(hour):\(minute)\(half ?? "")"
      }
      .replacing(
        /(?i)(?:\b(from|between|at)\s+)?\b(\d{1,2}(?::\d\d)?\s*(?:[ap]m)?)\s*(?:-|–|—|\bto\b|\buntil\b|\btill\b|\band\b)\s*(\d{1,2}(?::\d\d)?\s*(?:[ap]m\b)?)(?!\s*(?:min|hour|hr|day|time|week|session|rep|x\b|kg|lb|km|\d))/
      ) { match in
        let (start, end) = (match.output.2, match.output.3)
        let isClock = match.output.1 != nil || "\(start)\(end)".contains { ":mM".contains($0) }
        guard isClock, let range = ClockRange(typed: "\(start)-\(end)") else {
          return String(match.output.0)
        }
        let isOpen = leavesHalfOpen(start.filter { !$0.isWhitespace }) && range.start < 720
        return "at \(isOpen ? String(start).trimmed : Self.text(range.start)) "
      }
  }

  private static let joining: Set = ["to", "until", "till", "til", "and", "through"]

  /// Whether a time could be in the morning or in the afternoon: `8`, `8:30`, but not `08:00` or `20:00`.
  private static func leavesHalfOpen(_ time: String) -> Bool {
    guard let first = time.first, ("1"..."9").contains(first), time.last?.isNumber == true,
      let minutes = minutes(time)
    else { return false }
    return (60..<720).contains(minutes)
  }
}

extension ClockRange: Codable {
  private enum Key: String, CodingKey { case start, end }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func minutes(_ key: Key) throws -> Int {
      guard let minutes = Self.minutes(try container.decode(String.self, forKey: key)) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "expected a time such as 12:00")
      }
      return minutes
    }
    self.init(start: try minutes(.start), end: try minutes(.end))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.text(start), forKey: .start)
    try container.encode(Self.text(end), forKey: .end)
  }
}

extension ClockRange {
  package var json: JSONValue {
    ["start": .string(Self.text(start)), "end": .string(Self.text(end))]
  }
}
