/// What a person's words do to the log.
package enum LogNote: Hashable, Sendable {
  case new(LogEntry)
  /// An entry that is in the log, as it is after the words.
  case corrected(LogEntry)
  /// Words that correct something that isn't in the log.
  case unmatched(String)
  /// An entry that wasn't noted, since one of its figures can't be right.
  case implausible(LogEntry, EntryBounds.Breach)
  /// Words that weren't noted, since nobody can tell what or when they mean.
  case unclear(String)
  /// An entry that didn't happen.
  case removed(LogEntry)
}
