import ArgumentParser
import FoundationEssentials
import Glibc

/// A moment in the past, as typed: a day where the user is, or an age.
enum PastTime: ExpressibleByArgument {
  case ago(seconds: Double)
  case at(Date)

  init?(argument: String) {
    if let age = Self.seconds(argument) {
      self = .ago(seconds: age)
    } else if let day = Self.day(argument) {
      self = .at(day)
    } else {
      return nil
    }
  }

  func date(before now: Date) -> Date {
    switch self {
    case .ago(let seconds): now.addingTimeInterval(-seconds)
    case .at(let date): date
    }
  }

  /// Hours, days or weeks.
  private static func seconds(_ text: String) -> Double? {
    let units: [Character: Double] = ["h": 3_600, "d": 86_400, "w": 7 * 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = UInt16(text.dropLast()) else {
      return nil
    }
    return Double(count) * unit
  }

  /// The beginning of `YYYY-MM-DD` in the local time zone.
  private static func day(_ text: String) -> Date? {
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false)
    guard numbers.map(\.count) == [4, 2, 2], let year = Int32(numbers[0]),
      let month = Int32(numbers[1]), let day = Int32(numbers[2])
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1_900, month - 1, day)
    parts.tm_isdst = -1
    let seconds = mktime(&parts)
    // February 30 would become a day of March.
    guard parts.tm_mday == day, parts.tm_mon == month - 1 else { return nil }
    return Date(timeIntervalSince1970: Double(seconds))
  }
}

extension Date {
  /// `2026-01-31T09:05Z`.
  var minute: String { formatted("%Y-%m-%dT%H:%MZ", isLocal: false) }

  /// `2026-01-31T09:05:30Z`.
  var second: String { formatted("%Y-%m-%dT%H:%M:%SZ", isLocal: false) }

  /// `2026-01-31 10:05`, where the user is.
  var localMinute: String { formatted("%Y-%m-%d %H:%M", isLocal: true) }

  /// `Saturday, January 31, 2026 at 10:05 AM`, where the user is.
  var localLong: String { formatted("%A, %B %-d, %Y at %-I:%M %p", isLocal: true) }

  private func formatted(_ format: String, isLocal: Bool) -> String {
    var seconds = time_t(timeIntervalSince1970.rounded(.down))
    var parts = tm()
    _ = isLocal ? localtime_r(&seconds, &parts) : gmtime_r(&seconds, &parts)
    var bytes = [CChar](repeating: 0, count: 100)
    let count = strftime(&bytes, bytes.count, format, &parts)
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
