/// A user turn in words, with the place of each.
struct SpokenTurn {
  /// What ends a piece of a turn.
  enum Mark: Int, Comparable {
    case none, comma, stop

    static func < (left: Mark, right: Mark) -> Bool { left.rawValue < right.rawValue }
  }

  /// Where a quote was found.
  struct Place {
    var range: Range<Int>
    /// If not the text of the range.
    var text: String?
    var changes: Set<QuoteFitter.Change> = []
  }

  let text: String
  let folded: FoldedText
  private(set) var words: [Int] = []
  private var ranges: [Range<String.Index>] = []
  /// What follows each word.
  private var marks: [Mark] = []
  private let held: Set<Int>

  init(_ text: String, _ vocabulary: inout Vocabulary) {
    self.text = text
    folded = FoldedText(text)
    var cutter = WordCutter(text)
    cutter.run()
    (ranges, marks) = (cutter.ranges, cutter.marks)
    words = cutter.words.map { vocabulary.number(of: $0) }
    held = Set(words)
  }

  /// The text from the first word to the last, which are never cut.
  func text(of range: Range<Int>) -> Substring {
    guard !range.isEmpty else { return "" }
    var (first, last) = (range.lowerBound, range.upperBound - 1)
    while first > 0, ranges[first - 1].upperBound == ranges[first].lowerBound { first -= 1 }
    while last + 1 < ranges.count, ranges[last + 1].lowerBound == ranges[last].upperBound {
      last += 1
    }
    return text[ranges[first].lowerBound..<ranges[last].upperBound]
  }

  func piece(around range: Range<Int>, endedBy mark: Mark) -> Range<Int> {
    var (first, end) = (range.lowerBound, range.upperBound)
    while first > 0, marks[first - 1] < mark { first -= 1 }
    while end < words.count, marks[end - 1] < mark { end += 1 }
    return first..<end
  }

  /// Whether a little word can only mean its clause: it is said once, and the clause is short.
  func isTelling(_ range: Range<Int>) -> Bool {
    words.count { $0 == words[range.lowerBound] } == 1
      && piece(around: range, endedBy: .comma).count <= Self.shortClause
  }

  private static let shortClause = 8

  func range(of quote: [Int], from start: Int = 0) -> Range<Int>? {
    guard let first = quote.first, quote.count <= words.count else { return nil }
    for place in start..<max(start, words.count - quote.count + 1) where words[place] == first {
      let range = place..<place + quote.count
      if words[range].elementsEqual(quote) { return range }
    }
    return nil
  }

  /// Whether it has half of the words, so that looking closer is worth it.
  func mayHold(_ parts: [[Int]]) -> Bool {
    let all = parts.joined()
    return all.count(where: held.contains) * 2 >= all.count
  }

  /// The parts in order, with an ellipsis between them.
  func place(of parts: [[Int]], _ vocabulary: Vocabulary) -> Place? {
    var start = 0
    for _ in 0..<Self.mostTries {
      guard let first = place(of: parts[0], from: start, vocabulary) else { return nil }
      if let whole = place(after: first, parts, vocabulary) { return whole }
      start = first.range.lowerBound + 1
    }
    return nil
  }

  private static let mostTries = 16
  private static let longestGap = 30
  /// A single word beside an ellipsis must be this near.
  private static let shortGap = 4

  private func place(after first: Place, _ parts: [[Int]], _ vocabulary: Vocabulary) -> Place? {
    var whole = first
    for (index, part) in parts.enumerated().dropFirst() {
      let end = whole.range.upperBound
      guard let next = place(of: part, from: end, vocabulary) else { return nil }
      let gap = end..<next.range.lowerBound
      let isShort = gap.count <= Self.shortGap && !marks[(end - 1)..<gap.upperBound].contains(.stop)
      guard gap.count <= Self.longestGap,
        isShort || part.count > 1 && parts[index - 1].count > 1,
        !words[gap].contains(where: { vocabulary[$0].isNegation })
      else { return nil }
      whole.range = whole.range.lowerBound..<next.range.upperBound
      whole.changes.formUnion(next.changes)
      whole.changes.insert(.ellipsis)
    }
    if whole.changes.count > 1 { whole.changes.remove(.marks) }
    return whole
  }

  private func place(of part: [Int], from start: Int, _ vocabulary: Vocabulary) -> Place? {
    if let range = range(of: part, from: start) { return Place(range: range, changes: [.marks]) }
    guard part.count <= QuoteAlignment.mostWords, start < words.count else { return nil }
    guard let found = QuoteAlignment(part, vocabulary).best(in: words[start...]),
      found.cost == 0 || !hidesNegation(found.range, quotedAs: part, vocabulary)
    else { return nil }
    return Place(range: found.range, changes: [found.cost == 0 ? .spelling : .word])
  }

