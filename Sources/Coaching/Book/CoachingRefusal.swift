public import HealthRecords

/// Why a change can't be made. Nothing is stored.
public enum CoachingRefusal: Error, Hashable, Sendable {
  case noEntry(String)
  /// Words that aren't in the log's grammar; with an example, in the person's language.
  case unread(String)
  /// A figure that can't be right, and the lowest and highest that can.
  case implausible(activity: String, figure: String, low: String, high: String)
  case badDate(String)
  /// A day that is still to come.
  case notYet(Day)
  /// A day before the first one that the log takes.
  case tooLongAgo(Day, first: Day)
  /// A limit can't last until a day that is over.
  case over(Day)
  case tooLong(limit: Int)
  case noLimit(String)
  /// Several limits have these words.
  case severalLimits(Int, String)
  case blank
  /// The discovery isn't over.
  case notCoaching
  /// No proposal and no question waits for an answer.
  case nothingOpen
  /// After somebody was told to get help there are no reviews for some days; with what the coach says.
  case resting(String)
}

extension CoachingRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noEntry(let number): "There's no entry \(number)."
    case .unread(let example): example
    case .implausible(let activity, let figure, let low, let high):
      "I didn't note that, since \(figure) can't be right for \(activity): I take \(low) to "
        + "\(high). Check the figure."
    case .badDate(let text): "A date is written like 2026-01-31, not \(text)."
    case .notYet(let day): "Only what has happened is noted, and \(day) is to come."
    case .tooLongAgo(let day, let first):
      "\(day) is too long ago. The log takes days from \(first) on."
    case .over(let day): "\(day) is over. Name a day that is still to come."
    case .tooLong(let limit): "That's too long. At most \(limit) bytes, please."
    case .noLimit(let name): "There's no limit \(name)."
    case .severalLimits(let count, let words): "\(count) limits have \"\(words)\"."
    case .blank: "There are no words in that."
    case .notCoaching: "Coaching hasn't begun in this conversation yet."
    case .resting(let words): words
    case .nothingOpen: "There's no review to answer."
    }
  }
}

extension CoachingRefusal {
  /// The reason without anything that was sent, for errors that may end up in a log.
  public var reason: String {
    switch self {
    case .noEntry: "There's no entry of this number."
    case .implausible(_, let figure, let low, let high):
      "I didn't note that, since \(figure) can't be right: I take \(low) to \(high). Check the figure."
    case .badDate: "A date is written like 2026-01-31."
    case .noLimit: "There's no limit of this name."
    case .severalLimits(let count, _): "\(count) limits have these words."
    case .unread, .notYet, .tooLongAgo, .over, .tooLong, .blank,
      .notCoaching, .nothingOpen, .resting:
      description
    }
  }
}
