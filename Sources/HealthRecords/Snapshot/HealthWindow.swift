/// The days that are looked at.
///
/// Without a day to look back from, the window ends with the day of the export, which is not over
/// yet: what was measured on it counts, and averages are over the whole days before it. The day of
/// a record is the one on the clock where it was made, as its own UTC offset says.
struct HealthWindow: Hashable, Sendable {
  let first: Day
  let last: Day
  /// The last day that is over.
  let lastWhole: Day
  /// What begins later has not happened yet; nil where days decide alone.
  let now: Int?

  static let days = 7...730

  /// - Parameters:
  ///   - days: How many whole days.
  ///   - until: The last of them, by the caller's wish.
  ///   - end: When the export was made.
  init(days: Int, until: Day?, end: ZonedTime) {
    if let until, until < end.day {
      (last, lastWhole) = (until, until)
    } else {
      (last, lastWhole) = (end.day, end.day + -1)
    }
    first = lastWhole + (1 - days)
    now = end.instant
  }

  private init(first: Day, within window: HealthWindow) {
    (self.first, last, lastWhole, now) = (first, window.last, window.lastWhole, window.now)
  }

  /// The same end, and at most so many whole days before it.
  func last(_ days: Int) -> HealthWindow {
    HealthWindow(first: max(first, lastWhole + (1 - days)), within: self)
  }

  /// What times are counted from where they are kept by the million, in seconds since 1970: before
  /// everything that is kept, on whatever clock.
  var epoch: Int { (first.number - 3) * 86_400 }

  /// Whether the caller chose the last day.
  var endsByWish: Bool { last == lastWhole }

  var wholeDays: Int { lastWhole - first + 1 }
  /// The last one included, be it whole or not.
  var count: Int { last - first + 1 }

  /// The place of a day in lists over the window. A traveller's clock can be a day ahead of the one
  /// that the export was made by: such a day counts as the last.
  func index(of day: Day) -> Int? {
    let index = day - first
    return index == count && last != lastWhole
      ? count - 1 : (0..<count).contains(index) ? index : nil
  }

  /// The days on which the sleep of the first and the last night can begin.
  func isNear(_ day: Day) -> Bool { (first + -1...last + 1).contains(day) }
}
