/// Decides which facets a clause cannot be evidence for, whatever its weights say.
///
/// The weights are learned from people who mean what they say. The guard covers the cases of the
/// rubric's rules 4, 5 and 9 that must hold for any writer: talk to the scorer, text that plays
/// another role, made-up worlds, sarcasm, other people.
///
/// The only such check besides the rules in `signals/`. It reads what the model was trained with:
/// its words (`Lexicon/00-guards.txt`) are compiled into the model as token classes, because it
/// sees every clause of millions of transcripts.
struct ClauseGuard {
  let classes = GuardClasses()
  /// Refuses only what is not talk at all: words to the scorer, roles, markup, lists of words, the same
  /// words over and over, and sentences that begin with "imagine". For scorers that tell by themselves
  /// who and what is meant.
  var onlyForgery = false
  static let all: UInt32 = 0x00FF_FFFF
  /// What a sentence about another person cannot say about the user: everything except what fills
  /// the user's days, what motivates them, and who is around them.
  static let own: UInt32 = all & ~(bits([2, 3, 4, 5, 13, 14, 15, 21, 22, 23]))

  /// What somebody who means the opposite says they want, like or can do. People roll their eyes at what
  /// fills their days because it is true.
  static let liked: UInt32 = bits([0, 1, 2, 3, 7, 10, 12, 17, 20])

  private static func bits(_ facets: [UInt32]) -> UInt32 { facets.reduce(0) { $0 | 1 << $1 } }

  /// One mask for each clause, in order; empty if no facet is refused.
  ///
  /// - Parameter isAnswer: Whether the coach asked for a facet.
  func refusals(
    _ tokens: borrowing FlatBuffer<Token>, _ clauses: borrowing FlatBuffer<Clause>,
    text: UnsafeBufferPointer<UInt8>, isAnswer: Bool, into masks: inout FlatBuffer<UInt32>
  ) {
    masks.removeAll()
    guard saysAnything(tokens, text), !isRepetition(tokens), !isNoAnswer(tokens, isAnswer)
    else {
      for _ in 0..<clauses.count { masks.append(Self.all) }
      return
    }
    let hasWordList = hasWordList(tokens, clauses, text)
    var start = 0
    while start < clauses.count {
      var end = start + 1
      while end < clauses.count, !clauses[end].startsSentence { end += 1 }
      let first = Int(clauses[start].first)
      let last = Int(clauses[end - 1].end)
      let isListed =
        hasWordList && !hasFigure(tokens, first, last) && !isProse(tokens, first, last, text)
      let sentence = isListed ? Self.all : refusal(tokens, first, last, text)
      for index in start..<end {
        masks.append(sentence | refusalOfClause(tokens, clauses[index]))
      }
      start = end
    }
  }

  private func refusal(
    _ tokens: borrowing FlatBuffer<Token>, _ first: Int, _ end: Int,
    _ text: UnsafeBufferPointer<UInt8>
  ) -> UInt32 {
    var scoring = 0
    for index in first..<end {
      if tokens[index].symbol == classes.scorer || tokens[index].flags.contains(.markup) {
        return Self.all
      }
      scoring += tokens[index].symbol == classes.scoring ? 1 : 0
    }
    if scoring > 1 || tokens[first].symbol == classes.unreal { return Self.all }
    if playsRole(tokens[first], text) { return Self.all }
    guard !onlyForgery else { return 0 }
    if isOpenQuestion(tokens, first, end) { return Self.all }
    return isAboutSomebodyElse(tokens, first, end) ? Self.own : 0
  }

  private func refusalOfClause(
    _ tokens: borrowing FlatBuffer<Token>, _ clause: Clause
  ) -> UInt32 {
    guard !onlyForgery else { return 0 }
    let first = tokens[Int(clause.first)].symbol
    // "I imagine" is a hedge, and who has "to pretend" something means it.
    if first == classes.whatif || first == classes.unreal { return Self.all }
    for index in Int(clause.first)..<Int(clause.end) where tokens[index].symbol == classes.sarcasm {
      return Self.liked
    }
    return 0
  }

