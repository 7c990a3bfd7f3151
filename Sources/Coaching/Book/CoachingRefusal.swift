public import HealthRecords

/// Why a change cannot be made. Nothing is stored. What the log refuses has words in the person's language.
public enum CoachingRefusal: Error, Hashable, Sendable {
  case noEntry(words: String)
  /// What is not in the log's grammar; with an example.
  case unread(words: String)
  /// A figure that cannot be right, with the lowest and highest that can.
  case implausible(words: String)
  case badDate(String)
  /// A day that is still to come.
  case notYet(words: String)
  /// A day before the first one that the log takes.
  case tooLongAgo(words: String)
  /// A limit cannot last until a day that is over.
  case over(Day)
  case tooLong(limit: Int)
  case noLimit(String)
  /// Several limits have these words.
  case severalLimits(Int, String)
  case blank
  /// The discovery is not over.
  case notCoaching
  /// No proposal and no question waits for an answer.
  case nothingOpen
  /// After somebody was told to get help there are no reviews for some days; with what the coach says.
  case resting(String)
}

extension CoachingRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noEntry(let words), .unread(let words), .implausible(let words), .notYet(let words),
      .tooLongAgo(let words), .resting(let words):
      words
    case .badDate(let text): "A date is written like 2026-01-31, not \(text)."
    case .over(let day): "\(day) is over. Name a day that is still to come."
    case .tooLong(let limit): "That's too long. At most \(limit) bytes, please."
    case .noLimit(let name): "There's no limit \(name)."
    case .severalLimits(let count, let words): "\(count) limits have \"\(words)\"."
    case .blank: "There are no words in that."
    case .notCoaching: "Coaching hasn't begun in this conversation yet."
    case .nothingOpen: "There's no review to answer."
    }
  }
}

extension CoachingRefusal {
  /// The reason without anything that was sent, for errors that may end up in a log.
  public var reason: String {
    switch self {
    case .badDate: "A date is written like 2026-01-31."
    case .noLimit: "There's no limit of this name."
    case .severalLimits(let count, _): "\(count) limits have these words."
    default: description
    }
  }
}
