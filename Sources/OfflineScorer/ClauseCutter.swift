/// Splits a message's tokens into clauses: at stops, at commas between statements, and where a
/// new statement begins without punctuation.
enum ClauseCutter {
  static let longest = 22

  static func cut(
    _ tokens: borrowing FlatBuffer<Token>, into clauses: inout FlatBuffer<Clause>
  ) {
    let connectives = Words.connectives
    var first = 0
    var startsSentence = true
    for index in 1..<max(1, tokens.count) {
      let isStop = tokens[index].flags.contains(.afterStop)
      guard isStop || endsClause(tokens, first, index, connectives) else { continue }
      clauses.append(clause(tokens, first, index, startsSentence))
      first = index
      startsSentence = isStop
    }
    if first < tokens.count { clauses.append(clause(tokens, first, tokens.count, startsSentence)) }
  }

  private static func clause(
    _ tokens: borrowing FlatBuffer<Token>, _ first: Int, _ end: Int, _ startsSentence: Bool
  ) -> Clause {
    Clause(
      first: Int32(first), end: Int32(end),
      isQuestion: tokens[first].flags.contains(.inQuestion), startsSentence: startsSentence)
  }

  private static func endsClause(
    _ tokens: borrowing FlatBuffer<Token>, _ first: Int, _ index: Int, _ connectives: WordSet
  ) -> Bool {
    let length = index - first
    if length >= longest { return true }
    let token = tokens[index]
    if token.flags.contains(.afterComma) {
      return length >= 4 && wordsAhead(tokens, index) >= 2
    }
    guard length >= 5, index + 1 < tokens.count else { return false }
    if connectives.contains(token.lemma) {
      return tokens[index + 1].flags.contains(.subject)
        || Words.opensStatement(tokens[index + 1].lemma)
    }
    // "… in the evening i mostly sleep": a new subject without a word that leads up to it.
    return length >= 8 && token.flags.contains(.subject) && Words.isFirstPerson(token.lemma)
      && !Words.leadsOn(tokens[index - 1].lemma)
  }

  private static func wordsAhead(_ tokens: borrowing FlatBuffer<Token>, _ index: Int) -> Int {
    var end = index + 1
    while end < tokens.count, end < index + 2,
      tokens[end].flags.isDisjoint(with: [.afterStop, .afterComma])
    { end += 1 }
    return end - index
  }
}

/// The few words that sentence structure depends on, by their lemma in the lexicon.
enum Words {
  static let connectives = table(
    "but because so and when if then which although while until plus since")
  static let openers = table("it there this that its theres my")
  static let firstPersons = table("i im ive id ill my we")
  static let leaders = table(
    "that when because what if as and but so which where than how why like say think know before after until while since all thing way time"
  )

  static let roles = table("assistant system user developer coach human bot ai")
  static let determiners = table("my a our the his her their")
  static let thirdPersonVerbs = table(
    "wants want is has was does did weighs goes get trains runs says can had needs need lost eats walks used_to works plays does go will took would sleeps sleep runs run swims cycles hates hate likes loves lifts rides drinks takes makes does keeps keep trains train lives"
  )

  static let totals = table("all everything")
  static let goalLemma = Hash.word("want")
  static let subjectI = table("i ill")

  static func meansAll(_ lemma: UInt32) -> Bool { contains(totals, lemma) }
  static func isSubjectI(_ lemma: UInt32) -> Bool { contains(subjectI, lemma) }
  static let checks = table("right correct accurate understand get miss did have summary that")
  static let openQuestions = table(
    "what which who whom why how when where shall should would will can could may do does did are have want is tell any"
  )
  static let factWords = table("what which why how when where who")

  static let acknowledgements = table(
    "ok okay thanks thank thx ty tysm cheers it noted understood gotcha roger righto bye cya ttyl")
  static let politeness = table(
    "oh um hi lol please get you will do sound great good nice cool perfect awesome so much very a lot that all and sense make fair enough worries see later then sir coach mate ta"
  )
  /// They answer a question, too.
  static let affirmations = table(
    "yes yep yeah yup sure absolutely definitely exactly love deal of course right")
  /// What comes before an order at the beginning of a clause.
  static let orderOpeners = table(
    "actually sorry ok okay no nope oh please you can could let's lets so just well wait yeah yes hmm um uh honestly now also maybe hey coach ah right on second thought thoughts know what better"
  )

  static let joiners = table("and then or")

  /// Words of sentences that lists of key words do without.
  static let joints = table(
    "i i'm i've i'd i'll im ive id ill my we our a an the and or of to at by from with about as than in on for is are was were be do don't does have has it it's its there there's theres so but because that"
  )

  static func joins(_ lemma: UInt32) -> Bool { contains(joints, lemma) }
  static func affirms(_ lemma: UInt32) -> Bool { contains(affirmations, lemma) }
  static func opensOrder(_ lemma: UInt32) -> Bool { contains(orderOpeners, lemma) }

  static func joinsOn(_ lemma: UInt32) -> Bool { contains(joiners, lemma) }
  static let refusals = WordSet([
    "idk", "pass", "whatever", "not sure", "no idea", "rather not", "no comment", "next question",
  ])
  static func refusesToAnswer(_ lemma: UInt32) -> Bool { contains(refusals, lemma) }
  static func acknowledges(_ lemma: UInt32) -> Bool { contains(acknowledgements, lemma) }
  static func isPolite(_ lemma: UInt32) -> Bool { contains(politeness, lemma) }

  static func isCheck(_ lemma: UInt32) -> Bool { contains(checks, lemma) }
  static func asksOpenly(_ lemma: UInt32) -> Bool { contains(openQuestions, lemma) }
  static func asksForFact(_ lemma: UInt32) -> Bool { contains(factWords, lemma) }
  static func isRole(_ lemma: UInt32) -> Bool { contains(roles, lemma) }
  static func isDeterminer(_ lemma: UInt32) -> Bool { contains(determiners, lemma) }
  static func isThirdPersonVerb(_ lemma: UInt32) -> Bool { contains(thirdPersonVerbs, lemma) }

  @inline(__always) static func opensStatement(_ lemma: UInt32) -> Bool { contains(openers, lemma) }
  @inline(__always) static func isFirstPerson(_ lemma: UInt32) -> Bool {
    contains(firstPersons, lemma)
  }
  @inline(__always) static func leadsOn(_ lemma: UInt32) -> Bool { contains(leaders, lemma) }

  private static func table(_ words: String) -> WordSet { WordSet(words) }

  @inline(__always)
  private static func contains(_ table: WordSet, _ lemma: UInt32) -> Bool { table.contains(lemma) }
}

/// A few lemmas. One bit usually rules out words that are not in the set.
struct WordSet: Sendable {
  private let lemmas: [UInt32]
  private let bits: UInt64

  init(_ words: String) { self.init(words.split(separator: " ")) }

  /// Phrases have the spelling with which the lexicon lists them first.
  init(_ words: [some StringProtocol]) {
    lemmas = words.map { Hash.word($0) }
    bits = lemmas.reduce(0) { $0 | Self.bit($1) }
  }

  @inline(__always)
  func contains(_ lemma: UInt32) -> Bool {
    guard bits & Self.bit(lemma) != 0 else { return false }
    for word in lemmas where word == lemma { return true }
    return false
  }

  @inline(__always)
  private static func bit(_ lemma: UInt32) -> UInt64 { 1 << UInt64(lemma >> 8 & 63) }
}
