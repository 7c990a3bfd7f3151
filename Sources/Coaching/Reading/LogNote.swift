/// What a person's words do to the log.
package enum LogNote: Hashable, Sendable {
  case new(LogEntry)
  /// An entry that is in the log, as it is after the words.
  case corrected(LogEntry)
  /// Words that correct something that is not in the log.
  case unmatched(String)
  /// An entry that was not noted, since one of its figures cannot be right.
  case implausible(LogEntry, EntryBounds.Breach)
  /// Words that were not noted, since nobody can tell what or when they mean.
  case unclear(String)
  /// An entry that did not happen.
  case removed(LogEntry)
}
