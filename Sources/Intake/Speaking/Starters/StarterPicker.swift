import ContextQuality

/// What Tab does to an input line while there are suggestions: decides, and touches no terminal.
///
/// It goes through the suggestions, behind words that were typed, too. A space keeps the one in the
/// line, and the next joins it to one sentence. Nothing here sends anything.
public struct StarterPicker: Sendable {
  /// Who has typed so much needs no suggestions.
  public static let ownCharacters = 40

  public let starters: Starters
  public private(set) var isGone = false

  private let sentence: StarterSentence
  /// The person's own words in front of what was chosen.
  private var words = ""
  private var picks: [Starters.Suggestion] = []
  /// The last pick came by Tab, and the next Tab puts another in its place.
  private var isCycling = false
  /// What was last put into the line, and how much of it was the person's own.
  private var given = ""
  private var ownInGiven = 0

  /// - Parameter pack: Whose language the suggestions are joined in.
  public init(_ starters: Starters, pack: PromptPack) {
    (self.starters, sentence) = (starters, StarterSentence(pack.signals))
  }

  /// Notes the line as it stands now.
  public mutating func note(_ line: String) {
    if ownCount(in: line) >= Self.ownCharacters { isGone = true }
  }

  /// The line with the next suggestion, or the one before, in place of the last; behind the last one
  /// there is none. A slash command is no sentence that could go on.
  public mutating func cycle(forward: Bool = true, line: String) -> String? {
    note(line)
    guard !isGone, !line.trimmed.hasPrefix("/"), !starters.shown.isEmpty else { return nil }
    if line != given {
      // Only space behind what was chosen: the next one joins the sentence.
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

  /// Characters that were typed rather than chosen.
  private func ownCount(in line: String) -> Int {
    let (line, given) = (Array(line.trimmed), Array(given))
    let least = min(line.count, given.count)
    let front = zip(line, given).prefix { $0 == $1 }.count
    let back = zip(line.reversed(), given.reversed()).prefix(least - front).prefix { $0 == $1 }
      .count
    return max(0, min(line.count, ownInGiven + line.count - front - back))
  }
}
