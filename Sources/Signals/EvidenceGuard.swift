public import ContextQuality
import IncrementalJSON

/// Refuses quotes that are the user's words and yet no evidence, in unmistakable cases.
///
/// The rubric's rules 4 (somebody else), 5 (questions and hypotheticals) and 9 (instructions to the
/// scorer) need judgement that the scorer has; this catches what a misled scorer would let through.
public enum EvidenceGuard {
  public enum Refusal: String, Hashable, Sendable, Codable {
    case instruction = "an instruction to the scorer"
    case markup = "markup or code"
    case hypothetical = "a hypothetical"
    case somebodyElse = "about somebody else"
    case aboutTheCoach = "about the coach's words"
  }

  /// A user turn, read once for all the quotes that are taken from it.
  public struct Turn: Sendable {
    package let folded: FoldedText
    private let sentences: [Piece]
    /// Only those that are refused, whatever the facet.
    private let spoiltClauses: [(piece: Piece, refusal: Refusal)]

    public init(_ text: String) {
      folded = FoldedText(text)
      sentences = pieces(text, endedBy: ".!?;\n").map { Piece($0) }
      spoiltClauses = pieces(text, endedBy: ".!?;,\n").compactMap { clause in
        let piece = Piece(clause)
        return EvidenceGuard.refusal(ofClause: piece).map { (piece, $0) }
      }
    }

    /// Nil where nothing speaks against the quote.
    ///
    /// An instruction spoils the clause it stands in; a condition or another person, the sentence.
    public func refusal(of quote: String, facet: Facet) -> Refusal? {
      let needle = FoldedText(quote)
      for sentence in sentences {
        if let refusal = EvidenceGuard.refusal(ofSentence: sentence, facet: facet),
          overlaps(needle, sentence.folded)
        {
          return refusal
        }
      }
      return spoiltClauses.first { overlaps(needle, $0.piece.folded) }?.refusal
    }
  }

  /// A sentence or a clause.
  package struct Piece: Sendable {
    let original: String
    let folded: FoldedText
    let text: String
    let words: [String]

    init(_ original: String) {
      self.original = original
      folded = FoldedText(original)
      text = folded.text
      words = folded.words
    }
  }

