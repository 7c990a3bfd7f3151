import ContextQuality

/// A wait, rounded as people say it.
struct WaitTime {
  enum Unit: String, CaseIterable {
    /// A few seconds.
    case seconds
    /// A multiple of ten seconds.
    case tens
    case minute, minutes, hour, hours, day, days
    /// A few months.
    case months
  }

  let unit: Unit
  let count: Int

  /// - Parameter wait: The server's hint; nil if it gave none, which is about a minute.
  init(_ wait: Duration?) {
    let seconds = (wait ?? .seconds(60)) / .seconds(1)
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400)
    let rounded: (Unit, Int) =
      switch seconds {
      case ...10: (.seconds, 0)
      case ...45: (.tens, Self.whole(seconds / 10) * 10)
      case ...75: (.minute, 1)
      case _ where minutes <= 10: (.minutes, Self.whole(minutes))
      case _ where minutes <= 50: (.minutes, Self.whole(minutes / 5) * 5)
      case _ where minutes <= 75: (.hour, 1)
      case _ where hours <= 22: (.hours, Self.whole(hours))
      case _ where hours <= 27: (.day, 1)
      case _ where days <= 60: (.days, Self.whole(days))
      default: (.months, 0)
      }
    (unit, count) = rounded
  }

  /// From a notice's value: seconds, or empty without a hint.
  init?(_ value: String?) {
    guard let value else { return nil }
    self.init(Double(value).map { Duration.seconds($0) })
  }

  /// Rounds up, with a small tolerance, so that the user does not retry too early.
  private static func whole(_ amount: Double) -> Int { Int((amount - 0.1).rounded(.up)) }
}

extension SessionOutput.Notice {
  /// When to try again, in everyday words, based on the server's hint if it gave one.
  static func time(after wait: Duration?) -> String {
    let time = WaitTime(wait)
    return switch time.unit {
    case .seconds: "in a few seconds"
    case .tens: "in about \(time.count) seconds"
    case .minute: "in about a minute"
    case .minutes: "in about \(time.count) minutes"
    case .hour: "in about an hour"
    case .hours: "in about \(time.count) hours"
    case .day: "in about a day"
    case .days: "in about \(time.count) days"
    case .months: "in a few months"
    }
  }
}
