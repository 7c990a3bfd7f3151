import ContextQuality
import Intake
import LanguageModels
import OfflineScorer
import Signals

/// A quote of the user's, on its way into a sentence of the coach's.
struct UserWords: Hashable, Sendable {
  /// Verbatim, in one line.
  let text: String

  init(_ quote: String) {
    text = Self.inOneLine(quote)
  }

  /// The quote as it reads well: a scorer cuts "so I can keep up with my kids" where its evidence
  /// ends, a reader wants the words to either side up to the next pause.
  init(_ quote: String, in turn: String) {
    let (quote, turn) = (Self.inOneLine(quote), Self.inOneLine(turn))
    guard let range = turn.firstRange(of: quote) else {
      text = quote
      return
    }
    let before = turn[..<range.lowerBound].split(separator: " ")
    let after = turn[range.upperBound...].split(separator: " ")
    let head: [Substring] =
      Self.hasPause(before.last)
      ? [] : Self.untilPause(before.reversed(), pastJoints: Self.isPointing(quote)).reversed()
    let last = quote.split(separator: " ").last
    let reach = Self.isDangling(last) ? Self.longestReach : Self.shortReach
    let isWhole = Self.hasPause(last) || last.map { Self.joints.contains(Self.folded($0)) } ?? true
    let tail = isWhole ? [] : Self.throughPause(after, reach)
    let start = head.first?.startIndex ?? range.lowerBound
    let end = tail.last?.endIndex ?? range.upperBound
    let whole = Self.withoutJoints(turn[start..<end])
    let goesOn = !after.isEmpty && !Self.joints.contains(Self.folded(after[0]))
    text = tail.isEmpty && !isWhole && goesOn ? Self.backToJoint(whole) : whole
  }

