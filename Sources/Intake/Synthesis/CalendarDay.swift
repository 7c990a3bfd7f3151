package import FoundationEssentials

/// A day in the Gregorian calendar, without a time or time zone.
public struct CalendarDay: Hashable, Sendable, CustomStringConvertible {
  /// Days since 1970-01-01.
  let number: Int
  /// As `yyyy-MM-dd`.
  public let description: String

  /// Reads `yyyy-MM-dd`, alone or at the start of a timestamp.
  public init?(_ text: String) {
    let day = String(text.prefix(10))
    let rest = text.utf8.dropFirst(10).first
    // Dates that don't exist, such as February 30, are read as other days.
    guard rest == nil || rest == UInt8(ascii: "T") || rest == UInt8(ascii: " "),
      let date = try? Date(day, strategy: .iso8601.year().month().day()),
      Self.text(of: date) == day
    else { return nil }
    (number, description) = (Int((date.timeIntervalSince1970 / 86_400).rounded(.down)), day)
  }

  /// `Sunday, 2026-11-29`; text that is no day as it is.
  static func withWeekday(_ day: String) -> String {
    guard let date = CalendarDay(day) else { return day }
    // The first day was a Thursday.
    return "\(weekdays[((date.number % 7) + 7) % 7]), \(date.description)"
  }

  private static let weekdays = [
    "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
  ]

  /// The day of a time, in UTC.
  package static func text(of date: Date) -> String {
    String(date.formatted(.iso8601.year().month().day()).prefix(10))
  }
}
