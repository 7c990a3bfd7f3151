/// Finds the user's own words behind a quote as a model gives it.
///
/// Models wrap quotes in marks, fix spelling, leave words out and miscount turns. What fits is the
/// user's verbatim words. The bar is strict: the words in order in one turn, at least four in five
/// of them, and never a different negation, number or unit.
public struct QuoteFitter {
  /// A quote with fewer letters and digits than this counts only as a whole answer.
  public static let shortestQuote = 4

  public enum Rejection: String, Error, Hashable, Sendable, Codable {
    /// Nothing but spaces.
    case empty
    /// Not a verbatim part of that turn, on word boundaries.
    case notVerbatim
    /// Too short to mean anything alone, and not the whole answer.
    case tooShort
  }

  package enum Change: String, Hashable, Sendable, CaseIterable {
    /// Only marks, case and spaces differ.
    case marks
    case spelling
    /// A word was left out or exchanged.
    case word
    /// Words were left out at an ellipsis.
    case ellipsis
    case turn
    /// It was too short, so its clause counts.
    case widened
  }

  package struct Fit: Hashable, Sendable {
    /// The user's words.
    package var quote: String
    package var turn: Int
    /// What the quote as given had otherwise.
    package var changes: Set<Change> = []
  }

  private let texts: [String]
  private let words: QuoteWords
  private var turns: [Int: SpokenTurn] = [:]
  private var vocabulary: Vocabulary

  package init(_ transcript: Transcript, _ words: QuoteWords) {
    (texts, self.words) = (transcript.visibleTurns, words)
    vocabulary = Vocabulary(words)
  }

  /// Why a quote that is not fitted cannot support a fact; nil if it can.
  ///
  /// White space, case and typographic quotation marks are folded; nothing else is.
  ///
  /// - Parameter littleWords: Words that carry no fact by themselves, in lower case. Parts
  ///   before and after an apostrophe are looked up alone. A quote of only these is too short.
  public static func refusal(
    of quote: String, in turn: String, littleWords: Set<String> = []
  ) -> Rejection? {
    refusal(of: quote, in: FoldedText(turn), littleWords: littleWords)
  }

  /// The same for a turn that was read already.
  package static func refusal(
    of quote: String, in haystack: FoldedText, littleWords: Set<String> = []
  ) -> Rejection? {
    let needle = FoldedText(quote)
    guard !needle.isEmpty else { return .empty }
    guard haystack.contains(needle) else { return .notVerbatim }
    let isWholeAnswer = !needle.words.isEmpty && needle.words == haystack.words
    return needle.isSubstantial(littleWords: littleWords) || isWholeAnswer ? nil : .tooShort
  }

  /// - Parameters:
  ///   - turn: As the model counts it, from 1.
  ///   - isStatement: Whether it states a number, such as an age: a short one stays as it is, and
  ///     is never looked for in another turn.
  package mutating func fit(
    _ quote: String, turn: Int, isStatement: Bool = false
  ) throws(Rejection) -> Fit {
    // A whole message is its own proof, even if it's a thumb.
    let whole = turn >= 1 && turn <= texts.count ? texts[turn - 1].trimmed : ""
    if !whole.isEmpty, quote.trimmed == whole { return Fit(quote: whole, turn: turn) }
    let folded = FoldedText(quote)
    guard !folded.isEmpty else { throw .empty }
    if let spoken = spoken(turn), spoken.folded.contains(folded) {
      return try settled(verbatim(quote, in: spoken), in: spoken, turn, isStatement)
    }
    // A quote with characters that nobody sees is no slip.
    guard PlainText.visible(quote) == quote else { throw .notVerbatim }
    let parts = parts(of: quote)
    guard !parts.isEmpty else { throw .notVerbatim }
    if let spoken = spoken(turn), let place = spoken.place(of: parts, vocabulary) {
      return try settled(place, in: spoken, turn, isStatement)
    }
    // A number too small or too large by more than one is no miscount.
    guard !isStatement, turn >= 1, turn <= texts.count + 1,
      folded.isSubstantial(littleWords: words.little)
    else { throw .notVerbatim }
    let (other, place) = try elsewhere(parts, besides: turn)
    guard let spoken = spoken(other) else { throw .notVerbatim }
    var fit = try settled(place, in: spoken, other, isStatement)
    if spoken.folded.contains(folded) { fit.changes.remove(.marks) }
    fit.changes.insert(.turn)
    return fit
  }

  private mutating func spoken(_ turn: Int) -> SpokenTurn? {
    guard turn >= 1, turn <= texts.count else { return nil }
    if let known = turns[turn] { return known }
    let spoken = SpokenTurn(texts[turn - 1], &vocabulary)
    turns[turn] = spoken
    return spoken
  }