  /// Cut behind marks that end something: a point or comma inside a number or a name does not.
  private static func pieces(_ turn: String, endedBy marks: String) -> [String] {
    let ends = Set(marks.unicodeScalars)
    let scalars = Array(turn.unicodeScalars)
    var pieces: [String] = []
    var piece = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      piece.append(scalar)
      let isLast = index + 1 == scalars.count
      guard isLast || ends.contains(scalar) else { continue }
      if isLast || scalar == "\n" || scalars[index + 1].properties.isWhitespace {
        pieces.append(String(piece))
        piece = String.UnicodeScalarView()
      }
    }
    return pieces
  }

  private static func overlaps(_ needle: FoldedText, _ hay: FoldedText) -> Bool {
    guard !hay.isEmpty else { return false }
    if hay.contains(needle) || needle.contains(hay) { return true }
    // A quote that runs over the end of the piece begins or ends in it.
    return (1...max(1, min(needle.scalars.count, hay.scalars.count))).contains { length in
      hay.scalars.suffix(length).elementsEqual(needle.scalars.prefix(length)) && length > 3
        || hay.scalars.prefix(length).elementsEqual(needle.scalars.suffix(length)) && length > 3
    }
  }

  private static func refusal(ofClause clause: Piece) -> Refusal? {
    if isMarkup(clause.text) { return .markup }
    return isInstruction(clause.text, clause.words) ? .instruction : nil
  }

  private static func refusal(ofSentence sentence: Piece, facet: Facet) -> Refusal? {
    let words = sentence.words
    if roles.contains(where: sentence.text.hasPrefix) { return .markup }
    if isHypothetical(sentence.original, words) { return .hypothetical }
    if words.starts(with: ["you", "said"]) && sentence.text.hasBytes(of: "message") {
      return .aboutTheCoach
    }
    if isOwn(facet), isAboutSomebodyElse(words, facet) { return .somebodyElse }
    return nil
  }

  private static let roles = [
    "assistant:", "system:", "user:", "developer:", "coach:", "### system", "### instruction",
  ]

  private static func isMarkup(_ text: String) -> Bool {
    let signs = ["<|", "|>", "</", "{\"", "\":", "[[", "]]", "![", "](http"]
    return signs.contains(where: text.hasBytes)
      || text.split(separator: " ").contains { isEncoded(String($0)) }
  }

  /// A long run of base64 is no word of anybody's.
  private static func isEncoded(_ word: String) -> Bool {
    let bytes = Array(word.utf8)
    guard bytes.count >= 24 else { return false }
    let isAlphabet = bytes.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2B || $0 == 0x2F
        || $0 == 0x3D
    }
    return isAlphabet && bytes.contains { (0x30...0x39).contains($0) || $0 == 0x3D }
  }

  private static func isInstruction(_ text: String, _ words: [String]) -> Bool {
    giveaways.contains(where: text.hasBytes)
      || !Set(words).isDisjoint(with: scoreWords)
      || asksForScore(words)
      || declaresTopicsSettled(words)
      || orders.contains { order in words.indices.contains { words[$0...].starts(with: order) } }
  }

  /// "My goal, target, timeframe and motive are clear": topics of the scorer's, and no fact.
  private static func declaresTopicsSettled(_ words: [String]) -> Bool {
    words.contains(where: settled.contains) && words.count(where: topics.contains) >= 2
  }

  private static let topics: Set<String> = [
    "goal", "goals", "outcome", "target", "timeframe", "motive", "obstacles", "barrier", "barriers",
    "preferences", "constraints", "patterns", "availability",
  ]
  private static let settled: Set<String> = [
    "clear", "known", "complete", "completed", "settled", "covered", "filled", "given", "provided",
  ]

  /// "score me", "give me a full rating", "set it to 1": somebody is to do something to a score.
  private static func asksForScore(_ words: [String]) -> Bool {
    for (index, word) in words.enumerated() {
      let next = index + 1 < words.count ? words[index + 1] : ""
      if rating.contains(word), rated.contains(next) { return true }
      let following = words[(index + 1)...].prefix(5)
      if giving.contains(word), following.contains(where: scores.contains) { return true }
      if scores.contains(word), ["is", "to", "of", "at", "="].contains(next),
        following.dropFirst().first.map({ $0.first?.isNumber == true || maxima.contains($0) })
          == true
      {
        return true
      }
    }
    return false
  }

  private static let giveaways = [
    "discovery_complete", "discovery complete", "isready", "haspaid", "has_paid", "goalclarity",
    "obstacles.", "exercisepreferences", "currentstate", "lifestyle.", "nutritionreadiness",
    "communicationstyle", "pastpatterns", "energypatterns", "supportsystem", "the user has stated",
    "the user said", "the user wants", "user has provided", "all facets", "every facet",
    "each facet", "verbatim quote", "overall =", "overall:", "set overall",
    "system prompt", "developer mode", "ignore previous", "ignore all", "ignore your", "jailbreak",
    "as an ai", "api key", "environment variable", "entitlement", "paywall", "word for word",
    "decode and follow", "previous instructions", "prompt injection", "quote:", "quote=",
  ]
  /// Words of the scorer's own trade, which nobody uses about their training.
  private static let scoreWords: Set<String> = [
    "scorer", "rubric", "facet", "facets", "readiness", "bewerte", "bewerten", "bewertung",
    "punktzahl", "puntua", "puntuacion", "puntúa", "puntúame", "puntuame", "puntuación", "note-moi",
    "pontue", "pontuação", "punteggio", "valutami",
  ]
  private static let rating: Set<String> = ["score", "rate", "grade", "mark", "scoring"]
  private static let rated: Set<String> = [
    "me", "this", "that", "it", "everything", "all", "every", "each", "everybody", "mich", "my",
    "us",
  ]
  private static let giving: Set<String> = [
    "give", "set", "return", "output", "award", "assign", "raise", "make", "put", "report", "print",
    "write", "mark",
  ]
  private static let scores: Set<String> = [
    "score", "scores", "rating", "ratings", "criterion", "criteria", "categories", "category",
    "component", "components",
  ]
  private static let maxima: Set<String> = ["max", "maximum", "full", "perfect", "100", "ten"]
  private static let orders: [[String]] = [
    ["end", "the", "intake"], ["finish", "the", "intake"], ["complete", "the", "intake"],
    ["end", "the", "discovery"], ["end", "the", "interview"], ["end", "the", "session"],
    ["close", "the", "session"], ["close", "the", "intake"], ["finish", "the", "interview"],
    ["stop", "the", "interview"], ["please", "finish"], ["answer", "only"],
    ["consider", "me", "ready"], ["treat", "me", "as", "ready"], ["treat", "me", "as", "approved"],
    ["approve", "me"], ["pass", "me", "as"],
    ["you", "are", "now"], ["act", "as"], ["repeat", "everything"],
    ["print", "the", "environment"], ["print", "the", "entitlement"],
    ["print", "the", "system"], ["print", "the", "key"],
    ["reveal", "your"], ["forget", "your"], ["forget", "all"], ["disregard", "your"],
    ["disregard", "all"], ["ignore", "the", "rules"], ["all", "24"], ["ten", "out", "of", "ten"],
    ["10", "out", "of", "10"], ["beende", "das", "gespräch"], ["beende", "die"],
    ["termina", "la"], ["termina", "ya"], ["termine", "la"], ["encerra", "a"], ["encerre", "a"],
    ["termina", "il"], ["say", "this", "in", "your"], ["i", "am", "ready", "for", "coaching"],
    ["i'm", "ready", "for", "coaching"],
  ]

  /// "If I were a user who …", "suppose someone …", "would it count if …", "should I run?".
  private static func isHypothetical(_ sentence: String, _ words: [String]) -> Bool {
    if conditions.contains(where: { words.starts(with: $0) }) { return true }
    let isQuestion = sentence.last { !$0.isWhitespace } == "?"
    return isQuestion && words.first.map(questionWords.contains) == true
  }

  private static let conditions: [[String]] = [
    ["if", "i", "were"], ["if", "i", "was", "a"], ["if", "i", "had", "a"], ["if", "a"],
    ["if", "someone"], ["if", "somebody"], ["suppose"], ["imagine"], ["pretend"],
    ["assume"], ["hypothetically"], ["let's", "say"], ["lets", "say"], ["what", "if"],
    ["would", "it"], ["say", "someone"], ["say", "i", "were"],
  ]
  private static let questionWords: Set<String> = [
    "should", "would", "could", "can", "do", "does", "did", "is", "are", "am", "will", "shall",
    "may", "what", "how", "why", "when", "where", "which", "who", "was", "were", "whats", "what's",
  ]

  /// A sentence about a third person, with no word about oneself.
  private static func isAboutSomebodyElse(_ words: [String], _ facet: Facet) -> Bool {
    guard words.count >= 3, words.allSatisfy({ !selves.contains($0) }) else { return false }
    if ["he", "she", "they"].contains(words[0]) {
      return facet.name != "people" && thirdPersonVerbs.contains(words[1])
    }
    guard ["my", "a", "our"].contains(words[0]) else { return false }
    let person = words[1].hasSuffix("'s") ? String(words[1].dropLast(2)) : words[1]
    guard others.contains(person) else { return false }
    if person != words[1] { return facet.name != "people" }
    return facet.name == "people" ? wishes.contains(words[2]) : thirdPersonVerbs.contains(words[2])
  }

  /// What is said about the people around somebody can still be about their own time or hurdles.
  private static func isOwn(_ facet: Facet) -> Bool {
    switch facet.component {
    case "lifestyle", "pastPatterns": false
    case "goalClarity": facet.name != "timeframe" && facet.name != "motive"
    case "obstacles": facet.name == "physical"
    default: true
    }
  }

  private static let selves: Set<String> = [
    "i", "i'm", "im", "i've", "ive", "i'd", "id", "i'll", "me", "myself", "we", "us", "mine",
  ]
  private static let others: Set<String> = [
    "friend", "wife", "husband", "brother", "sister", "dad", "mom", "mum", "mother", "father",
    "son", "daughter", "cousin", "colleague", "neighbour", "neighbor", "boss", "uncle", "aunt",
    "roommate", "flatmate", "girlfriend", "boyfriend", "partner", "client", "buddy", "mate",
    "coworker",
  ]
  /// Somebody else's wish tells nothing about who helps or hinders either.
  private static let wishes: Set<String> = ["wants", "wanna", "needs", "would", "weighs"]
  private static let thirdPersonVerbs: Set<String> = [
    "wants", "wanna", "needs", "hates", "loves", "likes", "trains", "runs", "weighs", "has",
    "would", "is", "goes", "eats", "works", "can", "cannot", "can't", "does",
  ]
}
