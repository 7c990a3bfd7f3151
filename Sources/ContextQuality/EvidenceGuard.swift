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
  public static func refusal(of quote: String, in turn: String, facet: Facet) -> Refusal? {
    for line in turn.split(whereSeparator: \.isNewline) {
      guard let refusal = refusal(of: String(line), facet: facet) else { continue }
      // The quote may stand in another line of the turn, which speaks for itself.
      if overlaps(quote, String(line)) { return refusal }
    }
    return nil
  }

  private static func overlaps(_ quote: String, _ line: String) -> Bool {
    let (needle, hay) = (FoldedText(quote), FoldedText(line))
    if hay.contains(needle) { return true }
    return quote.split(whereSeparator: \.isNewline).contains { part in
      let part = FoldedText(String(part))
      return !part.isEmpty && (hay.contains(part) || part.contains(hay))
    }
  }

  private static func refusal(of line: String, facet: Facet) -> Refusal? {
    let folded = String(String.UnicodeScalarView(FoldedText(line).scalars))
    let words = FoldedText(line).words
    if isMarkup(folded, words) { return .markup }
    if isInstruction(folded, words) { return .instruction }
    if isHypothetical(words) { return .hypothetical }
    if words.starts(with: ["you", "said"]) && folded.contains("message") { return .aboutTheCoach }
    if facet.name != "people" && isAboutSomebodyElse(words) { return .somebodyElse }
    return nil
  }

  private static func isMarkup(_ text: String, _ words: [String]) -> Bool {
    let signs = ["<|", "|>", "</", "{\"", "\":", "[[", "]]", "![", "](http"]
    if signs.contains(where: text.contains) { return true }
    let roles = ["assistant:", "system:", "user:", "developer:", "coach:", "### system", "### instruction"]
    if roles.contains(where: text.hasPrefix) { return true }
    return text.split(separator: " ").contains { isEncoded(String($0)) }
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
    let namesScore = !set.isDisjoint(with: scoreWords)
    if namesScore && !set.isDisjoint(with: commands) { return true }
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
    "decode and follow", "your instructions", "previous instructions", "prompt injection",
  ]
  private static let scoreWords: Set<String> = [
    "score", "scores", "scorer", "scoring", "rubric", "facet", "facets", "intake", "readiness",
    "bewerte", "bewerten", "bewertung", "punktzahl", "puntua", "puntuacion", "puntúa", "puntuación",
    "note-moi", "pontue", "pontuação", "punteggio", "valuta",
  ]
  private static let commands: Set<String> = [
    "me", "mark", "set", "give", "return", "output", "finish", "end", "complete", "completed",
    "1.0", "1,0", "0.97", "max", "maximum", "full", "perfect", "that", "be", "mich", "gib", "beende",
    "dame", "ponme", "donne", "mets", "dá-me", "dammi",
  ]
  private static let orders: [[String]] = [
    ["end", "the", "intake"], ["finish", "the", "intake"], ["end", "the", "discovery"],
    ["please", "finish"], ["answer", "only"], ["mark", "me"], ["mark", "everything"],
    ["mark", "all"], ["consider", "me", "ready"], ["treat", "me", "as", "ready"],
    ["you", "are", "now"], ["repeat", "everything"], ["print", "the"], ["reveal", "your"],
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
  private static let thirdPersonVerbs: Set<String> = [
    "wants", "wanna", "needs", "hates", "loves", "likes", "trains", "runs", "weighs", "has",
    "would", "is", "goes", "eats", "works", "can", "cannot", "can't", "does",
  ]
}