  /// The quote's words between ellipses.
  private mutating func parts(of quote: String) -> [[Int]] {
    var parts: [[Int]] = []
    var dots = 0
    var part = String.UnicodeScalarView()
    func ends(_ scalar: Unicode.Scalar) -> Bool {
      dots = scalar == "." ? dots + 1 : scalar == " " ? dots : 0
      return scalar == "…" || dots == 3
    }
    for scalar in quote.unicodeScalars {
      part.append(scalar)
      guard ends(scalar) else { continue }
      parts.append(SpokenTurn(String(part), &vocabulary).words)
      part = String.UnicodeScalarView()
    }
    parts.append(SpokenTurn(String(part), &vocabulary).words)
    return parts.filter { !$0.isEmpty }
  }

  private func verbatim(_ quote: String, in spoken: SpokenTurn) -> SpokenTurn.Place {
    var vocabulary = vocabulary
    let words = SpokenTurn(quote, &vocabulary).words
    let trimmed = quote.trimmed
    let range = spoken.range(of: words)
    return SpokenTurn.Place(
      range: range ?? 0..<0,
      text: spoken.text.hasBytes(of: trimmed)
        ? trimmed : range.map { String(spoken.text(of: $0)) } ?? trimmed)
  }

  /// The only other turn that has the words.
  private mutating func elsewhere(
    _ parts: [[Int]], besides turn: Int
  ) throws(Rejection) -> (Int, SpokenTurn.Place) {
    let others = texts.indices.map { $0 + 1 }.filter { $0 != turn }
    var exact: [(Int, SpokenTurn.Place)] = []
    var close: [(Int, SpokenTurn.Place)] = []
    for other in others {
      guard let spoken = spoken(other), spoken.mayHold(parts),
        let place = spoken.place(of: parts, vocabulary), !place.changes.contains(.word)
      else { continue }
      if place.changes.isSubset(of: [.marks]) {
        exact.append((other, place))
      } else {
        close.append((other, place))
      }
    }
    let found = exact.isEmpty ? close : exact
    guard found.count == 1 else { throw .notVerbatim }
    return found[0]
  }

  private func settled(
    _ place: SpokenTurn.Place, in spoken: SpokenTurn, _ turn: Int, _ isStatement: Bool
  ) throws(Rejection) -> Fit {
    let text = place.text ?? String(spoken.text(of: place.range))
    let folded = FoldedText(text)
    let fit = Fit(quote: text, turn: turn, changes: place.changes)
    if isStatement || folded.isSubstantial(littleWords: words.little)
      || !folded.words.isEmpty && folded.words == spoken.folded.words
    {
      return fit
    }
    guard !place.range.isEmpty, let range = widened(place.range, in: spoken) else {
      throw .tooShort
    }
    let changes = range == place.range ? place.changes : place.changes.union([.widened])
    return Fit(quote: String(spoken.text(of: range)), turn: turn, changes: changes)
  }

  /// The clause of a short quote, or its sentence; nil if the quote could stand in any clause.
  private func widened(_ range: Range<Int>, in spoken: SpokenTurn) -> Range<Int>? {
    let clause = spoken.piece(around: range, endedBy: .comma)
    let isLittle = spoken.words[range].allSatisfy { vocabulary[$0].isLittle }
    let answers = spoken.words[range].contains { vocabulary[$0].isAnswer }
    guard !isLittle || answers || range.count > 1 || clause == range || spoken.isTelling(range)
    else { return nil }
    for piece in [clause, spoken.piece(around: range, endedBy: .stop)]
    where FoldedText(String(spoken.text(of: piece))).isSubstantial(littleWords: words.little) {
      return piece
    }
    return clause == range || answers ? clause : nil
  }
}

/// The words that a fit depends on, in lower case and without apostrophes.
package struct QuoteWords: Sendable {
  /// They carry no fact by themselves.
  package var little: Set<String>
  package var negating: Set<String>
  /// Numbers, units and dates.
  package var measuring: Set<String>
  /// Each can be a whole answer.
  package var answering: Set<String>
  /// None can stand for another of them, as "left" for "right".
  package var opposing: Set<String> = []
  /// What turns a word that it is put before, as in "unable".
  package var reversing: Set<String> = []
  /// The form in which a word with other letters than a to z is listed.
  package var listed: @Sendable (String) -> String = { $0 }
  /// Whether a word is a number or a unit.
  package var measures: @Sendable (String) -> Bool = { _ in false }

  package init(
    little: Set<String> = [], negating: Set<String> = [], measuring: Set<String> = [],
    answering: Set<String> = []
  ) {
    (self.little, self.negating) = (little, negating)
    (self.measuring, self.answering) = (measuring, answering)
  }
}

