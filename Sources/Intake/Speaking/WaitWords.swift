extension SessionOutput.Notice {
  /// When to try again, in everyday words, based on the server's hint if it gave one.
  static func time(after wait: Duration?) -> String {
    guard let wait else { return "in about a minute" }
    let seconds = wait / .seconds(1)
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400)
    return switch seconds {
    case ...10: "in a few seconds"
    case ...45: "in about \(whole(seconds / 10) * 10) seconds"
    case ...75: "in about a minute"
    case _ where minutes <= 10: "in about \(whole(minutes)) minutes"
    case _ where minutes <= 50: "in about \(whole(minutes / 5) * 5) minutes"
    case _ where minutes <= 75: "in about an hour"
    case _ where hours <= 22: "in about \(whole(hours)) hours"
    case _ where hours <= 27: "in about a day"
    case _ where days <= 60: "in about \(whole(days)) days"
    default: "in a few months"
    }
  }

  /// Rounds up, with a small tolerance, so that the user doesn't retry too early.
  private static func whole(_ amount: Double) -> Int { Int((amount - 0.1).rounded(.up)) }
}
