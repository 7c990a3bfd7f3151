/// How models alter the quotes they give. Each returns nil for a quote that it can't alter.
public enum QuoteAlteration: String, CaseIterable, Sendable {
  case typographicMarks, capitalAndStop, wrapped, mendedSpelling, cutWord, exchangedWord, ellipsis
  case wrongTurn

  public struct Quote: Hashable, Sendable {
    public var turns: [String]
    public var turn: Int
    public var quote: String

    public init(_ label: Fixtures.Label) {
      (turns, turn, quote) = (label.userTurns, label.turn, label.quote)
    }

    fileprivate func with(_ change: (inout Quote) -> Void) -> Quote? {
      var changed = self
      change(&changed)
      return changed == self ? nil : changed
    }
  }

  public func altered(
    _ original: Quote, using random: inout SeededGenerator
  ) -> Quote? {
    let words = original.quote.split(whereSeparator: \.isWhitespace).map(String.init)
    switch self {
    case .typographicMarks:
      return original.with { changed in
        changed.quote = String(
          changed.quote.map { Self.typographic[$0] ?? $0 })
      }
    case .capitalAndStop:
      return original.with { changed in
        changed.quote = changed.quote.prefix(1).uppercased() + changed.quote.dropFirst()
        if changed.quote.last?.isPunctuation != true { changed.quote += "." }
      }
    case .wrapped:
      let marks = [("\"", "\""), ("“", "”"), ("'", "'"), ("«", "»"), ("`", "`")]
      guard let pair = marks.randomElement(using: &random) else { return nil }
      return original.with { $0.quote = pair.0 + $0.quote + pair.1 }
    case .mendedSpelling: return mended(original, words, &random)
    case .cutWord:
      guard words.count > 1 else { return nil }
      let last = words[words.count - 1]
      let keepsStart = Bool.random(using: &random) && last.count > 5 && words.count > 2
      return original.with {
        $0.quote = (words.dropLast() + (keepsStart ? [String(last.prefix(4))] : []))
          .joined(separator: " ")
      }
    case .exchangedWord:
      let plain = words.indices.filter { Self.isPlain(words[$0]) }
      guard words.count >= 5, let place = plain.randomElement(using: &random) else { return nil }
      var exchanged = words
      exchanged[place] = ["really", "around", "kind", "stuff", "thing"][place % 5]
      return original.with { $0.quote = exchanged.joined(separator: " ") }
    case .ellipsis:
      guard words.count >= 3 else { return nil }
      let first = Int.random(in: 1...(words.count - 2), using: &random)
      let most = min(3, words.count - 1 - first)
      let end = first + Int.random(in: 1...most, using: &random)
      guard words[first..<end].allSatisfy({ !Self.denies($0) }) else { return nil }
      let dots = Bool.random(using: &random) ? " … " : "... "
      return original.with {
        $0.quote =
          words[..<first].joined(separator: " ") + dots
          + words[end...].joined(separator: " ")
      }
    case .wrongTurn:
      guard original.turns.count > 1 else { return nil }
      return original.with {
        $0.turn += $0.turn == 1 || Bool.random(using: &random) ? 1 : -1
      }
    }
  }

  private static let typographic: [Character: Character] = [
    "'": "\u{2019}", "\"": "\u{201D}", "-": "\u{2011}",
  ]

  /// The turn has the slip, the quote doesn't.
  private func mended(
    _ original: Quote, _ words: [String], _ random: inout SeededGenerator
  ) -> Quote? {
    let long = words.filter { $0.count >= 6 && Self.isPlain($0) }
    guard let word = long.randomElement(using: &random) else { return nil }
    var letters = Array(word)
    let place = Int.random(in: 2..<(letters.count - 1), using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: letters.swapAt(place, place - 1)
    case 1: letters.insert(letters[place], at: place)
    default: letters.remove(at: place)
    }
    let text = original.turns[original.turn - 1]
    guard let range = text.firstRange(of: original.quote),
      let slip = text[range].firstRange(of: word)
    else { return nil }
    return original.with {
      $0.turns[$0.turn - 1].replaceSubrange(slip, with: letters)
    }
  }

  private static func isPlain(_ word: String) -> Bool {
    word.allSatisfy(\.isLetter) && !denies(word) && !measures.contains(word.lowercased())
  }

  private static let measures: Set<String> = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve",
    "fifteen", "twenty", "thirty", "forty", "fifty", "half", "couple", "once", "twice", "first",
    "second", "third", "few", "days", "day", "week", "weeks", "month", "months", "year", "years",
    "pounds", "kilos", "minutes", "mins", "hours", "hour", "miles", "mile", "before", "after",
    "more", "less", "always", "weekends", "weekend", "until",
  ]

  private static let negations: Set<String> = [
    "no", "not", "never", "without", "none", "nothing", "nobody", "hardly", "barely", "nor", "dont",
    "doesnt", "didnt", "isnt", "wasnt", "arent", "werent", "aint", "wont", "cant", "cannot",
    "couldnt", "wouldnt", "shouldnt", "havent", "hasnt", "hadnt",
  ]

  public static func denies(_ word: String) -> Bool {
    negations.contains(word.lowercased().filter { $0.isLetter })
  }
}

/// Quotes that nobody said.
public enum InventedQuote: CaseIterable, Sendable {
  /// The beginning of one clause and the end of another.
  case recombined
  case ofAnotherConversation, withoutNegation, changedNumber, changedUnit

  public func made(
    from label: Fixtures.Label, other: Fixtures.Label, using random: inout SeededGenerator
  ) -> String? {
    let words = label.quote.split(whereSeparator: \.isWhitespace).map(String.init)
    var made: [String]?
    switch self {
    case .recombined:
      let clauses = label.userTurns.joined(separator: ". ").split { ".,;!?\n".contains($0) }
        .map { $0.split(whereSeparator: \.isWhitespace).map(String.init) }.filter { $0.count >= 6 }
      guard clauses.count > 2, let first = clauses.indices.randomElement(using: &random),
        let second = clauses.indices.filter({ abs($0 - first) > 1 }).randomElement(using: &random)
      else { return nil }
      made =
        clauses[first].prefix(clauses[first].count / 2)
        + clauses[second].suffix(clauses[second].count / 2)
    case .ofAnotherConversation: made = other.quote.split(separator: " ").map(String.init)
    case .withoutNegation:
      let inside = words.indices.dropFirst().dropLast().filter { QuoteAlteration.denies(words[$0]) }
      guard let place = inside.randomElement(using: &random) else { return nil }
      made = Array(words[..<place] + words[(place + 1)...])
    case .changedNumber:
      guard let place = words.firstIndex(where: { Int($0) != nil }), let value = Int(words[place])
      else { return nil }
      made = words
      made?[place] = "\(value + Int.random(in: 1...9, using: &random))"
    case .changedUnit:
      let units = ["lb": "kg", "lbs": "kg", "pounds": "kilos", "kg": "lb", "miles": "km"]
      guard let place = words.firstIndex(where: { units[$0] != nil }) else { return nil }
      made = words
      made?[place] = units[words[place]] ?? ""
    }
    return made?.joined(separator: " ")
  }
}
