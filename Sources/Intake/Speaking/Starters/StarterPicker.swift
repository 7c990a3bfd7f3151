import ContextQuality

/// What keys do to an input line while there are suggestions: decides, and touches no terminal.
///
/// A digit puts the suggestion of its number into an empty line; further ones join it to one
/// sentence, and the same one again takes it back. What comes behind them may tell that a number was
/// meant: then the line is what was typed. Tab goes through all that have a number, behind words that
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
  /// Digits that chose, for whoever meant a number after all, and the line in front of them.
  private var digits = ""
  private var lineBeforeDigits = ""
  /// What was last put into the line, and how much of it was the person's own.
  private var given = ""
  private var ownInGiven = 0

  public init(_ starters: Starters) {
    self.starters = starters
    takesNumbers = starters.turn == 0
  }

  /// Notes the line as it stands now.
  ///
  /// - Parameter isWhole: It is about to be sent.
  /// - Returns: The line as it was typed, where digits that chose turn out to be a number.
  @discardableResult
  public mutating func note(_ line: String, isWhole: Bool = false) -> String? {
    if ownCount(in: line) >= Self.ownCharacters { isGone = true }
    guard !digits.isEmpty, !isUntouched(line) else { return nil }
    guard line.hasPrefix(given) else {
      digits = ""
      return nil
    }
    let rest = line.dropFirst(given.count)
    // Where all was taken back, nothing goes on with a sentence.
    let verdict =
      given.isEmpty ? .number : TypedNumber(digits: digits).verdict(behind: rest, isWhole: isWhole)
    switch verdict {
    case .open: return nil
    case .choice:
      digits = ""
      return nil
    case .number: return meant(rest)
    }
  }

  /// The line that a digit makes; nil where it is simply typed.
  public mutating func typed(_ digit: Character, line: String) -> String? {
    note(line)
    guard takesNumbers, !isGone, let number = digit.wholeNumberValue else { return nil }
    guard line.isEmpty || isUntouched(line) else { return nil }
    if !isUntouched(line) { reset(to: "") }
    guard starters.numbered.indices.contains(number - 1) else {
      return digits.isEmpty ? nil : meant(Substring(String(digit)))
    }
    if digits.isEmpty { lineBeforeDigits = line }
    toggle(starters.numbered[number - 1])
    digits.append(digit)
    isCycling = false
    return give()
  }

  private mutating func meant(_ rest: Substring) -> String {
    let line = lineBeforeDigits + digits + rest
    reset(to: line)
    return line
  }

  /// The line with the next suggestion, or the one before, in place of the last; behind the last one
  /// there is none. A slash command is no sentence that could go on.
  public mutating func cycle(forward: Bool = true, line: String) -> String? {
    note(line)
    guard !isGone, !line.trimmed.hasPrefix("/"), !starters.numbered.isEmpty else { return nil }
    if !isUntouched(line) {
      // Only space behind what was chosen: the next one joins the sentence.
      let isSpaced = !picks.isEmpty && line.trimmed == given.trimmed
      if !isSpaced { reset(to: line) }
      isCycling = false
    }
    digits = ""
    let last = isCycling ? picks.popLast() : nil
    let rest = starters.numbered.filter { !picks.contains($0) && !words.contains($0.text) }
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