  private static func inOneLine(_ text: String) -> String {
    PlainText.visible(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// How far a quote is taken to either side.
  private static let longestReach = 7
  /// To the end of a sentence that is nearly over.
  private static let shortReach = 6

  private static func hasPause(_ word: Substring?) -> Bool {
    word?.last.map { ",;.!?:)".contains($0) } ?? true
  }

  /// Words back to a pause or a word that joins; none where that is too far.
  private static func untilPause(_ words: [Substring], pastJoints: Bool) -> [Substring] {
    let near = words.prefix { !hasPause($0) && (pastJoints || !joints.contains(folded($0))) }
    return near.count > (pastJoints ? 2 * longestReach : longestReach) ? [] : Array(near)
  }

  /// "I miss it": what it is was said before.
  private static func isPointing(_ quote: String) -> Bool {
    let words = quote.split(separator: " ")
    let pointers: Set<String> = ["it", "that", "this", "them", "those", "there"]
    return words.count <= 5 && words.contains { pointers.contains(folded($0)) }
  }

  /// Words on to a pause, its word included; none where that is too far or something new begins.
  private static func throughPause(_ words: [Substring], _ reach: Int) -> [Substring] {
    guard let end = words.firstIndex(where: hasPause) ?? words.indices.last, end < reach,
      words.first.map({ !joints.contains(folded($0)) }) == true
    else { return [] }
    return Array(words[...end])
  }

  private static func isDangling(_ word: Substring?) -> Bool {
    word.map { danglers.contains(folded($0)) } ?? false
  }

  private static func folded(_ word: Substring) -> String {
    trimmedOfMarks(String(word)).lowercased()
  }

  /// Without the last "and …" of words that break off: its end was too far away.
  private static func backToJoint(_ text: String) -> String {
    let words = text.split(separator: " ")
    guard let joint = words.lastIndex(where: { ["and", "or", "but"].contains(folded($0)) }),
      joint >= shortestPart, !hasPause(words.last)
    else { return text }
    return withoutJoints(words[..<joint].joined(separator: " ")[...])
  }

  private static let shortestPart = 4

  /// Without "and" and the like in front, and "though" and marks behind.
  private static func withoutJoints(_ text: Substring) -> String {
    var words = text.split(separator: " ")
    while words.count > 2, joints.contains(folded(words[0])) { words.removeFirst() }
    // "My granddaughter and, more to the point": what follows is another matter.
    let aside = words.indices.dropFirst(2).first {
      words[$0].hasSuffix(",") && joints.contains(folded(words[$0]))
    }
    if let aside { words = Array(words[..<aside]) }
    while let last = words.last, words.count > 2, closers.contains(folded(last)) {
      words.removeLast()
    }
    var result = Substring(words.joined(separator: " "))
    while let last = result.last, ".,;:!?".contains(last) { result.removeLast() }
    return String(result)
  }

  private static let joints: Set<String> = [
    "and", "but", "so", "because", "cause", "cuz", "bc", "then", "plus", "also", "cos", "or",
    "that",
  ]
  private static let closers: Set<String> = [
    "lol", "haha", "lmao", "though", "tho", "tbh", "anyway", "please", "thanks", "and", "but", "so",
    "because", "or", "that", "then",
  ]
  private static let danglers: Set<String> = [
    "with", "to", "of", "for", "the", "my", "a", "an", "at", "in", "on", "from", "by", "about",
    "like", "into", "without", "than", "is", "am", "are", "was",
    "i", "i'm", "im", "not", "very", "really", "can", "can't", "up", "if", "when", "after",
  ]

  /// More words than this are a story, not a quotation.
  static let longestQuotation = 14
  /// A sentence of the coach's can carry so many words of the user's.
  static let longestClause = 22

  /// Between quotation marks, cut at a pause where it is long; nil where there is too little to quote.
  var quoted: String? {
    guard !saysNotKnowing else { return nil }
    let words = Self.trimmedOfMarks(text).split(separator: " ")
    guard words.count > 1 || words.first?.contains(where: \.isNumber) == true else { return nil }
    guard words.count > Self.longestQuotation else {
      return "\u{201C}\(words.joined(separator: " "))\u{201D}"
    }
    let head = words.prefix(Self.longestQuotation)
    let pause = head.indices.dropFirst(3).last { ",;.!".contains(head[$0].last ?? " ") }
    let kept = pause.map { head[...$0] } ?? head
    return "\u{201C}\(Self.trimmedOfMarks(kept.joined(separator: " ")))\u{2026}\u{201D}"
  }

  /// More words than this are too many to take up in passing.
  private static let longestInPassing = 7

  /// Whether a coach could repeat it in passing: a short clause with something in it, that neither
  /// asks, nor speaks to the coach, nor says that they do not know.
  var readsWellInPassing: Bool {
    let words = Words(text).all
    guard (1...Self.longestInPassing).contains(words.count), !text.contains("?"),
      !saysNotKnowing, !words.contains(where: Self.addressing.contains),
      let first = words.first, let last = words.last
    else { return false }
    let breaksOff = Self.danglers.contains(last) || Self.joints.contains(last)
    return !breaksOff && !Self.fragments.contains(first)
      && words.contains { !Self.empty.contains($0) }
  }

  /// "I don't know what I want" is nothing to plan around.
  var saysNotKnowing: Bool {
    let words = Words(text).all
    let pairs = zip(words, words.dropFirst()).map { "\($0) \($1)" }
    return words.contains { ["idk", "dunno", "whatever", "maybe"].contains($0) }
      || pairs.contains { Self.notKnowing.contains($0) }
  }

  private static let notKnowing: Set<String> = [
    "dont know", "not know", "dont really", "not sure", "no idea", "no clue", "i guess",
    "who knows", "never thought", "cant say", "hard to",
  ]
  /// Words that speak to the coach, or of what is long past.
  private static let addressing: Set<String> = [
    "you", "your", "youre", "u", "ur", "yours", "coach", "app", "bot", "ago",
  ]
  private static let fragments: Set<String> = [
    "of", "than", "which", "who", "whose", "if", "when", "while", "is", "was", "to",
  ]
  /// Words that say nothing without others.
  private static let empty: Set<String> = [
    "i", "im", "me", "my", "it", "its", "is", "was", "be", "am", "are", "that", "thats", "this",
    "the", "a", "an", "and", "or", "but", "so", "just", "what", "how", "do", "does", "did", "not",
    "no", "yes", "yeah", "ok", "okay", "well", "really", "very", "too", "to", "of", "in", "on",
    "at", "for", "with", "there", "here", "have", "has", "had", "get", "got", "gets", "thing",
    "things", "stuff", "something", "anything", "everything", "nothing", "like", "then", "them",
    "they", "we", "us", "would", "could", "can", "cant", "dont", "lol", "haha", "want", "need",
    "all", "some", "any", "one", "will", "up", "out", "way",
  ]

  /// The clause said to the user: "my knee is shot" is "your knee is shot". Nil where that is not
  /// safe, as in words that speak to the coach or of several people.
  var secondPerson: String? {
    guard let tokens = plainTokens, let first = tokens.first?.folded,
      Self.subjects.contains(first)
    else { return nil }
    return Self.turned(tokens)
  }

  /// What follows "you want to": "I want to lose weight" and "lose weight" are both "lose weight".
  var wish: String? {
    guard var tokens = plainTokens else { return nil }
    if let wish = Self.wishes.first(where: { tokens.map(\.folded).starts(with: $0) }) {
      tokens.removeFirst(wish.count)
    }
    guard let verb = tokens.first?.folded, Self.verbs.contains(verb) else { return nil }
    return Self.turned(tokens)
  }

  /// Whether a reader would take one for a repetition of the other.
  func repeats(_ other: UserWords) -> Bool {
    let (mine, theirs) = (Words(text).all, Words(other.text).all)
    guard !mine.isEmpty, !theirs.isEmpty else { return true }
    let shared = Set(mine).intersection(theirs).count
    return shared * 4 >= min(Set(mine).count, Set(theirs).count) * 3
  }
}

extension UserWords {
  private struct Token {
    let text: Substring
    /// In lower case, without the marks around it.
    let folded: String

    init(_ text: Substring) {
      self.text = text
      folded = UserWords.trimmedOfMarks(String(text)).lowercased()
        .replacing("\u{2019}", with: "'")
    }
  }

  /// Nil where turning the words round could change what they say.
  private var plainTokens: [Token]? {
    guard !text.contains(where: { "?\"\u{201C}\u{201D}()<>{}[]:*_|".contains($0) }) else {
      return nil
    }
    var tokens = Self.trimmedOfMarks(text).split(separator: " ").map(Token.init)
    while let first = tokens.first?.folded, Self.openers.contains(first) { tokens.removeFirst() }
    while let last = tokens.last?.folded, Self.closers.contains(last) { tokens.removeLast() }
    guard (2...Self.longestClause).contains(tokens.count) else { return nil }
    let folded = tokens.map(\.folded)
    guard folded.allSatisfy({ !Self.unsafe.contains($0) }) else { return nil }
    let pairs = zip(folded, folded.dropFirst()).map { "\($0) \($1)" }
    guard pairs.allSatisfy({ !Self.unsafePairs.contains($0) }) else { return nil }
    return tokens
  }

  /// Nil where a word's marks cannot be kept apart from it.
  private static func turned(_ tokens: [Token]) -> String? {
    var words: [String] = []
    for (index, token) in tokens.enumerated() {
      let before = index > 0 ? tokens[index - 1].folded : ""
      if ["was", "am", "wasn't", "wasnt"].contains(token.folded), before == "i" {
        let verb = ["was": "were", "am": "are"][token.folded] ?? "weren't"
        words.append(verb + token.text.drop { $0.isLetter || $0 == "'" || $0 == "\u{2019}" })
      } else if let other = pronouns[token.folded] {
        let marks = token.text.reversed().prefix { !$0.isLetter }.reversed()
        words.append(other + String(marks))
      } else {
        words.append(String(token.text))
      }
    }
    return trimmedOfMarks(words.joined(separator: " "))
  }

  /// Without the marks and signs at either end; a closing percent or inch sign stays.
  private static func trimmedOfMarks(_ text: String) -> String {
    var rest = Substring(text)
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

  private static let pronouns = [
    "i": "you", "i'm": "you're", "im": "you're", "i've": "you've", "ive": "you've",
    "i'd": "you'd", "i'll": "you'll", "my": "your", "me": "you", "myself": "yourself",
    "mine": "yours",
  ]
  private static let subjects: Set<String> = [
    "i", "i'm", "im", "i've", "ive", "i'd", "i'll", "my",
  ]
  private static let openers: Set<String> = [
    "well", "so", "and", "but", "because", "cause", "cuz", "bc", "honestly", "ok", "okay", "yeah",
    "yes", "yep", "um", "uh", "hmm", "oh", "also", "plus", "basically", "just", "lol", "haha", "hi",
    "hey", "hello", "look", "then", "mostly", "mainly", "actually", "tbh", "ugh", "since", "cos",
  ]
  /// Words that speak to the coach, of several people, or of how sure the user is.
  private static let unsafe: Set<String> = [
    "you", "your", "you're", "youre", "u", "ur", "yours", "coach", "we", "we're", "our", "us",
    "ours", "guess", "suppose", "dunno", "idk", "lol", "haha", "lmao", "wtf", "sorry", "id", "ill",
    "weren't", "let's", "lets",
  ]
  private static let unsafePairs: Set<String> = [
    "am i", "i has", "i is", "i are", "i were", "me and", "and me", "me is", "me have", "me want",
    "i thinks", "i not", "i wants", "i think", "i mean", "was i", "i doesn't", "i doesnt",
  ]
  private static let wishes: [[String]] = [
    "i want to", "i wanna", "i'd like to", "i would like to", "i would love to", "i'd love to",
    "i need to", "i really want to", "i really need to", "i just want to", "i'm trying to",
    "im trying to", "i'm hoping to", "im hoping to", "i am trying to", "i hope to", "want to",
    "wanna", "need to", "trying to", "would like to", "my goal is to", "the goal is to",
    "goal is to",
    "looking to", "i'm looking to", "im looking to", "i am looking to", "to", "i plan to",
    "hoping to", "i want", "goal is", "my goal is",
  ].map { $0.split(separator: " ").map(String.init) }
    .sorted { $0.count > $1.count }
  private static let verbs: Set<String> = [
    "lose", "drop", "run", "get", "be", "build", "gain", "lift", "bench", "squat", "deadlift", "do",
    "feel", "fit", "finish", "climb", "swim", "walk", "cut", "shed", "put", "stop", "quit", "keep",
    "stay", "improve", "become", "start", "complete", "touch", "hike", "ride", "cycle", "bike",
    "jump", "dunk", "play", "have", "look", "go", "make", "work", "move", "train", "sleep", "pass",
    "fix", "reduce", "lower", "increase", "strengthen", "tone", "slim", "sit", "stand", "carry",
    "break", "hit", "learn", "manage", "recover", "return", "row", "dance", "come", "bring", "grow",
    "join", "win", "beat", "reach", "hold", "master", "bulk", "lean", "burn", "eat", "wear", "see",
    "avoid", "prevent", "deal", "handle", "take", "give", "turn", "survive", "race", "ski", "box",
    "not",
  ]
}
