/// What a message says about a constraint that was asked about. If in doubt, the constraint holds.
struct ConstraintReply {
  private let words: LogWords
  private let sentences: [LogTokens]
  private let all: [String]

  init(_ message: String, _ words: LogWords) {
    self.words = words
    sentences = LogTokens.sentences(of: message)
    all = sentences.flatMap(\.words)
  }

  /// What the first sentence says, if only the rest is about the log: "Yes, gone. Did 3x5 squats."
  var withoutNews: ConstraintReply {
    guard isAboutTheLog, !words.fix.isIn(all), sentences.count > 1 else { return self }
    return ConstraintReply(String(sentences[0].text), words)
  }

  /// A figure, or a correction of the log. "Still there when I go past 20 km" is neither.
  var isAboutTheLog: Bool {
    if words.still.begins(all) { return false }
    let tokens = sentences.flatMap(\.tokens)
    let hasFigure = tokens.indices.contains { index in
      tokens[index].number != nil
        || words.numbers[tokens[index].text] != nil && index + 1 < tokens.count
          && words.units[tokens[index + 1].text] != nil
    }
    return hasFigure || (words.fix.isIn(all) || words.mayFix.isIn(all)) && !isGone
  }

  var saysStill: Bool { words.still.isIn(all) || words.keep.isIn(all) || deniesGone }
  var saysYes: Bool { words.yes.begins(all) }
  /// "No longer a problem" is none.
  var saysNo: Bool { words.no.begins(all) && words.gone.place(in: all)?.lowerBound != 0 }
  /// No more than a no, and thanks.
  var isBareNo: Bool { saysNo && all.allSatisfy(words.bareNo.contains) }
  var hurts: Bool { words.hurts.isIn(all) && !isGone }
  var isEasing: Bool { says(words.easing) }
  /// Such as "if it's fine by then", and "fine, but not on stairs".
  var hedges: Bool { words.hedge.isIn(all) }
  var isGone: Bool { says(words.gone) }
  /// After a no, weaker words will do, too: "no, it's ok now".
  var isFine: Bool { isGone || isEasing || says(words.fine) }

  private var deniesGone: Bool {
    [words.gone, words.easing, words.fine].contains { phrases in
      clauses.contains { phrases.isIn($0) } && !says(phrases)
    }
  }

  private func says(_ phrases: LogWords.Phrases) -> Bool {
    clauses.contains { phrases.isIn($0) && !isDenied(phrases, $0) }
  }

  /// Whether there's a denial beside these words: "no longer" is none itself.
  private func isDenied(_ phrases: LogWords.Phrases, _ clause: [String]) -> Bool {
    guard let place = phrases.place(in: clause) else { return false }
    let before = clause[..<place.lowerBound]
    return words.denied.isIn(Array(before))
      || words.denied.isIn(Array(clause[place.upperBound...]))
      || before.last.map { words.bareNo.contains($0) && words.no.begins([$0]) } ?? false
  }

  /// Parts of statements between commas.
  private var clauses: [[String]] {
    sentences.filter { !$0.isQuestion }.flatMap { sentence in
      sentence.tokens.reduce(into: [[String]]()) { clauses, token in
        if token.followsComma || clauses.isEmpty { clauses.append([]) }
        clauses[clauses.count - 1].append(token.text)
      }
    }
  }
}
