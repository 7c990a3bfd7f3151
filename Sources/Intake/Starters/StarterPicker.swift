/// What keys do to an input line while there are suggestions: decides, and touches no terminal.
///
/// A digit puts the suggestion of its number into an empty line; further ones join it to one
/// sentence, and the same one again takes it back. Tab goes through all of them, behind words that
/// were typed too. Nothing here sends anything.
public struct StarterPicker: Sendable {
  /// Who has typed so much needs no suggestions.
  public static let ownCharacters = 40

  public let starters: Starters
  /// A question can be answered with a number, so digits choose at the greeting only.
  public let takesNumbers: Bool
  public private(set) var isGone = false

  /// The person's own words in front of what was chosen.
  private var words = ""
  private var picks: [Starters.Suggestion] = []
  /// The last pick came by Tab, and the next Tab puts another in its place.
  private var isCycling = false
  /// Digits that chose, for whoever meant a number after all.
  private var digits = ""
  /// What was last put into the line, and how much of it was the person's own.
  private var given = ""
  private var ownInGiven = 0

  public init(_ starters: Starters) {
    self.starters = starters
    takesNumbers = starters.turn == 0
  }

  /// Notes the line as it stands now.
  public mutating func note(_ line: String) {
    if ownCount(in: line) >= Self.ownCharacters { isGone = true }
  }

  /// The line that a letter or a digit makes; nil where it is simply typed.
  public mutating func typed(_ character: Character, line: String) -> String? {
    note(line)
    guard takesNumbers, !isGone, character.isLetter || character.isNumber else { return nil }
    guard line.isEmpty || isUntouched(line) else { return nil }
    if line.isEmpty { reset(to: "") }
    if let number = character.wholeNumberValue, starters.numbered.indices.contains(number - 1) {
      toggle(starters.numbered[number - 1])
      digits.append(character)
      isCycling = false
      return give()
    }
    // No sentence goes on with a letter at its end: "5" and "k" are five kilometres.
    guard !digits.isEmpty, words.isEmpty else { return nil }
    let meant = digits + String(character)
    reset(to: meant)
    return meant
  }

  /// The line with the next suggestion, or the one before, in place of the last; behind the last one
  /// there is none.
  public mutating func cycle(forward: Bool = true, line: String) -> String? {
    note(line)
    guard !isGone, !starters.suggestions.isEmpty else { return nil }
    if !isUntouched(line) {
      // Only space behind what was chosen: the next one joins the sentence.
      let isSpaced = !picks.isEmpty && line.trimmed == given.trimmed
      if !isSpaced { reset(to: line) }
      isCycling = false
    }
    digits = ""
    let last = isCycling ? picks.popLast() : nil
    let rest = starters.suggestions.filter { !picks.contains($0) && !words.contains($0.text) }
    let index = last.flatMap { rest.firstIndex(of: $0) }
    let next = index.map { forward ? $0 + 1 : $0 - 1 } ?? (forward ? 0 : rest.count - 1)
    isCycling = rest.indices.contains(next)
    if isCycling { picks.append(rest[next]) }
    return give()
  }

  private mutating func toggle(_ suggestion: Starters.Suggestion) {
    if let index = picks.firstIndex(of: suggestion) {
      picks.remove(at: index)
    } else {
      picks.append(suggestion)
    }
  }

  private func isUntouched(_ line: String) -> Bool { line == given }

  private mutating func reset(to line: String) {
    ownInGiven = ownCount(in: line)
    (words, given, picks, isCycling, digits) = (line, line, [], false, "")
  }

  private mutating func give() -> String {
    given = picks.isEmpty ? words : StarterSentence.combine(picks, after: words)
    if picks.isEmpty { digits = "" }
    return given
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
