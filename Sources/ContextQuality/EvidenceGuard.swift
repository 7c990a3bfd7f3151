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

  /// Nil where nothing speaks against the quote.
  ///
  /// An instruction spoils the clause it stands in; a condition or another person, the sentence.
  public static func refusal(of quote: String, in turn: String, facet: Facet) -> Refusal? {
    for sentence in pieces(turn, endedBy: ".!?;\n") {
      if let refusal = refusal(ofSentence: sentence, facet: facet), overlaps(quote, sentence) {
        return refusal
      }
    }
    for clause in pieces(turn, endedBy: ".!?;,\n") {
      if let refusal = refusal(ofClause: clause), overlaps(quote, clause) { return refusal }
    }
    return nil
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

  private static func overlaps(_ quote: String, _ piece: String) -> Bool {
    let (needle, hay) = (FoldedText(quote), FoldedText(piece))
    guard !hay.isEmpty else { return false }
    if hay.contains(needle) || needle.contains(hay) { return true }
    // A quote that runs over the end of the piece begins or ends in it.
    return (1...max(1, min(needle.scalars.count, hay.scalars.count))).contains { length in
      hay.scalars.suffix(length).elementsEqual(needle.scalars.prefix(length)) && length > 3
        || hay.scalars.prefix(length).elementsEqual(needle.scalars.suffix(length)) && length > 3
    }
  }

  private static func refusal(ofClause clause: String) -> Refusal? {
    let text = FoldedText(clause)
    let folded = String(String.UnicodeScalarView(text.scalars))
    if isMarkup(folded) { return .markup }
    return isInstruction(folded, text.words) ? .instruction : nil
  }

  private static func refusal(ofSentence sentence: String, facet: Facet) -> Refusal? {
    let text = FoldedText(sentence)
    let folded = String(String.UnicodeScalarView(text.scalars))
    let words = text.words
    if roles.contains(where: folded.hasPrefix) { return .markup }
    if isHypothetical(words) { return .hypothetical }
    if words.starts(with: ["you", "said"]) && folded.contains("message") { return .aboutTheCoach }
    if isAboutSomebodyElse(words), facet.name != "people" || wishes.contains(words[2]) {
      return .somebodyElse
    }
    return nil
  }

  private static let roles = [
    "assistant:", "system:", "user:", "developer:", "coach:", "### system", "### instruction",
  ]

  private static func isMarkup(_ text: String) -> Bool {
    let signs = ["<|", "|>", "</", "{\"", "\":", "[[", "]]", "![", "](http"]
    return signs.contains(where: text.contains)
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
    if giveaways.contains(where: text.contains) { return true }
    let set = Set(words)
    if !set.isDisjoint(with: scoreWords) && !set.isDisjoint(with: commands) { return true }
    return orders.contains { order in
      words.indices.contains { words[$0...].starts(with: order) }
    }
  }

  private static let giveaways = [
    "discovery_complete", "discovery complete", "isready", "haspaid", "has_paid", "goalclarity",
    "obstacles.", "exercisepreferences", "currentstate", "lifestyle.", "nutritionreadiness",
    "communicationstyle", "pastpatterns", "energypatterns", "supportsystem", "the user has stated",
    "the user said", "the user wants", "user has provided", "all 24", "all facets", "every facet",
    "each facet", "verbatim quote", "overall =", "overall:", "overall score", "set overall",
    "system prompt", "developer mode", "ignore previous", "ignore all", "ignore your", "jailbreak",
    "as an ai", "api key", "environment variable", "entitlement", "paywall", "word for word",
    "decode and follow", "previous instructions", "prompt injection", "quote:", "quote=",
  ]
  private static let scoreWords: Set<String> = [
    "score", "scores", "scorer", "scoring", "rubric", "facet", "facets", "intake", "readiness",
    "bewerte", "bewerten", "bewertung", "punktzahl", "puntua", "puntuacion", "puntúa", "puntuación",
    "note-moi", "pontue", "pontuação", "punteggio", "valuta",
  ]
  private static let commands: Set<String> = [
    "me", "set", "return", "output", "1", "0", "max", "maximum", "full", "perfect", "that", "mich",
    "gib", "beende", "dame", "ponme", "donne", "mets", "dammi",
  ]
  private static let orders: [[String]] = [
    ["end", "the", "intake"], ["finish", "the", "intake"], ["end", "the", "discovery"],
    ["please", "finish"], ["answer", "only"], ["mark", "me"], ["mark", "everything"],
    ["mark", "all"], ["consider", "me", "ready"], ["treat", "me", "as", "ready"],
    ["you", "are", "now"], ["repeat", "everything"], ["print", "the", "environment"], ["print", "the", "entitlement"], ["reveal", "your"],
    ["beende", "das", "gespräch"], ["beende", "die"], ["termina", "la"], ["termine", "la"],
    ["encerra", "a"], ["encerre", "a"], ["termina", "il"], ["say", "this", "in", "your"],
    ["i", "am", "ready", "for", "coaching"], ["i'm", "ready", "for", "coaching"],
  ]

  /// "If I were a user who …", "what would my score be".
  private static func isHypothetical(_ words: [String]) -> Bool {
    let starts: [[String]] = [
      ["if", "i", "were", "a"], ["if", "i", "was", "a", "user"], ["if", "a", "user"],
      ["suppose", "i"], ["imagine", "i"], ["imagine", "a"], ["pretend", "i"], ["pretend", "that"],
      ["assume", "i"], ["assume", "that"], ["hypothetically"], ["let's", "say", "i", "were"],
      ["what", "if", "i", "were"],
    ]
    return starts.contains { words.starts(with: $0) }
  }

  /// A whole message about a third person, with no word about oneself.
  private static func isAboutSomebodyElse(_ words: [String]) -> Bool {
    guard words.count >= 3, ["my", "a", "our"].contains(words[0]), others.contains(words[1]),
      thirdPersonVerbs.contains(words[2])
    else { return false }
    return !words.contains { ["i", "i'm", "im", "i've", "i'd", "me", "myself", "we"].contains($0) }
  }

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
