public import HealthRecords

/// Why a change can't be made. Nothing is stored.
public enum CoachingRefusal: Error, Hashable, Sendable {
  case noEntry(String)
  /// No activity with a figure in the words.
  case noAmount
  case severalEntries(Int)
  case badDate(String)
  /// A day that is still to come.
  case notYet(Day)
  case tooLong(limit: Int)
  case noLimit(String)
  /// Several limits have these words.
  case severalLimits(Int, String)
  case blank
  /// The discovery isn't over.
  case notCoaching
  /// No proposal waits for an answer.
  case nothingOpen
  /// Neither a yes nor a no, nor other words for the proposal.
  case unclearAnswer
}

extension CoachingRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noEntry(let number): "There's no entry \(number)."
    case .noAmount:
      "I couldn't find an activity with a figure in that. Write it like \"3x5 squats at 60 kg\" or "
        + "\"ran 5k in 31 min\"."
    case .severalEntries(let count):
      "That reads as \(count) entries. Correct one entry at a time."
    case .badDate(let text): "A date is written like 2026-01-31, not \(text)."
    case .notYet(let day): "Only what has happened is noted, and \(day) is to come."
    case .tooLong(let limit): "That's too long. At most \(limit) bytes, please."
    case .noLimit(let name): "There's no limit \(name)."
    case .severalLimits(let count, let words): "\(count) limits have \"\(words)\"."
    case .blank: "There are no words in that."
    case .notCoaching: "Coaching hasn't begun in this conversation yet."
    case .nothingOpen: "Nothing waits for an answer."
    case .unclearAnswer:
      "I couldn't tell whether that's a yes or a no. Start with one of them."
    }
  }
}