  /// Emoji alone contain no words to quote.
  private func saysAnything(
    _ tokens: borrowing FlatBuffer<Token>, _ text: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    for index in 0..<tokens.count where text[Int(tokens[index].start)] < 0xF0 { return true }
    return false
  }

  /// The same few words, repeated.
  private func isRepetition(_ tokens: borrowing FlatBuffer<Token>) -> Bool {
    guard tokens.count >= 12 else { return false }
    var seen = InlineArray<4, UInt64>(repeating: 0)
    for index in 0..<tokens.count {
      let lemma = tokens[index].lemma
      seen[Int(lemma >> 16 & 3)] |= 1 << UInt64(lemma >> 8 & 63)
    }
    var different = 0
    for part in seen.indices { different += seen[part].nonzeroBitCount }
    return different * 4 <= min(tokens.count, 120)
  }

  /// "got it", "ok thanks", "pass", and no more; "sounds good" and "will do", if nothing was asked.
  private func isNoAnswer(
    _ tokens: borrowing FlatBuffer<Token>, _ isAnswer: Bool
  ) -> Bool {
    guard (1...6).contains(tokens.count) else { return false }
    var acknowledges = !isAnswer
    for index in 0..<tokens.count {
      let token = tokens[index]
      if token.flags.contains(.inQuestion) { return false }
      if Words.acknowledges(token.lemma) || Words.refusesToAnswer(token.lemma) {
        acknowledges = true
      } else if !Words.isPolite(token.lemma), isAnswer || !Words.affirms(token.lemma) {
        return false
      }
    }
    return acknowledges
  }

  /// Whether the sentences that state nothing are, together, a list of domain words with hardly any
  /// words between them and no figure: "weight loss. deadline. motivation. injury. gym."
  private func hasWordList(
    _ tokens: borrowing FlatBuffer<Token>, _ clauses: borrowing FlatBuffer<Clause>,
    _ text: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard mayHaveWordList(tokens, clauses) else { return false }
    var (listed, others, unknown, pieces) = (0, 0, 0, 0)
    var start = 0
    while start < clauses.count {
      var end = start + 1
      while end < clauses.count, !clauses[end].startsSentence { end += 1 }
      let (first, last) = (Int(clauses[start].first), Int(clauses[end - 1].end))
      let count = end - start
      start = end
      guard !hasFigure(tokens, first, last), !isProse(tokens, first, last, text) else { continue }
      listed += last - first
      pieces += count
      for index in first..<last {
        if !tokens[index].flags.contains(.content) { others += 1 }
        if Symbol.isUnknownWord(tokens[index].symbol) { unknown += 1 }
      }
    }
    guard listed >= Self.shortestList, others * 8 < listed else { return false }
    // Words that the lexicon doesn't know may join the others in another language.
    if unknown * 3 >= listed, listed - unknown < Self.shortestList { return false }
    // People who save words write ten without a verb, too, but hardly ever one or two at a time.
    return listed >= 11 || pieces * 2 >= listed || pieces == 1
  }

  /// Rules out most messages without looking at their letters: a list has more than seven words in eight
  /// that carry meaning, so a sentence with fewer belongs to one only as far as others make up for it.
  private func mayHaveWordList(
    _ tokens: borrowing FlatBuffer<Token>, _ clauses: borrowing FlatBuffer<Clause>
  ) -> Bool {
    guard tokens.count >= Self.shortestList else { return false }
    var surplus = 0
    forEachSentence(tokens, clauses) { surplus += max(0, $0 - 8 * $1) }
    var listed = 0
    forEachSentence(tokens, clauses) { listed += $0 - 8 * $1 + surplus > 0 ? $0 : 0 }
    return listed >= Self.shortestList
  }

  /// - Parameter body: Gets how many words a sentence has, and how many of them carry no meaning.
  @inline(__always)
  private func forEachSentence(
    _ tokens: borrowing FlatBuffer<Token>, _ clauses: borrowing FlatBuffer<Clause>,
    _ body: (Int, Int) -> Void
  ) {
    var (count, others) = (0, 0)
    for place in 0..<clauses.count {
      if clauses[place].startsSentence, count > 0 {
        body(count, others)
        (count, others) = (0, 0)
      }
      for index in Int(clauses[place].first)..<Int(clauses[place].end) {
        count += 1
        if !tokens[index].flags.contains(.content) { others += 1 }
      }
    }
    body(count, others)
  }
  private static let shortestList = 8

