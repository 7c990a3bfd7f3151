/// A day in the Gregorian calendar, without a time zone: the local date.
public struct Day: Hashable, Sendable, Comparable {
  /// Days since 1970-01-01.
  public let number: Int

  public init(number: Int) { self.number = number }

  /// Nil for a date that does not exist, such as February 30.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.length(ofMonth: month, in: year)
    else { return nil }
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    number =
      era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Reads `YYYY-MM-DD` only.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == 0x2D, bytes[7] == 0x2D,
      let year = decimal(bytes[0..<4]), let month = decimal(bytes[5..<7]),
      let day = decimal(bytes[8..<10])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  public var parts: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let realMonth = month < 10 ? month + 3 : month - 9
    return (yearOfEra + era * 400 + (realMonth <= 2 ? 1 : 0), realMonth, day)
  }

  /// Saturday or Sunday.
  public var isWeekend: Bool { (((number + 3) % 7) + 7) % 7 >= 5 }

  public static func < (left: Day, right: Day) -> Bool { left.number < right.number }
  public static func + (day: Day, days: Int) -> Day { Day(number: day.number + days) }
  public static func - (left: Day, right: Day) -> Int { left.number - right.number }

  private static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Day: CustomStringConvertible {
  public var description: String {
    let (year, month, day) = parts
    let text = String(max(0, year))
    return String(repeating: "0", count: max(0, 4 - text.count)) + text + "-" + two(month) + "-"
      + two(day)
  }

  /// `3 August`, for sentences.
  public var inWords: String { "\(parts.day) \(monthName)" }
  /// With the year, if it differs from today's.
  public func inWords(on today: Day) -> String {
    parts.year == today.parts.year ? inWords : "\(inWords) \(parts.year)"
  }
  public var monthName: String { Self.months[parts.month - 1] }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  private func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}

extension HealthSnapshot {
  /// `3 August`, or `3 August 2025` if the window contains that date more than once.
  public func named(_ day: Day) -> String {
    days > 365 ? "\(day.inWords) \(day.parts.year)" : day.inWords
  }
}

extension Day: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let day = Day(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected YYYY-MM-DD")
    }
    self = day
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

private func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
  var sum = 0
  for digit in digits {
    guard (0x30...0x39).contains(digit) else { return nil }
    sum = sum * 10 + Int(digit - 0x30)
  }
  return sum
}

/// A time as an export writes it: `2026-01-10 07:00:00 +0100`, and nothing looser.
///
/// Day and hour are local to that place; a date without an offset is not a point in time and is
/// rejected.
struct ZonedTime: Hashable, Sendable {
  /// Seconds since 1970 in UTC.
  var instant: Int
  /// The clock's offset, in seconds ahead of UTC.
  var offset: Int

  var localSeconds: Int { instant + offset }
  var day: Day { Day(number: localSeconds.flooredQuotient(by: 86_400)) }
  var secondOfDay: Int { localSeconds - day.number * 86_400 }

  /// Clocks range from 12 hours behind UTC to 14 hours ahead.
  static let offsets = -12 * 3600...14 * 3600

  init(instant: Int, offset: Int) { (self.instant, self.offset) = (instant, offset) }

  init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 25 else { return nil }
    for (place, sign) in Self.signs where text[place] != sign { return nil }
    guard
      let day = Day(
        year: 100 * Self.two(text, 0) + Self.two(text, 2),
        month: Self.two(text, 5), day: Self.two(text, 8))
    else { return nil }
    let (hour, minute, second) = (Self.two(text, 11), Self.two(text, 14), Self.two(text, 17))
    let (zoneHours, zoneMinutes) = (Self.two(text, 21), Self.two(text, 23))
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second),
      zoneHours >= 0, (0...59).contains(zoneMinutes), text[20] == 0x2B || text[20] == 0x2D
    else { return nil }
    let ahead = (text[20] == 0x2D ? -1 : 1) * (zoneHours * 3600 + zoneMinutes * 60)
    guard Self.offsets.contains(ahead) else { return nil }
    offset = ahead
    instant = day.number * 86_400 + hour * 3600 + minute * 60 + second - ahead
  }

  init?(_ text: String) {
    var text = text
    guard let time = text.withUTF8({ ZonedTime($0) }) else { return nil }
    self = time
  }

  private static let signs: [(Int, UInt8)] = [
    (4, 0x2D), (7, 0x2D), (10, 0x20), (13, 0x3A), (16, 0x3A), (19, 0x20),
  ]

  /// Two digits as a number; far below zero if invalid.
  @inline(__always)
  private static func two(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Int {
    let (tens, ones) = (Int(text[at]) - 0x30, Int(text[at + 1]) - 0x30)
    return (0...9).contains(tens) && (0...9).contains(ones) ? tens * 10 + ones : -100_000
  }
}

extension Int {
  func flooredQuotient(by divisor: Int) -> Int {
    self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
  }
}
