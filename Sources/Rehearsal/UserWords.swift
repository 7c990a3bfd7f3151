import ContextQuality
import Signals

/// A quote of the user's, on its way into a sentence of the coach's. What words do to a quote is in
/// `signals/quoting.txt`.
struct UserWords: Sendable {
  /// Verbatim, in one line.
  let text: String
  private let rules: RuleSet

  init(_ quote: String, _ rules: RuleSet) {
    (text, self.rules) = (Self.inOneLine(quote), rules)
  }

  /// The quote as it reads well: a scorer cuts "so I can keep up with my kids" where its evidence
  /// ends, a reader wants the words to either side up to the next pause.
  init(_ quote: String, in turn: String, _ rules: RuleSet) {
    self.rules = rules
    text = Cutting(rules).whole(Self.inOneLine(quote), in: Self.inOneLine(turn))
  }

  private static func inOneLine(_ text: String) -> String {
    PlainText.visible(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// More words than this are a story, not a quotation.
  static let longestQuotation = 14

  /// Between quotation marks, cut at a pause where it is long; nil if there is too little to quote.
  var quoted: String? {
    guard !saysNotKnowing else { return nil }
    let words = text.withoutMarks.split(separator: " ")
    guard words.count > 1 || words.first?.contains(where: \.isNumber) == true else { return nil }
    guard words.count > Self.longestQuotation else {
      return "\u{201C}\(words.joined(separator: " "))\u{201D}"
    }
    let head = words.prefix(Self.longestQuotation)
    let pause = head.indices.dropFirst(3).last { ",;.!".contains(head[$0].last ?? " ") }
    let kept = pause.map { head[...$0] } ?? head
    return "\u{201C}\(kept.joined(separator: " ").withoutMarks)\u{2026}\u{201D}"
  }

  /// More words than this are too many to take up in passing.
  private static let longestInPassing = 7

  /// Whether a coach could repeat it in passing: a short clause with something in it, that neither
  /// asks, nor speaks to the coach, nor says that they do not know.
  var readsWellInPassing: Bool {
    let words = Words(text).all
    guard (1...Self.longestInPassing).contains(words.count), !text.contains("?"),
      !saysNotKnowing, !rules["addressing"].matches(words), !rules["fragment"].matches(words),
      let last = words.last
    else { return false }
    let empty = rules["empty"]
    return !rules["dangling"].contains(last) && !rules["joint"].contains(last)
      && words.contains { !empty.contains($0) }
  }

  /// "I don't know what I want" is nothing to plan around.
  var saysNotKnowing: Bool { rules["not-knowing"].matches(Words(text).all) }

  /// A sentence of the coach's can carry so many words of the user's.
  private static let longestWish = 22

  /// What follows "you want to": "I want to lose weight" and "lose weight" are both "lose weight".
  /// Nil if the coach can't say the user's words in their place.
  var wish: String? {
    guard !text.contains(where: { "?\"\u{201C}\u{201D}()<>{}[]:*_|".contains($0) }) else {
      return nil
    }
    let (opener, closer, own) = (rules["opener"], rules["closer"], rules["own"])
    var words = text.withoutMarks.split(separator: " ").drop { opener.contains($0.folded) }
    while let last = words.last, closer.contains(last.folded) { words.removeLast() }
    let ranges = rules["wish"].ranges(in: PhrasePattern.Text(words.map(\.folded)))
    words = words.dropFirst(ranges.map(\.count).max() ?? 0)
    guard let verb = words.first?.folded, rules["wish-verb"].contains(verb),
      words.count <= Self.longestWish, !words.contains(where: { own.contains($0.folded) })
    else { return nil }
    return words.joined(separator: " ").withoutMarks
  }

  /// Whether a reader would take one for a repetition of the other.
  static func repeats(_ mine: String, _ theirs: String) -> Bool {
    let (mine, theirs) = (Set(Words(mine).all), Set(Words(theirs).all))
    guard !mine.isEmpty, !theirs.isEmpty else { return true }
    return mine.intersection(theirs).count * 4 >= min(mine.count, theirs.count) * 3
  }
}

/// Finds where a quote begins and ends.
private struct Cutting {
  private let joint: PhraseRule
  private let conjunction: PhraseRule
  private let closer: PhraseRule
  private let dangling: PhraseRule
  private let pointing: PhraseRule

  init(_ rules: RuleSet) {
    (joint, conjunction) = (rules["joint"], rules["conjunction"])
    (closer, dangling, pointing) = (rules["closer"], rules["dangling"], rules["pointing"])
  }

  func whole(_ quote: String, in turn: String) -> String {
    guard let range = turn.firstRange(of: quote) else { return quote }
    let before = turn[..<range.lowerBound].split(separator: " ")
    let after = turn[range.upperBound...].split(separator: " ")
    let head: [Substring] =
      before.last.map(hasPause) ?? true
      ? [] : untilPause(before.reversed(), pastJoints: isPointing(quote)).reversed()
    let last = quote.split(separator: " ").last
    let reach = last.map { dangling.contains($0.folded) } ?? false ? Self.longest : Self.short
    let isWhole = last.map { hasPause($0) || isJoint($0) } ?? true
    let tail = isWhole ? [] : throughPause(after, reach)
    let start = head.first?.startIndex ?? range.lowerBound
    let end = tail.last?.endIndex ?? range.upperBound
    let whole = withoutJoints(turn[start..<end])
    let breaksOff = tail.isEmpty && !isWhole && !after.isEmpty && !isJoint(after[0])
    return breaksOff ? backToJoint(whole) : whole
  }

  /// How far a quote is taken to either side.
  private static let longest = 7
  /// To the end of a sentence that is nearly over.
  private static let short = 6

  private func isJoint(_ word: Substring) -> Bool { joint.contains(word.folded) }

  private func hasPause(_ word: Substring) -> Bool {
    word.last.map { ",;.!?:)".contains($0) } ?? true
  }

  /// Words back to a pause or a word that joins; none where that is too far.
  private func untilPause(_ words: [Substring], pastJoints: Bool) -> [Substring] {
    let near = words.prefix { !hasPause($0) && (pastJoints || !isJoint($0)) }
    return near.count > (pastJoints ? 2 * Self.longest : Self.longest) ? [] : Array(near)
  }

  /// "I miss it": what it is was said before.
  private func isPointing(_ quote: String) -> Bool {
    let words = quote.split(separator: " ")
    return words.count <= 5 && words.contains { pointing.contains($0.folded) }
  }

  /// Words on to a pause, its word included; none where that is too far or something new begins.
  private func throughPause(_ words: [Substring], _ reach: Int) -> [Substring] {
    guard let first = words.first, !isJoint(first),
      let end = words.firstIndex(where: hasPause) ?? words.indices.last, end < reach
    else { return [] }
    return Array(words[...end])
  }

  private static let shortestPart = 4

  /// Without the last "and …" of words that break off: its end was too far away.
  private func backToJoint(_ text: String) -> String {
    let words = text.split(separator: " ")
    guard let cut = words.lastIndex(where: { conjunction.contains($0.folded) }),
      cut >= Self.shortestPart, words.last.map(hasPause) != true
    else { return text }
    return withoutJoints(words[..<cut].joined(separator: " ")[...])
  }

  /// Without "and" and the like in front, and "though" and marks behind.
  private func withoutJoints(_ text: Substring) -> String {
    var words = text.split(separator: " ")
    while words.count > 2, isJoint(words[0]) { words.removeFirst() }
    // "My granddaughter and, more to the point": what follows is another matter.
    let aside = words.indices.dropFirst(2).first { words[$0].hasSuffix(",") && isJoint(words[$0]) }
    if let aside { words = Array(words[..<aside]) }
    while let last = words.last, words.count > 2, closer.contains(last.folded) {
      words.removeLast()
    }
    var result = Substring(words.joined(separator: " "))
    while let last = result.last, ".,;:!?".contains(last) { result.removeLast() }
    return String(result)
  }
}

extension StringProtocol {
  /// Without the marks and signs at either end; a closing percent or inch sign stays.
  fileprivate var withoutMarks: String {
    var rest = Substring(self)
    while let first = rest.first,
      !(first.isLetter || first.isNumber || first.isSymbol && first.isASCII)
    {
      rest.removeFirst()
    }
    while let last = rest.last, !(last.isLetter || last.isNumber || "%'\")+".contains(last)) {
      rest.removeLast()
    }
    return String(rest)
  }

  /// A word as the rules have it: in lower case, without marks and apostrophes.
  fileprivate var folded: String {
    withoutMarks.lowercased().filter { $0 != "'" && $0 != "\u{2019}" }
  }
}
