import ContextQuality
import Signals

/// A user quote to place in a coach's sentence. The rules for this are in
/// `signals/quoting.txt`.
struct UserWords: Sendable {
  /// Verbatim, on one line.
  let text: String
  private let rules: RuleSet

  init(_ quote: String, _ rules: RuleSet) {
    (text, self.rules) = (Self.inOneLine(quote), rules)
  }

  /// Extends the quote so that it reads well. A scorer cuts "so I can keep up with my kids" where
  /// the evidence ends; a reader wants the words up to the next pause.
  init(_ quote: String, in turn: String, _ rules: RuleSet) {
    self.rules = rules
    text = Cutting(rules).whole(Self.inOneLine(quote), in: Self.inOneLine(turn))
  }

  private static func inOneLine(_ text: String) -> String {
    PlainText.visible(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// More words than this are a story, not a quotation.
  static let longestQuotation = 14

  /// In quotation marks, cut at a pause if long; nil if there is too little to quote.
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

  /// The most words to repeat in passing.
  private static let longestInPassing = 7

  /// Whether the coach can repeat it in passing: a short clause with content that does not ask,
  /// address the coach, or say the user does not know.
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

  /// The most user words in a coach's sentence.
  private static let longestWish = 22

  /// What follows "you want to": "I want to lose weight" and "lose weight" are both "lose weight".
  /// Nil if the user's words do not fit there.
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

  /// Whether one reads as a repetition of the other.
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

  /// The most words to add on either side.
  private static let longest = 7
  /// The reach to a nearby sentence end.
  private static let short = 6

  private func isJoint(_ word: Substring) -> Bool { joint.contains(word.folded) }

  private func hasPause(_ word: Substring) -> Bool {
    word.last.map { ",;.!?:)".contains($0) } ?? true
  }

  /// Words back to a pause or joining word; empty if too far.
  private func untilPause(_ words: [Substring], pastJoints: Bool) -> [Substring] {
    let near = words.prefix { !hasPause($0) && (pastJoints || !isJoint($0)) }
    return near.count > (pastJoints ? 2 * Self.longest : Self.longest) ? [] : Array(near)
  }

  /// "I miss it" refers to earlier words.
  private func isPointing(_ quote: String) -> Bool {
    let words = quote.split(separator: " ")
    return words.count <= 5 && words.contains { pointing.contains($0.folded) }
  }

  /// Words through the next pause; empty if too far or if something new begins.
  private func throughPause(_ words: [Substring], _ reach: Int) -> [Substring] {
    guard let first = words.first, !isJoint(first),
      let end = words.firstIndex(where: hasPause) ?? words.indices.last, end < reach
    else { return [] }
    return Array(words[...end])
  }

  private static let shortestPart = 4

  /// Drops the last "and …" of a cut text, because its end was too far.
  private func backToJoint(_ text: String) -> String {
    let words = text.split(separator: " ")
    guard let cut = words.lastIndex(where: { conjunction.contains($0.folded) }),
      cut >= Self.shortestPart, words.last.map(hasPause) != true
    else { return text }
    return withoutJoints(words[..<cut].joined(separator: " ")[...])
  }

  /// Drops leading words like "and", and trailing "though" and marks.
  private func withoutJoints(_ text: Substring) -> String {
    var words = text.split(separator: " ")
    while words.count > 2, isJoint(words[0]) { words.removeFirst() }
    // "My granddaughter and, more to the point": what follows is unrelated.
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
  /// Drops marks and signs at both ends; keeps a closing percent or inch sign.
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

  /// A word in rule form: lowercase, without marks or apostrophes.
  fileprivate var folded: String {
    withoutMarks.lowercased().filter { $0 != "'" && $0 != "\u{2019}" }
  }
}