  /// Whether a word is off at the edge and a negation stands beside it: "I run" for "I used to run".
  private func hidesNegation(
    _ range: Range<Int>, quotedAs part: [Int], _ vocabulary: Vocabulary
  ) -> Bool {
    guard let first = part.first, let last = part.last else { return false }
    let clause = piece(around: range, endedBy: .comma)
    let before = words[clause.lowerBound..<range.lowerBound].suffix(Self.shortGap)
    let after = words[range.upperBound..<clause.upperBound].prefix(Self.shortGap)
    let isNegation = { (word: Int) in vocabulary[word].isNegation }
    return !vocabulary.areSpellings(first, words[range.lowerBound])
      && before.contains(where: isNegation)
      || !vocabulary.areSpellings(last, words[range.upperBound - 1])
        && after.contains(where: isNegation)
  }
}

/// Aligns a quote's words with a turn's. Only alignments within the limit are followed, so the time
/// is about the turn's length times the limit.
struct QuoteAlignment {
  static let mostWords = 120
  /// One in five may be off.
  private static let share = 5

  private struct Cell {
    var cost = Int.max / 2
    var start = 0
    /// The words that fit since the last one that was off.
    var fitting = QuoteAlignment.leastFitting

    /// Words off close to each other are another sentence's.
    mutating func take(_ other: Cell, adding cost: Int) {
      guard cost == 0 || other.fitting >= QuoteAlignment.leastFitting else { return }
      let fitting = cost > 0 ? 0 : min(QuoteAlignment.leastFitting, other.fitting + 1)
      let sum = other.cost + cost
      if sum < self.cost || sum == self.cost && self.fitting < fitting {
        self = Cell(cost: sum, start: other.start, fitting: fitting)
      }
    }
  }

  /// Between two words that are off.
  fileprivate static let leastFitting = 3

  private let quote: [Int]
  private let vocabulary: Vocabulary
  private let limit: Int

  init(_ quote: [Int], _ vocabulary: Vocabulary) {
    (self.quote, self.vocabulary) = (quote, vocabulary)
    limit = quote.count / Self.share
  }

  /// The cheapest place, and the first of equals.
  func best(in words: ArraySlice<Int>) -> (range: Range<Int>, cost: Int)? {
    var best: (range: Range<Int>, cost: Int)?
    var before = Array(repeating: Cell(), count: quote.count + 1)
    before[0] = Cell(cost: 0, start: words.startIndex)
    var earlier = before
    for place in words.indices {
      let current = column(place, words, before, earlier)
      let last = current[quote.count]
      if last.cost <= limit, last.start <= place, last.cost < best?.cost ?? .max {
        best = (last.start..<place + 1, last.cost)
      }
      (earlier, before) = (before, current)
    }
    return best
  }

  private func column(
    _ place: Int, _ words: ArraySlice<Int>, _ before: [Cell], _ earlier: [Cell]
  ) -> [Cell] {
    let word = words[place]
    let isFixed = vocabulary[word].isFixed
    var cells = [Cell(cost: 0, start: place + 1)]
    cells.reserveCapacity(quote.count + 1)
    for (index, mine) in quote.enumerated() {
      var cell = Cell()
      let isNear = before[index].cost <= limit || before[index + 1].cost <= limit
      if isNear {
        if before[index].cost <= limit {
          cell.take(before[index], adding: exchangeCost(index, word))
        }
        // The user's word that the quote leaves out.
        if index + 1 < quote.count {
          cell.take(before[index + 1], adding: isFixed ? Self.never : 1)
        }
      }
      if index > 0, before[index - 1].cost <= limit,
        vocabulary.join(quote[index - 1], mine, into: word)
      {
        cell.take(before[index - 1], adding: 0)
      }
      if place > words.startIndex, earlier[index].cost <= limit,
        vocabulary.join(words[place - 1], word, into: mine)
      {
        cell.take(earlier[index], adding: 0)
      }
      cells.append(cell)
    }
    return cells
  }

  private static let never = 1_000

  private func exchangeCost(_ index: Int, _ word: Int) -> Int {
    let mine = quote[index]
    if vocabulary.areSpellings(mine, word) {
      // A single word with another ending is another word: "sleepy" isn't "sleep".
      return quote.count > 1 || vocabulary.endAlike(mine, word) ? 0 : Self.never
    }
    if index >= 2, index + 1 == quote.count, vocabulary.isStart(mine, of: word) { return 0 }
    let isTurned = vocabulary[word].isFixed || vocabulary.areOpposed(mine, word)
    return !mayBeOff(index) || isTurned ? Self.never : 1
  }

  /// A word with a fixed meaning cannot be off, and neither can what a negation negates.
  private func mayBeOff(_ index: Int) -> Bool {
    !vocabulary[quote[index]].isFixed
      && !(index > 0 && vocabulary[quote[index - 1]].isNegation)
  }
}
