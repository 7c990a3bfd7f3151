import HealthRecords

/// What a message says of a limit: that one holds, or that one is over.
struct LimitNews {
  var quote: LogEntry.Quote
  var isOver: Bool
  /// Whether it is a trip, or days without time: its last day ends it.
  var isAway = false
  /// Of the limit that is meant, counted from 1 in their list; nil for a new one, or if the words do not tell it.
  var number: Int?
  /// Such as `cold` or `knee`; empty if the words do not tell it.
  var about = ""
  var from: Day?
  var until: Day?
  /// Whether it does not pass, such as asthma.
  var lasts = false

  init(quote: LogEntry.Quote, isOver: Bool) { (self.quote, self.isOver) = (quote, isOver) }
}
