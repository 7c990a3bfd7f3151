import ContextQuality

/// Decides what Tab does to an input line while there are suggestions. It uses no terminal.
///
/// Tab cycles through the suggestions, also after typed words. A space keeps the current one, and
/// the next one joins it in one sentence. Nothing here sends anything.
public struct StarterPicker: Sendable {
  /// A user who typed this much needs no suggestions.
  public static let ownCharacters = 40

  public let starters: Starters
  public private(set) var isGone = false

  private let sentence: StarterSentence
  /// The user's own words before the picks.
  private var words = ""
  private var picks: [Starters.Suggestion] = []
  /// Tab made the last pick, and the next Tab replaces it.
  private var isCycling = false
  /// The last text put into the line, and how much of it the user typed.
  private var given = ""
  private var ownInGiven = 0

  /// - Parameter pack: The pack whose grammar joins the suggestions.
  public init(_ starters: Starters, pack: PromptPack) {
    (self.starters, sentence) = (starters, StarterSentence(pack.signals))
  }

  /// Records the current line.
  public mutating func note(_ line: String) {
    if ownCount(in: line) >= Self.ownCharacters { isGone = true }
  }

  /// The line with the current suggestion replaced by the next or previous one. After the last one
  /// comes an empty slot. A slash command takes no suggestions.
  public mutating func cycle(forward: Bool = true, line: String) -> String? {
    note(line)
    guard !isGone, !line.trimmed.hasPrefix("/"), !starters.shown.isEmpty else { return nil }
    if line != given {
      // Only space follows the pick: the next one joins the sentence.
      let isSpaced = !picks.isEmpty && line.trimmed == given.trimmed
      if !isSpaced { reset(to: line) }
      isCycling = false
    }
    let last = isCycling ? picks.popLast() : nil
    let rest = starters.shown.filter { !picks.contains($0) && !words.contains($0.text) }
    let index = last.flatMap { rest.firstIndex(of: $0) }
    let next = index.map { forward ? $0 + 1 : $0 - 1 } ?? (forward ? 0 : rest.count - 1)
    isCycling = rest.indices.contains(next)
    if isCycling { picks.append(rest[next]) }
    given = picks.isEmpty ? words : sentence.combine(picks, after: words)
    return given
  }

  private mutating func reset(to line: String) {
    ownInGiven = ownCount(in: line)
    (words, given, picks, isCycling) = (line, line, [], false)
  }

  /// The number of characters that the user typed rather than picked.
  private func ownCount(in line: String) -> Int {
    let (line, given) = (Array(line.trimmed), Array(given))
    let least = min(line.count, given.count)
    let front = zip(line, given).prefix { $0 == $1 }.count
    let back = zip(line.reversed(), given.reversed()).prefix(least - front).prefix { $0 == $1 }
      .count
    return max(0, min(line.count, ownInGiven + line.count - front - back))
  }
}
