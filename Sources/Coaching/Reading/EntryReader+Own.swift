import HealthRecords
import Journeys

// What of a sentence tells of the person's own training that was done.
extension EntryReader {
  /// A sentence without what others did: "my wife ran 10k", "Tom squatted 100 kg". Nil if nothing is left.
  func withoutOthers(_ sentence: LogTokens) -> LogTokens? {
    guard sentence.tokens.count <= Self.mostWords else { return sentence }
    var dropped: Set<Int> = []
    var isOthers = false
    var continues = false
    let reason = reasonStart(in: sentence.words)
    // "My trainer wants me to do squats", "mein Trainer möchte, dass ich …"
    if words.others.length(at: 0, of: sentence.words) != nil, words.isNotDone(sentence.words),
      !tellsOfOther(sentence)
    {
      return nil
    }
    for piece in pieces(of: sentence) {
      let said = Array(sentence.words[piece])
      if let end = othersEnd(in: piece, sentence) {
        let acts = hasAct(said)
        // "My wife and my son ran 5k"
        continues = !acts && end == piece.upperBound
        isOthers = acts
        // "Because my son was sick" is why.
        if acts || piece.lowerBound < reason { dropped.formUnion(piece) }
      } else if said.contains(where: words.own.contains) {
        (isOthers, continues) = (false, false)
      } else if isOthers || continues && said.first.map(words.and.contains) == true {
        // "Tom ran 5k and swam 1k"
        isOthers = isOthers || hasAct(said)
        dropped.formUnion(piece)
      } else {
        continues = false
      }
    }
    return kept(sentence, without: dropped)
  }

  /// A sentence without what wasn't done or was only wished for: "didn't squat", "wanted to run
  /// 5k but did 3k". Nil if nothing is left.
  func withoutUndone(_ sentence: LogTokens) -> LogTokens? {
    guard sentence.tokens.count <= Self.mostWords else { return sentence }
    let said = sentence.words
    var undone: Set<Int> = []
    if words.isNotDone(said), let turn = said.indices.first(where: { isTurn($0, said) }) {
      undone.formUnion(0..<turn)
    }
    for piece in pieces(of: sentence)
    where isDenied(piece, sentence) || isWish(piece, said) || isNearly(piece, said)
      || isElsewhere(piece, sentence)
    {
      undone.formUnion(piece)
    }
    let rest = said.indices.filter { !undone.contains($0) }.map { said[$0] }
    if !undone.isEmpty, words.did.isIn(rest), places(in: rest).isEmpty {
      // "Wanted to swim 1 km but did 800 m" is a swim.
      for place in places(in: said) where undone.isSuperset(of: place.range) {
        undone.subtract(place.range)
      }
    }
    return kept(sentence, without: undone)
  }

  /// A sentence without figures that weren't reached: "almost 5k". Nil if nothing is left.
  func withoutInexact(_ sentence: LogTokens) -> LogTokens? {
    guard sentence.tokens.count <= Self.mostWords else { return sentence }
    return kept(sentence, without: inexact(sentence))
  }

  /// Whether what was done instead stands behind a "but", with a figure: "didn't run 5k but did 3k".
  func tellsOfOther(_ sentence: LogTokens) -> Bool {
    let said = sentence.words
    guard sentence.tokens.count <= Self.mostWords,
      let turn = said.indices.first(where: { isTurn($0, said) })
    else { return false }
    return sentence.tokens[turn...].contains { $0.number != nil }
  }

  /// Nil if there's nothing in the rest that could be an entry.
  private func kept(_ sentence: LogTokens, without dropped: Set<Int>) -> LogTokens? {
    guard !dropped.isEmpty else { return sentence }
    let rest = sentence.tokens.indices.filter { !dropped.contains($0) }
    let said = rest.map { sentence.tokens[$0].text }
    guard hasAct(said) || rest.contains(where: { sentence.tokens[$0].number != nil }) else {
      return nil
    }
    return sentence.without(dropped)
  }

  func hasAct(_ said: [String]) -> Bool {
    words.did.isIn(said) || words.skipped.isIn(said) || words.weighed.isIn(said)
      || !places(in: said).isEmpty
  }

