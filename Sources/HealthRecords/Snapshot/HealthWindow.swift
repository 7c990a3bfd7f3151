/// The days to examine.
///
/// Unless the caller chooses a last day, the window ends with the day of the export, which is not
/// over: its readings count, and averages cover the whole days before it. A record's day is the
/// local date where it was made, by its own UTC offset.
struct HealthWindow: Hashable, Sendable {
  let first: Day
  let last: Day
  /// The last whole day.
  let lastWhole: Day
  /// Anything that starts later is in the future; nil if only days decide.
  let now: Int?

  static let days = 7...730

  /// - Parameters:
  ///   - days: The number of whole days.
  ///   - until: The last whole day, if the caller chose one.
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

  /// The same end, with at most this many whole days before it.
  func last(_ days: Int) -> HealthWindow {
    HealthWindow(first: max(first, lastWhole + (1 - days)), within: self)
  }

  /// The origin of compactly stored times, in seconds since 1970: before everything that is stored,
  /// on any clock.
  var epoch: Int { (first.number - 3) * 86_400 }

  /// Whether the caller chose the last day.
  var endsByWish: Bool { last == lastWhole }

  var wholeDays: Int { lastWhole - first + 1 }
  /// The last day included, whole or not.
  var count: Int { last - first + 1 }

  /// A day's index in lists over the window. A traveler's clock can be a day ahead of the export's;
  /// such a day counts as the last.
  func index(of day: Day) -> Int? {
    let index = day - first
    return index == count && last != lastWhole
      ? count - 1 : (0..<count).contains(index) ? index : nil
  }

  /// The days on which the first and the last night can start.
  func isNear(_ day: Day) -> Bool { (first + -1...last + 1).contains(day) }
}