/// Numbers for words, so that comparing them is cheap.
struct Vocabulary {
  struct Entry {
    let letters: [Character]
    let isNegation: Bool
    /// Whether exchanging it changes what is said.
    let isFixed: Bool
    let isOpposing: Bool
    let isLittle: Bool
    let isAnswer: Bool

    /// As another form of the same word does.
    func beginsLike(_ other: Entry) -> Bool {
      letters.prefix(Self.stem).elementsEqual(other.letters.prefix(Self.stem))
    }

    private static let stem = 3
  }

  private let words: QuoteWords
  private var numbers: [String: Int] = [:]
  private var entries: [Entry] = []

  init(_ words: QuoteWords) { self.words = words }

  subscript(number: Int) -> Entry { entries[number] }

  mutating func number(of word: String) -> Int {
    if let number = numbers[word] { return number }
    let listed = word.utf8.allSatisfy { $0 < 0x80 } ? word : words.listed(word)
    let isNegation = words.negating.contains(listed)
    let isSign = !word.unicodeScalars.allSatisfy { $0.isWordPart && !$0.needsNoWordSpace }
    entries.append(
      Entry(
        letters: Array(word), isNegation: isNegation,
        isFixed: isNegation || isSign || words.measuring.contains(listed) || words.measures(word)
          || word.unicodeScalars.contains { $0.properties.numericType != nil },
        isOpposing: words.opposing.contains(listed),
        isLittle: words.little.contains(word), isAnswer: words.answering.contains(word)))
    numbers[word] = entries.count - 1
    return entries.count - 1
  }

  func areSpellings(_ left: Int, _ right: Int) -> Bool {
    if left == right { return true }
    let (left, right) = (entries[left], entries[right])
    guard !left.isNegation, !right.isNegation, !(left.isFixed && right.isFixed) else {
      return false
    }
    // "tuseday" can only be Tuesday, but "match" isn't March.
    let isLong = min(left.letters.count, right.letters.count) >= Self.longDate
    return (isLong || !left.isFixed && !right.isFixed) && left.letters.isSpelling(of: right.letters)
  }

  private static let longDate = 6

  /// Whether one cannot stand for the other: "left" for "right", and "able" for "unable".
  func areOpposed(_ left: Int, _ right: Int) -> Bool {
    let (first, second) = (entries[left], entries[right])
    return first.isOpposing && second.isOpposing && !first.beginsLike(second)
      || isReversed(left, in: right) || isReversed(right, in: left)
  }

  private func isReversed(_ stem: Int, in word: Int) -> Bool {
    let (stem, word) = (entries[stem].letters, entries[word].letters)
    return stem.count < word.count && word.suffix(stem.count).elementsEqual(stem)
      && words.reversing.contains(String(word.dropLast(stem.count)))
  }

  func endAlike(_ left: Int, _ right: Int) -> Bool {
    entries[left].letters.last == entries[right].letters.last
  }

  /// Whether the model's last word breaks off in the user's.
  func isStart(_ cut: Int, of whole: Int) -> Bool {
    let (cut, whole) = (entries[cut], entries[whole])
    return !cut.isFixed && !whole.isNegation && cut.letters.count >= (whole.isFixed ? 4 : 3)
      && whole.letters.starts(with: cut.letters)
  }

  /// Whether two words are one written apart.
  func join(_ first: Int, _ second: Int, into whole: Int) -> Bool {
    let (first, second, whole) = (entries[first], entries[second], entries[whole])
    return whole.letters.count == first.letters.count + second.letters.count
      && whole.letters.starts(with: first.letters)
      && whole.letters.dropFirst(first.letters.count).elementsEqual(second.letters)
  }
}

extension [Character] {
  /// One slip in a word of five letters, two in one of nine; two neighbors swapped in any.
  fileprivate func isSpelling(of other: [Character]) -> Bool {
    let shortest = Swift.min(count, other.count)
    guard shortest >= 3, first == other.first, abs(count - other.count) <= 2 else { return false }
    let distance = distance(to: other)
    return distance <= (shortest >= 9 ? 2 : shortest >= 5 ? 1 : 0)
      || distance == 1 && count == other.count && sorted() == other.sorted()
  }

  /// The optimal string alignment distance.
  private func distance(to other: [Character]) -> Int {
    var earlier: [Int] = []
    var before = [Int](0...other.count)
    for (row, character) in enumerated() {
      var current = [row + 1]
      for (column, theirs) in other.enumerated() {
        var least = Swift.min(
          before[column] + (character == theirs ? 0 : 1), before[column + 1] + 1,
          current[column] + 1)
        if row > 0, column > 0, character == other[column - 1], self[row - 1] == theirs {
          least = Swift.min(least, earlier[column - 1] + 1)
        }
        current.append(least)
      }
      (earlier, before) = (before, current)
    }
    return before[other.count]
  }
}