  /// Up to the next comma, "and", "but" or "while".
  func pieces(of sentence: LogTokens) -> [Range<Int>] {
    let breaks = sentence.tokens.indices.dropFirst().filter { index in
      let word = sentence.tokens[index].text
      return sentence.tokens[index].followsComma || words.and.contains(word)
        || words.contrary.contains(word) || words.clauseWords.contains(word)
    }
    return zip([0] + breaks, breaks + [sentence.tokens.count]).map { $0..<$1 }
  }

  /// Whether "but" and what was done instead stand here.
  private func isTurn(_ index: Int, _ said: [String]) -> Bool {
    guard words.contrary.contains(said[index]) else { return false }
    let rest = Array(said[index...])
    return words.did.isIn(rest) && !words.isNotDone(rest)
  }
}

// Whose it is.
extension EntryReader {
  /// Behind the words for somebody else who is a piece's subject; nil if nobody is.
  private func othersEnd(in piece: Range<Int>, _ sentence: LogTokens) -> Int? {
    let said = Array(sentence.words[..<piece.upperBound])
    for index in piece {
      let length: Int
      if words.notOthers.length(at: index, of: said) != nil { continue }
      if let named = words.others.length(at: index, of: said) {
        length = named
      } else if isName(at: index, sentence) {
        length = 1
      } else {
        continue
      }
      let end = index + length
      let before = said[piece.lowerBound..<index]
      // "Me and my wife ran"
      if index >= 2, words.and.contains(said[index - 1]), words.own.contains(said[index - 2]) {
        continue
      }
      let isSubject = before.allSatisfy {
        words.beforeSubject.contains($0) || words.and.contains($0) || words.contrary.contains($0)
          || words.clauseWords.contains($0) || isDayWord($0)
      }
      let acts =
        words.did.length(at: end, of: said) != nil
        || end < said.count && words.finite.contains(said[end])
      let isCompanion = index > 0 && words.companions.contains(said[index - 1])
      guard isSubject || acts && !isCompanion else { continue }
      // "My coach had me run 5k", "my wife says I ran well"
      guard !said[end...].contains(where: words.own.contains) else { continue }
      return end
    }
    return nil
  }

  /// "Tom" before "ran". Other words can't be told from "Barefoot ran 5k".
  private func isName(at index: Int, _ sentence: LogTokens) -> Bool {
    let said = sentence.words
    guard index + 1 < said.count, words.names.contains(said[index]) else { return false }
    // "My wife" is more than a name.
    if index > 0, words.others.length(at: index - 1, of: said) == 2 { return false }
    let isLabel = said[index + 1] == ":" && index == 0
    return isLabel
      || words.finite.contains(said[index + 1])
        && (!words.auxiliaries.contains(said[index + 1])
          || words.did.isIn(Array(said[(index + 2)...])))
  }

  func isDayWord(_ word: String) -> Bool {
    words.weekdays.contains { $0.phrases.contains([word]) }
      || words.days.contains { $0.phrases.phrases.contains([word]) }
  }
}

// What isn't so.
extension EntryReader {
  /// "Didn't squat", "5 km nicht gelaufen", but "squats 3x5, didn't feel easy".
  private func isDenied(_ piece: Range<Int>, _ sentence: LogTokens) -> Bool {
    let said = Array(sentence.words[..<piece.upperBound])
    for index in piece where words.notNegations.length(at: index, of: said) == nil {
      guard let length = words.negations.length(at: index, of: said) else { continue }
      let behind = Array(said[(index + length)...])
      let figures = { (place: Range<Int>) in
        place.contains { sentence.tokens[$0].number != nil }
      }
      if figures(piece.lowerBound..<index) {
        if words.did.begins(behind) { return true }
      } else if figures(index + length..<piece.upperBound) || hasAct(behind)
        || words.did.begins(Array(said[index...]))
      {
        return true
      }
    }
    return false
  }

  private func isWish(_ piece: Range<Int>, _ said: [String]) -> Bool {
    words.isWish(Array(said[piece]))
  }