  private func hasFigure(
    _ tokens: borrowing FlatBuffer<Token>, _ first: Int, _ end: Int
  ) -> Bool {
    for index in first..<end where tokens[index].flags.contains(.number) { return true }
    return false
  }

  /// Whether one word in six joins others, as in sentences. Tokens do not say: phrases swallow words.
  private func isProse(
    _ tokens: borrowing FlatBuffer<Token>, _ first: Int, _ end: Int,
    _ text: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard first < end else { return false }
    let place = Int(tokens[first].start)..<Int(tokens[end - 1].end)
    let words = String(decoding: text[place], as: UTF8.self).lowercased()
      .replacing("\u{2019}", with: "'").split { !$0.isLetter && $0 != "'" }
    let joints = words.count { Words.joins(Hash.word($0)) }
    return joints > 1 && joints * 6 >= words.count
  }

  /// "Do people with bad knees …?", without a word about the user, and "do I have bad knees?".
  private func isOpenQuestion(
    _ tokens: borrowing FlatBuffer<Token>, _ first: Int, _ end: Int
  ) -> Bool {
    guard tokens[first].flags.contains(.inQuestion), Words.asksOpenly(tokens[first].lemma) else {
      return false
    }
    if first + 1 < end, Words.isSubjectI(tokens[first + 1].lemma) { return true }
    for index in first..<end where tokens[index].symbol == classes.me { return false }
    return true
  }

  /// "assistant: …" at the start of a sentence.
  private func playsRole(_ token: Token, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard Int(token.end) < text.count, text[Int(token.end)] == UInt8(ascii: ":"),
      token.end - token.start <= 9
    else { return false }
    var state = Hash.seed
    for place in Int(token.start)..<Int(token.end) { state = Hash.step(state, text[place] | 0x20) }
    return Words.isRole(Hash.finish(state))
  }

  /// "My wife wants to lose 20 lb": a person, what that person does, and no word about the user.
  private func isAboutSomebodyElse(
    _ tokens: borrowing FlatBuffer<Token>, _ first: Int, _ end: Int
  ) -> Bool {
    guard end - first >= 3 else { return false }
    var index = first
    if Words.isDeterminer(tokens[index].lemma) { index += 1 }
    let isPerson = classes.isPerson(tokens[index].symbol)
    guard isPerson, index + 1 < end, Words.isThirdPersonVerb(tokens[index + 1].lemma) else {
      return false
    }
    for other in (index + 1)..<end where tokens[other].symbol == classes.me { return false }
    return true
  }
}

/// Classes that the rules name; the lexicon's files define their words.
package struct GuardClasses: Sendable {
  package static let names = [
    "scorer", "scoring", "unreal", "whatif", "sarcasm", "retract", "revoke", "me", "you", "third",
    "family", "friend", "child", "yes", "not", "but", "goal", "day", "weekday", "free",
  ]
  let scorer = Symbol.ofClass("scorer")
  let scoring = Symbol.ofClass("scoring")
  let unreal = Symbol.ofClass("unreal")
  let whatif = Symbol.ofClass("whatif")
  let sarcasm = Symbol.ofClass("sarcasm")
  let retract = Symbol.ofClass("retract")
  let revoke = Symbol.ofClass("revoke")
  let me = Symbol.ofClass("me")
  let you = Symbol.ofClass("you")
  let third = Symbol.ofClass("third")
  let family = Symbol.ofClass("family")
  let friend = Symbol.ofClass("friend")
  let child = Symbol.ofClass("child")
  let yes = Symbol.ofClass("yes")
  let not = Symbol.ofClass("not")
  let but = Symbol.ofClass("but")
  let goal = Symbol.ofClass("goal")
  let day = Symbol.ofClass("day")
  let weekday = Symbol.ofClass("weekday")
  let free = Symbol.ofClass("free")

  func isPerson(_ symbol: UInt32) -> Bool {
    symbol == third || symbol == family || symbol == friend || symbol == child
  }
}
