import HealthRecords
import Journeys

// What wasn't done.
extension EntryReader {
  func skip(_ sentence: LogTokens, _ day: Day, isTraining: Bool) -> LogEntry? {
    guard !words.notSession.isIn(sentence.words) else { return nil }
    let rest = isTraining ? words.restDay.place(in: sentence.words) : nil
    guard isSkipped(sentence) || rest != nil else { return nil }
    let place = places(in: sentence.words).first { !isGeneral($0.activity) }
    var entry = LogEntry(
      day: day, kind: .skipped, activity: place?.activity.id ?? Self.anything)
    entry.note = reason(in: sentence)
    if entry.note == nil, let rest {
      let tokens = sentence.tokens[rest]
      if let first = tokens.first, let last = tokens.last {
        entry.note = String(sentence.text[first.range.lowerBound..<last.range.upperBound])
      }
    }
    return entry
  }

  func isSkipped(_ sentence: LogTokens) -> Bool {
    let said = sentence.words
    return said.indices.contains { index in
      guard let length = words.skipped.length(at: index, of: said),
        !words.notSkipped.phrases.contains(where: { ends(said[..<index], with: $0) })
      else { return false }
      // "Skipped rope for 10 min".
      if let named = pack.activity(namedAt: index, of: said), named.length > length {
        return false
      }
      return !isPartOfSession(said, behind: index + length)
    }
  }

  /// The words of a span that a skip without a day is about: "no gym this week".
  func spanWithout(_ found: [LogEntry], _ day: Day?, _ sentence: LogTokens) -> String? {
    guard day == nil, found.contains(where: { $0.kind == .skipped }),
      let place = words.wholeSpans.place(in: sentence.words)
    else { return nil }
    return sentence.words[place].joined(separator: " ")
  }

  /// "Missed the last rep" is about a set, and "skipped the warm-up" about a part of a session.
  private func isPartOfSession(_ said: [String], behind end: Int) -> Bool {
    let hasSet = said[end...].prefix(4).contains { word in
      words.units[word] == .repetitions || words.units[word] == .sets
    }
    let isOwned = end < said.count && words.pointing.union(words.owners).contains(said[end])
    return hasSet || words.warmUp.length(at: isOwned ? end + 1 : end, of: said) != nil
  }

  /// What stands behind a comma, a dash or "because".
  private func reason(in sentence: LogTokens) -> String? {
    var start = words.because.place(in: sentence.words)?.upperBound
    if start.map({ $0 >= sentence.tokens.count }) ?? true {
      start = sentence.tokens.indices.first { $0 > 0 && sentence.tokens[$0].followsComma }
      // "Sick today, no training", "stomach bug, threw up, skipped".
      if let comma = sentence.tokens.lastIndex(where: \.followsComma),
        let skip = words.skipped.place(in: sentence.words), skip.lowerBound >= comma
      {
        let first = sentence.tokens[0].range.lowerBound
        return String(sentence.text[first..<sentence.tokens[comma - 1].range.upperBound])
      }
    }
    guard let start else { return reasonBefore(sentence) }
    var note = sentence.text[sentence.tokens[start].range.lowerBound...].trimmingSpaces
    if note.hasSuffix(")"), !note.contains("(") { note.removeLast() }
    return note.isEmpty ? nil : note
  }

  /// "Felt sick so no training".
  private func reasonBefore(_ sentence: LogTokens) -> String? {
    guard let so = sentence.words.firstIndex(where: words.so.contains), so > 0,
      words.skipped.isIn(Array(sentence.words[so...]))
    else { return nil }
    let tokens = sentence.tokens
    return String(
      sentence.text[tokens[0].range.lowerBound..<tokens[so - 1].range.upperBound])
  }
}