  /// "Almost benched 100 kg".
  private func isNearly(_ piece: Range<Int>, _ said: [String]) -> Bool {
    let piece = Array(said[piece])
    return piece.indices.dropLast().contains { index in
      words.nearly.contains(piece[index]) && words.did.length(at: index + 1, of: piece) != nil
    }
  }

  /// "Sore after squats yesterday" beside what was done.
  private func isElsewhere(_ piece: Range<Int>, _ sentence: LogTokens) -> Bool {
    let (said, whole) = (Array(sentence.words[piece]), sentence.words)
    return words.otherDays.isIn(said) && !words.did.isIn(said) && words.did.isIn(whole)
      && !places(in: said).isEmpty && !sentence.tokens[piece].contains { $0.number != nil }
  }

  /// What was aimed for and what came of it: "went for 10k, only managed 7 km".
  func fallenShort(_ sentence: LogTokens) -> (aim: LogTokens, reached: LogTokens)? {
    guard sentence.tokens.count <= Self.mostWords else { return nil }
    let pieces = pieces(of: sentence)
    for (aim, reached) in zip(pieces, pieces.dropFirst()) {
      let (first, rest) = (sentence.part(aim), sentence.part(reached.lowerBound...))
      let said = rest.words
      let start = said.first.map { words.contrary.contains($0) || words.and.contains($0) } == true
      guard words.isWish(first.words) || words.aims.isIn(first.words),
        words.reached.length(at: start ? 1 : 0, of: said) != nil,
        rest.tokens.contains(where: { $0.number != nil }), places(in: said).isEmpty
      else { continue }
      return (first, rest)
    }
    return nil
  }

  /// What was done of something that was aimed for.
  func short(
    of aim: LogEntry, _ reached: LogTokens, _ sentence: LogTokens
  ) -> LogEntry? {
    let exact = withoutInexact(reached) ?? reached
    var amounts = amounts(in: exact.tokens[...], aim.kind, pack[activity: aim.activity])
    // "Intended 10k, managed 7".
    if amounts.isEmpty, aim.kilometers != nil, amounts.bare.count == 1 {
      let isMiles = aim.units == .imperial
      amounts.setDistance(
        amounts.bare[0] * (isMiles ? Amounts.kilometersPerMile : 1), isMiles ? .imperial : .metric)
      amounts.units = aim.units
    }
    guard !amounts.isEmpty else { return nil }
    var entry = LogEntry(day: aim.day, kind: aim.kind, activity: aim.activity)
    if amounts.kilograms == nil, amounts.repetitions != nil || amounts.sets != nil {
      entry.kilograms = aim.kilograms
    }
    entry.take(amounts)
    entry.effort = effort(of: sentence.words)
    return entry
  }

  /// Figures that weren't reached: "almost 5k", "in under 30 min".
  private func inexact(_ sentence: LogTokens) -> Set<Int> {
    let (tokens, said) = (sentence.tokens, sentence.words)
    var found: Set<Int> = []
    for index in tokens.indices {
      let isGerman = words.inexactWith[said[index]].map { !$0.isDisjoint(with: said) } ?? false
      guard let length = words.inexact.length(at: index, of: said) ?? (isGerman ? 1 : nil),
        let end = figureEnd(index + length, tokens)
      else { continue }
      found.formUnion(index..<end)
    }
    return found
  }

  /// Behind the figure that begins at a word, with its unit.
  private func figureEnd(_ index: Int, _ tokens: [LogTokens.Token]) -> Int? {
    guard tokens.indices.contains(index) else { return nil }
    for figures in [words.distances, words.durations] {
      if let (_, length) = figures.match(tokens[...], index) { return index + length }
    }
    let quantities = Quantities(tokens[...], words)
    guard let figure = quantities[index] else { return nil }
    var end = index + figure.length
    while end + 1 < tokens.count, tokens[end].text == ":", tokens[end + 1].number != nil {
      end += 2
    }
    return quantities.unit(end) != nil || words.thousand.contains(quantities.word(end))
      ? end + 1 : end
  }
}
